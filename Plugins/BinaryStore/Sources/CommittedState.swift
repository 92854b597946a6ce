import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// A commit of a file, read: what a snapshot shows.
final class CommittedState: StoreSnapshot {
  let file: StoreFile
  let record: CommitRecord
  let trailer: Trailer
  let model: Model
  let schema: Schema
  let metadata: StoreMetadata
  let segments: [Segment]

  var commit: Int64 { record.number }
  var tables: [any RowTable] { segments }
  /// Where the commit ends, and the next one begins.
  var end: UInt64 { trailer.end }

  /// Reads a commit.
  ///
  /// - Parameter before: A commit of the same file that was read already. What is the same is taken
  ///   from it, blocks in memory included.
  init(
    _ trailer: Trailer, _ record: CommitRecord, in file: StoreFile, after before: CommittedState?
  )
    throws
  {
    self.file = file
    self.record = record
    self.trailer = trailer
    let before = before?.file === file ? before : nil
    if let before, before.record.metadata == record.metadata {
      metadata = before.metadata
    } else {
      metadata = try CommittedState.metadata(record, file)
    }
    if let before, before.record.model == record.model, before.record.schema == record.schema {
      (model, schema) = (before.model, before.schema)
    } else {
      (model, schema) = try CommittedState.model(record, file)
    }
    var known: [SegmentRecord: Segment] = [:]
    for segment in before?.segments ?? [] { known[segment.record] = segment }
    segments = record.segments.map { part in
      known[part] ?? Segment(part, in: file, before: trailer.record.offset)
    }
  }

  /// A commit that was just written behind another one.
  init(_ trailer: Trailer, _ image: CommitImage, in file: StoreFile, after before: CommittedState) {
    self.file = file
    self.trailer = trailer
    record = image.record
    metadata = image.pendingMetadata ?? before.metadata
    (model, schema) = (before.model, before.schema)
    var known: [SegmentRecord: Segment] = [:]
    for segment in before.segments { known[segment.record] = segment }
    segments = record.segments.map { part in
      known[part] ?? Segment(part, in: file, before: trailer.record.offset)
    }
  }

  static func metadata(_ record: CommitRecord, _ file: StoreFile) throws -> StoreMetadata {
    let bytes = try file.bytes(of: record.metadata)
    do {
      guard case .dictionary(let values) = try BinaryPropertyList.read(bytes) else {
        throw FormatFault("The metadata are no dictionary.")
      }
      return StoreMetadata(values: values)
    } catch {
      throw StoreError(
        .damaged, "The metadata can't be read: \(error)", path: file.path, cause: error)
    }
  }

  private static func model(
    _ record: CommitRecord, _ file: StoreFile
  ) throws -> (Model, Schema) {
    let source = try file.bytes(of: record.model)
    let numbers = try file.bytes(of: record.schema)
    do {
      let model = try Model(ModelSource.read(source, path: file.path))
      let kept = try Schema(propertyList: BinaryPropertyList.read(numbers))
      return (model, try Schema(model, evolving: kept))
    } catch {
      throw StoreError(
        .damaged, "The model can't be read: \(error)", path: file.path, cause: error)
    }
  }
}

extension StoreFile {
  /// The newest whole commit.
  ///
  /// Looks at the end first, where it is unless a save was cut off, or goes on at the moment.
  func newestCommit() throws -> (Trailer, CommitRecord) {
    try reading {
      let end = try file.byteCount()
      let last = end - BlockFile.trailerByteCount
      if last >= BlockFile.headerByteCount, last % 8 == 0,
        let found = try commit(endingWith: file.read(byteCount: end - last, at: last), at: last)
      {
        return found
      }
      return try searchedCommit(before: end)
    }
  }

  /// Looks for the newest whole commit from the end on backwards.
  private func searchedCommit(before end: Int) throws -> (Trailer, CommitRecord) {
    let window = 64 * 1024
    var high = end
    while high > BlockFile.headerByteCount {
      let low = max(BlockFile.headerByteCount, high - window) & ~7
      // A trailer may begin in this window and end in the one behind it.
      let bytes = try file.read(
        byteCount: min(end, high + BlockFile.trailerByteCount) - low, at: low)
      var place = (bytes.count - BlockFile.trailerByteCount) & ~7
      while place >= 0 {
        if bytes[place] == 0x51, bytes[place + 1] == 0x45, bytes[place + 2] == 0x4E,
          bytes[place + 3] == 0x44,
          let found = try commit(
            endingWith: Array(bytes[place..<place + BlockFile.trailerByteCount]), at: low + place)
        {
          return found
        }
        place -= 8
      }
      high = low
    }
    throw FormatFault("The file holds no whole commit.")
  }

  /// The commit that the given bytes end; `nil` when they are no trailer, or what they end is not
  /// whole.
  func commit(endingWith bytes: [UInt8], at offset: Int) throws -> (Trailer, CommitRecord)? {
    guard let trailer = Trailer(bytes, at: UInt64(offset), salt: header.salt) else { return nil }
    let section = trailer.record
    let recordBytes = try file.read(byteCount: Int(section.byteCount), at: Int(section.offset))
    guard recordBytes.checksum == section.checksum else { return nil }
    let record = try CommitRecord(recordBytes, at: section.offset)
    if !trailer.isSettled {
      // What is small was made durable all at once: any part of it may have been lost.
      let start = Int(record.start)
      guard offset - start <= BlockFile.unsettledByteCount else {
        throw FormatFault("The commit at \(start) is too large to be unsettled.")
      }
      let all = try file.read(byteCount: offset - start, at: start)
      guard all.checksum == trailer.commitChecksum else { return nil }
    }
    return (trailer, record)
  }
}
