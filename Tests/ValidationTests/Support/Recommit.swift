import BlockFileFormat
import Foundation
import HostileInputs
import Rows

/// Returns a block file with one more commit, which may contain errors that a correct writer does not make.
///
/// - Parameters:
///   - sections: Bytes in place of the newest commit's metadata, model or schema.
///   - edit: Changes the record after its references and its number of live bytes are set.
func recommitted(
  _ bytes: [UInt8], metadata: [UInt8]? = nil, model: [UInt8]? = nil, schema: [UInt8]? = nil,
  edit: (inout CommitRecord) -> Void = { _ in }
) throws -> [UInt8] {
  let salt = UInt64(bitPattern: Int64(bytes.number(32, 8)))
  let end = UInt64(bytes.count)
  let newest = Trailer(bytes.suffix(48), at: end - 48, salt: salt)!
  let start = Int(newest.record.offset)
  var record = try CommitRecord(
    Array(bytes[start..<start + Int(newest.record.byteCount)]), at: newest.record.offset)
  record.previousTrailer = newest.offset
  record.start = end
  record.number += 1
  var writer = ByteWriter()
  func add(_ section: [UInt8]) -> SectionReference {
    defer {
      writer.append(section)
      writer.align()
    }
    return SectionReference(
      offset: end + UInt64(writer.bytes.count), byteCount: UInt32(section.count),
      checksum: section.checksum)
  }
  if let metadata { record.metadata = add(metadata) }
  if let model { record.model = add(model) }
  if let schema { record.schema = add(schema) }
  record.liveByteCount = record.liveCount
  edit(&record)
  let place = add(record.bytes)
  let trailer = Trailer(
    isSettled: false, salt: salt, offset: end + UInt64(writer.bytes.count), record: place,
    commitChecksum: (bytes + writer.bytes).dropFirst(Int(record.start)).map { $0 }.checksum)
  return BlockFileMap.naming(
    trailerAt: Int(trailer.offset), in: bytes + writer.bytes + trailer.bytes)
}

extension CommitRecord {
  /// The number of live bytes.
  var liveCount: UInt64 {
    UInt64(80 + 48 + bytes.count)
      + [metadata, model, schema].reduce(0) { $0 + UInt64($1.byteCount) }
      + segments.reduce(0) { $0 + $1.byteCount }
  }
}
