// SAFETY: Buffers grow before they are written, and keys are counted before they are read.

import Checksums
import ObjectModel

/// The work of a ``BlockWriter``: one block after another, in memory that each block uses again.
struct BlockAssembly: ~Copyable {
  private var encoder: ColumnEncoder
  private var values: ColumnValues
  private var chunks = ByteBuffer(capacity: 1 << 18)
  private var directory = ByteBuffer()
  private var entries: [ColumnEntry] = []

  init() {
    encoder = ColumnEncoder(capacity: BlockFormat.targetRowCount)
    values = ColumnValues(capacity: BlockFormat.targetRowCount)
  }

  /// The number of bytes that the values of the largest block so far have taken. They stay in memory.
  var byteCapacity: Int { chunks.capacity + encoder.byteCapacity }

  mutating func begin() {
    entries.removeAll(keepingCapacity: true)
    chunks.removeAll()
  }

  mutating func add(
    _ number: UInt16, _ kind: ColumnKind, fill: (inout ColumnValues) -> Void
  ) {
    values.begin(kind)
    fill(&values)
    if values.absentCount == values.count { return }
    precondition(
      entries.last.map { $0.number < number } ?? true,
      "The numbers of a block's columns must ascend.")
    let entry = encoder.encode(values, number: number, into: &chunks)
    entries.append(entry)
  }

  /// Adds the column of keys and finishes the block (``BlockWriter/finish(entity:flags:keys:outsideValues:)``).
  mutating func finish(
    entity: UInt16, flags: BlockFlags, keys: UnsafeBufferPointer<UInt64>,
    outsideValues: (any OutsideValues)?
  ) -> Block {
    let n = keys.count
    precondition(n > 0, "A block must have at least one row.")
    add(LayoutColumn.Number.key, .int64) { values in
      for i in 1..<max(n, 1) {
        precondition(unsafe keys[i - 1] < keys[i], "The keys of a block must ascend.")
      }
      // SAFETY: A key has the size of a 64-bit integer and never sets the sign bit.
      unsafe keys.withMemoryRebound(to: Int64.self) { unsafe values.append(words: $0) }
    }
    let headerByteCount =
      BlockFormat.headerByteCount + entries.reduce(0) { $0 + $1.byteCount }
    chunks.align()
    let blockByteCount = headerByteCount + chunks.count
    directory.removeAll()
    directory.append(BlockFormat.magic)
    directory.append(UInt32(headerByteCount))
    directory.append(UInt32(blockByteCount))
    directory.append(UInt32(0))
    directory.append(entity)
    directory.append(UInt16(entries.count))
    directory.append(UInt32(n))
    unsafe directory.append(keys[0])
    unsafe directory.append(keys[n - 1])
    directory.append(flags.rawValue)
    directory.append(UInt32(0))
    for index in entries.indices {
      if entries[index].bodyByteCount > 0 {
        entries[index].chunkOffset += UInt32(headerByteCount)
      }
      entries[index].write(into: &directory)
    }
    unsafe directory.store(
      CRC32C.checksum(of: directory.bytes), at: BlockFormat.Header.checksum)
    let memory = unsafe BlockMemory(byteCount: blockByteCount) { target in
      // SAFETY: Both parts together have `blockByteCount` bytes.
      unsafe target.copyMemory(from: directory.bytes)
      unsafe UnsafeMutableRawBufferPointer(rebasing: target[headerByteCount...])
        .copyMemory(from: chunks.bytes)
    }
    return unsafe Block(
      written: memory, entries, entity: entity, keys: keys, flags: flags,
      outsideValues: outsideValues)
  }
}
