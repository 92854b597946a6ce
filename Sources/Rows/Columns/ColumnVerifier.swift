// SAFETY: Every part is checked to lie within the chunk before its bytes are read.

import Checksums
import ObjectModel

/// A verifier of one column's bytes. It checks them once, and later reads need no further checks.
///
/// A checksum is not a defence against malice, so the verifier checks everything that a read relies on. Each part lies
/// within the chunk, and offsets ascend and stay within the heap. Codes have an entry, integers fit their kind, and
/// text is UTF-8 and is not cut within characters.
struct ColumnVerifier {
  private let entry: ColumnEntry
  private let rowCount: Int
  private let isStored: Bool

  /// Creates a verifier of the column with the given entry.
  ///
  /// - Parameter isStored: Whether the column lies in a block. A column that is encoded in memory from several blocks
  ///   may refer to more bytes than a column of one block.
  init(_ entry: ColumnEntry, rowCount: Int, isStored: Bool = true) {
    self.entry = entry
    self.rowCount = rowCount
    self.isStored = isStored
  }

  /// Returns the verified column of the given chunk; without a chunk, a column that needs no bytes.
  @unsafe func verify(_ chunk: BlockSlice?) throws -> Column {
    let body = try unsafe checkedBody(of: chunk)
    var parts = unsafe Parts(body: unsafe body, number: entry.number)
    var raw = unsafe RawColumn()
    unsafe raw.kind = entry.kind
    unsafe raw.rowCount = UInt32(rowCount)
    if entry.flags.contains(.given) {
      unsafe raw.given = try parts.take((rowCount + 7) / 8)
    }
    if entry.flags.contains(.nothing) {
      unsafe raw.isNothing = true
    } else {
      if entry.flags.contains(.presence) {
        unsafe raw.presence = try parts.take((rowCount + 7) / 8)
      }
      if entry.flags.contains(.outside) {
        unsafe raw.outside = try parts.take((rowCount + 7) / 8)
      }
      unsafe raw.encoding = entry.encoding
      unsafe raw.width = entry.width
      unsafe raw.base = entry.base
      unsafe raw.step = entry.step
      unsafe raw.scale = entry.scale
      if entry.encoding == .scaled && entry.kind != .decimal {
        unsafe raw.divisor = Scale.divisor(entry.scale)
      }
      try unsafe take(&parts, into: &raw)
    }
    try parts.finish()
    if entry.flags.contains(.outside) { try unsafe checkReferences(raw) }
    return unsafe Column(raw, owner: chunk?.memory)
  }

  /// Compares the checksums and returns the chunk's body.
  @unsafe private func checkedBody(of chunk: BlockSlice?) throws -> UnsafeRawBufferPointer {
    guard let chunk else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    let bodyByteCount = Int(entry.bodyByteCount)
    let tableByteCount = BlockFormat.pageTableByteCount(bodyByteCount: bodyByteCount)
    guard chunk.range.count == tableByteCount + bodyByteCount else {
      throw BlockError.truncated(
        needed: tableByteCount + bodyByteCount, available: chunk.range.count)
    }
    // SAFETY: The chunk consists of the table and the body.
    let buffer = unsafe chunk.buffer
    let body = unsafe UnsafeRawBufferPointer(rebasing: buffer[tableByteCount...])
    let first = unsafe UnsafeRawBufferPointer(
      rebasing: buffer[..<(tableByteCount > 0 ? tableByteCount : bodyByteCount)])
    try unsafe check(first, against: entry.checksum)
    if tableByteCount > 0 {
      var page = 0
      for start in stride(from: 0, to: bodyByteCount, by: BlockFormat.pageByteCount) {
        let end = min(start + BlockFormat.pageByteCount, bodyByteCount)
        let stored = unsafe UInt32(
          littleEndian: buffer.loadUnaligned(fromByteOffset: page * 4, as: UInt32.self))
        try unsafe check(UnsafeRawBufferPointer(rebasing: body[start..<end]), against: stored)
        page += 1
      }
    }
    return unsafe body
  }

  @unsafe private func check(_ bytes: UnsafeRawBufferPointer, against stored: UInt32) throws {
    let computed = unsafe CRC32C.checksum(of: bytes)
    guard computed == stored else {
      throw BlockError.checksumMismatch(column: entry.number, stored: stored, computed: computed)
    }
  }

