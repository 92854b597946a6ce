import Checksums
import ObjectModel

/// The header of a block, parsed and checked (spec §3.3.1).
struct BlockHeader {
  var headerByteCount: Int
  var blockByteCount: Int
  var checksum: UInt32
  var entityNumber: UInt16
  var columnCount: Int
  var rowCount: Int
  var minimumKey: UInt64
  var maximumKey: UInt64
  var flags: BlockFlags

  /// Parses the first bytes of a block, of which `available` bytes exist.
  @unsafe init(checking slice: BlockSlice, available: Int) throws {
    let bytes = LittleEndianReader(slice)
    let magic = bytes.load(UInt32.self, at: BlockFormat.Header.magic)
    guard magic == BlockFormat.magic else {
      throw BlockError.notABlock(found: magic.byteSwapped)
    }
    headerByteCount = Int(bytes.load(UInt32.self, at: BlockFormat.Header.headerByteCount))
    blockByteCount = Int(bytes.load(UInt32.self, at: BlockFormat.Header.blockByteCount))
    checksum = bytes.load(UInt32.self, at: BlockFormat.Header.checksum)
    entityNumber = bytes.load(UInt16.self, at: BlockFormat.Header.entityNumber)
    columnCount = Int(bytes.load(UInt16.self, at: BlockFormat.Header.columnCount))
    rowCount = Int(bytes.load(UInt32.self, at: BlockFormat.Header.rowCount))
    minimumKey = bytes.load(UInt64.self, at: BlockFormat.Header.minimumKey)
    maximumKey = bytes.load(UInt64.self, at: BlockFormat.Header.maximumKey)
    flags = BlockFlags(rawValue: bytes.load(UInt32.self, at: BlockFormat.Header.flags))
    // The last four bytes are reserved. Readers ignore them (spec §3.3.1).
    guard blockByteCount <= available else {
      throw BlockError.truncated(needed: blockByteCount, available: available)
    }
    guard blockByteCount <= BlockFormat.maximumByteCount,
      headerByteCount >= BlockFormat.headerByteCount, headerByteCount <= blockByteCount
    else {
      throw BlockError.badDirectory(
        "A header of \(headerByteCount) bytes does not fit a block of \(blockByteCount).")
    }
    guard rowCount >= 1, rowCount <= BlockFormat.maximumRowCount else {
      throw BlockError.badDirectory(
        "A block has 1 to \(BlockFormat.maximumRowCount) rows, but this block gives \(rowCount).")
    }
    guard columnCount >= 1, columnCount <= BlockFormat.maximumColumnCount else {
      throw BlockError.badDirectory(
        "A block has 1 to \(BlockFormat.maximumColumnCount) columns, but this block gives "
          + "\(columnCount).")
    }
    guard minimumKey <= maximumKey, maximumKey <= ObjectKey.highestNumber,
      maximumKey - minimumKey >= UInt64(rowCount - 1)
    else { throw BlockError.badKeys() }
    let known: BlockFlags = [.changes, .removals]
    guard flags.isSubset(of: known), flags != known else {
      throw BlockError.badDirectory("The flags \(flags.rawValue) are unknown to this version.")
    }
  }

  /// Compares the checksum of header and directory, computed with zero bytes in its own place.
  @unsafe func checkChecksum(of slice: BlockSlice) throws {
    let place = BlockFormat.Header.checksum
    let buffer = unsafe slice.buffer
    var sum = CRC32C()
    // SAFETY: The slice has at least the header's bytes.
    unsafe sum.update(UnsafeRawBufferPointer(rebasing: buffer[..<place]))
    sum.update([0, 0, 0, 0])
    unsafe sum.update(UnsafeRawBufferPointer(rebasing: buffer[(place + 4)...]))
    guard sum.value == checksum else {
      throw BlockError.checksumMismatch(column: nil, stored: checksum, computed: sum.value)
    }
  }

  /// Parses the directory, and checks each entry alone and against the block's bounds.
  @unsafe func entries(in slice: BlockSlice) throws -> [ColumnEntry] {
    let bytes = LittleEndianReader(slice)
    var entries: [ColumnEntry] = []
    // Each entry takes at least 24 bytes, so a false count can't reserve more memory than the header justifies.
    entries.reserveCapacity(min(columnCount, headerByteCount / BlockFormat.entryByteCount))
    var offset = BlockFormat.headerByteCount
    for _ in 0..<columnCount {
      let entry = try ColumnEntry(bytes, at: &offset, end: headerByteCount)
      if let last = entries.last, last.number >= entry.number {
        throw BlockError.badDirectory(
          "Column \(entry.number) comes after column \(last.number), but the numbers must ascend.")
      }
      try entry.check(in: self)
      entries.append(entry)
    }
    guard offset == headerByteCount else {
      throw BlockError.badDirectory(
        "The directory ends at \(offset), but the header gives \(headerByteCount).")
    }
    guard entries.last?.number == LayoutColumn.Number.key else {
      throw BlockError.badDirectory("The block has no keys.")
    }
    return entries
  }
}

/// A reader of little-endian numbers at given offsets. A read beyond the bytes traps, so callers check first.
struct LittleEndianReader {
  private let slice: BlockSlice

  init(_ slice: BlockSlice) { self.slice = slice }

