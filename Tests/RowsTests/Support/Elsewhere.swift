import Checksums
import Rows
import Synchronization

/// A place for values outside of their blocks, which counts the reads of values.
final class Elsewhere: OutsideValues {
  private let values: Mutex<[UInt64: [UInt8]]>
  private let count = Mutex(0)

  init(_ values: [UInt64: [UInt8]] = [:]) { self.values = Mutex(values) }

  /// The number of reads so far.
  var readCount: Int { count.withLock { $0 } }

  subscript(offset: UInt64) -> [UInt8]? {
    get { values.withLock { $0[offset] } }
    set { values.withLock { $0[offset] = newValue } }
  }

  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    count.withLock { $0 += 1 }
    guard let bytes = self[reference.offset], bytes.count == reference.byteCount,
      CRC32C.checksum(of: bytes.span.bytes) == reference.checksum
    else { throw NotThere(offset: reference.offset) }
    memory.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
  }

  struct NotThere: Error { let offset: UInt64 }
}

/// Moves values of at least a given length to a place.
final class ElsewhereWriter: OutsideWriter {
  let place: Elsewhere
  private let least: Int
  private var next: UInt64 = 64
  /// The length in each reference, for tests that only count bytes; `nil` for the true length.
  var pretendedByteCount: Int?

  init(_ place: Elsewhere, least: Int) {
    self.place = place
    self.least = least
  }

  var values: any OutsideValues { place }

  func putsOutside(_ byteCount: Int, column: UInt16, entity: UInt16) -> Bool {
    byteCount >= least
  }

  func add(_ reference: OutsideReference, from values: any OutsideValues) -> OutsideReference? {
    nil
  }

  func add(_ value: BlockSlice) -> OutsideReference {
    let bytes = [UInt8](value)
    place[next] = bytes
    defer { next += UInt64(bytes.count + 7 & ~7) }
    let byteCount = pretendedByteCount ?? bytes.count
    return OutsideReference(
      offset: next, byteCount: byteCount, storedByteCount: byteCount,
      checksum: CRC32C.checksum(of: bytes.span.bytes), codec: .plain)
  }
}

/// A block in memory, with its outside values in a place.
final class BlockWithElsewhere: BlockSource {
  private let memory: BlockMemory
  private let place: Elsewhere

  init(_ bytes: [UInt8], _ place: Elsewhere) {
    memory = BlockMemory(bytes)
    self.place = place
  }

  var outsideValues: (any OutsideValues)? { place }

  func bytes(_ range: Range<Int>) throws -> BlockSlice { try memory.bytes(range) }

  func block() throws -> Block { try Block(self, byteCount: memory.byteCount) }
}

extension [UInt8] {
  init(_ slice: BlockSlice) { self = slice.bytes.withUnsafeBytes { Array($0) } }
}