  @unsafe private func take(_ parts: inout Parts, into raw: inout RawColumn) throws {
    switch entry.encoding {
    case .integer, .scaled:
      unsafe raw.data = try parts.take(rowCount * Int(entry.width), orNilIfEmpty: true)
      try unsafe checkRange(raw)
    case .real: unsafe raw.data = try parts.take(rowCount * Int(entry.width))
    case .bits: unsafe raw.data = try parts.take((rowCount + 7) / 8)
    case .fixed: unsafe raw.data = try parts.take(rowCount * 16)
    case .bytes:
      try unsafe takeHeap(&parts, count: rowCount, into: &raw)
    case .dictionary:
      let count = Int(entry.dictionaryCount)
      unsafe raw.dictionaryCount = entry.dictionaryCount
      unsafe raw.data = try parts.take(rowCount * Int(entry.width), orNilIfEmpty: true)
      guard try unsafe greatest(raw) < UInt64(count) else {
        throw BlockError.badColumn(
          entry.number, "A code is not below \(count), the number of entries.")
      }
      try unsafe takeHeap(&parts, count: count, into: &raw)
      for i in 1..<max(count, 1) {
        guard unsafe ByteHash.precedes(raw.heapBytes(i - 1), raw.heapBytes(i)) else {
          throw BlockError.badColumn(entry.number, "The dictionary is not in ascending order.")
        }
      }
    case .slots: preconditionFailure("No entry has this encoding.")
    }
  }

  /// Returns the greatest `u` of the column.
  @unsafe private func greatest(_ raw: RawColumn) throws -> UInt64 {
    var greatest: UInt64 = 0
    guard let data = unsafe raw.data else { return 0 }
    // SAFETY: `data` holds `width` bytes for every row.
    func scan<U: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_: U.Type) -> UInt64 {
      var most: U = 0
      for i in 0..<rowCount {
        most = unsafe max(
          most, data.loadUnaligned(fromByteOffset: i &* MemoryLayout<U>.size, as: U.self))
      }
      return UInt64(most)
    }
    switch entry.width {
    case 1: greatest = scan(UInt8.self)
    case 2: greatest = scan(UInt16.self)
    case 4: greatest = scan(UInt32.self)
    default: greatest = scan(UInt64.self)
    }
    return greatest
  }

  /// Throws if an integer does not fit the column's kind.
  @unsafe private func checkRange(_ raw: RawColumn) throws {
    let range = entry.kind.integerRange
    guard entry.kind.content == .integer, range.upperBound < .max else { return }
    var fits: Bool
    if entry.step == 0 {
      let most = try unsafe greatest(raw)
      fits = range.contains(entry.base) && most <= UInt64(range.upperBound - entry.base)
    } else {
      fits = true
      for i in 0..<rowCount { fits = unsafe fits && range.contains(raw.integer(i)) }
    }
    guard fits else {
      throw BlockError.badValue(entry.number, "A number does not fit \(entry.kind).")
    }
  }

  /// Reads the `count + 1` offsets and the heap into `raw`, and checks both.
  @unsafe private func takeHeap(
    _ parts: inout Parts, count: Int, into raw: inout RawColumn
  ) throws {
    unsafe raw.offsetBase = entry.offsetBase
    unsafe raw.offsetStep = entry.offsetStep
    unsafe raw.offsetWidth = entry.offsetWidth
    unsafe raw.offsets = try parts.take((count + 1) * Int(entry.offsetWidth), orNilIfEmpty: true)
    let heap = unsafe parts.takeRest()
    unsafe raw.heap = heap.isEmpty ? RawColumn.emptyHeap : heap.baseAddress
    func offset(_ i: Int) -> Int64 {
      unsafe RawColumn.decode(
        raw.offsets, width: entry.offsetWidth, base: entry.offsetBase, step: entry.offsetStep, i)
    }
    var last = offset(0)
    var ascends = last == 0
    for i in 1...count {
      let next = offset(i)
      ascends = ascends && next >= last
      last = next
    }
    guard ascends, last == Int64(heap.count) else {
      throw BlockError.badColumn(
        entry.number,
        "The column's offsets do not ascend from 0 to \(heap.count), the length of the heap.")
    }
    if entry.kind.isText {
      try unsafe checkText(heap, cutAt: offset, count: count)
    } else if entry.kind == .decimal {
      for i in 0..<count {
        let bytes = unsafe raw.heapBytes(i)
        guard unsafe bytes.isEmpty || DecimalParts(canonicalBytes: bytes) != nil else {
          throw BlockError.badValue(entry.number, "A decimal number is not in canonical form.")
        }
      }
    }
  }

  /// Throws if the entries of outside values are not references. Also limits the memory that a reader of a whole
  /// stored column must allocate.
  @unsafe private func checkReferences(_ raw: RawColumn) throws {
    var (count, byteCount) = (0, 0)
    for row in 0..<rowCount where unsafe raw.isOutside(row) {
      guard unsafe !raw.isNull(row), unsafe raw.isGiven(row) else {
        throw BlockError.badColumn(
          entry.number, "Row \(row) has no value, but refers to a value outside of the block.")
      }
      count += 1
      unsafe byteCount += try OutsideReference(raw.bytes(row), column: entry.number).byteCount
    }
    guard !isStored || count <= 1 || byteCount <= OutsideReference.maximumColumnByteCount else {
      throw BlockError.badColumn(
        entry.number,
        "The column's \(count) values outside of the block have \(byteCount) bytes, which is too much."
      )
    }
  }

  /// Throws if the heap is not UTF-8 or a string begins within a character.
  @unsafe private func checkText(
    _ heap: UnsafeRawBufferPointer, cutAt offset: (Int) -> Int64, count: Int
  ) throws {
    if unsafe UTF8Check.isASCII(heap) { return }
    guard unsafe UTF8Check.isValid(heap) else { throw BlockError.badText(entry.number) }
    for i in 1..<max(count, 1) {
      let start = Int(offset(i))
      if start < heap.count, unsafe heap[start] & 0xC0 == 0x80 {
        throw BlockError.badText(entry.number)
      }
    }
  }
}

