import ObjectModel
import Rows

/// A row as it is if only the context itself has changed it since a step.
///
/// The row is put together from the rows that the context has known since, the newest first, and ends with the step.
struct ExpectedRow {
  private enum Part {
    case changed(RowLocation)
    /// A row that the context has asked to see, and the own changes that lay above that row.
    case seen(ViewRow, own: [RowLocation])
  }

  /// Whether the parts so far give every value, or the row is known not to exist.
  private(set) var isComplete = false
  private(set) var exists = true
  private let key: ObjectKey
  private let step: RowEntry
  private var parts: [Part] = []

  /// - Parameter step: The entry of the row in the step.
  init(_ key: ObjectKey, after step: RowEntry) {
    self.key = key
    self.step = step
  }

  /// Adds changes that are older than the parts so far.
  mutating func add(_ entry: RowEntry) {
    switch entry {
    case .absent: break
    case .removed: end()
    case .put(let location), .changed(let location): parts.append(.changed(location))
    }
  }

  /// Adds the changes of the step itself.
  mutating func addStep() {
    if !isComplete { add(step) }
    isComplete = true
  }

  /// Adds a row that the context has asked to see, older than the parts so far.
  ///
  /// - Parameters:
  ///   - row: The row; `nil` if there was none.
  ///   - own: The changes of the context that lay above the row.
  mutating func addSeen(_ row: ViewRow?, beneath own: [Layer]) throws {
    var changes: [RowLocation] = []
    for layer in own.reversed() {
      switch try layer.entry(of: key) {
      case .absent: break
      case .changed(let location): changes.append(location)
      case .put(let location):
        // The context itself has inserted the row, and the store did not contain it yet.
        if row == nil { return }
        changes.append(location)
      case .removed:
        // The deletion by the step was not saved yet.
        if changes.isEmpty, case .removed = step { return }
      }
    }
    guard let row else { return end() }
    parts.append(.seen(row, own: changes))
    isComplete = true
  }

  private mutating func end() {
    isComplete = true
    exists = !parts.isEmpty
  }

  /// Returns the value of a column; `nil` if no part gives one.
  func value(_ column: LayoutColumn) throws -> Value? {
    for part in parts {
      switch part {
      case .changed(let location):
        if let value = try location.block.value(column, row: location.row) { return value }
      case .seen(let row, let own):
        // The value of the step still lay above the row, so the row has not replaced it.
        if let value = try stepValue(column), try value == self.own(column, own) { return value }
        return try row.value(column)
      }
    }
    return nil
  }

  private func stepValue(_ column: LayoutColumn) throws -> Value? {
    try step.given.flatMap { try $0.block.value(column, row: $0.row) }
  }

  private func own(_ column: LayoutColumn, _ changes: [RowLocation]) throws -> Value? {
    for location in changes {
      if let value = try location.block.value(column, row: location.row) { return value }
    }
    return nil
  }
}
