// SAFETY: Bytes are copied while a span lends them.

import BlockFileFormat
import DurableFiles
import Rows
import StoreInterface

extension CommitImage {
  /// Completes the record, and returns its bytes and its place. No piece may be added afterwards.
  private mutating func close() throws -> (bytes: [UInt8], section: SectionReference) {
    record.liveByteCount =
      UInt64(BlockFile.headerByteCount + BlockFile.trailerByteCount)
      + UInt64(record.metadata.byteCount) + UInt64(record.model.byteCount)
      + UInt64(record.schema.byteCount) + record.segments.reduce(0) { $0 + $1.byteCount }
    record.liveByteCount += UInt64(record.byteCount)
    let bytes = record.bytes
    precondition(bytes.count == record.byteCount, "The size of a commit record is wrong.")
    guard bytes.count <= BlockFile.maximumRecordByteCount else {
      throw StoreError(.badChange, "A commit record of \(bytes.count) bytes is too large.")
    }
    return (
      bytes,
      SectionReference(
        offset: next, byteCount: UInt32(bytes.count),
        checksum: bytes.checksum)
    )
  }

  /// Calls `body` with everything up to the trailer, piece by piece.
  private func forEachPiece(
    _ record: [UInt8], _ body: (RawSpan) throws -> Void
  ) throws {
    let zeros = [UInt8](repeating: 0, count: 8)
    func padded(_ byteCount: Int, _ span: RawSpan) throws {
      try body(span)
      let padding = BlockFile.align(byteCount) - byteCount
      if padding > 0 { try body(zeros.rawSpan.extracting(0..<padding)) }
    }
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try padded(bytes.count, bytes.rawSpan)
      case .block(let block):
        let slice = try block.bytes()
        try padded(slice.range.count, slice.bytes)
      case .movedBlock(let block):
        let memory = try movedBytes(of: block)
        try padded(memory.byteCount, memory.bytes)
      case .value(let slice): try padded(slice.range.count, slice.bytes)
      case .copiedValue(let reference, let file):
        // The stored bytes are copied unchanged, in parts: a damaged value stays damaged, and its checksum shows it.
        let byteCount = reference.storedByteCount
        for start in stride(from: 0, to: byteCount, by: 1 << 20) {
          let piece = try file.file.read(
            byteCount: min(1 << 20, byteCount - start), at: Int(reference.offset) + start)
          try body(piece.rawSpan)
        }
        let padding = BlockFile.align(byteCount) - byteCount
        if padding > 0 { try body(zeros.rawSpan.extracting(0..<padding)) }
      }
    }
    try padded(record.count, record.rawSpan)
  }

  /// Returns the bytes of the whole commit, including its trailer.
  ///
  /// A small commit needs one write and one sync. A larger commit is settled, so no reader may see its trailer before
  /// all bytes are durable, as in a new file that has no name yet.
  mutating func finished(salt: UInt64) throws -> (bytes: [UInt8], trailer: Trailer) {
    let (bytes, section) = try close()
    var all: [UInt8] = []
    all.reserveCapacity(
      Int(next - record.start) + BlockFile.align(bytes.count) + BlockFile.trailerByteCount)
    // SAFETY: The bytes are copied while the span lends them.
    try forEachPiece(bytes) { span in
      unsafe span.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
    }
    let trailer = Trailer(
      isSettled: !isSmall, salt: salt, offset: record.start + UInt64(all.count), record: section,
      commitChecksum: isSmall ? all.checksum : 0)
    all += trailer.bytes
    return (all, trailer)
  }

  /// Whether the first 8 bytes of the commit may all be zeros: those of a value outside of its block.
  var beginsWithZeros: Bool {
    switch pieces.first {
    case .value(let slice):
      var first: [UInt8] = []
      first.append(copying: slice.bytes.extracting(..<min(8, slice.range.count)))
      return first.allSatisfy { $0 == 0 }
    case .copiedValue: return true
    default: return false
    }
  }

  /// Whether the commit is small enough to be made durable with a single sync (spec §4.3.4).
  var isSmall: Bool {
    byteCount + record.byteCount <= BlockFile.unsettledByteCount - 64
  }

  /// Writes everything except the trailer, and returns the trailer. The caller may write it once the written bytes are
  /// durable.
  mutating func write(into writer: inout FileWriter, salt: UInt64) throws -> Trailer {
    let (bytes, section) = try close()
    try forEachPiece(bytes) { span in try writer.write(span) }
    return Trailer(
      isSettled: true, salt: salt,
      offset: section.offset + UInt64(BlockFile.align(bytes.count)), record: section,
      commitChecksum: 0)
  }
}
