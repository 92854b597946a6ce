/// Where everything is in the bytes of a block (spec §3.3). All numbers are little-endian.
enum BlockFormat {
  /// `QBLK`.
  static let magic: UInt32 = 0x4B4C_4251
  static let headerByteCount = 48
  static let entryByteCount = 24
  /// Chunks with a longer body are checked page by page (spec §3.3.5).
  static let pageByteCount = 4096
  /// Most directories fit into so many first bytes of a block.
  static let usualHeaderByteCount = 512
  /// The most rows a block may have.
  static let maximumRowCount = 65_536
  /// The most columns: every property and the four of the block itself.
  static let maximumColumnCount = Int(LayoutColumn.Number.highestProperty) + 4
  /// The longest block.
  static let maximumByteCount = 1 << 30

  /// Offsets within the header (spec §3.3.1).
  enum Header {
    static let magic = 0
    static let headerByteCount = 4
    static let blockByteCount = 8
    static let checksum = 12
    static let entityNumber = 16
    static let columnCount = 18
    static let rowCount = 20
    static let minimumKey = 24
    static let maximumKey = 32
    static let flags = 40
    // Offsets 44–47 are reserved: written as zero, ignored by readers.
  }

  /// Offsets within an entry of the directory (spec §3.3.4).
  enum Entry {
    static let number = 0
    static let kind = 2
    static let encoding = 3
    static let width = 4
    static let offsetWidth = 5
    static let flags = 6
    static let scale = 7
    static let chunkOffset = 8
    static let bodyByteCount = 12
    static let checksum = 16
    static let dictionaryCount = 20
  }

  /// How many rows a writer puts in a block, and about how many bytes of byte strings.
  static let targetRowCount = 4096
  static let targetByteCount = 262_144

  /// The bytes a chunk's table of page checksums takes; none when one checksum serves.
  static func pageTableByteCount(bodyByteCount: Int) -> Int {
    guard bodyByteCount > pageByteCount else { return 0 }
    let pages = (bodyByteCount + pageByteCount - 1) / pageByteCount
    return align(pages * 4)
  }

  static func align(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }
}

/// What a block's rows are.
public struct BlockFlags: OptionSet, Sendable, Hashable {
  /// The bits, as the header carries them.
  public let rawValue: UInt32
  /// The flags with the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The rows are changes: a column that is missing, or not given for a row, is that of the row
  /// beneath.
  public static let changes = BlockFlags(rawValue: 1 << 0)
  /// The rows are taken out: only their keys count.
  public static let removals = BlockFlags(rawValue: 1 << 1)
}

/// What is particular about one column of a block.
struct ColumnFlags: OptionSet {
  let rawValue: UInt8
  /// A bitmap says which rows have a value.
  static let presence = ColumnFlags(rawValue: 1 << 0)
  /// No row has a value, and there are no data.
  static let nothing = ColumnFlags(rawValue: 1 << 1)
  /// The integers follow a line that is not level: a `step` is among the parameters.
  static let sloped = ColumnFlags(rawValue: 1 << 2)
  /// A bitmap says for which rows the change gives a value.
  static let given = ColumnFlags(rawValue: 1 << 3)
  /// A bitmap says for which rows a reference stands in place of the value.
  static let outside = ColumnFlags(rawValue: 1 << 4)
}

/// One entry of a block's directory: a column's encoding and where its chunk is.
struct ColumnEntry {
  var number: UInt16
  var kind: ColumnKind
  var encoding = ColumnEncoding.integer
  var width: UInt8 = 0
  var offsetWidth: UInt8 = 0
  var flags: ColumnFlags = []
  var scale: UInt8 = 0
  var chunkOffset: UInt32 = 0
  var bodyByteCount: UInt32 = 0
  var checksum: UInt32 = 0
  var dictionaryCount: UInt32 = 0
  // The parameters that follow the entry, those its encoding and flags ask for (spec §3.3.4).
  var base: Int64 = 0
  var step: Int64 = 0
  var offsetBase: Int64 = 0
  var offsetStep: Int64 = 0

  init(number: UInt16, kind: ColumnKind) {
    self.number = number
    self.kind = kind
  }

  /// Whether `base` is among the parameters.
  var hasBase: Bool {
    !flags.contains(.nothing) && (encoding == .integer || encoding == .scaled)
  }
  /// Whether `step` is.
  var hasStep: Bool { hasBase && flags.contains(.sloped) }
  /// Whether the two of the offsets are.
  var hasOffsets: Bool {
    !flags.contains(.nothing) && (encoding == .bytes || encoding == .dictionary)
  }

  /// The entry's bytes in the directory, parameters included.
  var byteCount: Int {
    BlockFormat.entryByteCount + (hasBase ? 8 : 0) + (hasStep ? 8 : 0) + (hasOffsets ? 16 : 0)
  }

  /// The bytes of the chunk, page table included.
  var chunkByteCount: Int {
    Int(bodyByteCount) + BlockFormat.pageTableByteCount(bodyByteCount: Int(bodyByteCount))
  }

  func write(into buffer: inout ByteBuffer) {
    buffer.append(number)
    buffer.append(kind.rawValue)
    buffer.append(encoding.rawValue)
    buffer.append(width)
    buffer.append(offsetWidth)
    buffer.append(flags.rawValue)
    buffer.append(scale)
    buffer.append(chunkOffset)
    buffer.append(bodyByteCount)
    buffer.append(checksum)
    buffer.append(dictionaryCount)
    if hasBase { buffer.append(base) }
    if hasStep { buffer.append(step) }
    if hasOffsets {
      buffer.append(offsetBase)
      buffer.append(offsetStep)
    }
  }
}
