import ObjectModel
package import Rows
package import SQLTranslation
package import StoreInterface

/// Links of one table, collected into blocks in the order in which a database returns them.
package final class LinkBlocks {
  private let link: TableMap.LinkMap
  private let map: TableMap
  private let path: String
  private let layout: Layout
  /// The places of the ends and the positions among the columns of the layout; `nil` for a position that links of the
  /// table do not have.
  private let source: Int
  private let target: Int
  private let targetOrder: Int?
  private let sourceOrder: Int?
  private let isSymmetric: Bool
  private let versionColumn: Int
  private let ignoresHalfLinks: Bool
  private var drafts: [Draft] = []
  private var seen: Set<[UInt64]> = []
  private var last: Int64 = 0

  /// - Parameters:
  ///   - basis: The version that the links are based on; 0 if they are based on none.
  ///   - ignoresHalfLinks: Whether a row without a source or a target is passed over, and not refused.
  package init(
    _ link: TableMap.LinkMap, _ map: TableMap, path: String, basis: Int64,
    ignoresHalfLinks: Bool = false
  ) {
    (self.link, self.map, self.path) = (link, map, path)
    self.ignoresHalfLinks = ignoresHalfLinks
    layout = link.links.layout.versioned(above: basis)
    // A link has two ends.
    source = layout.index(ofNumber: LinkTable.Column.source)!
    target = layout.index(ofNumber: LinkTable.Column.target)!
    isSymmetric = link.links.isSymmetric
    versionColumn = layout.columns.count - 1
    targetOrder = layout.index(ofNumber: LinkTable.Column.targetOrder)
    sourceOrder = layout.index(ofNumber: LinkTable.Column.sourceOrder)
  }

  /// Returns the blocks of the links that were added.
  package func frozen() -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze(drafts, &writer)
  }

  /// A cell of a link's row.
  package enum Cell {
    case null
    case integer(Int64)
    /// A description of a value of another kind, for messages.
    case other(String)

    fileprivate var words: String {
      switch self {
      case .null: "nothing"
      case .integer(let number): "the number \(number)"
      case .other(let words): words
      }
    }
  }

  /// Adds the link of a row, unless the link is symmetric and a row before it has the same ends.
  ///
  /// - Parameters:
  ///   - isWanted: Returns whether the link with a key is to be read.
  ///   - cell: Returns a cell of the row: its key (0), its source and the entity of the source (1, 2), its target and
  ///     the entity of the target (3, 4), the positions of the target and of the source (5, 6), and its version (7).
  package func take(
    where isWanted: (UInt64) -> Bool = { _ in true }, _ cell: (Int) -> Cell
  ) throws {
    guard case .integer(let key) = cell(0) else { throw fault("a row has no number") }
    guard key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      throw fault("row \(key) has a number that no link can have")
    }
    // A damaged tree may contain rows out of order, or twice.
    guard key > last else { throw fault("row \(key) comes after row \(last)") }
    last = key
    guard isWanted(UInt64(key)) else { return }
    if ignoresHalfLinks {
      if case .null = cell(1) { return }
      if case .null = cell(3) { return }
    }
    let source = try end(cell(1), cell(2), link.sources, key)
    let target = try end(cell(3), cell(4), link.targets, key)
    let targetOrder = try place(cell(5), key)
    let sourceOrder = try place(cell(6), key)
    let version =
      if case .integer(let version) = cell(7) { version } else {
        LinkBlocks.version(source, target, [targetOrder, sourceOrder])
      }
    if isSymmetric {
      // A symmetric link may have a row in each direction. It has the lower key of the two.
      let pair = [min(source.rawValue, target.rawValue), max(source.rawValue, target.rawValue)]
      guard seen.insert(pair).inserted else { return }
    }
    if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
    let draft = drafts[drafts.count - 1]
    let row = draft.append(key: UInt64(key))
    draft.setReference(source, column: self.source, row: row)
    draft.setReference(target, column: self.target, row: row)
    if let column = self.targetOrder, let targetOrder {
      draft.setInteger(targetOrder, column: column, row: row)
    }
    if let column = self.sourceOrder, let sourceOrder {
      draft.setInteger(sourceOrder, column: column, row: row)
    }
    draft.setInteger(version, column: versionColumn, row: row)
  }

  private func end(
    _ number: Cell, _ entity: Cell, _ destination: TableMap.Destination, _ key: Int64
  ) throws -> ObjectKey {
    guard case .integer(let found) = number, found >= 1, found <= Int64(ObjectKey.highestNumber)
    else { throw fault("row \(key) contains \(number.words) instead of a key") }
    switch entity {
    case .null: return ObjectKey(entity: destination.entity, number: UInt64(found))
    case .integer(let entity):
      guard let known = map.layoutNumbers[entity] else {
        throw fault(
          "row \(key) refers to an object of entity \(entity), which the model does not have")
      }
      return ObjectKey(entity: known, number: UInt64(found))
    case .other(let words): throw fault("row \(key) contains \(words) instead of an entity")
    }
  }

  private func place(_ cell: Cell, _ key: Int64) throws -> Int64? {
    switch cell {
    case .null: nil
    case .integer(let place): place
    case .other: throw fault("row \(key) has a position that is not a whole number")
    }
  }

  /// Returns a hash of a link's contents, used as its version if the table has no versions. A different link in the same
  /// row gets a different hash.
  private static func version(
    _ source: ObjectKey, _ target: ObjectKey, _ orders: [Int64?]
  ) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let places = orders.compactMap { $0.map { UInt64(bitPattern: $0) } }
    for number in [source.rawValue, target.rawValue] + places {
      for shift in stride(from: 0, to: 64, by: 8) {
        hash = (hash ^ (number >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
      }
    }
    return Int64(hash >> 2 | 1 << 61)
  }

  /// Returns the error for a link in a table.
  package func fault(_ what: String) -> StoreError {
    StoreError(.damaged, "\(link.table): \(what).", path: path)
  }
}
