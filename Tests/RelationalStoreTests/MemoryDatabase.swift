import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

/// A database in memory, in a transaction: the rows, the commits and the history at one moment.
///
/// It has neither SQL nor connections, so it shows what a store needs of its database.
final class MemoryDatabase: WritableDatabase, @unchecked Sendable {
  // Sendable: only the transaction that made a copy writes the copy, and only until it commits.
  var contents: StoreContents
  var newest: Int64 = 0
  /// All objects and links, each with the commit that wrote it.
  var rows = Layer([])
  /// The commits, oldest first. A commit without history has no number of bytes.
  var commits: [(summary: CommitSummary, byteCount: Int64?)]
  var before: [Int64: RowsBefore] = [:]

  init(_ contents: StoreContents) {
    self.contents = contents
    commits = [(CommitSummary(number: 0, time: Date()), nil)]
  }

  /// Creates a copy, for a transaction that writes.
  init(copying other: MemoryDatabase) {
    (contents, newest, rows) = (other.contents, other.newest, other.rows)
    (commits, before) = (other.commits, other.before)
  }

  var path: String { "memory" }

  // MARK: - Rows

  func rows(
    _ keys: RowSelection, of entity: TableMap.EntityMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    try blocks(of: entity.layout, basis) { key in
      switch keys {
      case .all: true
      case .range(let keys): keys.contains(key)
      case .keys(let keys): keys.contains(key)
      }
    }
  }

  func links(
    _ keys: [UInt64]?, of link: TableMap.LinkMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    let links = LinkBlocks(link, map, path: path, basis: basis)
    for block in rows[link.links.layout.entityNumber]?.put.blocks ?? [] {
      let blockKeys = try block.keys
      func cell(_ number: UInt16, _ row: Int) throws -> Value {
        try block.column(number)?.value(at: row) ?? .null
      }
      for row in 0..<block.rowCount {
        let key = try links.check(key: blockKeys.integer(at: row), "\(blockKeys.integer(at: row))")
        guard keys?.contains(UInt64(key)) ?? true else { continue }
        guard case .object(let source) = try cell(LinkTable.Column.source, row),
          case .object(let target) = try cell(LinkTable.Column.target, row)
        else { throw links.fault("row \(key) has no ends") }
        func integer(_ number: UInt16) throws -> Int64? {
          if case .integer(let number) = try cell(number, row) { number } else { nil }
        }
        links.add(
          key, source, target, targetOrder: try integer(LinkTable.Column.targetOrder),
          sourceOrder: try integer(LinkTable.Column.sourceOrder),
          version: try integer(LayoutColumn.Number.version) ?? block.version)
      }
    }
    return links.frozen()
  }

  func keyBounds(of entity: TableMap.EntityMap) throws -> ClosedRange<UInt64>? {
    rows[entity.layout.entityNumber]?.put.keyRange
  }

  func linksHidden(by links: [LinkEnds], in link: TableMap.LinkMap) throws -> [UInt64] {
    let stored = rows[link.links.layout.entityNumber]?.put.blocks ?? []
    return try links.compactMap { link in
      var lowest: Int64?
      for block in stored {
        let keys = try block.keys
        let source = try block.column(LinkTable.Column.source)
        let target = try block.column(LinkTable.Column.target)
        for row in 0..<block.rowCount {
          let ends = [source, target].map { $0?.reference(at: row).map { Int64($0.number) } }
          guard ends == [link.source, link.target] || ends == [link.target, link.source] else {
            continue
          }
          lowest = min(lowest ?? .max, keys.integer(at: row))
        }
      }
      return lowest.flatMap { $0 > link.key ? UInt64($0) : nil }
    }
  }

  /// Returns the rows with the wanted keys, as a database reads them: cell by cell.
  private func blocks(
    of layout: Layout, _ basis: Int64, where isWanted: (UInt64) -> Bool
  ) throws -> [Block] {
    let versioned = layout.versioned(above: basis)
    var drafts: [Draft] = []
    for block in rows[layout.entityNumber]?.put.blocks ?? [] {
      let keys = try block.keys
      for row in 0..<block.rowCount where isWanted(UInt64(keys.integer(at: row))) {
        if drafts.last?.isFull ?? true { drafts.append(Draft(versioned, role: .insertions)) }
        let draft = drafts[drafts.count - 1]
        let place = draft.append(key: UInt64(keys.integer(at: row)))
        for (index, column) in layout.columns.enumerated() {
          // A row that was written before the model had the column has its default.
          draft.set(
            try block.value(column, row: row) ?? column.defaultValue, column: index, row: place)
        }
        let version =
          try block.column(LayoutColumn.Number.version)?.integer(at: row) ?? block.version
        draft.setInteger(version, column: versioned.columns.count - 1, row: place)
      }
    }
    var writer = BlockWriter()
    return Draft.freeze(drafts, &writer)
  }

  // MARK: - History

  func history(of range: ClosedRange<Int64>) throws -> [Int64]? {
    let known = try openableCommits().map(\.number)
    guard known.contains(range.lowerBound) else { return nil }
    return known.filter { range.contains($0) }
  }

  func rowsBefore(_ commits: [Int64], _ schema: Schema) throws -> [Int64: RowsBefore] {
    before.filter { commits.contains($0.key) }
  }

  func openableCommits() throws -> [CommitSummary] {
    let newestFirst = commits.reversed()
    let last = newestFirst.firstIndex { $0.byteCount == nil } ?? newestFirst.endIndex
    return newestFirst[...last].map(\.summary)
  }

  func commitNumbers() throws -> [Int64] { commits.map(\.summary.number) }

  func writeRowsBefore(
    _ before: RowsBefore, of commit: Int64, upTo limit: Int64
  ) throws -> Int64? {
    self.before[commit] = before
    return Int64(before.byteCount)
  }

  func deleteRowsBefore(_ commits: [Int64]) throws {
    for number in commits { before[number] = nil }
  }

  func setHistory(of commit: Int64, byteCount: Int64) throws {
    for index in commits.indices where commits[index].summary.number == commit {
      commits[index].byteCount = byteCount
    }
  }

  func forget(through commit: Int64) throws {
    before = before.filter { $0.key > commit }
    for index in commits.indices where commits[index].summary.number <= commit {
      commits[index].byteCount = nil
    }
  }

  func deleteCommits(_ numbers: [Int64]) throws {
    commits.removeAll { numbers.contains($0.summary.number) }
  }

  // MARK: - Requests

  func keys(_ query: SQLQuery, in map: TableMap) throws -> [ObjectKey]? { nil }
  func count(_ query: SQLQuery) throws -> Int? { nil }
  func values(_ query: SQLTableQuery, in map: TableMap) throws -> [[Value]]? { nil }
}
