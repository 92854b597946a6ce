public import ObjectModel

/// A comparison of one object in two layers above the same view.
public struct ThreeWayComparison: Sendable {
  public let key: ObjectKey
  /// The first layer's entry of the object.
  public let mine: RowEntry
  /// The second layer's entry of the object.
  public let theirs: RowEntry
  /// The values that either layer gives, in the order of the layout's columns. Empty when either layer removes the
  /// object.
  public let values: [ComparedValue]

  /// Whether the layers conflict: both change one value differently, or one layer changes an object that the other
  /// layer removes.
  public var isConflict: Bool {
    switch (mine, theirs) {
    case (.removed, .removed): false
    case (.removed, _), (_, .removed): true
    default: values.contains { $0.verdict == .conflict }
    }
  }
}

/// One value in the state below two layers, and in each of the layers.
public struct ComparedValue: Sendable {
  public let column: LayoutColumn
  /// The value below both layers; `nil` when the object did not exist there.
  public let base: Value?
  /// The value in the first layer, or the value below if the first layer gives none.
  public let mine: Value?
  /// The value in the second layer, or the value below if the second layer gives none.
  public let theirs: Value?
  /// The layers that changed the value.
  public let verdict: Verdict

  /// The layers that changed a value.
  public enum Verdict: Sendable, Hashable {
    /// The first layer alone changed the value.
    case mine
    /// The second layer alone changed the value.
    case theirs
    /// Both layers changed the value to the same value, or neither layer changed it.
    case same
    /// Both layers changed the value, to different values.
    case conflict
  }
}

extension Layer {
  /// Compares this layer and another layer, for the objects that both contain.
  ///
  /// - Parameter base: The view below both layers.
  /// - Returns: A comparison for each object in both layers, in the order of their keys.
  /// - Throws: ``BlockError`` when a block is damaged, or the error of the block's source.
  public func compared(
    with other: Layer, above base: View, schema: Schema
  ) throws -> [ThreeWayComparison] {
    var comparisons: [ThreeWayComparison] = []
    for changes in entities {
      guard let layout = schema[changes.entityNumber],
        let others = try other[changes.entityNumber]?.entries()
      else { continue }
      var j = 0
      for mine in try changes.entries() {
        while j < others.count, others[j].key < mine.key { j += 1 }
        guard j < others.count, others[j].key == mine.key else { continue }
        let key = ObjectKey(entity: changes.entityNumber, number: mine.key)
        comparisons.append(
          try Layer.compare(key, mine.entry, others[j].entry, base.row(of: key), layout))
      }
    }
    return comparisons
  }

  private static func compare(
    _ key: ObjectKey, _ mine: RowEntry, _ theirs: RowEntry, _ base: ViewRow?, _ layout: Layout
  ) throws -> ThreeWayComparison {
    guard let my = mine.rowWithValues, let their = theirs.rowWithValues else {
      return ThreeWayComparison(key: key, mine: mine, theirs: theirs, values: [])
    }
    var values: [ComparedValue] = []
    for column in layout.columns {
      let myValue = try my.givenValue(column)
      let theirValue = try their.givenValue(column)
      if myValue == nil && theirValue == nil { continue }
      let baseValue = try base?.value(column)
      let iChanged = myValue != nil && myValue != baseValue
      let theyChanged = theirValue != nil && theirValue != baseValue
      let verdict: ComparedValue.Verdict =
        switch (iChanged, theyChanged) {
        case (true, true): myValue == theirValue ? .same : .conflict
        case (true, false): .mine
        case (false, true): .theirs
        case (false, false): .same
        }
      values.append(
        ComparedValue(
          column: column, base: baseValue, mine: myValue ?? baseValue,
          theirs: theirValue ?? baseValue, verdict: verdict))
    }
    return ThreeWayComparison(key: key, mine: mine, theirs: theirs, values: values)
  }
}

extension RowEntry {
  /// The row, unless the object is removed or absent.
  fileprivate var rowWithValues: RowLocation? {
    switch self {
    case .put(let location), .changed(let location): location
    case .absent, .removed: nil
    }
  }
}

extension RowLocation {
  /// Returns the value that the row gives; `nil` when it leaves the value to the row below.
  public func givenValue(_ column: LayoutColumn) throws -> Value? {
    try block.value(column, row: row)
  }
}
