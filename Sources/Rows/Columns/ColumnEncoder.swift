// SAFETY: Values, marks and offsets have room for every row of the encoded column, and buffers grow before they are
// written.

import Checksums
import ObjectModel

/// Chooses the encoding of one column's values and writes its chunk (spec §3.4).
///
/// The cheapest encoding that reproduces every value bit for bit is chosen. The choice is the writer's; readers
/// accept any legal encoding.
@safe
struct ColumnEncoder: ~Copyable {
  private var dictionary: DictionaryEncoder
  private var offsets: UnsafeMutablePointer<Int64>
  private var capacity: Int
  private var body = ByteBuffer(capacity: 1 << 18)

  init(capacity: Int) {
    self.capacity = capacity
    dictionary = DictionaryEncoder(capacity: capacity)
    unsafe offsets = .allocate(capacity: capacity + 1)
  }

  deinit { unsafe offsets.deallocate() }

  /// The number of bytes that the encoder keeps for the next values.
  var byteCapacity: Int { body.capacity }

  /// Encodes the values as column `number`, appends the chunk to `block`, and returns the entry of the directory.
  mutating func encode(
    _ values: borrowing ColumnValues, number: UInt16, into block: inout ByteBuffer
  ) -> ColumnEntry {
    var entry = ColumnEntry(number: number, kind: values.kind)
    body.removeAll()
    if values.absentCount > 0 {
      entry.flags.insert(.given)
      unsafe appendBitmap(values.given, values.count)
    }
    if values.isNothing {
      entry.flags.insert(.nothing)
    } else {
      if values.nullCount + values.absentCount > 0 {
        entry.flags.insert(.presence)
        unsafe appendBitmap(values.present, values.count)
      }
      if values.outsideCount > 0 {
        entry.flags.insert(.outside)
        unsafe appendBitmap(values.outside, values.count)
      }
      encodeValues(values, &entry)
    }
    appendChunk(&entry, into: &block)
    return entry
  }

  private mutating func appendBitmap(_ marks: UnsafePointer<UInt8>, _ n: Int) {
    let byteCount = (n + 7) / 8
    // SAFETY: There are `n` marks, and `grow` provides a bit for each.
    let bits = unsafe body.grow(by: byteCount).assumingMemoryBound(to: UInt8.self)
    for byte in 0..<byteCount {
      var packed: UInt8 = 0
      // The loop has no branch on the mark, because the processor could not predict the branch.
      for bit in 0..<min(8, n &- byte &* 8) {
        packed |= unsafe (marks[byte &* 8 &+ bit] & 1) &<< UInt8(truncatingIfNeeded: bit)
      }
      unsafe bits[byte] = packed
    }
    body.align()
  }

  private mutating func encodeValues(_ values: borrowing ColumnValues, _ entry: inout ColumnEntry) {
    switch values.kind.content {
    case .boolean: encodeBooleans(values, &entry)
    case .integer, .object: encodeIntegers(values, &entry)
    case .float, .double, .date: encodeReals(values, &entry)
    case .decimal: if !encodeScaledDecimals(values, &entry) { encodeBytes(values, &entry) }
    case .string, .uri, .binary: encodeBytes(values, &entry)
    case .uuid: encodeUUIDs(values, &entry)
    }
  }

