public import ObjectModel

/// How one object fares in two layers that were both made above the same view.
public struct ThreeWayComparison: Sendable {
  /// The object.
  public let key: ObjectKey
  /// What the first layer does with it.
  public let mine: RowEntry
  /// What the second layer does with it.
  public let theirs: RowEntry
  /// The values that either layer gives, in the order of the layout's columns. Empty when either
  /// takes the object out.
  public let values: [ComparedValue]

  /// Whether both can't hold: both give one value differently, or one changes what the other takes
  /// out.
  public var isConflict: Bool {
    switch (mine, theirs) {
    case (.removed, .removed): false
    case (.removed, _), (_, .removed): true
    default: values.contains { $0.verdict == .conflict }
    }
  }
}

/// One value in the state that two layers were made above, and in each of them.
public struct ComparedValue: Sendable {
  /// The column.
  public let column: LayoutColumn
  /// The value beneath both layers; `nil` when the object was not there.
  public let base: Value?
  /// The value in the first layer; the one beneath where it gives none.
  public let mine: Value?
  /// The value in the second layer; the one beneath where it gives none.
  public let theirs: Value?
  /// Who changed it.
  public let verdict: Verdict

  /// Who changed a value.
  public enum Verdict: Sendable, Hashable {
    /// Only the first layer.
    case mine
    /// Only the second layer.
    case theirs
    /// Both, to the same value, or to what it was.
    case same
    /// Both, to different values.
    case conflict
  }
}

extension Layer {
  /// Compares what this layer and another do with the objects that both touch.
  ///
  /// - Parameter base: What lies beneath both.
  /// - Returns: A comparison for each object in both, in the order of their keys.
  /// - Throws: ``BlockError`` when a block is damaged, or what its source throws.
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
  /// The row, unless the object is gone or not mentioned.
  fileprivate var rowWithValues: RowLocation? {
    switch self {
    case .put(let location), .changed(let location): location
    case .absent, .removed: nil
    }
  }
}

extension RowLocation {
  /// The value that the row gives; `nil` when it leaves it to the row beneath.
  public func givenValue(_ column: LayoutColumn) throws -> Value? {
    try block.value(column, row: row)
  }
}
