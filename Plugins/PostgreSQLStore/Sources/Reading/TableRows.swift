import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
import StoreInterface
import Synchronization

/// The rows of a database at one commit, read on demand: an entity as a whole, or a few rows around a key.
final class TableRows: PartialRowTable {
  let reader: SnapshotReader
  private let contents: StoreContents

  /// The rows that were read so far.
  private struct Known: Sendable {
    /// The entities of which all rows were read.
    var whole: [UInt16: BlockRun] = [:]
    /// Pieces of further entities, by entity and number.
    var pieces: [Piece: BlockRun] = [:]
    /// The first piece of the last read, and the number of pieces read with it.
    var last: (piece: Piece, count: UInt64)?
    var ranges: [UInt16: KeyRanges] = [:]

    /// Returns the number of pieces to read from a piece on. It doubles each time the next piece is asked for, as in
    /// a walk over all rows.
    mutating func begin(_ piece: Piece) -> UInt64 {
      if pieces.count >= TableRows.mostPieces { pieces = [:] }
      var count: UInt64 = 1
      if let last, last.piece.entity == piece.entity, piece.number == last.piece.number + last.count
      {
        count = min(last.count * 4, TableRows.mostPiecesAhead)
      }
      last = (piece, count)
      return count
    }
  }
  private let known = Mutex(Known())

  /// The number of consecutive keys that are read at once.
  private static let pieceKeyCount: UInt64 = 64
  /// The number of cached pieces above which the cache is emptied.
  private static let mostPieces = 1024
  /// The most pieces that are read ahead at once.
  private static let mostPiecesAhead: UInt64 = 256

  private struct Piece: Hashable {
    let entity: UInt16
    let number: UInt64
  }

  init(_ reader: SnapshotReader, _ contents: StoreContents) {
    (self.reader, self.contents) = (reader, contents)
    reader.rows = self
  }

  /// Reads all remaining rows, so that the tables are not needed any more.
  func detach() throws {
    for number in contents.map.entities.keys { _ = try changes(ofEntity: number) }
    for number in contents.map.links.keys { _ = try changes(ofEntity: number) }
    reader.end()
  }

  /// Marks all entities as empty: for a store without commits.
  func assumeEmpty() {
    known.withLock { known in
      for number in contents.map.entities.keys { known.whole[number] = BlockRun() }
      for number in contents.map.links.keys { known.whole[number] = BlockRun() }
    }
    reader.end()
  }

  func entry(of key: ObjectKey) throws -> RowEntry {
    if let whole = known.withLock({ $0.whole[key.entity] }) {
      return try whole.location(of: key.number).map { .put($0) } ?? .absent
    }
    if contents.map.entities.index(forKey: key.entity) != nil {
      let piece = Piece(entity: key.entity, number: key.number / TableRows.pieceKeyCount)
      if let found = known.withLock({ $0.pieces[piece] }) {
        return try found.location(of: key.number).map { .put($0) } ?? .absent
      }
      let count = known.withLock { $0.begin(piece) }
      let run: BlockRun?
      do { run = try read(piece, count) } catch {
        // A row that can't be read must affect as few other rows as possible.
        guard count > 1 else { throw error }
        run = try read(piece, 1)
      }
      if let run {
        return try run.location(of: key.number).map { .put($0) } ?? .absent
      }
    }
    return try changes(ofEntity: key.entity)?.put.location(of: key.number).map { .put($0) }
      ?? .absent
  }

