// SAFETY: Each zlib stream is allocated once and never moves, because zlib keeps its address. It is freed with the
// value that owns it. The pointers lent to the stream are removed before their memory ends.

internal import CZlib

/// Compresses bytes piece by piece in the raw deflate format (RFC 1951), with constant memory.
///
///     var stream = DeflateStream(level: .balanced)
///     while let piece = try next() { try stream.compress(piece.span.bytes) { try writer.write($0) } }
///     try stream.finish { try writer.write($0) }
///
/// The result depends only on the bytes, and not on their division into pieces.
@safe
public struct DeflateStream: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: pieceByteCount)

  public init(level: Deflate.Level = .balanced) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // A negative size selects the format without header. 8 is zlib's default use of memory.
    let result = unsafe deflateInit2_(
      stream, level.rawValue, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // zlib's only remaining error is a lack of memory.
    precondition(result == Z_OK, "zlib can't compress: \(result).")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Compresses more bytes, and calls `output` with the compressed bytes that are ready.
  public mutating func compress(
    _ bytes: RawSpan, output: (RawSpan) throws -> Void
  ) throws {
    try run(bytes, Z_NO_FLUSH, output)
  }

  /// Compresses the rest, and calls `output` with it. The stream accepts no bytes afterwards.
  public mutating func finish(output: (RawSpan) throws -> Void) throws {
    try run(RawSpan(), Z_FINISH, output)
  }

  private mutating func run(
    _ bytes: RawSpan, _ flush: Int32, _ output: (RawSpan) throws -> Void
  ) throws {
    try unsafe bytes.withUnsafeBytes { source in
      unsafe stream.lend(source)
      defer { unsafe stream.takeBack() }
      while try step(flush, output) {}
    }
  }

  /// Calls `output` with at most one piece, and returns whether there may be more.
  private mutating func step(
    _ flush: Int32, _ output: (RawSpan) throws -> Void
  ) throws -> Bool {
    let (count, result) = unsafe buffer.withUnsafeMutableBytes { target in
      unsafe stream.fill(target) { unsafe deflate($0, flush) }
    }
    precondition(result != Z_STREAM_ERROR, "A stream accepts no bytes after its end.")
    try hand(buffer, count, output)
    return count == buffer.count
  }
}

/// Expands bytes in the raw deflate format (RFC 1951) piece by piece, with constant memory and a limit on the size.
///
///     var stream = InflateStream(byteLimit: entry.byteCount)
///     while !stream.isAtEnd, let piece = try next() {
///       try stream.expand(piece.span.bytes) { try writer.write($0) }
///     }
@safe
public struct InflateStream: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: pieceByteCount)
  private let byteLimit: Int

  /// Whether the compressed bytes are complete.
  public private(set) var isAtEnd = false
  /// The number of expanded bytes so far.
  public private(set) var byteCount = 0

  /// Creates an empty stream that expands to at most `byteLimit` bytes.
  public init(byteLimit: Int) {
    self.byteLimit = byteLimit
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe inflateInit2_(
      stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // zlib's only remaining error is a lack of memory.
    precondition(result == Z_OK, "zlib can't expand: \(result).")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Expands more bytes, and calls `output` with the expanded bytes that are ready.
  ///
  /// - Throws: ``DeflateError`` if the bytes are not in the deflate format, continue after their end, or exceed the
  ///   limit. `output` does not get any part of a piece that exceeds the limit. Also throws the errors of `output`.
  public mutating func expand(_ bytes: RawSpan, output: (RawSpan) throws -> Void) throws {
    try unsafe bytes.withUnsafeBytes { source in
      unsafe stream.lend(source)
      defer { unsafe stream.takeBack() }
      while !isAtEnd, try step(output) {}
      guard unsafe stream.pointee.avail_in == 0 else {
        throw DeflateError(description: "Bytes follow the end of the compressed data.")
      }
    }
  }

  /// Calls `output` with at most one piece, and returns whether there may be more.
  private mutating func step(_ output: (RawSpan) throws -> Void) throws -> Bool {
    let (count, result) = unsafe buffer.withUnsafeMutableBytes { target in
      unsafe stream.fill(target) { unsafe inflate($0, Z_NO_FLUSH) }
    }
    // If zlib neither reads nor writes a byte, it needs more input; this is not an error.
    guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
      throw DeflateError(description: "The compressed bytes are damaged.")
    }
    guard count <= byteLimit - byteCount else {
      throw DeflateError(description: "The data expand to more than \(byteLimit) bytes.")
    }
    byteCount += count
    isAtEnd = result == Z_STREAM_END
    try hand(buffer, count, output)
    return count == buffer.count
  }
}

