// SAFETY: Memory is reserved before bytes are written, and lives as long as the buffer.

import DurableFiles

/// Bytes for a file, collected in memory that is reused.
@safe
struct OutputBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity = 1 << 18
  private(set) var count = 0

  /// The number of bytes that are collected before they are written.
  private static let flushByteCount = 1 << 17

  init() { unsafe start = .allocate(capacity: capacity) }

  deinit { unsafe start.deallocate() }

  /// Writes the bytes to the file if enough of them are collected.
  @inline(__always)
  mutating func flushIfFull(to writer: inout FileWriter) throws {
    if count >= OutputBuffer.flushByteCount { try flush(to: &writer) }
  }

  /// Writes the bytes to the file.
  mutating func flush(to writer: inout FileWriter) throws {
    try writer.write(unsafe RawSpan(_unsafeStart: start, byteCount: count))
    count = 0
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count &+ more > capacity { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    let room = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    unsafe larger.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = larger
    capacity = room
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe start[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(raw: UnsafeRawBufferPointer($0)) }
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { unsafe append(raw: UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  @unsafe mutating func append(raw bytes: UnsafeRawBufferPointer) {
    let more = bytes.count
    reserve(more)
    guard let source = bytes.baseAddress else { return }
    unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: more)
    count &+= more
  }

  /// Appends a text, with escapes for characters that XML can't represent or would change (spec §5.4.1).
  @unsafe mutating func append(escaping text: UnsafeRawBufferPointer) {
    let n = text.count
    reserve(n)
    var (from, index) = (0, 0)
    unsafe TextEscapes.table.withUnsafeBufferPointer { table in
      while index < n {
        let byte = unsafe text[index]
        guard unsafe table[Int(byte)] == 1 else {
          index &+= 1
          continue
        }
        var unit = UInt16(byte)
        var length = 1
        if byte == 0xEF {
          // Only U+FFFE and U+FFFF need an escape: three bytes, EF BF BE and EF BF BF.
          guard index &+ 2 < n, unsafe text[index &+ 1] == 0xBF, unsafe text[index &+ 2] >= 0xBE
          else {
            index &+= 1
            continue
          }
          unit = unsafe text[index &+ 2] == 0xBE ? 0xFFFE : 0xFFFF
          length = 3
        }
        unsafe append(raw: UnsafeRawBufferPointer(rebasing: text[from..<index]))
        append(TextEscapes.escape(unit))
        index &+= length
        from = index
      }
    }
    unsafe append(raw: UnsafeRawBufferPointer(rebasing: text[from..<n]))
  }

  /// Appends a whole number in decimal.
  @inline(__always)
  mutating func append(_ number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(magnitude: number.magnitude)
  }

  /// Appends a number without a sign.
  mutating func append(magnitude: UInt64, leastDigits: Int = 1) {
    // A number has at most twenty digits.
    reserve(20)
    var digits: InlineArray<20, UInt8> = InlineArray(repeating: 0x30)
    var rest = magnitude
    var first = 20
    while rest >= 10 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      first &-= 1
      digits[first] = 0x30 | UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
    first &-= 1
    digits[first] = 0x30 | UInt8(truncatingIfNeeded: rest)
    if 20 - first < leastDigits { first = 20 - leastDigits }
    for index in first..<20 {
      unsafe start[count &+ index &- first] = digits[index]
    }
    count &+= 20 - first
  }

  private static let base64 = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends bytes in base 64, in lines of 76 characters (spec §5.4.5).
  @unsafe mutating func append(base64 bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count / 3 * 4 + bytes.count / 57 + 8)
    let letters = OutputBuffer.base64
    var index = 0
    while index < bytes.count {
      if index > 0, index % 57 == 0 { append(UInt8(ascii: "\n")) }
      let left = bytes.count - index
      var bits = unsafe UInt32(bytes[index]) << 16
      if left > 1 { bits |= unsafe UInt32(bytes[index + 1]) << 8 }
      if left > 2 { bits |= unsafe UInt32(bytes[index + 2]) }
      append(letters[Int(bits >> 18)])
      append(letters[Int(bits >> 12 & 63)])
      append(left > 1 ? letters[Int(bits >> 6 & 63)] : UInt8(ascii: "="))
      append(left > 2 ? letters[Int(bits & 63)] : UInt8(ascii: "="))
      index += 3
    }
    append(UInt8(ascii: "\n"))
  }
}
