import BlockFileFormat
import Checksums
import Deflate
import DurableFiles
import Rows

extension StoreFile: OutsideValues {
  /// Reads a value that lies in its own section, and checks its checksum.
  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    do {
      guard memory.byteCount == reference.byteCount else {
        throw FormatFault(
          "The value at \(reference.offset) has an unexpected size of \(reference.byteCount) bytes."
        )
      }
      let offset = Int(clamping: reference.offset)
      func check(_ bytes: RawSpan) throws(FormatFault) {
        guard CRC32C.checksum(of: bytes) == reference.checksum else {
          throw FormatFault(
            "The value of \(reference.byteCount) bytes at \(reference.offset) does not match its "
              + "checksum.")
        }
      }
      switch reference.codec {
      case .plain:
        try file.read(into: &memory, at: offset)
        try check(memory.bytes)
      case .zlib:
        let stored = try file.read(byteCount: reference.storedByteCount, at: offset)
        try check(stored.rawSpan)
        do { try Deflate.expand(stored.rawSpan, into: &memory) } catch {
          throw FormatFault("The value at \(reference.offset): \(error)")
        }
      }
    } catch {
      throw described(error)
    }
  }

  /// Checks that the references of a block lead to values before the block.
  ///
  /// - Parameters:
  ///   - limit: The offset of the block.
  ///   - most: The largest number of bytes that the values may take in the file.
  func check(_ references: [OutsideReference], before limit: UInt64, atMost most: UInt64) throws {
    do {
      var sum: UInt64 = 0
      for reference in references {
        let (offset, byteCount) = (reference.offset, UInt64(reference.storedByteCount))
        guard offset % 8 == 0, offset >= UInt64(BlockFile.headerByteCount), offset <= limit,
          byteCount <= limit - offset
        else {
          throw FormatFault(
            "A value of \(byteCount) bytes at \(offset) is not before its block at \(limit).")
        }
        // A value that claims to expand beyond any possible size is rejected before memory is allocated for it.
        guard
          reference.codec == .plain
            || reference.byteCount <= Deflate.mostBytes(from: reference.storedByteCount)
        else {
          throw FormatFault(
            "The \(byteCount) bytes at \(offset) can't contain a value of \(reference.byteCount) bytes."
          )
        }
        sum += byteCount
      }
      guard sum <= most else {
        throw FormatFault(
          "The block at \(limit) refers to values of \(sum) bytes, but its segment gives \(most).")
      }
    } catch {
      throw described(error)
    }
  }
}
