public import ObjectModel
public import Rows
package import SQLTranslation
package import StoreInterface

/// Rows of one entity's table, collected into blocks in the order in which a database returns them.
///
/// The loop over the cells of a row stays in the store of each database, because it runs for every cell: a generic loop
/// would not be compiled for the cells of one database. The functions that run for every row are inlined for the same
/// reason.
@usableFromInline
package struct RowBlocks: ~Copyable {
  /// The tables and columns of the entity.
  package let entity: TableMap.EntityMap
  /// The way to read each column of the layout.
  package let steps: [Step]
  /// The index of the version in the draft.
  package let versionColumn: Int
  /// The rows that are not in a block yet.
  @usableFromInline package private(set) var draft: Draft
  /// The number of bytes of the texts and binary values in the draft.
  @usableFromInline package var byteCount = 0

  private let path: String
  /// The entity's columns, followed by the version.
  private let layout: Layout
  private var writer = BlockWriter()
  private var found: [Block] = []
  @usableFromInline var lastKey: Int64 = 0

  /// The way to read one column of the layout. It contains only numbers, because it is copied for each cell.
  package struct Step {
    package let kind: ColumnKind
    /// The index of the column in the layout.
    package let column: Int
    /// The index of the cell in the row.
    package let cell: Int
    /// The index of the cell with the entity of a relationship's target; -1 if the entity is known.
    package let entityCell: Int
    /// The entity of the target, unless that cell contains another one.
    package let destination: UInt16
    /// Whether the first byte of the cell shows where the value is.
    package let isExternal: Bool
  }

  /// The reason why a cell is rejected.
  @usableFromInline
  package enum OddCell: Error {
    /// The value is of a wrong kind.
    case kind
    /// A description of the fault.
    case words(String)
    /// A reference contains a number that no object can have.
    case key(Int64)
    /// A reference refers to an object of an unknown entity.
    case entity(Int64)
    /// The error from reading a value outside the database.
    case other(any Error)
  }

  /// - Parameters:
  ///   - basis: The version that the rows are based on; 0 if they are based on none.
  ///   - hasEntityCell: Returns whether a cell with the entity of the target follows the cell of a column. The first two
  ///     cells of a row are its key and its version.
  package init(
    _ entity: TableMap.EntityMap, path: String, basis: Int64,
    hasEntityCell: (TableMap.ColumnMap) -> Bool
  ) {
    (self.entity, self.path) = (entity, path)
    layout = entity.layout.versioned(above: basis)
    versionColumn = layout.columns.count - 1
    draft = Draft(layout, role: .insertions)
    var cell = 2
    steps = entity.columns.enumerated().map { index, column in
      let step = Step(
        kind: entity.layout.columns[index].kind, column: index, cell: cell,
        entityCell: hasEntityCell(column) ? cell + 1 : -1,
        destination: column.destination?.entity ?? 0, isExternal: column.isExternal)
      cell += step.entityCell < 0 ? 1 : 2
      return step
    }
  }

  /// Checks the key of the next row.
  ///
  /// - Parameters:
  ///   - key: The key; `nil` if the cell contains no integer.
  ///   - name: The column with the key, for messages.
  ///   - words: A description of the cell, for messages.
  @inlinable
  package mutating func check(
    key: Int64?, _ name: StaticString, _ words: @autoclosure () -> String
  ) throws -> Int64 {
    guard let key, key > lastKey, key <= Int64(ObjectKey.highestNumber) else {
      throw badKey(key, name, words())
    }
    lastKey = key
    return key
  }

  @usableFromInline
  func badKey(_ key: Int64?, _ name: StaticString, _ words: String) -> any Error {
    guard let key, key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      return fault(
        "\(name)", nil, "contains \(words), but keys are from 1 to \(ObjectKey.highestNumber)")
    }
    // A damaged tree may contain rows out of order, or twice.
    return fault("\(name)", key, "contains a key that is out of order or occurs twice")
  }

  /// Turns the rows into blocks if the draft is full, while its memory is still in the cache.
  @inlinable
  package mutating func freezeIfFull() {
    guard draft.isFull || byteCount > Draft.fullByteCount else { return }
    freeze()
  }

  @usableFromInline
  mutating func freeze() {
    found += Draft.freeze([draft], &writer)
    // Many more rows are likely to follow.
    draft = Draft(layout, role: .insertions, capacity: Draft.maximumRowCount)
    byteCount = 0
  }

  /// Returns the blocks of all rows.
  package mutating func frozen() -> [Block] {
    found += Draft.freeze([draft], &writer)
    return found
  }

  /// Throws if a row has no room for a text or a binary value.
  ///
  /// The function belongs to the type: a call on the value would move the value in memory for each cell.
  @inlinable
  package static func checkRoom(
    for byteCount: Int, _ draft: Draft, column: Int, row: Int
  ) throws(OddCell) {
    if !draft.hasRoom(for: byteCount, column: column, row: row) { throw noRoom(for: byteCount) }
  }

  @usableFromInline
  static func noRoom(for byteCount: Int) -> OddCell {
    .words(
      "contains \(byteCount) bytes, but the texts and bytes of one row can have at most \(Draft.maximumRowByteCount) bytes together"
    )
  }

  /// Returns the error for a cell.
  ///
  /// - Parameter words: A description of the cell.
  package func error(for odd: OddCell, _ step: Step, _ key: Int64, _ words: String) -> any Error {
    let name = entity.columns[step.column].name
    return switch odd {
    case .kind: fault(name, key, "contains \(words) instead of \(step.kind.words)")
    case .words(let words): fault(name, key, words)
    case .key(let number):
      fault(name, key, "refers to the key \(number), which no object can have")
    case .entity(let number):
      fault(
        name, key, "refers to an object of entity \(number), which the model does not have")
    case .other(let error): error
    }
  }

  /// Returns the error for a cell of a row; of any row if the key is `nil`.
  package func fault(_ column: String, _ key: Int64?, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      "\(entity.table)\(key.map { ", row \($0)" } ?? ""), column \(column): the cell \(what).",
      path: path)
  }
}

extension ColumnKind {
  /// A description of the expected kind, for messages.
  package var words: String {
    if self == .reference { return "the key of an object" }
    return AttributeType.allCases.first { ColumnKind($0) == self }?.traits.words ?? ""
  }
}