/// The parts of a chunk's body. Each part begins at a multiple of 8.
@safe
private struct Parts {
  // The body is alive as long as the chunk that the caller holds.
  private let body: UnsafeRawBufferPointer
  private let number: UInt16
  private var offset = 0

  @unsafe init(body: UnsafeRawBufferPointer, number: UInt16) {
    unsafe self.body = unsafe body
    self.number = number
  }

  @unsafe mutating func take(
    _ byteCount: Int, orNilIfEmpty: Bool = false
  ) throws -> UnsafeRawPointer? {
    let start = BlockFormat.align(offset)
    if byteCount == 0 && orNilIfEmpty { return nil }
    // SAFETY: Checked here.
    guard unsafe byteCount <= body.count - start, let base = unsafe body.baseAddress else {
      throw BlockError.badColumn(
        number,
        unsafe "The column's bytes end at \(body.count), but a part needs \(byteCount) bytes from \(start) on."
      )
    }
    offset = start + byteCount
    return unsafe base + start
  }

  @unsafe mutating func takeRest() -> UnsafeRawBufferPointer {
    let start = unsafe min(BlockFormat.align(offset), body.count)
    offset = unsafe body.count
    return unsafe UnsafeRawBufferPointer(rebasing: body[start...])
  }

  /// Throws if bytes are left over.
  func finish() throws {
    guard unsafe offset == body.count || BlockFormat.align(offset) == body.count else {
      throw BlockError.badColumn(
        number, unsafe "\(body.count - offset) of the column's bytes do not belong to a part.")
    }
  }
}

extension RawSpan {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    // SAFETY: The bytes stay valid for the call.
    unsafe withUnsafeBytes { unsafe UTF8Check.isASCII($0) || UTF8Check.isValid($0) }
  }
}

/// Checks of whether bytes are text.
enum UTF8Check {
  @unsafe static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let n = bytes.count
    var i = 0
    // SAFETY: Every load ends within the bytes.
    while i &+ 32 <= n {
      let a = unsafe start.loadUnaligned(fromByteOffset: i, as: SIMD4<UInt64>.self)
      if (a & 0x8080_8080_8080_8080) != SIMD4(repeating: 0) { return false }
      i &+= 32
    }
    // Checks the rest in words, the last of which overlaps. Most texts are shorter than the 32-byte step above.
    let highBits: UInt64 = 0x8080_8080_8080_8080
    guard n >= 8 else {
      while i < n {
        if unsafe bytes[i] >= 0x80 { return false }
        i &+= 1
      }
      return true
    }
    var bits = unsafe start.loadUnaligned(fromByteOffset: n &- 8, as: UInt64.self)
    while i &+ 8 <= n {
      bits |= unsafe start.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      i &+= 8
    }
    return bits & highBits == 0
  }

  @unsafe static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    (try? UTF8Span(validating: unsafe bytes.bindMemory(to: UInt8.self).span)) != nil
  }
}