  func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, at offset: Int) -> T {
    precondition(
      offset >= 0 && offset + MemoryLayout<T>.size <= slice.range.count,
      "The read is outside of the bytes.")
    // SAFETY: Checked above, and every bit pattern is an integer.
    return unsafe T(littleEndian: slice.start.loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}

extension ColumnEntry {
  /// Parses the entry at `offset` and moves `offset` past its parameters.
  init(_ bytes: LittleEndianReader, at offset: inout Int, end: Int) throws {
    guard offset + BlockFormat.entryByteCount <= end else {
      throw BlockError.badDirectory("The directory ends within an entry.")
    }
    let number = bytes.load(UInt16.self, at: offset + BlockFormat.Entry.number)
    let kind = bytes.load(UInt8.self, at: offset + BlockFormat.Entry.kind)
    let encoding = bytes.load(UInt8.self, at: offset + BlockFormat.Entry.encoding)
    guard let kind = ColumnKind(rawValue: kind) else {
      throw BlockError.badColumn(number, "The kind \(kind) is unknown.")
    }
    guard let encoding = ColumnEncoding(rawValue: encoding), encoding != .slots else {
      throw BlockError.badColumn(number, "The encoding \(encoding) is unknown.")
    }
    self.init(number: number, kind: kind)
    self.encoding = encoding
    width = bytes.load(UInt8.self, at: offset + BlockFormat.Entry.width)
    offsetWidth = bytes.load(UInt8.self, at: offset + BlockFormat.Entry.offsetWidth)
    flags = ColumnFlags(rawValue: bytes.load(UInt8.self, at: offset + BlockFormat.Entry.flags))
    scale = bytes.load(UInt8.self, at: offset + BlockFormat.Entry.scale)
    chunkOffset = bytes.load(UInt32.self, at: offset + BlockFormat.Entry.chunkOffset)
    bodyByteCount = bytes.load(UInt32.self, at: offset + BlockFormat.Entry.bodyByteCount)
    checksum = bytes.load(UInt32.self, at: offset + BlockFormat.Entry.checksum)
    dictionaryCount = bytes.load(UInt32.self, at: offset + BlockFormat.Entry.dictionaryCount)
    guard offset + byteCount <= end else {
      throw BlockError.badDirectory("The directory ends within the parameters of column \(number).")
    }
    offset += BlockFormat.entryByteCount
    func parameter() -> Int64 {
      defer { offset += 8 }
      return bytes.load(Int64.self, at: offset)
    }
    if hasBase { base = parameter() }
    if hasStep { step = parameter() }
    if hasOffsets {
      offsetBase = parameter()
      offsetStep = parameter()
    }
  }

  /// Throws if the entry's parts contradict each other or its chunk does not lie within the block.
  func check(in header: BlockHeader) throws {
    let known: ColumnFlags = [.presence, .nothing, .sloped, .given, .outside]
    guard flags.isSubset(of: known) else {
      throw BlockError.badColumn(number, "The flags \(flags.rawValue) are unknown.")
    }
    if flags.contains(.given) && !header.flags.contains(.changes) {
      throw BlockError.badColumn(number, "Only changes may leave a value to the row beneath.")
    }
    if flags.contains(.nothing) {
      guard flags.isDisjoint(with: [.presence, .sloped, .outside]), encoding == .integer,
        width == 0,
        offsetWidth == 0, scale == 0, dictionaryCount == 0
      else { throw BlockError.badColumn(number, "A column without values has an encoding.") }
    } else {
      try checkEncoding(rowCount: header.rowCount)
    }
    if number > LayoutColumn.Number.highestProperty {
      guard number >= LayoutColumn.Number.object, kind == .int64,
        flags.isDisjoint(with: [.presence, .nothing, .given])
      else {
        throw BlockError.badColumn(
          number, "The block's own columns must be integers, with a value in every row.")
      }
    } else if number == 0 {
      throw BlockError.badColumn(number, "The numbers of columns begin at 1.")
    }
    if bodyByteCount > 0 {
      let start = Int(chunkOffset)
      guard start >= header.headerByteCount, start % 8 == 0,
        start + chunkByteCount <= header.blockByteCount
      else {
        throw BlockError.badColumn(
          number,
          "The column's \(chunkByteCount) bytes at \(start) are not within the block of "
            + "\(header.blockByteCount) bytes.")
      }
    }
  }

  /// Returns whether an integer may have the given number of bytes.
  private func isIntegerWidth(_ width: UInt8) -> Bool {
    switch width {
    case 0, 1, 2, 4, 8: true
    default: false
    }
  }

  private func checkEncoding(rowCount: Int) throws {
    let isLegal: Bool
    switch encoding {
    case .integer:
      isLegal =
        kind.family == .integers && isIntegerWidth(width)
        && (kind != .boolean || (width == 0 && !flags.contains(.sloped) && (0...1).contains(base)))
    case .scaled:
      let most = kind == .decimal ? Scale.greatestOfDecimals : Scale.count - 1
      isLegal =
        (kind.family == .reals || kind == .decimal) && isIntegerWidth(width)
        && Int(scale) <= most
    case .real: isLegal = kind.family == .reals && width == (kind == .float ? 4 : 8)
    case .bits: isLegal = kind == .boolean && width == 0
    case .bytes: isLegal = kind.family == .bytes && kind != .uuid && width == 0
    case .dictionary:
      isLegal =
        kind.family == .bytes && kind != .uuid && isIntegerWidth(width) && width < 8
        && dictionaryCount >= 1 && Int(dictionaryCount) <= rowCount
    case .fixed: isLegal = kind == .uuid && width == 16
    case .slots: isLegal = false
    }
    guard isLegal, encoding == .scaled || scale == 0,
      encoding == .dictionary || dictionaryCount == 0,
      hasOffsets ? isIntegerWidth(offsetWidth) : offsetWidth == 0,
      hasBase || !flags.contains(.sloped),
      (kind == .binary && encoding == .bytes) || !flags.contains(.outside)
    else {
      throw BlockError.badColumn(
        number,
        "Encoding \(encoding.rawValue) with width \(width), offset width \(offsetWidth), scale "
          + "\(scale) and \(dictionaryCount) entries is not legal for kind \(kind.rawValue).")
    }
  }
}
