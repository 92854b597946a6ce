// SAFETY: The memory is filled before any other code can access it. Only this call uses it until it returns.

import BlockFileFormat
import Deflate
import DurableFiles
import Rows
import Synchronization

/// A file of which any byte may be wrong.
final class DamagedFile: OutsideValues {
  let file: DurableFile
  let byteCount: Int
  /// The number of bytes of blocks and values that may still be read. The parts of a sound file do not overlap,
  /// so they have no more bytes than the file. Without this limit, a small file could name the same bytes
  /// forever.
  private let allowance: Mutex<Int>

  init(_ file: DurableFile) throws {
    self.file = file
    byteCount = try file.byteCount()
    allowance = Mutex(min(byteCount, 1 << 60) * 4 + (1 << 20))
  }

  /// Deducts a number of bytes from the allowance. Returns whether they may be read.
  private func take(_ count: Int) -> Bool {
    allowance.withLock { left in
      guard left >= count else { return false }
      left -= count
      return true
    }
  }

  /// Returns the bytes of a range, or `nil` if the file ends before.
  func bytes(_ offset: UInt64, _ count: Int) -> [UInt8]? {
    guard let offset = Int(exactly: offset), count >= 0, offset <= byteCount,
      count <= byteCount - offset
    else { return nil }
    return try? file.read(byteCount: count, at: offset)
  }

  /// Returns the bytes of a section, or `nil` if they do not match its checksum.
  func bytes(of section: SectionReference) -> [UInt8]? {
    guard section.byteCount > 0, section.liesInPlace(before: UInt64(byteCount)),
      let bytes = bytes(section.offset, Int(section.byteCount)),
      bytes.checksum == section.checksum
    else { return nil }
    return bytes
  }

  /// Returns the bytes of a section after correcting one wrong bit; `nil` if no single bit explains the checksum.
  ///
  /// Sections above 1 MB are left out: the more bits there are, the more often one of them fits greater damage by chance.
  func mendedBytes(of section: SectionReference) -> [UInt8]? {
    let count = Int(section.byteCount)
    guard (1...1 << 20).contains(count), section.liesInPlace(before: UInt64(byteCount)),
      take(count), var bytes = bytes(section.offset, count),
      let bit = bytes.wrongBit(expecting: section.checksum)
    else { return nil }
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
  }

  // MARK: - Blocks

  /// Returns the block of an entry, or `nil` if it can't be read or does not match the entry.
  func block(_ entry: BlockEntry) -> SalvagedBlock? {
    guard (try? entry.check(before: UInt64(byteCount))) != nil, take(Int(entry.byteCount)),
      let stored = bytes(entry.offset, Int(entry.byteCount))
    else { return nil }
    guard let memory = memory(of: stored, entry.codec, Int(entry.blockByteCount)),
      let salvaged = block(memory, at: entry.offset, version: entry.version),
      case let block = salvaged.block, block.entityNumber == entry.entity,
      block.rowCount == Int(entry.rowCount),
      block.minimumKey == entry.minimumKey, block.maximumKey == entry.maximumKey,
      block.flags == entry.run.flags, block.byteCount == Int(entry.blockByteCount)
    else { return nil }
    return salvaged
  }

  private func memory(
    of stored: [UInt8], _ codec: BlockEntry.Codec, _ byteCount: Int
  ) -> BlockMemory? {
    codec == .plain
      ? BlockMemory(stored)
      : expanded(stored, byteCount).flatMap { try? Block.untransposed($0) }
  }

  private func expanded(_ stored: [UInt8], _ count: Int) -> BlockMemory? {
    unsafe try? BlockMemory(byteCount: count) { buffer in
      var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
      try Deflate.expand(stored.rawSpan, into: &span)
    }
  }

  /// Returns a block in memory, or `nil` if its keys or versions are damaged.
  func block(_ memory: BlockMemory, at offset: UInt64, version: Int64) -> SalvagedBlock? {
    let source = BlockInMemory(memory, self, offset)
    guard let checked = try? Block(source, byteCount: memory.byteCount, version: version),
      let lostColumns = lostColumns(of: checked),
      // Checking has loaded all columns. A new block loads only the columns that are used.
      let block = try? Block(source, byteCount: memory.byteCount, version: version)
    else { return nil }
    return SalvagedBlock(block: block, lostColumns: lostColumns)
  }

