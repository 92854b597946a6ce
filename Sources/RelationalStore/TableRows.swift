package import ObjectModel
package import Rows
import SQLTranslation
package import StoreInterface
import Synchronization

/// The rows of a database at one commit, read on demand: an entity as a whole, or a few rows around a key.
package final class TableRows<Reader: DatabaseReader>: PartialRowTable {
  /// The reader of the database at the commit.
  package let reader: Reader
  private let contents: StoreContents
  private let known: Mutex<KnownRows>

  /// - Parameter known: An empty cache, which knows how far ahead reading pays off.
  package init(_ reader: Reader, _ contents: StoreContents, _ known: KnownRows) {
    (self.reader, self.contents) = (reader, contents)
    self.known = Mutex(known)
  }

  private var numbers: [UInt16] { Array(contents.map.entities.keys) + contents.map.links.keys }

  /// Marks all entities as empty, for a store without commits.
  package func assumeEmpty() {
    known.withLock { known in
      for number in numbers { known.add(BlockRun(), ofEntity: number) }
    }
    reader.end()
  }

  /// Reads all remaining rows, so that the database is not needed any more.
  package func detach() throws {
    for number in numbers { _ = try changes(ofEntity: number) }
    reader.end()
  }

  package func entry(of key: ObjectKey) throws -> RowEntry {
    if let whole = known.withLock({ $0.whole[key.entity] }) {
      return try whole.location(of: key.number).map { .put($0) } ?? .absent
    }
    if contents.map.entities.index(forKey: key.entity) != nil {
      if let found = known.withLock({ $0[key] }) { return try entry(of: key, in: found) }
      let count = known.withLock { $0.begin(key) }
      let run: BlockRun?
      do { run = try read(key, count) } catch {
        // A row that can't be read must affect as few other rows as possible.
        guard count > 1 else { throw error }
        run = try read(key, 1)
      }
      if let run { return try entry(of: key, in: run) }
    }
    return try changes(ofEntity: key.entity).map { try entry(of: key, in: $0.put) } ?? .absent
  }

  private func entry(of key: ObjectKey, in run: BlockRun) throws -> RowEntry {
    try run.location(of: key.number).map { .put($0) } ?? .absent
  }

  /// Returns the keys that should be read now if the row of a key is needed; `nil` if the row is known.
  package func keysToRead(for key: ObjectKey) -> Range<UInt64>? {
    known.withLock { known in
      if known.whole[key.entity] != nil || known[key] != nil { return nil }
      return TableRows.keys(for: key, known.begin(key))
    }
  }

  private static func keys(for key: ObjectKey, _ count: UInt64) -> Range<UInt64> {
    count == 0
      ? key.number..<key.number + 1 : KnownRows.Piece(around: key).keys(ofPieces: count)
  }

  /// Returns the row of an object if it was read before; otherwise `nil`.
  package func knownRow(of key: ObjectKey) throws -> RowLocation? {
    try known.withLock { $0.whole[key.entity] ?? $0[key] }?.location(of: key.number)
  }

  /// Adds rows that were read for a key, without the function ``entry(of:)``.
  ///
  /// - Parameter keys: All keys that were looked for, as ``keysToRead(for:)`` has returned them.
  package func add(_ run: BlockRun, for key: ObjectKey, _ keys: Range<UInt64>) {
    known.withLock { known in
      // One key stands for itself.
      guard keys.count > 1 else { return known.add(run, of: key) }
      let piece = KnownRows.Piece(around: key)
      known.add(run, from: piece, count: piece.count(to: keys.upperBound))
    }
  }

  /// Reads a row, or some pieces from that of the row on, and caches them; `nil` if the whole entity has to be read.
  ///
  /// - Parameter count: The number of pieces; 0 for the row.
  private func read(_ key: ObjectKey, _ count: UInt64) throws -> BlockRun? {
    let keys = TableRows.keys(for: key, count)
    if count <= 1, let entity = contents.map.entities[key.entity],
      let run = try reader.lookUp(keys, of: entity, in: contents.map)
    {
      add(run, for: key, keys)
      return run
    }
    let run = try reader.read { database, later -> BlockRun? in
      guard later.reduce(0, { $0 + $1.layer.count }) <= mostTakenBack else { return nil }
      let run = try rows(
        key.entity, count == 0 ? .keys([key.number]) : .range(keys), database)
      // The run may also contain rows outside the pieces, but no caller looks for them there.
      return try taking(back: later, from: run, ofEntity: key.entity)
    }
    guard let run else { return nil }
    add(run, for: key, keys)
    return run
  }

  package func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    let run: BlockRun
    if let whole = known.withLock({ $0.whole[number] }) {
      run = whole
    } else if contents.map.entities[number] != nil || contents.map.links[number] != nil {
      run = try readAll(number)
      known.withLock { $0.add(run, ofEntity: number) }
    } else {
      return nil
    }
    return run.isEmpty ? nil : Layer.EntityChanges(entityNumber: number, put: run)
  }

  package func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = known.withLock({ $0.ranges[number] }) { return known }
    if let whole = known.withLock({ $0.whole[number] }) { return KeyRanges(put: whole.keyRange) }
    guard let entity = contents.map.entities[number] else {
      return KeyRanges(put: try changes(ofEntity: number)?.put.keyRange)
    }
    let found = try reader.read { database, later -> KeyRanges in
      var ranges = KeyRanges(put: try database.keyBounds(of: entity))
      for put in try later.compactMap({ try $0.keyRanges(ofEntity: number).put }) {
        let known = ranges.put ?? put
        ranges.put = min(known.lowerBound, put.lowerBound)...max(known.upperBound, put.upperBound)
      }
      return ranges
    }
    known.withLock { $0.ranges[number] = found }
    return found
  }

  /// Returns a few rows; `nil` if the whole entity was already read, or has to be read.
  package func rows(ofEntity number: UInt16, keys: ClosedRange<UInt64>) throws -> BlockRun? {
    guard contents.map.entities.index(forKey: number) != nil,
      known.withLock({ $0.whole[number] }) == nil
    else { return nil }
    let range = keys.lowerBound..<min(keys.upperBound, ObjectKey.highestNumber) + 1
    return try reader.read { database, later in
      later.isEmpty ? try rows(number, .range(range), database) : nil
    }
  }

  package func isSame(as other: any RowTable) -> Bool { (other as? TableRows) === self }

  // MARK: - Reading

  private func rows(
    _ number: UInt16, _ keys: RowSelection, _ database: Reader.Source
  ) throws -> BlockRun {
    guard let entity = contents.map.entities[number] else { return BlockRun() }
    return BlockRun(try database.rows(keys, of: entity, in: contents.map, basis: 0))
  }

  /// Returns all rows of an entity, or all links of a table. Of a large range of rows, two readers read the lower and the
  /// upper half at once.
  private func readAll(_ number: UInt16) throws -> BlockRun {
    if contents.map.entities[number] != nil, let halves = try halves(of: number) { return halves }
    return try reader.read { database, later in
      let run: BlockRun
      if let link = contents.map.links[number] {
        run = BlockRun(try database.links(nil, of: link, in: contents.map, basis: 0))
      } else {
        run = try rows(number, .all, database)
      }
      return try taking(back: later, from: run, ofEntity: number)
    }
  }

  /// Returns all rows of an entity that two readers have read; `nil` if one reader has to read them.
  private func halves(of number: UInt16) throws -> BlockRun? {
    guard Reader.hasCompanions, let range = try keyRanges(ofEntity: number).put,
      range.upperBound - range.lowerBound >= manyKeys, let other = try? reader.another()
    else { return nil }
    let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
    let halves = [
      (reader, range.lowerBound..<middle), (other, middle..<range.upperBound + 1),
    ]
    let runs = try halves.concurrentMap { reader, keys in
      try reader.read { database, _ in try rows(number, .range(keys), database) }
    }
    return BlockRun(runs.flatMap(\.blocks))
  }

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

/// The range of keys from which two readers share the work.
private let manyKeys: UInt64 = 20_000

/// The most changes of later commits that are taken back for a few rows. With more, the whole entity is read.
private let mostTakenBack = 4096
