// SAFETY: This object keeps everything that the structure refers to, and lives through the call.

import CArrow
import CStorePlugin
import ObjectModel
import PluginExchange
import Rows
import StoreInterface

/// A commit that is passed to a plug-in.
@safe
final class OutgoingCommit {
  private var batches: [OutgoingBatch] = []
  private var commit = unsafe QuireCommit()
  private let texts: [String?]
  private var between: [OutgoingBytes] = []

  init(
    _ changes: Layer, _ request: CommitRequest, after commit: Int64, _ schema: Schema,
    _ metadata: StoreMetadata?, takesBlocks: Bool
  ) throws {
    texts = [request.author, request.contextName]
    unsafe self.commit.struct_size = UInt32(MemoryLayout<QuireCommit>.size)
    unsafe self.commit.after = commit
    unsafe self.commit.base = request.base
    for entity in changes.entities {
      guard let layout = schema[entity.entityNumber] else { continue }
      for kind in PluginRowKind.allCases {
        for block in kind.run(of: entity).blocks {
          batches.append(try OutgoingBatch(block, layout, kind, takesBlocks: takesBlocks))
        }
      }
    }
    if let model = request.model {
      unsafe self.commit.model = unsafe QuireBytes(try PluginDescriptions.bytes(of: model))
      unsafe self.commit.schema = unsafe QuireBytes(PluginDescriptions.bytes(of: schema))
      between = try request.modelsBetween.map {
        OutgoingBytes(try PluginDescriptions.bytes(of: $0))
      }
    }
    if let metadata {
      unsafe self.commit.metadata = unsafe QuireBytes(try PluginDescriptions.bytes(of: metadata))
    }
  }

  deinit {
    _ = unsafe commit.model.taken()
    _ = unsafe commit.schema.taken()
    _ = unsafe commit.metadata.taken()
  }

  /// Calls `body` with the structure of the commit.
  func withCommit<R>(_ body: (inout QuireCommit) throws -> R) throws -> R {
    let batches = unsafe self.batches.map { unsafe Optional($0.batch) }
    let between = unsafe self.between.map { unsafe $0.bytes }
    return try unsafe batches.withUnsafeBufferPointer { batches in
      try unsafe between.withUnsafeBufferPointer { between in
        try unsafe withText(texts[0]) { author in
          try unsafe withText(texts[1]) { name in
            unsafe commit.batch_count = UInt32(batches.count)
            unsafe commit.batches = batches.baseAddress
            unsafe commit.models_between_count = UInt32(between.count)
            unsafe commit.models_between = between.baseAddress
            unsafe commit.author = unsafe author
            unsafe commit.context_name = unsafe name
            return try unsafe body(&commit)
          }
        }
      }
    }
  }
}

/// Bytes that are passed to a plug-in.
@safe
private final class OutgoingBytes {
  var bytes: QuireBytes

  init(_ bytes: [UInt8]) { unsafe self.bytes = unsafe QuireBytes(bytes) }

  deinit { _ = unsafe bytes.taken() }
}

/// A batch of rows that is passed to a plug-in.
@safe
private final class OutgoingBatch {
  let batch: UnsafeMutablePointer<QuireBatch>
  private let name: UnsafeMutablePointer<CChar>
  private let array: UnsafeMutablePointer<ArrowArray>
  private let schema: UnsafeMutablePointer<ArrowSchema>
  /// The block, if the plug-in reads it in place.
  private var slice: BlockSlice?

  init(
    _ block: Block, _ layout: Layout, _ kind: PluginRowKind, takesBlocks: Bool
  ) throws {
    unsafe name = unsafe allocatedText(layout.entity)
    unsafe array = .allocate(capacity: 1)
    unsafe array.initialize(to: ArrowArray())
    unsafe schema = .allocate(capacity: 1)
    unsafe schema.initialize(to: ArrowSchema())
    unsafe batch = .allocate(capacity: 1)
    unsafe batch.initialize(to: QuireBatch())
    unsafe batch.pointee.struct_size = UInt32(MemoryLayout<QuireBatch>.size)
    unsafe batch.pointee.entity = layout.entityNumber
    unsafe batch.pointee.kind = UInt16(kind.rawValue)
    unsafe batch.pointee.entity_name = unsafe UnsafePointer(name)
    // A block with outside values is passed as Arrow arrays, which contain those values: the values lie in the block's
    // original store.
    if takesBlocks, try block.outsideReferences().isEmpty {
      let slice = try block.bytes()
      unsafe batch.pointee.block = unsafe slice.bytes.withUnsafeBytes {
        unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
      }
      unsafe batch.pointee.block_byte_count = UInt64(slice.range.count)
      self.slice = slice
      return
    }
    unsafe batch.pointee.array = unsafe array
    unsafe batch.pointee.schema = unsafe schema
    unsafe try ArrowBatch(block, layout: layout).move(to: array, schema: schema)
  }

  deinit {
    // Structures that the plug-in has not moved out still belong to this program.
    if let release = unsafe array.pointee.release { unsafe release(array) }
    if let release = unsafe schema.pointee.release { unsafe release(schema) }
    unsafe array.deallocate()
    unsafe schema.deallocate()
    unsafe name.deallocate()
    unsafe batch.deallocate()
  }
}

extension Layer {
  /// Returns the same changes with whole rows instead of rows with some values, for stores that keep whole rows only.
  func whole(above head: any StoreSnapshot, _ schema: Schema) throws -> Layer {
    guard entities.contains(where: { !$0.changed.isEmpty }) else { return self }
    let view = head.view.pushing(self)
    let builder = LayerBuilder(schema)
    var others: [EntityChanges] = []
    for entity in entities {
      guard !entity.changed.isEmpty, let layout = schema[entity.entityNumber] else {
        others.append(entity)
        continue
      }
      for one in try entity.entries() {
        let key = ObjectKey(entity: entity.entityNumber, number: one.key)
        switch one.entry {
        case .absent: continue
        case .removed(let location): builder.remove(key, basis: try location.basis)
        case .put(let location), .changed(let location):
          guard let row = try view.row(of: key) else { continue }
          // The removal hides the old row. Without it, the old row would show again if a later save removed the new row
          // without a removal entry.
          let basis = try location.basis
          if basis != 0 { builder.remove(key, basis: basis) }
          try builder.insert(key, copying: row, layout)
        }
      }
    }
    return Layer(others + builder.freeze().entities)
  }
}
