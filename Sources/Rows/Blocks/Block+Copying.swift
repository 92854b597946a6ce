// SAFETY: Copies contain the bytes of verified memory at the same offsets, and are complete before other code has
// access to them.

import Checksums

extension Block {
  /// Returns a block with the same rows, as written by the given commit, with its bytes in memory.
  ///
  /// - Throws: The error of the source.
  package func stamped(_ commit: Int64) throws -> Block {
    try Block(self, from: CopiedBlock(of: source, bytes()), version: commit)
  }

  /// Returns the block's bytes with new offsets for the values outside of the block.
  ///
  /// The byte count stays the same: only the offsets and the checksums change.
  ///
  /// - Throws: ``BlockError`` when a column is damaged, or the error of the source.
  package func bytes(movingValues newOffset: (UInt64) -> UInt64) throws -> BlockMemory {
    let slice = try bytes()
    return unsafe try BlockMemory(byteCount: byteCount) { target in
      unsafe target.copyMemory(from: slice.buffer)
      var place = BlockFormat.headerByteCount
      for entry in entries {
        if entry.flags.contains(.outside) {
          // SAFETY: The directory was checked: entries and chunks lie within the block.
          try unsafe move(entry, at: place, in: slice, target, newOffset)
        }
        place += entry.byteCount
      }
      let checksum = BlockFormat.Header.checksum
      unsafe target.storeBytes(of: 0, toByteOffset: checksum, as: UInt32.self)
      let directory = unsafe UnsafeRawBufferPointer(rebasing: target[..<place])
      unsafe target.storeBytes(
        of: CRC32C.checksum(of: directory).littleEndian, toByteOffset: checksum, as: UInt32.self)
    }
  }

  /// Writes the new offsets of one column's values. The column's entry is at `place`.
  @unsafe private func move(
    _ entry: ColumnEntry, at place: Int, in slice: BlockSlice,
    _ target: UnsafeMutableRawBufferPointer, _ newOffset: (UInt64) -> UInt64
  ) throws {
    // The directory's check leaves the offset of an empty chunk open.
    guard entry.bodyByteCount > 0 else {
      throw BlockError.badColumn(
        entry.number, "The column has values outside of the block, but no references to them.")
    }
    let start = Int(entry.chunkOffset)
    let first = slice.range.lowerBound + start
    let chunk = BlockSlice(memory: slice.memory, range: first..<first + entry.chunkByteCount)
    let column = try unsafe ColumnVerifier(entry, rowCount: rowCount).verify(chunk)
    for row in 0..<rowCount {
      guard let reference = unsafe column.raw.outsideReference(row),
        let source = unsafe column.raw.bytes(row).baseAddress
      else { continue }
      unsafe target.storeBytes(
        of: newOffset(reference.offset).littleEndian, toByteOffset: source - slice.start,
        as: UInt64.self)
    }
    // SAFETY: Table and body are the chunk, and the entry lies in the directory.
    let body = unsafe UnsafeRawBufferPointer(
      rebasing: target[(start + entry.chunkByteCount - Int(entry.bodyByteCount))...])
    let tableByteCount = entry.chunkByteCount - Int(entry.bodyByteCount)
    var summed = unsafe UnsafeRawBufferPointer(rebasing: body[..<Int(entry.bodyByteCount)])
    if tableByteCount > 0 {
      for (page, offset) in stride(
        from: 0, to: summed.count, by: BlockFormat.pageByteCount
      ).enumerated() {
        let end = min(offset + BlockFormat.pageByteCount, summed.count)
        unsafe target.storeBytes(
          of: CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: summed[offset..<end]))
            .littleEndian,
          toByteOffset: start + page * 4, as: UInt32.self)
      }
      unsafe summed = UnsafeRawBufferPointer(rebasing: target[start..<start + tableByteCount])
    }
    unsafe target.storeBytes(
      of: CRC32C.checksum(of: summed).littleEndian,
      toByteOffset: place + BlockFormat.Entry.checksum, as: UInt32.self)
  }
}

/// The source of a block whose bytes are in memory already. All else comes from the original source.
private final class CopiedBlock: BlockSource {
  private let source: any BlockSource
  private let slice: BlockSlice

  init(of source: any BlockSource, _ slice: BlockSlice) {
    self.source = source
    self.slice = slice
  }

  var outsideValues: (any OutsideValues)? { source.outsideValues }

  func check(_ references: [OutsideReference]) throws { try source.check(references) }

  func bytes(_ range: Range<Int>) throws -> BlockSlice {
    let start = slice.range.lowerBound
    return BlockSlice(
      memory: slice.memory, range: start + range.lowerBound..<start + range.upperBound)
  }
}

/// The source of a block that was just written, while some of its values stay in another place.
final class WrittenBlock: BlockSource {
  private let memory: BlockMemory
  let outsideValues: (any OutsideValues)?

  init(_ memory: BlockMemory, _ outsideValues: any OutsideValues) {
    self.memory = memory
    self.outsideValues = outsideValues
  }

  func bytes(_ range: Range<Int>) throws -> BlockSlice { try memory.bytes(range) }
}