  /// Appends the body, after a table of page checksums when the body is long.
  private func appendChunk(_ entry: inout ColumnEntry, into block: inout ByteBuffer) {
    guard body.count > 0 else { return }
    block.align()
    entry.chunkOffset = UInt32(block.count)
    entry.bodyByteCount = UInt32(body.count)
    let bytes = unsafe body.bytes
    if body.count <= BlockFormat.pageByteCount {
      unsafe entry.checksum = CRC32C.checksum(of: bytes)
    } else {
      let table = block.count
      for start in stride(from: 0, to: body.count, by: BlockFormat.pageByteCount) {
        let end = min(start + BlockFormat.pageByteCount, body.count)
        // SAFETY: `start` and `end` are within the body.
        unsafe block.append(
          CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
      }
      block.align()
      let end = block.count
      // SAFETY: The table was just written between these offsets.
      unsafe entry.checksum = CRC32C.checksum(
        of: UnsafeRawBufferPointer(rebasing: block.bytes[table..<end]))
    }
    unsafe block.append(bytes)
  }
}

// Numbers.
extension ColumnEncoder {
  private mutating func encodeBooleans(
    _ values: borrowing ColumnValues, _ entry: inout ColumnEntry
  ) {
    let present = unsafe values.nullCount + values.absentCount > 0 ? values.present : nil
    let encoding = unsafe IntegerEncoding(values.words, present: present, count: values.count)
    if encoding.width == 0 && encoding.step == 0 {
      entry.base = encoding.base
      return
    }
    entry.encoding = .bits
    // Booleans are 0 or 1, and rows without a value contain 0.
    let n = values.count
    let byteCount = (n + 7) / 8
    // SAFETY: There are `n` words, and `grow` provides a bit for each.
    let bits = unsafe body.grow(by: byteCount).assumingMemoryBound(to: UInt8.self)
    for byte in 0..<byteCount {
      var packed: UInt8 = 0
      for bit in 0..<min(8, n &- byte &* 8) {
        let word = unsafe values.words[byte &* 8 &+ bit]
        packed |= UInt8(truncatingIfNeeded: word & 1) &<< UInt8(truncatingIfNeeded: bit)
      }
      unsafe bits[byte] = packed
    }
  }

  private mutating func encodeIntegers(
    _ values: borrowing ColumnValues, _ entry: inout ColumnEntry
  ) {
    let present = unsafe values.nullCount + values.absentCount > 0 ? values.present : nil
    let encoding = unsafe IntegerEncoding(values.words, present: present, count: values.count)
    unsafe write(encoding, values.words, present: present, values.count, &entry)
  }

  @unsafe private mutating func write(
    _ encoding: IntegerEncoding, _ words: UnsafePointer<Int64>, present: UnsafePointer<UInt8>?,
    _ n: Int, _ entry: inout ColumnEntry
  ) {
    entry.base = encoding.base
    entry.step = encoding.step
    entry.width = encoding.width
    if encoding.step != 0 { entry.flags.insert(.sloped) }
    unsafe encoding.write(words, present: present, count: n, into: &body)
  }

  /// Encodes floating-point numbers. Decimal fractions are written as integers when that is shorter; otherwise bit
  /// patterns are written.
  private mutating func encodeReals(_ values: borrowing ColumnValues, _ entry: inout ColumnEntry) {
    let n = values.count
    let patternWidth: UInt8 = values.kind == .float ? 4 : 8
    let present = unsafe values.nullCount + values.absentCount > 0 ? values.present : nil
    if let scale = scaleReals(values) {
      let encoding = unsafe IntegerEncoding(offsets, present: present, count: n)
      if encoding.width < patternWidth {
        entry.encoding = .scaled
        entry.scale = scale
        unsafe write(encoding, offsets, present: present, n, &entry)
        return
      }
    }
    entry.encoding = .real
    entry.width = patternWidth
    // SAFETY: There are `n` words, and `grow` provides room for `n` patterns.
    if patternWidth == 8 {
      unsafe body.append(UnsafeRawBufferPointer(start: values.words, count: n * 8))
    } else {
      let target = unsafe body.grow(by: n * 4).assumingMemoryBound(to: UInt32.self)
      for i in 0..<n { unsafe target[i] = UInt32(truncatingIfNeeded: values.words[i]) }
    }
  }

  /// Returns the smallest power of ten that makes every number whole, and writes the whole numbers to `offsets`.
  private func scaleReals(_ values: borrowing ColumnValues) -> UInt8? {
    let isFloat = values.kind == .float
    let n = values.count
    for scale in 0..<UInt8(Scale.count) {
      let divisor = Scale.divisor(scale)
      var i = 0
      // SAFETY: `i` is a row, and `offsets` has room for every row.
      while i < n {
        if unsafe values.present[i] == 0 {
          unsafe offsets[i] = 0
          i += 1
          continue
        }
        let pattern = unsafe values.words[i]
        let value =
          isFloat
          ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
          : Double(bitPattern: UInt64(bitPattern: pattern))
        // Adding and subtracting 1.5 * 2^52 rounds to a whole number, but not beyond 10^15. The comparison also
        // rejects not-a-number.
        guard (value * divisor).magnitude < 1e15 else { return nil }
        let whole = value * divisor + 6_755_399_441_055_744 - 6_755_399_441_055_744
        let back =
          isFloat
          ? Int64(Float(whole / divisor).bitPattern)
          : Int64(bitPattern: (whole / divisor).bitPattern)
        if back != pattern { break }
        unsafe offsets[i] = Int64(whole)
        i += 1
      }
      // If a row does not fit, the next finer scale is tried for all rows: `offsets` depends on the scale.
      if i == n { return scale }
    }
    return nil
  }

