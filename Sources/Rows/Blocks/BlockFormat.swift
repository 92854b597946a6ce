/// The layout of a block's bytes (spec §3.3). All numbers are little-endian.
package enum BlockFormat {
  package static let magic: UInt32 = 0x4B4C_4251
  package static let headerByteCount = 48
  package static let entryByteCount = 24
  /// Chunks with a longer body are checked page by page (spec §3.3.5).
  package static let pageByteCount = 4096
  /// The number of bytes to read first: most headers and directories fit into them.
  package static let usualHeaderByteCount = 512
  /// The most rows a block may have.
  package static let maximumRowCount = 65_536
  /// The most columns: every property, and the four columns that a block may have of its own.
  package static let maximumColumnCount = Int(LayoutColumn.Number.highestProperty) + 4
  package static let maximumByteCount = 1 << 30

  /// Offsets within the header (spec §3.3.1).
  package enum Header {
    package static let magic = 0
    package static let headerByteCount = 4
    package static let blockByteCount = 8
    package static let checksum = 12
    package static let entityNumber = 16
    package static let columnCount = 18
    package static let rowCount = 20
    package static let minimumKey = 24
    package static let maximumKey = 32
    package static let flags = 40
    // Offsets 44–47 are reserved: written as zero, ignored by readers.
  }

  /// Offsets within an entry of the directory (spec §3.3.4).
  package enum Entry {
    package static let number = 0
    package static let kind = 2
    package static let encoding = 3
    package static let width = 4
    package static let offsetWidth = 5
    package static let flags = 6
    package static let scale = 7
    package static let chunkOffset = 8
    package static let bodyByteCount = 12
    package static let checksum = 16
    package static let dictionaryCount = 20
  }

  /// The number of rows that a writer puts into a block, and the approximate number of bytes of byte strings.
  package static let targetRowCount = 4096
  package static let targetByteCount = 262_144

  /// Returns the byte count of a chunk's table of page checksums; 0 when one checksum is enough.
  package static func pageTableByteCount(bodyByteCount: Int) -> Int {
    guard bodyByteCount > pageByteCount else { return 0 }
    let pages = (bodyByteCount + pageByteCount - 1) / pageByteCount
    return align(pages * 4)
  }

  package static func align(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }
}

/// The kind of a block's rows.
public struct BlockFlags: OptionSet, Sendable, Hashable {
  /// The bits, as the header carries them.
  public let rawValue: UInt32
  /// Creates the flags with the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The rows are changes: a value that is missing or not given is the value of the row below.
  public static let changes = BlockFlags(rawValue: 1 << 0)
  /// The rows are removals: only their keys matter.
  public static let removals = BlockFlags(rawValue: 1 << 1)
}

/// The properties of one column of a block.
package struct ColumnFlags: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The column has a bitmap of the rows that have a value.
  package static let presence = ColumnFlags(rawValue: 1 << 0)
  /// No row has a value, and the column has no data.
  package static let nothing = ColumnFlags(rawValue: 1 << 1)
  /// The integers follow a sloped line: the parameters include a `step`.
  package static let sloped = ColumnFlags(rawValue: 1 << 2)
  /// The column has a bitmap of the rows whose value the change gives.
  package static let given = ColumnFlags(rawValue: 1 << 3)
  /// The column has a bitmap of the rows with a reference in place of the value.
  package static let outside = ColumnFlags(rawValue: 1 << 4)
}

/// One entry of a block's directory: the encoding of a column and the place of its chunk.
package struct ColumnEntry {
  package var number: UInt16
  package var kind: ColumnKind
  package var encoding = ColumnEncoding.integer
  package var width: UInt8 = 0
  package var offsetWidth: UInt8 = 0
  package var flags: ColumnFlags = []
  package var scale: UInt8 = 0
  package var chunkOffset: UInt32 = 0
  package var bodyByteCount: UInt32 = 0
  package var checksum: UInt32 = 0
  package var dictionaryCount: UInt32 = 0
  // The parameters after the entry, as its encoding and flags require (spec §3.3.4).
  package var base: Int64 = 0
  package var step: Int64 = 0
  package var offsetBase: Int64 = 0
  package var offsetStep: Int64 = 0

  package init(number: UInt16, kind: ColumnKind) {
    self.number = number
    self.kind = kind
  }

  /// Whether the parameters include `base`.
  package var hasBase: Bool {
    !flags.contains(.nothing) && (encoding == .integer || encoding == .scaled)
  }
  /// Whether the parameters include `step`.
  package var hasStep: Bool { hasBase && flags.contains(.sloped) }
  /// Whether the parameters include `offsetBase` and `offsetStep`.
  package var hasOffsets: Bool {
    !flags.contains(.nothing) && (encoding == .bytes || encoding == .dictionary)
  }

  /// The byte count of the entry in the directory, parameters included.
  package var byteCount: Int {
    BlockFormat.entryByteCount + (hasBase ? 8 : 0) + (hasStep ? 8 : 0) + (hasOffsets ? 16 : 0)
  }

  /// The byte count of the chunk, page table included.
  package var chunkByteCount: Int {
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
