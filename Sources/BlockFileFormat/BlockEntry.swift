import Deflate
import ObjectModel
package import Rows

/// The kind of a run: each segment has three runs, and each of its blocks belongs to one of them.
package struct RunKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let put = RunKind(rawValue: 0)
  package static let changed = RunKind(rawValue: 1)
  package static let removed = RunKind(rawValue: 2)

  /// Whether the kind is one of the three.
  package var isKnown: Bool { rawValue <= 2 }

  /// The flags in the headers of the run's blocks.
  package var flags: BlockFlags {
    switch self {
    case .changed: .changes
    case .removed: .removals
    default: []
    }
  }
}

/// The description of a block in its segment (spec §4.5.2).
package struct BlockEntry: Hashable, Sendable {
  package var offset: UInt64
  package var byteCount: UInt32
  package var rowCount: UInt32
  package var minimumKey: UInt64
  package var maximumKey: UInt64
  /// The version of each row without its own version.
  package var version: Int64
  package var entity: UInt16
  package var run: RunKind
  /// The encoding of the block's bytes in the file.
  package var codec: Codec
  /// The number of bytes of the block itself; `byteCount` is the number of its bytes in the file.
  package var blockByteCount: UInt32
  /// The number of bytes that the block's outside values take in the file.
  package var outsideByteCount: UInt64

  /// An encoding of a block's bytes in the file.
  package struct Codec: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let plain = Codec(rawValue: 0)
    /// The bytes of each number in a column are separated by significance, and the result is compressed with zlib.
    package static let transposed = Codec(rawValue: 1)

    /// Whether this version knows the codec.
    package var isKnown: Bool { rawValue <= 1 }
  }

  /// The position of a block in the order of a segment: by entity, run and key.
  package struct Place: Comparable, Hashable, Sendable {
    package var entity: UInt16
    package var run: UInt8
    package var key: UInt64

    package init(entity: UInt16, run: UInt8, key: UInt64) {
      self.entity = entity
      self.run = run
      self.key = key
    }

    /// The entity and the run as one number.
    private var number: UInt32 { UInt32(entity) << 8 | UInt32(run) }

    package static func < (left: Place, right: Place) -> Bool {
      let (one, other) = (left.number, right.number)
      return one == other ? left.key < right.key : one < other
    }
  }

  package var place: Place { Place(entity: entity, run: run.rawValue, key: minimumKey) }

  /// Creates the entry of a block. `byteCount` and `outsideByteCount` are the numbers of bytes in the file.
  package init(
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

  package func write(into writer: inout ByteWriter) {
    writer.append(byteCount: BlockFile.entryByteCount) { bytes in
      bytes.store(offset, at: 0)
      bytes.store(byteCount, at: 8)
      bytes.store(rowCount, at: 12)
      bytes.store(minimumKey, at: 16)
      bytes.store(maximumKey, at: 24)
      bytes.store(version, at: 32)
      bytes.store(entity, at: 40)
      bytes.store(run.rawValue, at: 42)
      bytes.store(codec.rawValue, at: 43)
      bytes.store(blockByteCount, at: 44)
      bytes.store(outsideByteCount, at: 48)
    }
  }

  /// Reads the fields without checking them.
  package init(unchecked reader: inout ByteReader) throws(FormatFault) {
    // A page has many entries, and a lookup needs one of them. One check covers all bytes of an entry.
    try reader.require(BlockFile.entryByteCount)
    offset = reader.number(UInt64.self, at: 0)
    byteCount = reader.number(UInt32.self, at: 8)
    rowCount = reader.number(UInt32.self, at: 12)
    minimumKey = reader.number(UInt64.self, at: 16)
    maximumKey = reader.number(UInt64.self, at: 24)
    version = reader.number(Int64.self, at: 32)
    entity = reader.number(UInt16.self, at: 40)
    run = RunKind(rawValue: reader.number(UInt8.self, at: 42))
    codec = Codec(rawValue: reader.number(UInt8.self, at: 43))
    blockByteCount = reader.number(UInt32.self, at: 44)
    outsideByteCount = reader.number(UInt64.self, at: 48)
    try reader.skip(BlockFile.entryByteCount)
  }

  /// Parses an entry of a block that lies before `limit`.
  package init(_ reader: inout ByteReader, before limit: UInt64) throws(FormatFault) {
    try self.init(unchecked: &reader)
    try check(before: limit)
  }

  /// Parses the bytes of the file at `offset` as entries, in order, of blocks that lie before `limit`.
  package static func all(
    _ count: Int, in bytes: [UInt8], at offset: UInt64, before limit: UInt64
  ) throws(FormatFault) -> [BlockEntry] {
    var reader = ByteReader(bytes, at: offset)
    try reader.require(count * BlockFile.entryByteCount)
    var entries: [BlockEntry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count { entries.append(try BlockEntry(&reader, before: limit)) }
    try entries.checkOrder()
    return entries
  }

  /// Checks an entry of a block that lies before `limit`.
  package func check(before limit: UInt64) throws(FormatFault) {
    // Almost all entries are sound, so the fault is only determined if one of the checks fails.
    if codec.isKnown && run.isKnown && liesInPlace(before: limit) && hasPossibleByteCount
      && outsideByteCount <= offset && hasPossibleRows
    {
      return
    }
    try refuse(before: limit)
  }

  /// Throws the fault of an entry.
  @inline(never)
  private func refuse(before limit: UInt64) throws(FormatFault) {
    guard codec.isKnown else { throw FormatFault("The codec \(codec.rawValue) is unknown.") }
    guard run.isKnown else { throw FormatFault("The run \(run.rawValue) is unknown.") }
    guard liesInPlace(before: limit) else {
      throw FormatFault(
        "A block of \(byteCount) bytes at \(offset) is not between the header and \(limit).")
    }
    guard hasPossibleByteCount else {
      throw FormatFault(
        "The \(byteCount) bytes at \(offset) can't be a block of \(blockByteCount) bytes.")
    }
    guard outsideByteCount <= offset else {
      throw FormatFault(
        "The file has no room for values of \(outsideByteCount) bytes before the block at \(offset)."
      )
    }
    guard hasPossibleRows else {
      throw FormatFault(
        "The block at \(offset) has \(rowCount) rows of entity \(entity), from \(minimumKey) to "
          + "\(maximumKey).")
    }
  }

  /// Returns whether the block lies between the header and `limit`, at a multiple of 8.
  package func liesInPlace(before limit: UInt64) -> Bool {
    byteCount <= 1 << 30 && offset % 8 == 0 && offset >= UInt64(BlockFile.headerByteCount)
      && offset <= limit && UInt64(byteCount) <= limit - offset
  }

  /// Whether the stored bytes can expand to a block of the recorded size. An entry that claims to expand beyond any
  /// possible size is rejected before memory is allocated for its block.
  package var hasPossibleByteCount: Bool {
    let most = codec == .plain ? Int(byteCount) : Deflate.mostBytes(from: Int(byteCount))
    return blockByteCount <= 1 << 30 && Int(blockByteCount) <= most
      && (codec != .plain || blockByteCount == byteCount)
  }

  /// Whether the entity number, the number of rows and the range of keys are possible.
  package var hasPossibleRows: Bool {
    rowCount >= 1 && minimumKey >= 1 && minimumKey <= maximumKey
      && maximumKey <= ObjectKey.highestNumber && entity >= 1
  }
}

extension [BlockEntry] {
  /// The number of bytes that the outside values of all blocks take in the file.
  ///
  /// Each entry can claim all bytes before its block, so the sum over many entries could overflow. It stops at the
  /// largest number.
  package var outsideByteCount: UInt64 {
    reduce(0) { sum, entry in
      let (next, overflow) = sum.addingReportingOverflow(entry.outsideByteCount)
      return overflow ? .max : next
    }
  }

  /// Checks that the entries are in order, and that the key ranges of each run do not overlap.
  package func checkOrder() throws(FormatFault) {
    for index in indices.dropFirst() where !self[index - 1].precedes(self[index]) {
      throw FormatFault(
        "The blocks at \(self[index - 1].offset) and \(self[index].offset) are not in the order of "
          + "their keys.")
    }
  }
}

extension BlockEntry {
  /// Returns whether the entry may come before another, without overlapping its keys.
  package func precedes(_ next: BlockEntry) -> Bool {
    let isSameRun = entity == next.entity && run == next.run
    return place < next.place && (!isSameRun || maximumKey < next.minimumKey)
  }
}
