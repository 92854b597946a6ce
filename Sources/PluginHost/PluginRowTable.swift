// SAFETY: Structures that the plug-in passes are moved out at once. Each buffer has as many bytes as are requested; a buffer
// of no bytes has an address too.

import CArrow
import CStorePlugin
import ObjectModel
import PluginExchange
import Rows
import StoreInterface
import Synchronization

/// A table of a plug-in's snapshot. The rows of each entity are read from the plug-in once and cached.
final class PluginRowTable: RowTable {
  let id: UInt64
  /// The approximate number of its rows.
  let count: Int
  private let version: Int64
  private let snapshot: SnapshotHandle
  private let schema: Schema
  private let values: PluginValues
  private let cache = Mutex(Cache())

  private struct Cache {
    /// The changes of each entity; `nil` for an entity without changes.
    var changes: [UInt16: Layer.EntityChanges?] = [:]
    /// The rows of one kind and one entity that were read beside pieces.
    var runs: [RunName: BlockRun] = [:]
    var indexes: [UInt16: IndexRun?] = [:]
    /// The rows of ranges of keys, for entities that were not read as a whole.
    var pieces: [Piece: BlockRun] = [:]
    var pieceCounts: [UInt16: Int] = [:]
    /// Whether the plug-in prefers to give all rows of this table.
    var hasNoPieces = false
  }

  init(_ described: QuireTable, _ snapshot: SnapshotHandle, _ schema: Schema) {
    id = described.id
    count = Int(clamping: described.row_count)
    version = described.version
    self.snapshot = snapshot
    self.schema = schema
    values = PluginValues(snapshot, table: described.id)
  }

  /// Creates a table with the contents of a commit that this program has just made, so that the plug-in need not be
  /// asked for them.
  init(
    id: UInt64, holding layer: Layer, version: Int64, _ snapshot: SnapshotHandle, _ schema: Schema
  ) {
    self.id = id
    count = layer.count
    self.version = version
    self.snapshot = snapshot
    self.schema = schema
    values = PluginValues(snapshot, table: id)
    cache.withLock { cache in
      for layout in schema.layouts + schema.linkTables.map(\.layout) {
        cache.changes[layout.entityNumber] = .some(layer[layout.entityNumber])
      }
    }
  }

  func isSame(as other: any RowTable) -> Bool { (other as? PluginRowTable) === self }

  func entry(of key: ObjectKey) throws -> RowEntry {
    guard let near = try piece(around: key) else {
      return try changes(ofEntity: key.entity)?.entry(of: key.number) ?? .absent
    }
    if let row = try near.location(of: key.number) { return .put(row) }
    // A piece contains only whole rows. The table may also change or remove the row of a lower table.
    return try Layer.EntityChanges(
      entityNumber: key.entity, changed: run(.changed, ofEntity: key.entity),
      removed: run(.removed, ofEntity: key.entity)
    ).entry(of: key.number)
  }

  private struct RunName: Hashable {
    let entity: UInt16
    let kind: PluginRowKind
  }

  /// Returns all rows of a kind and an entity, which are read once.
  private func run(_ kind: PluginRowKind, ofEntity number: UInt16) throws -> BlockRun {
    let name = RunName(entity: number, kind: kind)
    if let known = cache.withLock({ $0.runs[name] }) { return known }
    let run = try checked(blocks(number, kind) ?? rows(number, kind), number, kind)
    return cache.withLock { cache in
      // Another thread may have read the same rows first.
      if let known = cache.runs[name] { return known }
      cache.runs[name] = run
      return run
    }
  }

  // MARK: - Rows around a key

  private struct Piece: Hashable {
    let entity: UInt16
    let number: UInt64
  }

  /// The number of consecutive keys that are read at once.
  private static let pieceKeyCount: UInt64 = 64
  /// The number of cached pieces after which an entity is read as a whole.
  private static let mostPieces = 256

