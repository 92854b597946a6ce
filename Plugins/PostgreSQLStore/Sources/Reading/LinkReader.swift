import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
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
  func blocks(from connection: any RowSource) throws -> [Block] {
    var taking = Taking(reader: self)
    try connection.copyRows(of: "\(selection) ORDER BY 1", columnCount: 8) {
      try taking.take($0)
    }
    return taking.blocks()
  }

  /// Returns the existing links with the given keys, in the order of the keys.
  func blocks(of keys: [UInt64], from connection: any RowSource) throws -> [Block] {
    var taking = Taking(reader: self)
    try connection.forEachRow(
      "\(selection) WHERE t.id = ANY($1) ORDER BY 1",
      [PostgreSQLParameter(keys.map { Int64(bitPattern: $0) })], columnCount: 8
    ) { try taking.take($0) }
    return taking.blocks()
  }

  /// The statement that reads links: keys, ends with the numbers of their entities, places, and versions.
  private var selection: String {
    var tables = "\(quoted(link.table)) t"
    func cells(_ column: String, _ destination: TableMap.Destination, _ alias: String) -> [String] {
      let cell = "t.\(quoted(column))"
      guard !destination.isOnlyEntity else { return [cell, "NULL::integer"] }
      tables += " LEFT JOIN \(quoted(destination.table)) \(alias) ON \(alias).id = \(cell)"
      return [cell, "\(alias).entity"]
    }
    var all =
      ["t.id"] + cells(link.source, link.sources, "s") + cells(link.target, link.targets, "d")
    for name in [link.targetOrder, link.sourceOrder] {
      all.append(name.map { "t.\(quoted($0))" } ?? "NULL::bigint")
    }
    all.append("t.version")
    return "SELECT \(all.joined(separator: ", ")) FROM \(tables)"
  }

  /// The links that were read so far.
  private struct Taking {
    let reader: LinkReader
    private var drafts: [Draft] = []
    private var seen: Set<[UInt64]> = []
    private var last: Int64 = 0

    init(reader: LinkReader) { self.reader = reader }

    func blocks() -> [Block] {
      var writer = BlockWriter()
      return Draft.freeze(drafts, &writer)
    }

    mutating func take(_ cells: Span<PostgreSQLCell>) throws {
      guard let key = cells[0].integer, key >= 1, key <= Int64(ObjectKey.highestNumber) else {
        throw reader.fault("row \(cells[0].words) has a number that no link can have")
      }
      guard key > last else { throw reader.fault("row \(key) comes after row \(last)") }
      last = key
      let source = try reader.end(cells, 1, reader.link.sources, key)
      let target = try reader.end(cells, 3, reader.link.targets, key)
      if reader.link.links.isSymmetric {
        // Two processes may have saved a symmetric link once in each direction.
        let pair = [min(source.rawValue, target.rawValue), max(source.rawValue, target.rawValue)]
        guard seen.insert(pair).inserted else { return }
      }
      if drafts.last?.isFull ?? true { drafts.append(Draft(reader.layout, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let row = draft.append(key: UInt64(key))
      for (index, column) in reader.link.links.layout.columns.enumerated() {
        switch column.number {
        case LinkTable.Column.source: draft.setReference(source, column: index, row: row)
        case LinkTable.Column.target: draft.setReference(target, column: index, row: row)
        default:
          let cell = column.number == LinkTable.Column.targetOrder ? 5 : 6
          guard !cells[cell].isNull else { continue }
          guard let place = cells[cell].integer else {
            throw reader.fault("row \(key) has a position that is not a whole number")
          }
          draft.setInteger(place, column: index, row: row)
        }
      }
      guard let version = cells[7].integer, version >= 0 else {
        throw reader.fault("row \(key) has no version")
      }
      draft.setInteger(version, column: reader.layout.columns.count - 1, row: row)
    }
  }

  private func end(
    _ cells: Span<PostgreSQLCell>, _ cell: Int, _ destination: TableMap.Destination, _ key: Int64
  ) throws -> ObjectKey {
    guard let number = cells[cell].integer, number >= 1, number <= Int64(ObjectKey.highestNumber)
    else { throw fault("row \(key) contains \(cells[cell].words) instead of a key") }
    var entity = destination.entity
    if !cells[cell + 1].isNull {
      guard let written = cells[cell + 1].integer, let known = map.layoutNumbers[written] else {
        throw fault("row \(key) refers to an object of an entity that the model does not have")
      }
      entity = known
    }
    return ObjectKey(entity: entity, number: UInt64(number))
  }

  private func fault(_ what: String) -> StoreError {
    StoreError(.damaged, "\(link.table): \(what).", path: path)
  }
}
