// SAFETY: The directory was checked, so chunks lie within the block. Each part is checked to lie within its chunk
// before it is used.

extension Block {
  /// Returns the block's bytes with each column's numbers split into bytes: all first bytes, then all second bytes,
  /// and so on (spec §4.5.8).
  ///
  /// The upper bytes of a column's numbers are alike, so the split bytes compress better.
  ///
  /// - Throws: The error of the source.
  package func transposedBytes() throws -> BlockMemory {
    try unsafe rearranged(bytes()) { source, target, count, width in
      for byte in 0..<width {
        let plane = byte &* count
        for i in 0..<count { unsafe target[plane &+ i] = source[i &* width &+ byte] }
      }
    }
  }

  /// Returns the bytes of a block that ``transposedBytes()`` split.
  ///
  /// - Throws: ``BlockError`` when the bytes are not such a block. Checksums are compared when the block is read,
  ///   as usual.
  package static func untransposed(_ memory: BlockMemory) throws -> BlockMemory {
    let block = try Block(memory)
    guard block.byteCount == memory.byteCount else {
      throw BlockError.truncated(needed: memory.byteCount, available: block.byteCount)
    }
    return try unsafe block.rearranged(BlockSlice(memory)) { source, target, count, width in
      for byte in 0..<width {
        let plane = byte &* count
        for i in 0..<count { unsafe target[i &* width &+ byte] = source[plane &+ i] }
      }
    }
  }

  /// Returns a copy of the block's bytes in which `move` has rearranged the numbers.
  private func rearranged(
    _ slice: BlockSlice,
    _ move: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int, Int) -> Void
  ) throws -> BlockMemory {
    try unsafe BlockMemory(byteCount: slice.range.count) { target in
      unsafe target.copyMemory(from: slice.buffer)
      for entry in entries {
        let body = Int(entry.chunkOffset) + entry.chunkByteCount - Int(entry.bodyByteCount)
        for part in entry.numbers(rowCount: rowCount) {
          guard part.offset + part.count * part.width <= Int(entry.bodyByteCount) else {
            throw BlockError.badColumn(
              entry.number,
              "The column's \(entry.bodyByteCount) bytes do not contain all its numbers.")
          }
          unsafe move(
            (slice.start + body + part.offset).assumingMemoryBound(to: UInt8.self),
            (target.baseAddress! + body + part.offset).assumingMemoryBound(to: UInt8.self),
            part.count, part.width)
        }
      }
    }
  }
}

extension ColumnEntry {
  /// Returns the places of numbers of several bytes in the column's body.
  fileprivate func numbers(rowCount: Int) -> [(offset: Int, count: Int, width: Int)] {
    guard bodyByteCount > 0, !flags.contains(.nothing) else { return [] }
    let bitmaps = [ColumnFlags.given, .presence, .outside].count { flags.contains($0) }
    var offset = bitmaps * BlockFormat.align((rowCount + 7) / 8)
    var parts: [(offset: Int, count: Int, width: Int)] = []
    var count = rowCount
    switch encoding {
    case .integer, .scaled, .real: parts.append((offset, rowCount, Int(width)))
    case .dictionary:
      parts.append((offset, rowCount, Int(width)))
      offset = BlockFormat.align(offset + rowCount * Int(width))
      count = Int(dictionaryCount)
    case .bytes, .bits, .fixed, .slots: break
    }
    if hasOffsets { parts.append((offset, count + 1, Int(offsetWidth))) }
    return parts.filter { $0.width > 1 }
  }
}
