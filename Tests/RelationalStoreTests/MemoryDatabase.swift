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
      let columns = try [
        LinkTable.Column.source, LinkTable.Column.target, LinkTable.Column.targetOrder,
        LinkTable.Column.sourceOrder, LayoutColumn.Number.version,
      ].map { try block.column($0) }
      for row in 0..<block.rowCount {
        let values = columns.map { $0?.value(at: row) ?? .null }
        func cell(_ index: Int) -> LinkBlocks.Cell {
          switch values[index] {
          case .integer(let number): .integer(number)
          case .object(let key): .integer(Int64(key.number))
          default: .null
          }
        }
        func entity(_ index: Int) -> LinkBlocks.Cell {
          if case .object(let key) = values[index] { .integer(Int64(key.entity)) } else { .null }
        }
        try links.take {
          keys?.contains($0) ?? true
        } _: { place in
          switch place {
          case 0: .integer(blockKeys.integer(at: row))
          case 1, 3: cell(place / 2)
          case 2, 4: entity(place / 2 - 1)
          case 7 where columns[4] == nil: .integer(block.version)
          default: cell(place - 3)
          }
        }
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
  func values(_ query: SQLTableQuery, in map: TableMap) throws -> [[Value]]? { nil }
}
