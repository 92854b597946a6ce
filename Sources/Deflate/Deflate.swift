// SAFETY: The libraries get each pointer together with the number of bytes behind it, and keep no pointer. For no bytes
// they get the address of a byte that they do not read.

internal import CLibDeflate
internal import CZlib

/// Compression and decompression in the zlib format (RFC 1950).
///
///     let small = Deflate.compress(bytes.span.bytes, level: .fast)
///     var memory = [UInt8](repeating: 0, count: bytes.count)
///     var span = memory.mutableSpan
///     var target = span.mutableBytes
///     try Deflate.expand(small.span.bytes, into: &target)
///
/// The caller of ``expand(_:into:)`` determines the expanded size, so a few bytes can't expand without limit.
public enum Deflate {
  /// The time that is spent on compression.
  public enum Level: Int32, Sendable, Hashable, CaseIterable {
    /// The fastest level, with the largest result.
    case fast = 1
    /// The libraries' default balance of time and size.
    case balanced = 6
    /// The slowest level, with the smallest result.
    case small = 9
  }

  /// Returns the bytes in compressed form.
  public static func compress(_ bytes: RawSpan, level: Level = .fast) -> [UInt8] {
    guard let compressor = unsafe libdeflate_alloc_compressor(level.rawValue) else {
      fatalError("There is not enough memory to compress \(bytes.byteCount) bytes.")
    }
    defer { unsafe libdeflate_free_compressor(compressor) }
    let capacity = unsafe libdeflate_zlib_compress_bound(compressor, bytes.byteCount)
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      count = unsafe withAddress(of: bytes) { source in
        unsafe libdeflate_zlib_compress(
          compressor, source, bytes.byteCount, target.baseAddress.unsafelyUnwrapped, capacity)
      }
      precondition(count > 0, "The target of compressed bytes is too small.")
    }
  }

  /// Expands compressed bytes into memory that they must fill exactly.
  ///
  /// - Throws: ``DeflateError`` if the bytes do not fill the memory exactly, or are not in the zlib format. The
  ///   contents of the memory are then undefined.
  public static func expand(
    _ bytes: RawSpan, into memory: inout MutableRawSpan
  ) throws(DeflateError) {
    guard let decompressor = unsafe libdeflate_alloc_decompressor() else {
      fatalError("There is not enough memory to expand \(bytes.byteCount) bytes.")
    }
    defer { unsafe libdeflate_free_decompressor(decompressor) }
    let wanted = memory.byteCount
    var taken = 0
    let result = unsafe withAddresses(of: bytes, &memory) { source, target in
      // Without a place for the count of written bytes, the result must fill the target.
      unsafe libdeflate_zlib_decompress_ex(
        decompressor, source, bytes.byteCount, target, wanted, &taken, nil)
    }
    guard result == LIBDEFLATE_SUCCESS, taken == bytes.byteCount else {
      throw DeflateError(bytes.byteCount, wanted)
    }
  }

  /// Expands like ``expand(_:into:)``, in about three times the time. It refuses some damaged bytes that ``expand(_:into:)``
  /// accepts. Use it to check a file: other readers of zlib's format refuse these bytes too.
  public static func expandStrictly(
    _ bytes: RawSpan, into memory: inout MutableRawSpan
  ) throws(DeflateError) {
    let wanted = memory.byteCount
    let (result, written, taken) = uncompress(bytes, into: &memory)
    guard result == Z_OK, written == wanted, taken == bytes.byteCount else {
      throw DeflateError(bytes.byteCount, wanted)
    }
  }

  /// Calls `body` with the address of bytes, or, for empty bytes without an address, of a byte that may be read.
  private static func withAddress<R>(of bytes: RawSpan, _ body: (UnsafeRawPointer) -> R) -> R {
    unsafe bytes.withUnsafeBytes { source in
      var none: UInt8 = 0
      return unsafe withUnsafePointer(to: &none) { none in
        unsafe body(source.baseAddress ?? UnsafeRawPointer(none))
      }
    }
  }

  /// Calls `body` with the addresses of bytes and of memory, as ``withAddress(of:_:)`` does.
  private static func withAddresses<R>(
    of bytes: RawSpan, _ memory: inout MutableRawSpan,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> R
  ) -> R {
    unsafe memory.withUnsafeMutableBytes { target in
      var none: UInt8 = 0
      return unsafe withUnsafeMutablePointer(to: &none) { none in
        unsafe withAddress(of: bytes) { source in
          unsafe body(source, target.baseAddress ?? UnsafeMutableRawPointer(none))
        }
      }
    }
  }

  /// Expands the beginning of the bytes until the memory is full. For compressed bytes of unknown length.
  ///
  /// - Returns: The number of bytes written, and the length of the compressed bytes if they were expanded completely;
  ///   `nil` if the bytes are not in the zlib format.
  public static func expandStart(
    of bytes: RawSpan, into memory: inout MutableRawSpan
  ) -> (written: Int, taken: Int?)? {
    let (result, written, taken) = uncompress(bytes, into: &memory)
    switch result {
    case Z_OK: return (written, taken)
    // The memory was too small, or the compressed bytes were cut off or damaged.
    case Z_BUF_ERROR, Z_DATA_ERROR: return written > 0 ? (written, nil) : nil
    default: return nil
    }
  }

  /// Calls zlib, and returns its result and the numbers of bytes written and read.
  private static func uncompress(
    _ bytes: RawSpan, into memory: inout MutableRawSpan
  ) -> (result: Int32, written: Int, taken: Int) {
    var written = uLongf(memory.byteCount)
    var taken = uLong(bytes.byteCount)
    let result = unsafe withAddresses(of: bytes, &memory) { source, target in
      unsafe uncompress2(
        target.assumingMemoryBound(to: UInt8.self), &written,
        source.assumingMemoryBound(to: UInt8.self), &taken)
    }
    return (result, Int(written), Int(taken))
  }

  /// Returns the maximum size to which the given number of compressed bytes can expand.
  public static func mostBytes(from byteCount: Int) -> Int { byteCount * 1032 + 64 }
}

/// An error in compressed bytes.
public struct DeflateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The finding and the expectation, as a sentence.
  public let description: String

  init(description: String) { self.description = description }

  init(_ byteCount: Int, _ wanted: Int) {
    description = "The \(byteCount) compressed bytes do not expand to \(wanted) bytes."
  }
}
