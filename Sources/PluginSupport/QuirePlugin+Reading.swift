// SAFETY: All handles come from this module. The host's functions move the structures out that they receive; the
// remaining structures are released here.

import CArrow
import CStorePlugin
import Foundation
import ObjectModel
import PluginExchange
import Rows
import StoreInterface

extension QuirePlugin {
  @unsafe mutating func addReading() {
    unsafe snapshot = { store, snapshot, error in
      unsafe answering(error) {
        let store = unsafe try ExportedStore.of(store)
        let found = store.exported(try store.store.snapshot())
        unsafe snapshot?.pointee = found.retained
      }
    }
    unsafe release_snapshot = { snapshot in
      guard let snapshot = unsafe snapshot else { return }
      unsafe Unmanaged<ExportedSnapshot>.fromOpaque(UnsafeRawPointer(snapshot)).release()
    }
    unsafe commit_of = { snapshot in
      unsafe (try? ExportedSnapshot.of(snapshot).snapshot.commit) ?? 0
    }
    unsafe describe = { snapshot, what, bytes, error in
      unsafe answering(error) {
        let snapshot = unsafe try ExportedSnapshot.of(snapshot).snapshot
        let found =
          switch Int(what) {
          case Int(QUIRE_MODEL): try PluginDescriptions.bytes(of: try snapshot.model)
          case Int(QUIRE_SCHEMA): PluginDescriptions.bytes(of: snapshot.schema)
          case Int(QUIRE_METADATA): try PluginDescriptions.bytes(of: try snapshot.metadata)
          default: throw StoreError(.notSupported, "The description \(what) does not exist.")
          }
        unsafe bytes?.pointee = QuireBytes(found)
      }
    }
    unsafe tables = { snapshot, take, context, error in
      unsafe answering(error) {
        let snapshot = unsafe try ExportedSnapshot.of(snapshot)
        for table in snapshot.tables {
          var described = QuireTable(
            id: table.id, version: 0, row_count: table.rowCount(snapshot.snapshot.schema))
          try PluginRefusalCode.check(unsafe take?(context, &described) ?? 0)
        }
      }
    }
    unsafe rows = { snapshot, table, entity, kind, take, context, error in
      unsafe answering(error) {
        let snapshot = unsafe try ExportedSnapshot.of(snapshot)
        guard let kind = PluginRowKind(rawValue: kind), let take = unsafe take else {
          throw StoreError(.notSupported, "The kind \(kind) of rows does not exist.")
        }
        let layout = try snapshot.layout(entity)
        for block in try snapshot.table(table).blocks(of: entity, kind, snapshot.snapshot.schema)
          ?? []
        {
          try unsafe hand(block, layout) { unsafe take(context, $0, $1) }
        }
      }
    }
  }

  @unsafe mutating func addPartialReading() {
    unsafe rows_between = { snapshot, table, entity, lowest, highest, has, take, context, error in
      unsafe answering(error) {
        unsafe try handRows(
          of: snapshot, table, entity, in: [QuireKeyRange(lowest: lowest, highest: highest)], has,
          take, context)
      }
    }
    unsafe rows_in_ranges = {
      snapshot, table, entity, ranges, rangeCount, has, take, context, error in
      unsafe answering(error) {
        let all = unsafe UnsafeBufferPointer(start: ranges, count: Int(clamping: rangeCount))
        unsafe try handRows(of: snapshot, table, entity, in: Array(all), has, take, context)
      }
    }
  }

