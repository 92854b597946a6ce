// SAFETY: The presence of all bytes is checked before they are read, and room for them is made before they are written.

// The generic functions are inlinable: without that, each number of another module's format costs a generic call.

/// Writes little-endian numbers one after another.
@usableFromInline
package struct ByteWriter {
  /// The bytes, and zeros behind them: to store a number takes a fraction of the time of appending its bytes.
  @usableFromInline var storage: [UInt8]
  /// The number of bytes that were written.
  @usableFromInline package var count = 0

  /// - Parameter capacity: The number of bytes for which memory is reserved at once.
  package init(capacity: Int = 64) {
    // An array of a given count would be made by a function that looks up its type each time.
    storage = []
    storage.reserveCapacity(capacity)
    storage.append(contentsOf: repeatElement(0, count: capacity))
  }

  /// The bytes that were written.
  package var bytes: [UInt8] { storage.count == count ? storage : Array(storage[..<count]) }

  @inlinable
  package mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    let start = grow(by: T.bitWidth / 8)
    // SAFETY: `grow` has made room for the bytes of the number, behind `start`.
    unsafe storage.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: start, as: T.self)
    }
  }

  /// Adds bytes that `fill` sets. Many numbers of one record are stored faster than appended one by one.
  @inlinable
  package mutating func append(byteCount: Int, _ fill: (inout MutableRawSpan) -> Void) {
    let start = grow(by: byteCount)
    unsafe storage.withUnsafeMutableBytes {
      // SAFETY: `grow` has made room for these bytes, and the span ends with the closure.
      var bytes = unsafe MutableRawSpan(
        _unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + byteCount]))
      fill(&bytes)
    }
  }

  /// Adds zeros, and returns the offset of the first.
  @inlinable @inline(__always)
  mutating func grow(by byteCount: Int) -> Int {
    let start = count
    count += byteCount
    if count > storage.count { makeRoom() }
    return start
  }

  @usableFromInline @inline(never)
  mutating func makeRoom() {
    let missing = max(count, 2 * storage.count) - storage.count
    storage.append(contentsOf: repeatElement(0, count: missing))
  }

  package mutating func append(_ other: [UInt8]) {
    let start = grow(by: other.count)
    storage.replaceSubrange(start..<count, with: other)
  }

  package mutating func append(zeros count: Int) { _ = grow(by: count) }

  /// Appends a text of at most 65 535 bytes, after its length.
  package mutating func append(text: String) {
    let bytes = Array(text.utf8.prefix(Int(UInt16.max)))
    append(UInt16(bytes.count))
    append(bytes)
  }

  /// Appends the elements of a list, after their number.
  @inlinable
  package mutating func append<T>(list: [T], _ body: (inout ByteWriter, T) -> Void) {
    append(UInt16(list.count))
    for element in list { body(&self, element) }
  }

  /// Appends zeros up to the next multiple of 8.
  package mutating func align() { append(zeros: -count & 7) }
}

extension MutableRawSpan {
  @inlinable @inline(__always)
  package mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}

/// Reads little-endian numbers one after another. Missing bytes cause an error and never a trap.
@usableFromInline
package struct ByteReader {
  @usableFromInline package let bytes: [UInt8]
  @usableFromInline package var offset = 0
  /// The offset of the first byte in the file, for messages.
  @usableFromInline package let fileOffset: UInt64

  package init(_ bytes: [UInt8], at fileOffset: UInt64) {
    self.bytes = bytes
    self.fileOffset = fileOffset
  }

  @inlinable package var remaining: Int { bytes.count - offset }

  @inlinable
  package mutating func next<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) throws(FormatFault)
    -> T
  {
    let size = T.bitWidth / 8
    guard remaining >= size else {
      throw FormatFault(
        "The \(bytes.count) bytes at \(fileOffset) end within a number of \(size) bytes.")
    }
    defer { offset += size }
    return number(T.self, at: 0)
  }

  /// Returns the number at a distance behind the offset.
  ///
  /// - Precondition: The bytes exist.
  @inlinable @inline(__always)
  package func number<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, at place: Int) -> T {
    let start = offset + place
    precondition(
      start >= 0 && start + T.bitWidth / 8 <= bytes.count, "The read is outside of the bytes.")
    // SAFETY: The precondition checks that the bytes exist, and every bit pattern is an integer.
    return unsafe T(
      littleEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: T.self))
  }

  /// Checks that the given number of bytes is left.
  package func require(_ count: Int) throws(FormatFault) {
    guard remaining >= count else {
      throw FormatFault("The \(bytes.count) bytes at \(fileOffset) end too early.")
    }
  }

  package mutating func skip(_ count: Int) throws(FormatFault) {
    try require(count)
    offset += count
  }

  package mutating func take(_ count: Int) throws(FormatFault) -> [UInt8] {
    let start = offset
    try skip(count)
    return Array(bytes[start..<offset])
  }
}

extension ByteReader {
  /// Reads a text after its length.
  package mutating func text() throws(FormatFault) -> String {
    try text(byteCount: Int(try next(UInt16.self)))
  }

  /// Reads a text of the given number of bytes.
  package mutating func text(byteCount: Int) throws(FormatFault) -> String {
    let start = offset
    try skip(byteCount)
    guard let text = try? UTF8Span(validating: bytes.span.extracting(start..<offset)) else {
      throw FormatFault("A text within the \(bytes.count) bytes at \(fileOffset) is not UTF-8.")
    }
    return String(copying: text)
  }

  /// Reads a list after the number of its elements, each of at least two bytes.
  @inlinable
  package mutating func list<T>(
    _ element: (inout ByteReader) throws(FormatFault) -> T
  ) throws(FormatFault) -> [T] {
    let count = Int(try next(UInt16.self))
    var list: [T] = []
    for _ in 0..<count { list.append(try element(&self)) }
    return list
  }
}

/// A fault in the bytes of a block file, with its place.
@usableFromInline
package struct FormatFault: Error, CustomStringConvertible {
  @usableFromInline package let description: String

  @usableFromInline package init(_ description: String) { self.description = description }
}