  /// Returns the rows around a key; `nil` if all rows are to be read, because the plug-in can't find a range of rows
  /// faster.
  private func piece(around key: ObjectKey) throws -> BlockRun? {
    guard unsafe snapshot.store.table.rows_between != nil else { return nil }
    let piece = Piece(entity: key.entity, number: key.number / PluginRowTable.pieceKeyCount)
    let known = cache.withLock { cache -> (run: BlockRun?, isWhole: Bool) in
      let isWhole =
        cache.changes[key.entity] != nil || cache.hasNoPieces
        || cache.pieceCounts[key.entity, default: 0] >= PluginRowTable.mostPieces
      return (cache.pieces[piece], isWhole)
    }
    if known.isWhole { return nil }
    if let run = known.run { return run }
    let range = PluginRowTable.range(piece)
    guard let blocks = try rows(in: range, ofEntity: key.entity) else {
      cache.withLock { $0.hasNoPieces = true }
      return nil
    }
    let run = try checked(blocks, key.entity, in: [range])
    cache.withLock { cache in
      if cache.pieces.updateValue(run, forKey: piece) == nil {
        cache.pieceCounts[key.entity, default: 0] += 1
      }
    }
    return run
  }

  /// Reads the rows around some keys in one call for each entity, and caches them.
  ///
  /// - Parameter keys: The keys in ascending order.
  func readAhead(_ keys: [ObjectKey]) throws {
    guard unsafe snapshot.store.table.rows_in_ranges != nil else { return }
    var rest = keys[...]
    while let entity = rest.first?.entity {
      let own = rest.prefix { $0.entity == entity }
      rest = rest.dropFirst(own.count)
      var wanted: [Piece] = []
      cache.withLock { cache in
        guard cache.changes[entity] == nil, !cache.hasNoPieces else { return }
        for key in own {
          let piece = Piece(entity: entity, number: key.number / PluginRowTable.pieceKeyCount)
          if wanted.last != piece, cache.pieces[piece] == nil { wanted.append(piece) }
        }
      }
      guard !wanted.isEmpty else { continue }
      let ranges = wanted.map(PluginRowTable.range)
      guard let blocks = try rows(in: ranges, ofEntity: entity) else {
        return cache.withLock { $0.hasNoPieces = true }
      }
      let run = try checked(blocks, entity, in: ranges)
      cache.withLock { cache in for piece in wanted { cache.pieces[piece] = run } }
    }
  }

  private static func range(_ piece: Piece) -> QuireKeyRange {
    let lowest = piece.number * pieceKeyCount
    return QuireKeyRange(lowest: max(lowest, 1), highest: lowest + pieceKeyCount - 1)
  }

  private func checked(
    _ blocks: [Block], _ entity: UInt16, _ kind: PluginRowKind
  ) throws -> BlockRun {
    try snapshot.store.functions.checking(at: snapshot.store.path) {
      try BlockRun(checking: blocks, ofEntity: entity, kind, path: snapshot.store.path)
    }
  }

  /// Returns the rows that the plug-in gave for some ranges of keys in ascending order.
  private func checked(
    _ blocks: [Block], _ entity: UInt16, in ranges: [QuireKeyRange]
  ) throws -> BlockRun {
    let run = try checked(blocks, entity, .put)
    if let keys = run.keyRange, let lowest = ranges.first?.lowest,
      let highest = ranges.last?.highest,
      keys.lowerBound < lowest || keys.upperBound > highest
    {
      throw snapshot.store.functions.failure(
        "was asked for the rows with keys from \(lowest) to \(highest), but returns rows with keys from \(keys.lowerBound) to \(keys.upperBound).",
        at: snapshot.store.path)
    }
    return run
  }

  /// Returns the whole rows of an entity in some ranges of keys; `nil` if the plug-in prefers to give all rows.
  private func rows(in ranges: [QuireKeyRange], ofEntity number: UInt16) throws -> [Block]? {
    guard let layout = schema[number] else { return nil }
    var has: Int32 = 0
    let found = unsafe try ranges.withUnsafeBufferPointer { ranges in
      unsafe try blocks(layout, "rows_in_ranges") { table, take, context, error in
        unsafe table.rows_in_ranges(
          snapshot.snapshot, id, number, ranges.baseAddress, UInt64(ranges.count), &has, take,
          context, error)
      }
    }
    return has == 0 ? nil : found
  }