/// The checksum of zip and gzip: the 32-bit cyclic redundancy check with Ethernet's polynomial.
///
/// zlib provides it. Quire's own formats use CRC-32C instead.
public struct CRC32: Sendable {
  /// The checksum of all bytes so far.
  public private(set) var value: UInt32 = 0

  /// Creates the checksum of an empty input.
  public init() {}

  /// Adds bytes to the checksum.
  public mutating func update(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    value = unsafe bytes.withUnsafeBytes {
      unsafe UInt32(
        truncatingIfNeeded: crc32_z(
          uLong(value), $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count))
    }
  }
}

private let pieceByteCount = 64 * 1024

/// Calls `output` with the first bytes of a buffer.
private func hand(_ buffer: [UInt8], _ count: Int, _ output: (RawSpan) throws -> Void) throws {
  guard count > 0 else { return }
  let bytes = buffer.span
  // SAFETY: `bytes` is marked unsafe because elements may have padding; a byte has none.
  let piece = unsafe bytes.bytes
  try output(piece.extracting(first: count))
}

extension UnsafeMutablePointer<z_stream> {
  /// Sets the input of the stream.
  @unsafe fileprivate func lend(_ source: UnsafeRawBufferPointer) {
    precondition(source.count <= UInt32.max, "A piece must have less than four gigabytes.")
    // zlib only reads the input, and accepts a null pointer for an empty input.
    unsafe pointee.next_in = UnsafeMutablePointer<UInt8>(
      mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe pointee.avail_in = uInt(source.count)
  }

  /// Removes the input and the output of the stream.
  @unsafe fileprivate func takeBack() {
    unsafe pointee.next_in = nil
    unsafe pointee.avail_in = 0
    unsafe pointee.next_out = nil
    unsafe pointee.avail_out = 0
  }

  /// Calls zlib once with the memory as output, and returns the number of bytes written and zlib's result.
  @unsafe fileprivate func fill(
    _ target: UnsafeMutableRawBufferPointer, _ step: (UnsafeMutablePointer<z_stream>) -> Int32
  ) -> (count: Int, result: Int32) {
    unsafe pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe pointee.avail_out = uInt(target.count)
    let result = unsafe step(self)
    return unsafe (target.count - Int(pointee.avail_out), result)
  }
}

extension Deflate {
  /// Returns the bytes in the raw deflate format, without a header or a checksum.
  public static func compressRaw(_ bytes: RawSpan, level: Level = .balanced) -> [UInt8] {
    var stream = DeflateStream(level: level)
    var compressed: [UInt8] = []
    func append(_ piece: RawSpan) {
      unsafe piece.withUnsafeBytes { unsafe compressed.append(contentsOf: $0) }
    }
    do {
      try stream.compress(bytes) { append($0) }
      try stream.finish { append($0) }
    } catch { preconditionFailure("Writing to memory can't fail: \(error)") }
    return compressed
  }

  /// Returns the expanded form of bytes in the raw deflate format.
  ///
  /// - Throws: ``DeflateError`` if the bytes are not in this format, or expand to more than `limit` bytes.
  public static func expandRaw(_ bytes: RawSpan, upTo limit: Int) throws -> [UInt8] {
    var stream = InflateStream(byteLimit: limit)
    var expanded: [UInt8] = []
    try stream.expand(bytes) { piece in
      unsafe piece.withUnsafeBytes { unsafe expanded.append(contentsOf: $0) }
    }
    guard stream.isAtEnd else {
      throw DeflateError(description: "The compressed bytes end too early.")
    }
    return expanded
  }
}