  /// Reads some pieces, and caches them; `nil` if the whole entity has to be read.
  private func read(_ piece: Piece, _ count: UInt64) throws -> BlockRun? {
    let first = piece.number * TableRows.pieceKeyCount
    let end = min(first + count * TableRows.pieceKeyCount, ObjectKey.highestNumber + 1)
    guard let run = try readSome(piece.entity, keys: first..<end) else { return nil }
    known.withLock { known in
      for number in piece.number..<piece.number + count {
        known.pieces[Piece(entity: piece.entity, number: number)] = run
      }
    }
    return run
  }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    if let whole = known.withLock({ $0.whole[number] }) {
      return whole.isEmpty ? nil : Layer.EntityChanges(entityNumber: number, put: whole)
    }
    guard contents.map.entities[number] != nil || contents.map.links[number] != nil else {
      return nil
    }
    let run = try readAll(number)
    known.withLock { known in
      known.whole[number] = run
      known.pieces = known.pieces.filter { $0.key.entity != number }
    }
    return run.isEmpty ? nil : Layer.EntityChanges(entityNumber: number, put: run)
  }

  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = known.withLock({ $0.ranges[number] }) { return known }
    if let whole = known.withLock({ $0.whole[number] }) { return KeyRanges(put: whole.keyRange) }
    let found = try reader.read { connection, later -> KeyRanges? in
      guard later.isEmpty, let entity = contents.map.entities[number] else { return nil }
      let condition = entity.sharesTable ? " WHERE entity = \(entity.number)" : ""
      var ranges = KeyRanges()
      try connection.forEachRow(
        "SELECT min(id), max(id) FROM \(quoted(entity.table))\(condition)"
      ) { cells in
        guard !cells[0].isNull else { return }
        // A key that no object can have is reported here, because later reads of key ranges would skip it.
        guard let first = cells[0].integer, let last = cells[1].integer, first >= 1, first <= last,
          last <= Int64(ObjectKey.highestNumber)
        else {
          throw StoreError(
            .damaged, "\(entity.table), column id: keys are from 1 to \(ObjectKey.highestNumber).",
            path: reader.path)
        }
        ranges = KeyRanges(put: UInt64(first)...UInt64(last))
      }
      return ranges
    }
    guard let found else {
      return KeyRanges(put: try changes(ofEntity: number)?.put.keyRange)
    }
    known.withLock { $0.ranges[number] = found }
    return found
  }

  /// Returns a few rows; `nil` if the whole entity was already read.
  func rows(ofEntity number: UInt16, keys: ClosedRange<UInt64>) throws -> BlockRun? {
    guard contents.map.entities.index(forKey: number) != nil,
      known.withLock({ $0.whole[number] }) == nil
    else { return nil }
    return try readSome(
      number, keys: keys.lowerBound..<min(keys.upperBound, ObjectKey.highestNumber) + 1)
  }

  func isSame(as other: any RowTable) -> Bool { (other as? TableRows) === self }

  // MARK: - Reading

  /// Returns the rows in a range of keys; `nil` if later commits must be taken back, which needs the whole entity.
  private func readSome(_ number: UInt16, keys: Range<UInt64>) throws -> BlockRun? {
    guard let entity = contents.map.entities[number] else { return BlockRun() }
    return try reader.read { connection, later in
      guard later.isEmpty else { return nil }
      var rows = RowReader(entity, contents.map, path: reader.path)
      return BlockRun(try rows.blocks(keys, from: connection))
    }
  }

  /// Returns all rows of an entity, or all links of a table.
  private func readAll(_ number: UInt16) throws -> BlockRun {
    try reader.read { connection, later in
      let run: BlockRun
      if let entity = contents.map.entities[number] {
        var rows = RowReader(entity, contents.map, path: reader.path)
        run = BlockRun(try rows.blocks(nil, from: connection))
      } else if let link = contents.map.links[number] {
        run = BlockRun(
          try LinkReader(link, contents.map, path: reader.path).blocks(from: connection))
      } else {
        return BlockRun()
      }
      let layers = try later.compactMap { try $0.changes(ofEntity: number).map { Layer([$0]) } }
      guard !layers.isEmpty else { return run }
      let now = Layer([Layer.EntityChanges(entityNumber: number, put: run)])
      return try Layer.merged(
        [now] + layers, schema: contents.schema, keepingVersions: true, atBottom: true)[number]?.put
        ?? BlockRun()
    }
  }
}