  /// Returns the block at an offset, for a block that no record lists.
  func unlistedBlock(
    at offset: UInt64, _ stored: Int, _ codec: BlockEntry.Codec, _ blockByteCount: Int
  ) -> SalvagedBlock? {
    guard stored >= BlockFormat.headerByteCount / 4, take(stored),
      let bytes = bytes(offset, stored)
    else { return nil }
    return memory(of: bytes, codec, blockByteCount).flatMap { block($0, at: offset, version: 0) }
  }

  /// Returns the first expanded bytes of compressed data, or `nil` if the data are not compressed.
  static func start(of bytes: [UInt8], count: Int) -> [UInt8]? {
    var expanded: (written: Int, taken: Int?)?
    let start = [UInt8](count: count) { memory in
      expanded = Deflate.expandStart(of: bytes.rawSpan, into: &memory)
      return count
    }
    return expanded?.written == count ? start : nil
  }

  /// Returns the number of bytes in the file that expand to `count` bytes, or `nil` if there are none at the
  /// offset.
  func compressedByteCount(at offset: UInt64, expandingTo count: Int) -> Int? {
    let most = min(byteCount - Int(offset), count + count / 100 + 64)
    guard count <= Deflate.mostBytes(from: most), take(most / 8),
      let bytes = bytes(offset, most)
    else { return nil }
    var taken: Int?
    _ = [UInt8](count: count) { memory in
      taken = Deflate.expandStart(of: bytes.rawSpan, into: &memory)?.taken
      return count
    }
    return taken
  }

  /// Returns the properties whose columns are damaged; `nil` if the keys or the versions are damaged.
  private func lostColumns(of block: Block) -> Set<UInt16>? {
    guard (try? block.keys) != nil else { return nil }
    var lost: Set<UInt16> = []
    for number in block.columnNumbers {
      let others = Set(block.columnNumbers).subtracting([number])
      let isSound =
        block.hasOutsideValues(in: number)
        ? (try? block.outsideReferences(without: others)) != nil
        : (try? block.column(number)) != nil
      if isSound { continue }
      // Without versions or bases, it is unknown which of several rows is the newest.
      guard number <= LayoutColumn.Number.highestProperty else { return nil }
      lost.insert(number)
    }
    return lost
  }

  // MARK: - Values

  /// Reads a large value from its own section, and throws if it does not match its checksum.
  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    guard memory.byteCount == reference.byteCount,
      let stored = bytes(reference.offset, reference.storedByteCount),
      stored.checksum == reference.checksum
    else { throw FormatFault("The value at \(reference.offset) is lost.") }
    switch reference.codec {
    case .plain:
      for (index, byte) in stored.enumerated() {
        memory.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    case .zlib:
      do { try Deflate.expand(stored.rawSpan, into: &memory) } catch {
        throw FormatFault("The value at \(reference.offset): \(error)")
      }
    }
  }

  /// Returns whether a value can be read.
  func isSound(_ reference: OutsideReference) -> Bool {
    guard reference.offset % 8 == 0, take(reference.storedByteCount),
      let stored = bytes(reference.offset, reference.storedByteCount),
      stored.checksum == reference.checksum
    else { return false }
    guard reference.codec == .zlib else { return true }
    guard reference.byteCount <= Deflate.mostBytes(from: stored.count) else { return false }
    return expanded(stored, reference.byteCount) != nil
  }
}

/// A block of a damaged file, and the numbers of its damaged columns.
struct SalvagedBlock {
  let block: Block
  let lostColumns: Set<UInt16>
}

/// A block in memory, whose large values are in the file.
private final class BlockInMemory: BlockSource {
  private let memory: BlockMemory
  private let file: DamagedFile
  private let offset: UInt64

  init(_ memory: BlockMemory, _ file: DamagedFile, _ offset: UInt64) {
    self.memory = memory
    self.file = file
    self.offset = offset
  }

  var outsideValues: (any OutsideValues)? { file }

  func bytes(_ range: Range<Int>) throws -> BlockSlice { try memory.bytes(range) }

  func check(_ references: [OutsideReference]) throws {
    for reference in references {
      guard reference.offset >= UInt64(BlockFile.headerByteCount), reference.offset <= offset,
        UInt64(reference.storedByteCount) <= offset - reference.offset
      else { throw FormatFault("A value is not between the header and its block.") }
    }
  }
}