  /// Returns the whole rows of an entity between two keys; `nil` if the plug-in prefers to give all rows.
  private func rows(in range: QuireKeyRange, ofEntity number: UInt16) throws -> [Block]? {
    guard let layout = schema[number] else { return nil }
    var has: Int32 = 0
    let found = unsafe try blocks(layout, "rows_between") { table, take, context, error in
      unsafe table.rows_between(
        snapshot.snapshot, id, number, range.lowest, range.highest, &has, take, context, error)
    }
    return has == 0 ? nil : found
  }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    if let known = cache.withLock({ $0.changes[number] }) { return known }
    // This table can't contain rows of an entity that a newer model added.
    guard schema[number] != nil else { return nil }
    let found = Layer.EntityChanges(
      entityNumber: number, put: try run(.put, ofEntity: number),
      changed: try run(.changed, ofEntity: number), removed: try run(.removed, ofEntity: number))
    let changes = found.count > 0 ? found : nil
    return cache.withLock { cache in
      // Another thread may have read the same blocks first.
      if let known = cache.changes[number] { return known }
      cache.changes[number] = .some(changes)
      return changes
    }
  }

  func entries(of index: IndexLayout) throws -> IndexRun? {
    guard index.number > 0 else { return nil }
    if let known = cache.withLock({ $0.indexes[index.number] }) { return known }
    let run = try blocks(index.number, .put).map { blocks in
      for block in blocks where block.entityNumber != index.number {
        throw snapshot.store.functions.failure(
          "returns rows of entity \(block.entityNumber) as entries of index \(index.number).",
          at: snapshot.store.path)
      }
      return IndexRun(index, blocks)
    }
    return cache.withLock { cache in
      if let known = cache.indexes[index.number] { return known }
      cache.indexes[index.number] = .some(run)
      return run
    }
  }

  /// Returns all rows of the table as a layer.
  func layer() throws -> Layer {
    Layer(
      try (schema.layouts + schema.linkTables.map(\.layout)).compactMap {
        try changes(ofEntity: $0.entityNumber)
      })
  }

  // MARK: - Reading rows from the plug-in

  /// Returns the blocks of some rows, or of an index; `nil` if the plug-in does not return blocks.
  private func blocks(_ number: UInt16, _ kind: PluginRowKind) throws -> [Block]? {
    let store = snapshot.store
    guard unsafe store.table.blocks != nil, unsafe store.table.read_block != nil else { return nil }
    var found: [QuireBlock] = []
    let sink = unsafe Sink { block, _ in
      found.append(unsafe block.load(as: QuireBlock.self))
    }
    var has: Int32 = 0
    unsafe try store.reading("blocks", sink) { table, error in
      unsafe table.blocks(
        snapshot.snapshot, id, number, kind.rawValue, &has,
        { context, block in unsafe Sink.take(context, UnsafeRawPointer(block)) }, sink.context,
        error)
    }
    guard has != 0 else { return nil }
    return try found.map { described in
      guard described.byte_count <= UInt64(BlockFormat.maximumByteCount) else {
        throw store.functions.failure(
          "has a block of \(described.byte_count) bytes, which is too large.", at: store.path)
      }
      guard (0...RowVersion.highest).contains(described.version) else {
        throw store.functions.failure(
          "has a block of entity \(number) with the version \(described.version), which is not from 0 to \(RowVersion.highest) (spec §9.8.6).",
          at: store.path)
      }
      let source = PluginBlock(snapshot, table: id, block: described.id, values)
      do {
        return try Block(
          source, byteCount: Int(described.byte_count),
          version: described.version != 0 ? described.version : version)
      } catch let error as BlockError {
        throw source.failure(error)
      }
    }
  }

  /// Returns the rows of a kind as blocks.
  private func rows(_ number: UInt16, _ kind: PluginRowKind) throws -> [Block] {
    guard let layout = schema[number] else { return [] }
    return unsafe try blocks(layout, "rows") { table, take, context, error in
      unsafe table.rows(snapshot.snapshot, id, number, kind.rawValue, take, context, error)
    }
  }

  /// Returns the rows that a function of the plug-in gives as Arrow arrays.
  @unsafe private func blocks(
    _ layout: Layout, _ name: StaticString,
    asking body: (
      QuirePlugin,
      @escaping @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<ArrowSchema>?,
        UnsafeMutablePointer<ArrowArray>?
      ) -> Int32, UnsafeMutableRawPointer?, UnsafeMutablePointer<QuireError>
    ) -> Int32?
  ) throws -> [Block] {
    var found: [Block] = []
    let (version, store) = (version, snapshot.store)
    let sink = unsafe Sink { schema, array in
      guard let array = unsafe array else { return }
      let batch = unsafe ArrowBatch(
        taking: array.assumingMemoryBound(to: ArrowArray.self),
        schema: UnsafeMutablePointer(
          mutating: schema.assumingMemoryBound(to: ArrowSchema.self)))
      do {
        for block in try batch.blocks(layout) { found.append(try block.stamped(version)) }
      } catch let fault as ArrowError {
        throw store.functions.failure(
          "returns rows of '\(layout.entity)' from '\(name)' that break a rule of rows (spec §3.7). \(fault)",
          at: store.path)
      }
    }
    unsafe try store.reading(name, sink) { table, error in
      unsafe body(
        table,
        { context, schema, array in
          unsafe Sink.take(context, UnsafeRawPointer(schema), UnsafeMutableRawPointer(array))
        }, sink.context, error)
    }
    return found
  }
}

