import BlockFileFormat
import Deflate
import DurableFiles
import Rows
import StoreInterface
import Synchronization

/// A block file that is open for reading. All parts that it returns are checked.
final class StoreFile: Sendable {
  let file: DurableFile
  let header: FileHeader
  /// The first bytes of the file when it was opened.
  private let firstBytes: [UInt8]
  /// The schema of the newest commit that was read, for the names of damaged columns.
  private let names = Mutex<Schema?>(nil)

  init(_ opened: OpenedFile, isReadOnly: Bool) throws {
    file = opened.file
    firstBytes = opened.firstBytes
    header = try StoreFile.header(in: firstBytes, path: file.path, isReadOnly: isReadOnly)
  }

  var path: String { file.path }
  /// The number of bytes of the file when it was opened.
  var openingByteCount: Int { file.openingStatus.byteCount }

  /// Reads and checks the header in the first bytes of a file.
  private static func header(
    in firstBytes: [UInt8], path: String, isReadOnly: Bool
  ) throws -> FileHeader {
    do {
      guard let header = try FileHeader(firstBytes) else {
        throw StoreError(
          .notAStore,
          "The file is not a block file: it does not begin with the header of a block file.",
          path: path)
      }
      guard header.majorVersion <= BlockFile.majorVersion else {
        throw StoreError(
          .newerFormat,
          "The file has format version \(header.majorVersion), but this program reads version "
            + "\(BlockFile.majorVersion).", path: path)
      }
      if let objection = header.features.objection(isReading: isReadOnly) {
        throw StoreError(.newerFormat, objection, path: path)
      }
      if let fault = header.slots.fault { throw fault }
      return header
    } catch let fault as FormatFault {
      throw StoreError(.damaged, fault.description, path: path)
    }
  }

  /// Stores the names of entities and properties for messages.
  func takeNames(from schema: Schema) { names.withLock { $0 = schema } }

  /// Returns the error for damage of a column, with the names of the entity and the property.
  func explained(_ error: BlockError, in block: Block, at offset: UInt64) -> StoreError {
    let schema = names.withLock { $0 }
    let layout = schema?[block.entityNumber]
    let column = layout?.columns.first { $0.number == error.column }
    let objects =
      layout.map { "objects \(block.minimumKey) to \(block.maximumKey) of entity '\($0.entity)'" }
      ?? "rows \(block.minimumKey) to \(block.maximumKey) of entity number \(block.entityNumber)"
    let fault = column.map { "Property '\($0.name)': \(error.message)" } ?? error.description
    return StoreError(
      .damaged, "The block at \(offset), with \(objects), is damaged. \(fault)", path: path,
      cause: error)
  }

  /// Calls `body`, and adds the path of the file to the errors that it throws.
  func reading<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw described(error) }
  }

  /// Returns an error of a lower level as an error of the store in this file.
  func described(_ error: any Error) -> any Error {
    switch error {
    case let fault as FormatFault:
      StoreError(.damaged, fault.description, path: path)
    case let error as BlockError:
      StoreError(.damaged, error.description, path: path, cause: error)
    case let error as DiskError:
      // An unexpected end is damage of the file, not a fault of the disk.
      StoreError(
        error.code == .unexpectedEnd ? .damaged : .inputOutput, error.message, path: path,
        cause: error)
    default: error
    }
  }

  /// Returns the bytes of a section after checking their checksum.
  func bytes(of section: SectionReference) throws -> [UInt8] {
    // The first bytes may be out of date: a save may have written the section since the file was opened.
    if let known = firstBytes(of: section), known.checksum == section.checksum { return known }
    return try reading {
      let bytes = try file.read(byteCount: Int(section.byteCount), at: Int(section.offset))
      guard bytes.checksum == section.checksum else {
        throw FormatFault(
          "The \(section.byteCount) bytes at \(section.offset) do not match their checksum.")
      }
      return bytes
    }
  }

  /// Returns the bytes of a section as of the opening of the file, if they lie among its first bytes.
  private func firstBytes(of section: SectionReference) -> [UInt8]? {
    guard section.offset < firstBytes.count,
      Int(section.byteCount) <= firstBytes.count - Int(section.offset)
    else { return nil }
    let start = Int(section.offset)
    return Array(firstBytes[start..<start + Int(section.byteCount)])
  }

  /// Returns the block of an entry after checking that the block matches the entry.
  func block(_ entry: BlockEntry) throws -> Block {
    try reading {
      let block = try Block(
        FileBlock(self, entry), byteCount: Int(entry.blockByteCount), version: entry.version)
      guard block.entityNumber == entry.entity, block.rowCount == Int(entry.rowCount),
        block.minimumKey == entry.minimumKey, block.maximumKey == entry.maximumKey,
        block.flags == entry.run.flags, block.byteCount == Int(entry.blockByteCount)
      else {
        throw FormatFault("The block at \(entry.offset) differs from the entry in its segment.")
      }
      return block
    }
  }
}

/// The source of a block's bytes in a file.
private final class FileBlock: BlockSource {
  private let storeFile: StoreFile
  private var file: DurableFile { storeFile.file }
  private let offset: Int
  private let outsideByteCount: UInt64
  /// The whole block, if it is small or compressed. A small block is read at once, because a read costs more than its
  /// bytes.
  private let whole: BlockMemory?

  private static let smallByteCount = 16_384

  init(_ storeFile: StoreFile, _ entry: BlockEntry) throws {
    self.storeFile = storeFile
    let file = storeFile.file
    offset = Int(entry.offset)
    outsideByteCount = entry.outsideByteCount
    let count = Int(entry.byteCount)
    if entry.codec == .plain {
      whole = count <= FileBlock.smallByteCount ? try file.memory(0..<count, from: offset) : nil
    } else {
      let stored = try file.read(byteCount: count, at: offset)
      // SAFETY: No other code accesses the memory until the call returns.
      let expanded = unsafe try BlockMemory(byteCount: Int(entry.blockByteCount)) { buffer in
        var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
        do { try Deflate.expand(stored.rawSpan, into: &span) } catch {
          throw FormatFault("The block at \(entry.offset): \(error)")
        }
      }
      whole = try Block.untransposed(expanded)
    }
  }

  var outsideValues: (any OutsideValues)? { storeFile }

  func explained(_ error: BlockError, in block: Block) -> any Error {
    storeFile.explained(error, in: block, at: UInt64(offset))
  }

  func check(_ references: [OutsideReference]) throws {
    try storeFile.check(references, before: UInt64(offset), atMost: outsideByteCount)
  }

  func bytes(_ range: Range<Int>) throws -> BlockSlice {
    if let whole {
      guard range.upperBound <= whole.byteCount else {
        throw FormatFault("The block at \(offset) has \(whole.byteCount) bytes.")
      }
      return BlockSlice(memory: whole, range: range)
    }
    return BlockSlice(try file.memory(range, from: offset))
  }
}

extension DurableFile {
  /// Returns the bytes of a range, relative to an offset.
  fileprivate func memory(_ range: Range<Int>, from offset: Int) throws -> BlockMemory {
    // SAFETY: No other code accesses the memory until the call returns.
    unsafe try BlockMemory(byteCount: range.count) { buffer in
      unsafe try read(into: buffer, at: offset + range.lowerBound)
    }
  }
}
