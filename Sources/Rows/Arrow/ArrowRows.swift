// SAFETY: Buffers are read for the batch's rows only, and offsets into a heap are checked to ascend before they are
// used. The batch outlives the rows, which are local to the function that reads the batch.

import ObjectModel

/// The columns of a batch, checked, and readable like the columns of a block.
///
/// Numbers at their kind's width, heaps and UUIDs are read from the other side's memory. Integers, bitmaps and
/// decimals are first converted to the form of blocks.
@safe
final class ArrowRows: RowSource {
  let rowCount: Int
  let isSparse: Bool
  private(set) var byteStringByteCount = 0
  private var columns: [UInt16: RawColumn] = unsafe [:]
  private var memory: [BlockMemory] = []

  init(rowCount: Int, isSparse: Bool) {
    self.rowCount = rowCount
    self.isSparse = isSparse
  }

  @unsafe func rawColumn(_ number: UInt16) throws -> RawColumn? { unsafe columns[number] }

  func hasColumn(_ number: UInt16) -> Bool { unsafe columns[number] != nil }

  /// Returns the keys, and throws if they do not ascend.
  @unsafe func keys(of child: ArrowChild) throws -> [UInt64] {
    try unsafe checkFormat(child, ["L", "l"])
    guard unsafe child.presence == nil else {
      throw ArrowError.badStructure(ArrowFormat.keyName, "Every row must have a value.")
    }
    let start = try unsafe buffer(0, of: child, width: 8)
    var last: UInt64 = 0
    return try (0..<rowCount).map { row in
      let key = unsafe start.loadUnaligned(fromByteOffset: row &* 8, as: UInt64.self)
      guard key > last, key <= ObjectKey.highestNumber else {
        throw ArrowError.badKey(
          row: row,
          key > last
            ? "The key \(key) is above the highest key, \(ObjectKey.highestNumber)."
            : "The key \(key) is not above the previous key, \(last).")
      }
      last = key
      return key
    }
  }

  /// Adds a column.
  @unsafe func add(_ child: ArrowChild, as column: LayoutColumn, given: ArrowChild?) throws {
    let kind = column.kind
    try unsafe checkFormat(child, kind.arrowFormats)
    var raw = unsafe RawColumn()
    unsafe raw.kind = kind
    unsafe raw.rowCount = UInt32(rowCount)
    if let presence = unsafe child.presence { unsafe raw.presence = keep(presence) }
    if let given = unsafe given {
      try unsafe checkFormat(given, ["b"])
      unsafe raw.given = try bits(of: given)
    }
    switch kind {
    case .boolean:
      unsafe raw.encoding = .bits
      unsafe raw.data = try bits(of: child)
    case .int16: try unsafe takeIntegers(Int16.self, of: child, into: &raw)
    case .int32: try unsafe takeIntegers(Int32.self, of: child, into: &raw)
    case .int64: try unsafe takeIntegers(Int64.self, of: child, into: &raw)
    case .reference:
      try unsafe takeIntegers(Int64.self, of: child, into: &raw)
      for row in 0..<rowCount where unsafe !raw.isNull(row) && raw.integer(row) == 0 {
        throw ArrowError.badValue(
          column.name, row: row, "0 is not the key of an object. Use null for a missing object.")
      }
    case .float, .double, .date:
      unsafe raw.encoding = .real
      unsafe raw.width = kind == .float ? 4 : 8
      unsafe raw.data = try buffer(0, of: child, width: Int(raw.width))
    case .uuid:
      unsafe raw.encoding = .fixed
      unsafe raw.width = 16
      unsafe raw.data = try buffer(0, of: child, width: 16)
    case .string, .uri, .binary, .decimal:
      try unsafe takeStrings(of: child, into: &raw)
      if kind.isText { try unsafe checkText(raw, column) }
      if kind == .decimal { unsafe raw = try unsafe decimals(raw, column) }
    }
    unsafe columns[column.number] = unsafe raw
  }

  /// Throws if a version or a basis is not the number of a commit, and not 0.
  func checkVersions(_ column: LayoutColumn) throws {
    for row in 0..<rowCount {
      guard let version = unsafe columns[column.number]?.integer(row),
        !(0...RowVersion.highest).contains(version)
      else { continue }
      throw ArrowError.badValue(
        column.name, row: row, "\(version) is not from 0 to \(RowVersion.highest).")
    }
  }

  /// Throws if the byte strings of one row do not fit into a block.
  func checkSizes(_ columns: [LayoutColumn]) throws {
    let most = Draft.maximumRowByteCount
    guard byteStringByteCount > most else { return }
    for row in 0..<rowCount {
      var sum = 0
      for column in columns where column.kind.family == .bytes {
        guard let raw = unsafe self.columns[column.number], unsafe !raw.isNull(row) else {
          continue
        }
        unsafe sum += raw.bytes(row).count
        if sum > most {
          throw ArrowError.badValue(
            column.name, row: row, "The row's texts and bytes need more than \(most) bytes.")
        }
      }
    }
  }

  // MARK: - Buffers

