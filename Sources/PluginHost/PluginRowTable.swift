// SAFETY: Structures that the plug-in hands over are moved out at once; buffers have as many bytes as are asked for.

import CArrow
import CStorePlugin
import ObjectModel
import PluginExchange
import Rows
import StoreInterface
import Synchronization

/// A table of a plug-in's snapshot: asked for once for each entity, and kept.
final class PluginRowTable: RowTable {
  let id: UInt64
  /// About how many rows it has.
  let count: Int
  private let version: Int64
  private let snapshot: SnapshotHandle
  private let schema: Schema
  private let values: PluginValues
  private let cache = Mutex(Cache())

  private struct Cache {
    /// What the table says of each entity, and `nil` where that is nothing.
    var changes: [UInt16: Layer.EntityChanges?] = [:]
    var indexes: [UInt16: IndexRun?] = [:]
  }

  init(_ described: QuireTable, _ snapshot: SnapshotHandle, _ schema: Schema) {
    id = described.id
    count = Int(clamping: described.row_count)
    version = described.version
    self.snapshot = snapshot
    self.schema = schema
    values = PluginValues(snapshot, table: described.id)
  }

  /// A table of which it is known already what it says: that of a commit of this program.
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
    try changes(ofEntity: key.entity)?.entry(of: key.number) ?? .absent
  }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    if let known = cache.withLock({ $0.changes[number] }) { return known }
    // An entity that came with a newer model is none that this table could know.
    guard schema[number] != nil else { return nil }
    func run(_ kind: PluginRowKind) throws -> BlockRun {
      let found = try blocks(number, kind) ?? rows(number, kind)
      return try snapshot.store.functions.checking(at: snapshot.store.path) {
        try BlockRun(checking: found, ofEntity: number, kind, path: snapshot.store.path)
      }
    }
    let found = Layer.EntityChanges(
      entityNumber: number, put: try run(.put), changed: try run(.changed),
      removed: try run(.removed))
    let changes = found.count > 0 ? found : nil
    return cache.withLock { cache in
      // Another thread may have been as quick: all have the same blocks.
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
          "gives rows of \(block.entityNumber) as entries of index \(index.number).",
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

  /// The whole table.
  func layer() throws -> Layer {
    Layer(
      try (schema.layouts + schema.linkTables.map(\.layout)).compactMap {
        try changes(ofEntity: $0.entityNumber)
      })
  }

  // MARK: - Asking

  /// The blocks of some rows, or of an index; `nil` where the plug-in has none to give.
  private func blocks(_ number: UInt16, _ kind: PluginRowKind) throws -> [Block]? {
    let store = snapshot.store
    guard unsafe store.table.blocks != nil, unsafe store.table.read_block != nil else { return nil }
    var found: [QuireBlock] = []
    let sink = unsafe Sink { block, _ in
      found.append(unsafe block.load(as: QuireBlock.self))
    }
    var has: Int32 = 0
    unsafe try store.reading(sink) { table, error in
      unsafe table.blocks(
        snapshot.snapshot, id, number, kind.rawValue, &has,
        { context, block in unsafe Sink.take(context, UnsafeRawPointer(block)) }, sink.context,
        error)
    }
    guard has != 0 else { return nil }
    return try found.map { described in
      guard described.byte_count <= UInt64(BlockFormat.maximumByteCount) else {
        throw store.functions.failure(
          "has a block of \(described.byte_count) bytes, which is none.", at: store.path)
      }
      let source = PluginBlock(snapshot, table: id, block: described.id, values)
      return try Block(
        source, byteCount: Int(described.byte_count),
        version: described.version != 0 ? described.version : version)
    }
  }

  /// The rows of a kind, as blocks.
  private func rows(_ number: UInt16, _ kind: PluginRowKind) throws -> [Block] {
    let store = snapshot.store
    guard let layout = schema[number] else { return [] }
    var found: [Block] = []
    let version = version
    let sink = unsafe Sink { schema, array in
      guard let array = unsafe array else { return }
      let batch = unsafe ArrowBatch(
        taking: array.assumingMemoryBound(to: ArrowArray.self),
        schema: UnsafeMutablePointer(
          mutating: schema.assumingMemoryBound(to: ArrowSchema.self)))
      for block in try batch.blocks(layout) { found.append(try block.stamped(version)) }
    }
    unsafe try store.reading(sink) { table, error in
      unsafe table.rows(
        snapshot.snapshot, id, number, kind.rawValue,
        { context, schema, array in
          unsafe Sink.take(context, UnsafeRawPointer(schema), UnsafeMutableRawPointer(array))
        }, sink.context, error)
    }
    return found
  }
}

/// The bytes of a block in a plug-in's hands.
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
      unsafe try snapshot.store.reading { functions, error in
        unsafe functions.read_block(
          snapshot.snapshot, table, block, UInt64(range.lowerBound), UInt64(range.count),
          place.baseAddress, error)
      }
    }
    return BlockSlice(memory)
  }

  var outsideValues: (any OutsideValues)? { values.of(block) }
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
          "has a block that refers to a value outside of it, and gives none.",
          at: snapshot.store.path)
      }
      try unsafe memory.withUnsafeMutableBytes { place in
        let start = place.baseAddress
        unsafe try snapshot.store.reading { functions, error in
          unsafe bytes.withUnsafeBufferPointer {
            unsafe functions.read_value(
              snapshot.snapshot, all.table, block, $0.baseAddress, count, start, error)
          }
        }
      }
    }
  }
}
