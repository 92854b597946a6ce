// SAFETY: Pointers go to zlib with the number of bytes behind them, and are not kept by it.

internal import CZlib

/// zlib's format (RFC 1950): bytes made smaller, and back.
///
///     let small = Deflate.compress(bytes.span.bytes, level: .fast)
///     var memory = [UInt8](repeating: 0, count: bytes.count)
///     var span = memory.mutableSpan
///     var target = span.mutableBytes
///     try Deflate.expand(small.span.bytes, into: &target)
///
/// Whoever expands says how many bytes there must be, so that a few bytes can't become many.
public enum Deflate {
  /// How much time is spent on making bytes smaller.
  public enum Level: Int32, Sendable, Hashable, CaseIterable {
    /// Little time.
    case fast = 1
    /// What zlib takes for a good balance.
    case balanced = 6
    /// Much time.
    case small = 9
  }

  /// The bytes, compressed.
  public static func compress(_ bytes: RawSpan, level: Level = .fast) -> [UInt8] {
    let capacity = Int(compressBound(uLong(bytes.byteCount)))
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      var written = uLongf(capacity)
      let result = unsafe bytes.withUnsafeBytes { source in
        // zlib takes no null for no bytes.
        var none: UInt8 = 0
        return unsafe withUnsafePointer(to: &none) { none in
          unsafe compress2(
            target.baseAddress, &written,
            source.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? none,
            uLong(source.count), level.rawValue)
        }
      }
      // Its only other answers are too little memory and too small a target.
      precondition(result == Z_OK, "zlib can't compress: \(result).")
      count = Int(written)
    }
  }

  /// Expands compressed bytes into memory that they fill exactly.
  ///
  /// - Throws: ``DeflateError`` when they do not, or are no such bytes. What the memory then holds
  ///   means nothing.
  public static func expand(
    _ bytes: RawSpan, into memory: inout MutableRawSpan
  ) throws(DeflateError) {
    let wanted = memory.byteCount
    let (result, written, taken) = uncompress(bytes, into: &memory)
    guard result == Z_OK, written == wanted, taken == bytes.byteCount else {
      throw DeflateError(
        description: "The \(bytes.byteCount) compressed bytes do not expand to \(wanted).")
    }
  }

  /// Expands what some bytes begin with, as far as the memory goes: for bytes of which nobody says how many
  /// belong together.
  ///
  /// - Returns: How many bytes were written, and how many the compressed ones were if all of them were
  ///   written; `nil` when these are no such bytes.
  public static func expandStart(
    of bytes: RawSpan, into memory: inout MutableRawSpan
  ) -> (written: Int, taken: Int?)? {
    let (result, written, taken) = uncompress(bytes, into: &memory)
    switch result {
    case Z_OK: return (written, taken)
    // There was more to expand, or the bytes ended too early.
    case Z_BUF_ERROR, Z_DATA_ERROR: return written > 0 ? (written, nil) : nil
    default: return nil
    }
  }

  /// Has zlib expand what it can: its answer, and how many bytes it wrote and took.
  private static func uncompress(
    _ bytes: RawSpan, into memory: inout MutableRawSpan
  ) -> (result: Int32, written: Int, taken: Int) {
    var written = uLongf(memory.byteCount)
    var taken = uLong(bytes.byteCount)
    let result = unsafe memory.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { source in
        var none: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &none) { none in
          unsafe uncompress2(
            target.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? none, &written,
            source.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(none), &taken)
        }
      }
    }
    return (result, Int(written), Int(taken))
  }

  /// The most bytes that so many compressed ones can expand to.
  public static func mostBytes(from byteCount: Int) -> Int { byteCount * 1032 + 64 }
}

/// Why compressed bytes can't be expanded.
public struct DeflateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was found and what was expected.
  public let description: String
}
