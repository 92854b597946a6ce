import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface
import Synchronization

/// The rows of a database at one moment, read on demand: an entity as a whole, or a few rows around a key.
final class TableRows: PartialRowTable {
  let reader: SnapshotReader
  private let contents: StoreContents
  private let values: any ExternalValues

  private let known = Mutex(KnownRows(growth: 2, mostPiecesAhead: 64))

  init(_ reader: SnapshotReader, _ contents: StoreContents, _ values: any ExternalValues) {
    self.reader = reader
    self.contents = contents
    self.values = values
  }

  /// Marks all entities as empty: for a store without commits.
  func assumeEmpty() {
    known.withLock { known in
      for number in contents.map.entities.keys { known.add(BlockRun(), ofEntity: number) }
      for number in contents.map.links.keys { known.add(BlockRun(), ofEntity: number) }
    }
    reader.end()
  }

  /// Reads all remaining rows, so that the database is not needed any more.
  func detach() throws {
    for number in contents.map.entities.keys { _ = try changes(ofEntity: number) }
    for number in contents.map.links.keys { _ = try changes(ofEntity: number) }
    reader.end()
  }

  func entry(of key: ObjectKey) throws -> RowEntry {
    if let whole = known.withLock({ $0.whole[key.entity] }) {
      return try whole.location(of: key.number).map { .put($0) } ?? .absent
    }
    guard contents.map.entities.index(forKey: key.entity) != nil else {
      return try changes(ofEntity: key.entity)?.put.location(of: key.number).map { .put($0) }
        ?? .absent
    }
    let piece = KnownRows.Piece(around: key)
    if let found = known.withLock({ $0[piece] }) {
      return try found.location(of: key.number).map { .put($0) } ?? .absent
    }
    let count = known.withLock { $0.begin(piece) }
    let run: BlockRun
    do { run = try read(piece, count) } catch {
      // A row that can't be read must affect as few other rows as possible.
      guard count > 1 else { throw error }
      run = try read(piece, 1)
    }
    return try run.location(of: key.number).map { .put($0) } ?? .absent
  }

  /// Reads some pieces, and caches them.
  private func read(_ piece: KnownRows.Piece, _ count: UInt64) throws -> BlockRun {
    let run = try read(piece.entity, keys: piece.keys(ofPieces: count), with: reader)
    known.withLock { $0.add(run, from: piece, count: count) }
    return run
  }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    let run: BlockRun
    if let whole = known.withLock({ $0.whole[number] }) {
      run = whole
    } else if contents.map.entities.index(forKey: number) != nil {
      run = try readAll(number)
      known.withLock { $0.add(run, ofEntity: number) }
    } else if let link = contents.map.links[number] {
      run = try readLinks(link)
      known.withLock { $0.add(run, ofEntity: number) }
    } else {
      return nil
    }
    return run.isEmpty ? nil : Layer.EntityChanges(entityNumber: number, put: run)
  }

  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = known.withLock({ $0.ranges[number] }) { return known }
    if let whole = known.withLock({ $0.whole[number] }) { return KeyRanges(put: whole.keyRange) }
    guard let entity = contents.map.entities[number] else {
      return KeyRanges(put: try changes(ofEntity: number)?.put.keyRange)
    }
    let found = try reader.read { connection -> KeyRanges in
      let table = quoted(entity.table)
      let condition = entity.sharesTable ? " WHERE \"Z_ENT\" = \(entity.number)" : ""
      let statement = try connection.prepare(
        "SELECT (SELECT min(\"Z_PK\") FROM \(table)\(condition)), (SELECT max(\"Z_PK\") FROM \(table)\(condition))"
      )
      defer { statement.reset() }
      guard try statement.step(), statement.kind(0) != .null else { return KeyRanges() }
      // A key that no object can have is reported here, because later reads of key ranges would skip it.
      let bounds = try (0...1).map { cell in
        let key = statement.integer(cell)
        guard statement.kind(cell) == .integer, key >= 1, key <= Int64(ObjectKey.highestNumber)
        else {
          throw StoreError(
            .damaged,
            "\(entity.table), column Z_PK: a cell contains \(statement.value(cell).words), but keys are from 1 to \(ObjectKey.highestNumber).",
            path: reader.path)
        }
        return UInt64(key)
      }
      guard bounds[0] <= bounds[1] else {
        throw StoreError(
          .damaged,
          "\(entity.table), column Z_PK: the first key, \(bounds[0]), is greater than the last, \(bounds[1]).",
          path: reader.path)
      }
      return KeyRanges(put: bounds[0]...bounds[1])
    }
    known.withLock { $0.ranges[number] = found }
    return found
  }

  /// Returns a few rows; `nil` if the whole entity was already read.
  func rows(ofEntity number: UInt16, keys: ClosedRange<UInt64>) throws -> BlockRun? {
    guard contents.map.entities.index(forKey: number) != nil,
      known.withLock({ $0.whole[number] }) == nil
    else {
      return nil
    }
    return try read(
      number, keys: keys.lowerBound..<min(keys.upperBound, ObjectKey.highestNumber) + 1,
      with: reader)
  }

  func isSame(as other: any RowTable) -> Bool { (other as? TableRows) === self }

  // MARK: - Reading

  /// The range of keys from which two readers share the work.
  private static let manyKeys: UInt64 = 20_000

  /// Returns all rows of an entity. Of a large range, two readers read the lower and the upper half at once.
  private func readAll(_ number: UInt16) throws -> BlockRun {
    guard let range = try keyRanges(ofEntity: number).put,
      range.upperBound - range.lowerBound >= TableRows.manyKeys,
      let other = try? reader.another()
    else { return try read(number, keys: nil, with: reader) }
    let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
    let halves = [
      (reader, range.lowerBound..<middle), (other, middle..<range.upperBound + 1),
    ]
    let runs = try halves.concurrentMap { try read(number, keys: $1, with: $0) }
    return BlockRun(runs.flatMap(\.blocks))
  }

  private func read(
    _ number: UInt16, keys: Range<UInt64>?, with reader: SnapshotReader
  ) throws -> BlockRun {
    guard let entity = contents.map.entities[number] else { return BlockRun() }
    return try reader.read { connection in
      var rows = RowReader(entity, contents.map, values, path: reader.path)
      return BlockRun(try rows.blocks(keys, from: connection))
    }
  }

  private func readLinks(_ link: TableMap.LinkMap) throws -> BlockRun {
    try reader.read { connection in
      let links = LinkReader(link, contents.map, path: reader.path)
      return BlockRun(try links.blocks(from: connection))
    }
  }
}
