// SAFETY: Each stream of zlib is allocated once, as zlib keeps its address, never moves, and is given back
// with the value that owns it. The pointers lent to it are taken away before their memory ends.

internal import CZlib

/// Bytes made smaller piece by piece, as deflate's format without a frame (RFC 1951), in flat memory.
///
///     var stream = DeflateStream(level: .balanced)
///     while let piece = try next() { try stream.compress(piece.span.bytes) { try writer.write($0) } }
///     try stream.finish { try writer.write($0) }
///
/// The same bytes give the same bytes, in whatever pieces they come.
@safe
public struct DeflateStream: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: pieceByteCount)

  /// A stream that has taken nothing yet.
  public init(level: Deflate.Level = .balanced) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Negative: no frame around the bytes. 8: what zlib takes for a good use of memory.
    let result = unsafe deflateInit2_(
      stream, level.rawValue, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // Its only other answer is too little memory.
    precondition(result == Z_OK, "zlib can't compress: \(result).")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Takes more bytes, and hands on what comes of those so far.
  public mutating func compress(
    _ bytes: RawSpan, output: (RawSpan) throws -> Void
  ) throws {
    try run(bytes, Z_NO_FLUSH, output)
  }

  /// Hands on the rest; nothing may be compressed after it.
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

  /// Hands on as much as one piece holds, and returns whether there may be more.
  private mutating func step(
    _ flush: Int32, _ output: (RawSpan) throws -> Void
  ) throws -> Bool {
    let (count, result) = unsafe buffer.withUnsafeMutableBytes { target in
      unsafe stream.fill(target) { unsafe deflate($0, flush) }
    }
    precondition(result != Z_STREAM_ERROR, "A stream takes nothing after its end.")
    try hand(buffer, count, output)
    return count == buffer.count
  }
}

/// Bytes of deflate's format without a frame (RFC 1951) expanded piece by piece, in flat memory and within
/// bounds.
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

  /// Whether the compressed bytes have come to their end.
  public private(set) var isAtEnd = false
  /// How many bytes came of the compressed ones so far.
  public private(set) var byteCount = 0

  /// A stream that has taken nothing yet, and gives at most so many bytes.
  public init(byteLimit: Int) {
    self.byteLimit = byteLimit
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe inflateInit2_(
      stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // Its only other answer is too little memory.
    precondition(result == Z_OK, "zlib can't expand: \(result).")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Takes more compressed bytes, and hands on what comes of those so far.
  ///
  /// - Throws: ``DeflateError`` where they are not deflate's, go on behind their end, or give more than the
  ///   limit, of which nothing is handed on; and whatever `output` does.
  public mutating func expand(_ bytes: RawSpan, output: (RawSpan) throws -> Void) throws {
    try unsafe bytes.withUnsafeBytes { source in
      unsafe stream.lend(source)
      defer { unsafe stream.takeBack() }
      while !isAtEnd, try step(output) {}
      guard unsafe stream.pointee.avail_in == 0 else {
        throw DeflateError(description: "There are bytes behind the end of the compressed ones.")
      }
    }
  }

  /// Hands on as much as one piece holds, and returns whether there may be more.
  private mutating func step(_ output: (RawSpan) throws -> Void) throws -> Bool {
    let (count, result) = unsafe buffer.withUnsafeMutableBytes { target in
      unsafe stream.fill(target) { unsafe inflate($0, Z_NO_FLUSH) }
    }
    // Nothing taken and nothing given is no fault: it waits for more.
    guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
      throw DeflateError(description: "The compressed bytes are damaged.")
    }
    guard count <= byteLimit - byteCount else {
      throw DeflateError(description: "There are more than \(byteLimit) bytes.")
    }
    byteCount += count
    isAtEnd = result == Z_STREAM_END
    try hand(buffer, count, output)
    return count == buffer.count
  }
}

/// The checksum of zip and gzip: the 32-bit cyclic redundancy check with Ethernet's polynomial.
///
/// It comes with zlib. What Quire guards by its own choice it guards with CRC-32C.
public struct CRC32: Sendable {
  /// The checksum of all bytes so far.
  public private(set) var value: UInt32 = 0

  /// The checksum of no bytes yet.
  public init() {}

  /// Goes on over more bytes.
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

/// Lends the first bytes of a buffer.
private func hand(_ buffer: [UInt8], _ count: Int, _ output: (RawSpan) throws -> Void) throws {
  guard count > 0 else { return }
  let bytes = buffer.span
  // SAFETY: `bytes` is marked unsafe for elements with padding; a byte has none.
  let piece = unsafe bytes.bytes
  try output(piece.extracting(first: count))
}

extension UnsafeMutablePointer<z_stream> {
  /// Lends the stream bytes to take.
  @unsafe fileprivate func lend(_ source: UnsafeRawBufferPointer) {
    precondition(source.count <= UInt32.max, "A piece has less than four gigabytes.")
    // zlib reads only, and takes a null for no bytes.
    unsafe pointee.next_in = UnsafeMutablePointer<UInt8>(
      mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe pointee.avail_in = uInt(source.count)
  }

  /// Takes what was lent away.
  @unsafe fileprivate func takeBack() {
    unsafe pointee.next_in = nil
    unsafe pointee.avail_in = 0
    unsafe pointee.next_out = nil
    unsafe pointee.avail_out = 0
  }

  /// Makes one step into the memory, and returns how many bytes it gave and what it answered.
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
  /// Bytes in raw deflate, without a header or a checksum, at once.
  public static func compressRaw(_ bytes: RawSpan, level: Level = .balanced) -> [UInt8] {
    var stream = DeflateStream(level: level)
    var compressed: [UInt8] = []
    func append(_ piece: RawSpan) {
      unsafe piece.withUnsafeBytes { unsafe compressed.append(contentsOf: $0) }
    }
    do {
      try stream.compress(bytes) { append($0) }
      try stream.finish { append($0) }
    } catch { preconditionFailure("Memory refuses nothing: \(error)") }
    return compressed
  }

  /// Expands bytes of raw deflate.
  ///
  /// - Throws: ``DeflateError`` where they are not such bytes, or give more than `limit`.
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