  /// Encodes decimals as integers and returns true, if one power of ten makes all of them whole.
  private mutating func encodeScaledDecimals(
    _ values: borrowing ColumnValues, _ entry: inout ColumnEntry
  ) -> Bool {
    let n = values.count
    var scale = 0
    for i in 0..<n where unsafe values.present[i] != 0 {
      // SAFETY: Spans of rows with a value contain canonical decimals, and their memory is still alive.
      guard let parts = unsafe DecimalParts(canonicalBytes: values.spans[i]) else { return false }
      scale = max(scale, -Int(parts.exponent))
    }
    guard scale <= Scale.greatestOfDecimals else { return false }
    for i in 0..<n {
      if unsafe values.present[i] == 0 {
        unsafe offsets[i] = 0
        continue
      }
      guard let parts = unsafe DecimalParts(canonicalBytes: values.spans[i]),
        let whole = parts.integer(scale: scale)
      else { return false }
      unsafe offsets[i] = whole
    }
    let present = unsafe values.nullCount + values.absentCount > 0 ? values.present : nil
    entry.encoding = .scaled
    entry.scale = UInt8(scale)
    let encoding = unsafe IntegerEncoding(offsets, present: present, count: n)
    unsafe write(encoding, offsets, present: present, n, &entry)
    return true
  }
}

// Byte strings.
extension ColumnEncoder {
  private mutating func encodeBytes(_ values: borrowing ColumnValues, _ entry: inout ColumnEntry) {
    let n = values.count
    // SAFETY: There are `n` spans, and `offsets` has room for one more.
    var heapByteCount = 0
    for i in 0..<n {
      unsafe offsets[i] = Int64(heapByteCount)
      heapByteCount += unsafe values.spans[i].count
    }
    unsafe offsets[n] = Int64(heapByteCount)
    if n > 1, values.outsideCount == 0,
      unsafe dictionary.build(values.spans, count: n, worthBelow: heapByteCount + 2 * n)
    {
      entry.encoding = .dictionary
      entry.dictionaryCount = UInt32(dictionary.count)
      entry.width = IntegerEncoding.width(of: UInt64(dictionary.count - 1))
      dictionary.writeCodes(count: n, width: entry.width, into: &body)
      unsafe dictionary.copyOffsets(into: offsets)
      appendOffsets(dictionary.count, &entry)
      dictionary.writeHeap(into: &body)
    } else {
      entry.encoding = .bytes
      appendOffsets(n, &entry)
      for i in 0..<n { unsafe body.append(values.spans[i]) }
    }
  }

  /// Writes the `count + 1` offsets of a heap.
  private mutating func appendOffsets(_ count: Int, _ entry: inout ColumnEntry) {
    let encoding = unsafe IntegerEncoding(offsets, present: nil, count: count + 1)
    entry.offsetBase = encoding.base
    entry.offsetStep = encoding.step
    entry.offsetWidth = encoding.width
    body.align()
    unsafe encoding.write(offsets, present: nil, count: count + 1, into: &body)
    body.align()
  }

  private mutating func encodeUUIDs(_ values: borrowing ColumnValues, _ entry: inout ColumnEntry) {
    entry.encoding = .fixed
    entry.width = 16
    // SAFETY: Spans of rows with a value have 16 bytes, and `grow` provides 16 bytes for every row.
    let target = unsafe body.grow(by: values.count * 16)
    for i in 0..<values.count {
      let place = unsafe target + i * 16
      if unsafe values.present[i] != 0, let source = unsafe values.spans[i].baseAddress {
        unsafe place.copyMemory(from: source, byteCount: 16)
      } else {
        unsafe place.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
      }
    }
  }
}

/// Powers of ten that turn fractions into whole numbers (spec §3.4.3).
enum Scale {
  /// The number of scales that are tried for floating-point numbers.
  static let count = 5
  /// The greatest scale of decimals.
  static let greatestOfDecimals = 18

  /// Returns ten to the power of `scale`.
  static func divisor(_ scale: UInt8) -> Double {
    switch scale {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1_000
    default: 10_000
    }
  }
}