  @unsafe private func checkFormat(_ child: ArrowChild, _ wanted: [String]) throws {
    guard unsafe wanted.contains(child.format) else {
      throw ArrowError.badFormat(unsafe child.name, found: unsafe child.format, wanted: wanted)
    }
  }

  @unsafe private func keep(_ piece: BlockMemory) -> UnsafeRawPointer {
    memory.append(piece)
    return unsafe UnsafeRawPointer(piece.start)
  }

  /// Returns the address of the batch's first row in a buffer.
  @unsafe private func buffer(
    _ index: Int, of child: ArrowChild, width: Int
  ) throws -> UnsafeRawPointer {
    guard unsafe index < child.buffers.count, let start = unsafe child.buffers[index] else {
      throw ArrowError.badStructure(
        unsafe child.name, "The column's buffer \(index + 1) is missing.")
    }
    let (offset, overflow) = unsafe child.first.multipliedReportingOverflow(by: width)
    guard !overflow else {
      throw ArrowError.badStructure(
        unsafe child.name, "The column's rows begin at \(unsafe child.first), which is not valid.")
    }
    return unsafe start + offset
  }

  @unsafe private func bits(of child: ArrowChild) throws -> UnsafeRawPointer {
    guard let start = unsafe child.buffers[0] else {
      throw ArrowError.badStructure(unsafe child.name, "The column's buffer 1 is missing.")
    }
    var isFull = false
    return unsafe keep(ArrowChild.copied(start, from: child.first, rowCount, isFull: &isFull))
  }

  @unsafe private func takeIntegers<T: FixedWidthInteger & BitwiseCopyable>(
    _: T.Type, of child: ArrowChild, into raw: inout RawColumn
  ) throws {
    let width = MemoryLayout<T>.size
    let start = try unsafe buffer(0, of: child, width: width)
    unsafe raw.width = 8
    if width == 8 {
      unsafe raw.data = start
      return
    }
    unsafe raw.data = keep(
      ArrowBuffer(rowCount, of: Int64.self) { row in
        unsafe Int64(start.loadUnaligned(fromByteOffset: row &* width, as: T.self))
      }.memory.unsafelyUnwrapped)
  }

  /// Reads offsets and heap into `raw`, and throws if the offsets of the rows do not ascend.
  @unsafe private func takeStrings(of child: ArrowChild, into raw: inout RawColumn) throws {
    let isLong = unsafe child.format == "U" || child.format == "Z"
    unsafe raw.encoding = .bytes
    unsafe raw.offsetWidth = isLong ? 8 : 4
    let offsets = try unsafe buffer(0, of: child, width: isLong ? 8 : 4)
    unsafe raw.offsets = offsets
    func offset(_ i: Int) -> Int64 {
      isLong
        ? unsafe offsets.loadUnaligned(fromByteOffset: i &* 8, as: Int64.self)
        : unsafe Int64(offsets.loadUnaligned(fromByteOffset: i &* 4, as: Int32.self))
    }
    let first = offset(0)
    var last = first
    for row in 0..<rowCount {
      let next = offset(row + 1)
      guard last >= 0, next >= last else {
        throw ArrowError.badValue(
          unsafe child.name, row: row, "The offsets are \(last) and \(next), which is not valid.")
      }
      last = next
    }
    guard unsafe child.buffers.count == 2, unsafe child.buffers[1] != nil || last == 0 else {
      throw ArrowError.badStructure(unsafe child.name, "The column's buffer 2 is missing.")
    }
    unsafe raw.heap = unsafe child.buffers[1] ?? RawColumn.emptyHeap
    byteStringByteCount += Int(last - first)
  }

  // MARK: - Values

  @unsafe private func checkText(_ raw: RawColumn, _ column: LayoutColumn) throws {
    for row in 0..<rowCount where unsafe !raw.isNull(row) {
      let bytes = unsafe raw.bytes(row)
      guard unsafe UTF8Check.isASCII(bytes) || UTF8Check.isValid(bytes) else {
        throw ArrowError.badValue(column.name, row: row, "The text is not valid UTF-8.")
      }
    }
  }

  /// Returns decimals in canonical bytes, parsed from their texts.
  @unsafe private func decimals(_ texts: RawColumn, _ column: LayoutColumn) throws -> RawColumn {
    var heap: [UInt8] = []
    var ends: [Int64] = [0]
    for row in 0..<rowCount {
      if unsafe !texts.isNull(row) {
        let text = unsafe texts.bytes(row)
        // A missing decimal and NaN have no bytes.
        if unsafe !text.elementsEqual("NaN".utf8) {
          guard let decimal = unsafe DecimalParts(text: Span(_unsafeBytes: text)) else {
            let shown = unsafe String(decoding: text.prefix(60), as: UTF8.self)
            throw ArrowError.badValue(column.name, row: row, "'\(shown)' is not a decimal number.")
          }
          decimal.write(into: &heap)
        }
      }
      ends.append(Int64(heap.count))
    }
    var raw = unsafe texts
    unsafe raw.offsetWidth = 8
    unsafe raw.offsets = ends.withUnsafeBytes { unsafe keep(BlockMemory($0)) }
    unsafe raw.heap = keep(BlockMemory(heap))
    return unsafe raw
  }
}
