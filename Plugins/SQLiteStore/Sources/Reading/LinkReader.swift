import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Reads links of one table into blocks.
struct LinkReader {
  private let link: TableMap.LinkMap
  private let map: TableMap
  private let path: String
  private let layout: Layout

  /// - Parameter basis: The version that the links are based on; 0 if they are based on none.
  init(_ link: TableMap.LinkMap, _ map: TableMap, path: String, basis: Int64 = 0) {
    self.link = link
    self.map = map
    self.path = path
    layout = link.links.layout.versioned(above: basis)
  }

  /// Returns all links in the order of their keys.
  func blocks(from connection: SQLiteConnection) throws -> [Block] {
    var drafts: [Draft] = []
    let condition = TableMap.condition(of: link).map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare("\(selection)\(condition) ORDER BY 1")
    defer { statement.reset() }
    try take(statement, into: &drafts) { _ in true }
    return frozen(drafts)
  }

  /// Returns the existing links with the given keys, which ascend.
  func blocks(of keys: [UInt64], from connection: SQLiteConnection) throws -> [Block] {
    var drafts: [Draft] = []
    try keys.forEachStretch { keys in
      let condition = TableMap.condition(of: link).map { " AND \($0)" } ?? ""
      let statement = try connection.prepare(
        "\(selection) WHERE \(link.keyText) BETWEEN ? AND ?\(condition) ORDER BY 1")
      defer { statement.reset() }
      try statement.bind(Int64(keys[keys.startIndex]), 0)
      try statement.bind(Int64(keys[keys.endIndex - 1]), 1)
      var left = keys
      try take(statement, into: &drafts) { key in
        left = left.drop { $0 < key }
        return left.first == key
      }
    }
    return frozen(drafts)
  }

  private func frozen(_ drafts: [Draft]) -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze(drafts, &writer)
  }

  /// The statement that reads links, without its conditions.
  private var selection: String {
    func cells(_ column: String, _ destination: TableMap.Destination) -> [String] {
      let cell = "t.\(quoted(column))"
      return destination.isOnlyEntity
        ? [cell, "NULL"] : [cell, RowReader.entity(of: cell, known: nil, in: destination)]
    }
    var all = [link.keyText] + cells(link.source, link.sources) + cells(link.target, link.targets)
    for name in [link.targetOrder, link.sourceOrder] {
      all.append(name.map { "t.\(quoted($0))" } ?? "NULL")
    }
    all.append(link.version.map { "t.\(quoted($0))" } ?? "NULL")
    return "SELECT \(all.joined(separator: ", ")) FROM \(quoted(link.table)) t"
  }

  /// Reads the links of a statement whose keys meet `isWanted`.
  private func take(
    _ statement: SQLiteStatement, into drafts: inout [Draft], where isWanted: (UInt64) -> Bool
  ) throws {
    var seen: Set<[UInt64]> = []
    let columns = link.links.layout.columns
    var last: Int64 = 0
    while try statement.step() {
      let key = statement.integer(0)
      guard key >= 1, key <= Int64(ObjectKey.highestNumber) else {
        throw fault("row \(key) has a number that no link can have")
      }
      // A damaged tree may contain rows out of order, or twice.
      guard key > last else { throw fault("row \(key) comes after row \(last)") }
      last = key
      guard isWanted(UInt64(key)) else { continue }
      // A link with only one end is ignored.
      guard statement.kind(1) != .null, statement.kind(3) != .null else { continue }
      let source = try end(statement, 1, link.sources, key)
      let target = try end(statement, 3, link.targets, key)
      if link.links.isSymmetric {
        // A symmetric link has a row in each direction. It has the lower key of the two.
        let pair = [min(source.rawValue, target.rawValue), max(source.rawValue, target.rawValue)]
        guard seen.insert(pair).inserted else { continue }
      }
      if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let row = draft.append(key: UInt64(key))
      var hash = Hash()
      for (index, column) in columns.enumerated() {
        switch column.number {
        case LinkTable.Column.source:
          draft.setReference(source, column: index, row: row)
          hash.add(source.rawValue)
        case LinkTable.Column.target:
          draft.setReference(target, column: index, row: row)
          hash.add(target.rawValue)
        default:
          let cell = column.number == LinkTable.Column.targetOrder ? 5 : 6
          guard statement.kind(cell) != .null else { continue }
          guard statement.kind(cell) == .integer else {
            throw fault("row \(key) has a position that is not a whole number")
          }
          draft.setInteger(statement.integer(cell), column: index, row: row)
          hash.add(UInt64(bitPattern: statement.integer(cell)))
        }
      }
      let version = statement.kind(7) == .integer ? statement.integer(7) : hash.version
      draft.setInteger(version, column: layout.columns.count - 1, row: row)
    }
  }

  private func end(
    _ statement: SQLiteStatement, _ cell: Int, _ destination: TableMap.Destination, _ key: Int64
  ) throws -> ObjectKey {
    let number = statement.integer(cell)
    guard statement.kind(cell) == .integer, number >= 1,
      number <= Int64(ObjectKey.highestNumber)
    else { throw fault("row \(key) contains \(statement.value(cell).words) instead of a key") }
    var entity = destination.entity
    if statement.kind(cell + 1) == .integer {
      guard let known = map.layoutNumbers[statement.integer(cell + 1)] else {
        throw fault(
          "row \(key) refers to an object of entity \(statement.integer(cell + 1)), which the model does not have"
        )
      }
      entity = known
    }
    return ObjectKey(entity: entity, number: UInt64(number))
  }

  private func fault(_ what: String) -> StoreError {
    StoreError(.damaged, "\(link.table): \(what).", path: path)
  }

  /// A hash of a link's contents, used as its version if the table has no versions. A different link in the same row
  /// gets a different hash.
  private struct Hash {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325
    mutating func add(_ number: UInt64) {
      for shift in stride(from: 0, to: 64, by: 8) {
        value = (value ^ (number >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
      }
    }
    var version: Int64 { Int64(value >> 2 | 1 << 61) }
  }
}
