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

  private let known = Mutex(KnownRows(growth: 4, mostPiecesAhead: 256))

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
      for number in contents.map.entities.keys { known.add(BlockRun(), ofEntity: number) }
      for number in contents.map.links.keys { known.add(BlockRun(), ofEntity: number) }
    }
    reader.end()
  }

  func entry(of key: ObjectKey) throws -> RowEntry {
    if let whole = known.withLock({ $0.whole[key.entity] }) {
      return try whole.location(of: key.number).map { .put($0) } ?? .absent
    }
    if contents.map.entities.index(forKey: key.entity) != nil {
      let piece = KnownRows.Piece(around: key)
      if let found = known.withLock({ $0[piece] }) {
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
  private func read(_ piece: KnownRows.Piece, _ count: UInt64) throws -> BlockRun? {
    guard let entity = contents.map.entities[piece.entity] else { return BlockRun() }
    let run = try reader.read { connection, later -> BlockRun? in
      guard later.reduce(0, { $0 + $1.layer.count }) <= TableRows.mostTakenBack else { return nil }
      var rows = RowReader(entity, contents.map, path: reader.path)
      let run = BlockRun(try rows.blocks(piece.keys(ofPieces: count), from: connection))
      // The run may also contain rows outside the pieces, which no one looks up there.
      return try taking(back: later, from: run, ofEntity: piece.entity)
    }
    guard let run else { return nil }
    known.withLock { $0.add(run, from: piece, count: count) }
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
    known.withLock { $0.add(run, ofEntity: number) }
    return run.isEmpty ? nil : Layer.EntityChanges(entityNumber: number, put: run)
  }

  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = known.withLock({ $0.ranges[number] }) { return known }
    if let whole = known.withLock({ $0.whole[number] }) { return KeyRanges(put: whole.keyRange) }
    let found = try reader.read { connection, later -> KeyRanges? in
      guard let entity = contents.map.entities[number] else { return nil }
      let condition = entity.sharesTable ? " WHERE entity = \(entity.number)" : ""
      var ranges = KeyRanges()
      try connection.forEachRow(
        "SELECT min(id), max(id) FROM \(quoted(entity.table))\(condition)", columnCount: 2
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
      for put in try later.compactMap({ try $0.keyRanges(ofEntity: number).put }) {
        let known = ranges.put ?? put
        ranges.put = min(known.lowerBound, put.lowerBound)...max(known.upperBound, put.upperBound)
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
      return try taking(back: later, from: run, ofEntity: number)
    }
  }

  /// The most changes of later commits that are taken back for a few rows. With more, the whole entity is read.
  private static let mostTakenBack = 4096

  /// Returns rows of the database as they were before later commits, of which the newest is the first.
  private func taking(
    back later: [RowsBefore], from run: BlockRun, ofEntity number: UInt16
  ) throws -> BlockRun {
    let layers = try later.compactMap { try $0.changes(ofEntity: number).map { Layer([$0]) } }
    guard !layers.isEmpty else { return run }
    let now = Layer([Layer.EntityChanges(entityNumber: number, put: run)])
    return try Layer.merged(
      [now] + layers, schema: contents.schema, keepingVersions: true, atBottom: true)[number]?.put
      ?? BlockRun()
  }
}