  @unsafe mutating func addBlocks() {
    unsafe blocks = { snapshot, table, number, kind, has, take, context, error in
      unsafe answering(error) {
        let snapshot = unsafe try ExportedSnapshot.of(snapshot)
        guard let kind = PluginRowKind(rawValue: kind) else {
          throw StoreError(.notSupported, "The kind \(kind) of rows does not exist.")
        }
        let found = try snapshot.table(table).blocks(of: number, kind, snapshot.snapshot.schema)
        unsafe has?.pointee = found == nil ? 0 : 1
        for (index, block) in (found ?? []).enumerated() {
          var described = QuireBlock(
            id: ExportedTable.id(number, kind, index), byte_count: UInt64(block.byteCount),
            version: block.version)
          try PluginRefusalCode.check(unsafe take?(context, &described) ?? 0)
        }
      }
    }
    unsafe read_block = { snapshot, table, block, offset, count, buffer, error in
      unsafe answering(error) {
        let block = unsafe try ExportedSnapshot.of(snapshot).table(table).block(block)
        guard offset <= UInt64(block.byteCount), count <= UInt64(block.byteCount) - offset,
          let buffer = unsafe buffer
        else {
          throw StoreError(.failed, "The block has no bytes \(offset) to \(offset &+ count).")
        }
        let bytes = try block.bytes(Int(offset)..<Int(offset + count))
        unsafe bytes.bytes.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)).copyMemory(
            from: $0)
        }
      }
    }
    unsafe read_value = { snapshot, table, block, reference, count, buffer, error in
      unsafe answering(error) {
        let block = unsafe try ExportedSnapshot.of(snapshot).table(table).block(block)
        guard let reference = unsafe reference, let buffer = unsafe buffer else {
          throw StoreError(.failed, "The host gave no reference or no buffer for a value.")
        }
        let parsed = try OutsideReference(
          pluginBytes: unsafe Array(
            UnsafeBufferPointer(start: reference, count: OutsideReference.referenceByteCount)))
        guard parsed.byteCount == count else {
          throw StoreError(
            .failed,
            "The host gave a buffer of \(count) bytes for a value of \(parsed.byteCount) bytes.")
        }
        var memory = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: Int(count))
        try block.readOutsideValue(parsed, into: &memory)
      }
    }
  }
}

/// Passes a block as an Arrow array to the host.
@unsafe private func hand(
  _ block: Block, _ layout: Layout,
  to take: (UnsafeMutablePointer<ArrowSchema>, UnsafeMutablePointer<ArrowArray>) -> Int32
) throws {
  let batch = try ArrowBatch(block, layout: layout, givesVersions: true)
  var (array, schema) = unsafe (ArrowArray(), ArrowSchema())
  unsafe batch.move(to: &array, schema: &schema)
  let answer = unsafe take(&schema, &array)
  // Structures that the host has not moved out still belong to the plug-in.
  if let release = unsafe array.release { unsafe release(&array) }
  if let release = unsafe schema.release { unsafe release(&schema) }
  try PluginRefusalCode.check(answer)
}

/// Passes the whole rows of an entity in some ranges of keys to the host. Sets `has` to 0, and passes nothing, if the
/// host has to request all rows.
@unsafe private func handRows(
  of snapshot: OpaquePointer?, _ table: UInt64, _ entity: UInt16, in ranges: [QuireKeyRange],
  _ has: UnsafeMutablePointer<Int32>?,
  _ take: (
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<ArrowSchema>?,
      UnsafeMutablePointer<ArrowArray>?
    ) -> Int32
  )?, _ context: UnsafeMutableRawPointer?
) throws {
  let snapshot = unsafe try ExportedSnapshot.of(snapshot)
  unsafe has?.pointee = 0
  guard let take = unsafe take, ranges.allSatisfy({ $0.lowest <= $0.highest }),
    let partial = try snapshot.table(table).table as? any PartialRowTable
  else { return }
  var blocks: [Block] = []
  for range in ranges {
    guard let run = try partial.rows(ofEntity: entity, keys: range.lowest...range.highest) else {
      return
    }
    blocks += run.blocks
  }
  unsafe has?.pointee = 1
  let layout = try snapshot.layout(entity)
  for block in blocks { try unsafe hand(block, layout) { unsafe take(context, $0, $1) } }
}

extension ExportedTable {
  /// Returns the approximate number of rows of the table.
  func rowCount(_ schema: Schema) -> UInt64 {
    // A layer knows its number of rows. A segment of a file would have to be read, so its key ranges serve as an
    // estimate.
    if let layer = table as? Layer { return UInt64(layer.count) }
    var count: UInt64 = 0
    for layout in schema.layouts {
      guard let ranges = try? table.keyRanges(ofEntity: layout.entityNumber) else { continue }
      for range in [ranges.put, ranges.changed, ranges.removed].compactMap({ $0 }) {
        count &+= range.upperBound - range.lowerBound + 1
      }
    }
    return count
  }
}