/// The bytes of a block that a plug-in keeps.
final class PluginBlock: BlockSource {
  private let snapshot: SnapshotHandle
  private let table: UInt64
  private let block: UInt64
  private let values: PluginValues

  init(_ snapshot: SnapshotHandle, table: UInt64, block: UInt64, _ values: PluginValues) {
    self.snapshot = snapshot
    self.table = table
    self.block = block
    self.values = values
  }

  func bytes(_ range: Range<Int>) throws -> BlockSlice {
    let memory = try unsafe BlockMemory(byteCount: range.count) { place in
      guard !range.isEmpty else { return }
      unsafe try snapshot.store.reading("read_block") { functions, error in
        unsafe functions.read_block(
          snapshot.snapshot, table, block, UInt64(range.lowerBound), UInt64(range.count),
          place.baseAddress, error)
      }
    }
    return BlockSlice(memory)
  }

  var outsideValues: (any OutsideValues)? { values.of(block) }

  func explained(_ error: BlockError, in block: Block) -> any Error { failure(error) }

  /// Returns the error for damaged bytes of the block.
  fileprivate func failure(_ error: BlockError) -> StoreError {
    StoreError(
      .damaged,
      "Block \(block) of table \(table), which the plug-in '\(snapshot.store.functions.name)' returns, is damaged. \(error)",
      path: snapshot.store.path, cause: error)
  }
}

/// The values that lie outside of a table's blocks.
final class PluginValues: Sendable {
  private let snapshot: SnapshotHandle
  private let table: UInt64

  init(_ snapshot: SnapshotHandle, table: UInt64) {
    self.snapshot = snapshot
    self.table = table
  }

  func of(_ block: UInt64) -> any OutsideValues { OfBlock(all: self, block: block) }

  private final class OfBlock: OutsideValues {
    let all: PluginValues
    let block: UInt64

    init(all: PluginValues, block: UInt64) {
      self.all = all
      self.block = block
    }

    func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
      let bytes = reference.bytes
      let count = UInt64(memory.byteCount)
      let snapshot = all.snapshot
      guard unsafe snapshot.store.table.read_value != nil else {
        throw snapshot.store.functions.failure(
          "has a block that refers to an outside value, but has no function to read the value.",
          at: snapshot.store.path)
      }
      var none: UInt8 = 0
      try unsafe memory.withUnsafeMutableBytes { place in
        unsafe try withUnsafeMutablePointer(to: &none) { none in
          let start = unsafe place.baseAddress ?? UnsafeMutableRawPointer(none)
          unsafe try snapshot.store.reading("read_value") { functions, error in
            unsafe bytes.withUnsafeBufferPointer {
              unsafe functions.read_value(
                snapshot.snapshot, all.table, block, $0.baseAddress, count, start, error)
            }
          }
        }
      }
    }
  }
}
