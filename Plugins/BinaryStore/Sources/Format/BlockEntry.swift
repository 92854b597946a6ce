import Deflate
import ObjectModel
import Rows

/// Which of a segment's three runs a block belongs to.
enum RunKind: UInt8 {
  case put = 0
  case changed = 1
  case removed = 2

  var flags: BlockFlags {
    switch self {
    case .put: []
    case .changed: .changes
    case .removed: .removals
    }
  }
}

/// What a segment says of one of its blocks (spec §4.5.2).
struct BlockEntry: Hashable {
  var offset: UInt64
  var byteCount: UInt32
  var rowCount: UInt32
  var minimumKey: UInt64
  var maximumKey: UInt64
  /// The version of rows that have none of their own.
  var version: Int64
  var entity: UInt16
  var run: RunKind
  /// How the block's bytes are kept.
  var codec: Codec
  /// How many bytes the block has; `byteCount` says how many the file keeps of it.
  var blockByteCount: UInt32
  /// How many bytes the file keeps of the values that lie outside of the block.
  var outsideByteCount: UInt64

  enum Codec: UInt8 {
    case plain = 0
    case zlib = 1
    /// The bytes of each number of a column apart, and zlib over all.
    case transposed = 2
  }

  /// Where the block stands among a segment's: by entity, run and key.
  struct Place: Comparable, Hashable {
    var entity: UInt16
    var run: UInt8
    var key: UInt64

    static func < (left: Place, right: Place) -> Bool {
      (left.entity, left.run, left.key) < (right.entity, right.run, right.key)
    }
  }

  var place: Place { Place(entity: entity, run: run.rawValue, key: minimumKey) }

  /// The entry of a block of which the file keeps so many bytes, and so many of values outside of it.
  init(
    _ block: Block, run: RunKind, offset: UInt64, codec: Codec, byteCount: Int,
    outsideByteCount: UInt64
  ) {
    self.outsideByteCount = outsideByteCount
    self.offset = offset
    self.run = run
    self.codec = codec
    self.byteCount = UInt32(byteCount)
    blockByteCount = UInt32(block.byteCount)
    rowCount = UInt32(block.rowCount)
    minimumKey = block.minimumKey
    maximumKey = block.maximumKey
    version = block.version
    entity = block.entityNumber
  }

  func write(into writer: inout ByteWriter) {
    writer.append(offset)
    writer.append(byteCount)
    writer.append(rowCount)
    writer.append(minimumKey)
    writer.append(maximumKey)
    writer.append(version)
    writer.append(entity)
    writer.append(run.rawValue)
    writer.append(codec.rawValue)
    writer.append(blockByteCount)
    writer.append(outsideByteCount)
  }

  /// Parses an entry of a block that lies before `limit`.
  init(_ reader: inout ByteReader, before limit: UInt64) throws(FormatFault) {
    offset = try reader.next(UInt64.self)
    byteCount = try reader.next(UInt32.self)
    rowCount = try reader.next(UInt32.self)
    minimumKey = try reader.next(UInt64.self)
    maximumKey = try reader.next(UInt64.self)
    version = try reader.next(Int64.self)
    entity = try reader.next(UInt16.self)
    let run = try reader.next(UInt8.self)
    let codec = try reader.next(UInt8.self)
    blockByteCount = try reader.next(UInt32.self)
    outsideByteCount = try reader.next(UInt64.self)
    guard let codec = Codec(rawValue: codec) else {
      throw FormatFault("There is no codec \(codec).")
    }
    self.codec = codec
    guard let run = RunKind(rawValue: run) else { throw FormatFault("There is no run \(run).") }
    self.run = run
    guard byteCount <= 1 << 30, offset % 8 == 0, offset >= UInt64(BlockFile.headerByteCount),
      offset <= limit, UInt64(byteCount) <= limit - offset
    else {
      throw FormatFault("A block of \(byteCount) bytes at \(offset) does not lie before \(limit).")
    }
    // What expands beyond all measure is refused before any memory is taken for it.
    let most = codec == .plain ? Int(byteCount) : Deflate.mostBytes(from: Int(byteCount))
    guard blockByteCount <= 1 << 30, Int(blockByteCount) <= most,
      codec != .plain || blockByteCount == byteCount
    else {
      throw FormatFault(
        "The \(byteCount) bytes at \(offset) can't be a block of \(blockByteCount).")
    }
    guard outsideByteCount <= offset else {
      throw FormatFault(
        "Values of \(outsideByteCount) bytes can't lie before the block at \(offset).")
    }
    guard rowCount >= 1, minimumKey >= 1, minimumKey <= maximumKey,
      maximumKey <= ObjectKey.highestNumber, entity >= 1
    else {
      throw FormatFault(
        "The block at \(offset) has \(rowCount) rows of entity \(entity), from \(minimumKey) to "
          + "\(maximumKey).")
    }
  }
}

extension [BlockEntry] {
  /// How many bytes the file keeps of the values outside of the blocks.
  ///
  /// No entry has more than lie before its block, but many may say so: the sum does not overflow.
  var outsideByteCount: UInt64 {
    reduce(0) { sum, entry in
      let (next, overflow) = sum.addingReportingOverflow(entry.outsideByteCount)
      return overflow ? .max : next
    }
  }

  /// Checks that the entries follow one another and none reaches into the next of its run.
  func checkOrder() throws(FormatFault) {
    for (entry, next) in zip(self, dropFirst()) {
      let sameRun = entry.entity == next.entity && entry.run == next.run
      guard entry.place < next.place, !sameRun || entry.maximumKey < next.minimumKey else {
        throw FormatFault(
          "The blocks at \(entry.offset) and \(next.offset) are not in the order of their keys.")
      }
    }
  }
}
