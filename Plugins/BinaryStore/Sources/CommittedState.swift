import BlockFileFormat
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import Synchronization

/// A commit of a file, as a snapshot shows it.
final class CommittedState: StoreSnapshot {
  let file: StoreFile
  let record: CommitRecord
  let trailer: Trailer
  let schema: Schema
  let segments: [Segment]
  private let lazy: Mutex<Description>

  /// The parts of a commit besides its rows. The metadata and the model of a commit in the file are read on first use,
  /// because rows need neither.
  struct Description {
    var metadata: StoreMetadata?
    var model: Model?
    var schema: Schema?
  }

  var commit: Int64 { record.number }
  var tables: [any RowTable] { segments }
  /// The offset at which the commit ends.
  var end: UInt64 { trailer.end }

  /// Reads a commit.
  ///
  /// - Parameters:
  ///   - before: A commit that was read already. Equal parts are shared with it, including blocks in memory.
  ///   - known: The parts besides the rows that are known already.
  ///   - made: The blocks of new segments that are in memory, by the first offset of the segment.
  init(
    _ trailer: Trailer, _ record: CommitRecord, in file: StoreFile, after before: CommittedState?,
    knowing known: Description = Description(), _ made: [UInt64: [Segment.KnownBlock]] = [:]
  ) throws {
    self.file = file
    self.record = record
    self.trailer = trailer
    let before = before?.file === file ? before : nil
    var lazy = known
    if let before {
      before.lazy.withLock { known in
        if before.record.metadata == record.metadata { lazy.metadata = known.metadata }
        if before.record.model == record.model { lazy.model = known.model }
      }
    }
    self.lazy = Mutex(lazy)
    if let schema = known.schema {
      self.schema = schema
    } else if let before, before.record.schema == record.schema {
      schema = before.schema
    } else {
      schema = try CommittedState.schema(record, file)
    }
    file.takeNames(from: schema)
    let kept = Dictionary(
      (before?.segments ?? []).map { ($0.record.firstOffset, $0) }, uniquingKeysWith: { $1 })
    let limit = trailer.record.offset
    let allowance = BlockAllowance(before: limit)
    segments = record.segments.map { part in
      if let segment = kept[part.firstOffset], segment.record == part { return segment }
      return Segment(
        part, in: file, before: limit, within: allowance, knowing: made[part.firstOffset] ?? [])
    }
  }

  var metadata: StoreMetadata {
    get throws {
      if let known = lazy.withLock({ $0.metadata }) { return known }
      let metadata = try CommittedState.metadata(record, file)
      lazy.withLock { $0.metadata = metadata }
      return metadata
    }
  }

  var model: Model {
    get throws {
      if let known = lazy.withLock({ $0.model }) { return known }
      let source = try file.bytes(of: record.model)
      let model: Model
      do { model = try Model(contents: source, path: file.path) } catch {
        throw StoreError(
          .damaged, "The model can't be read: \(error)", path: file.path, cause: error)
      }
      if let gap = schema.gap(against: model) {
        throw StoreError(.damaged, "The schema does not fit the model: \(gap)", path: file.path)
      }
      lazy.withLock { $0.model = model }
      return model
    }
  }

  private static let knownMetadata = RecentlyRead<StoreMetadata>()

  static func metadata(_ record: CommitRecord, _ file: StoreFile) throws -> StoreMetadata {
    try knownMetadata.part(file.bytes(of: record.metadata)) { bytes in
      do {
        guard case .dictionary(let values) = try BinaryPropertyList.read(bytes) else {
          throw FormatFault("The metadata are not a dictionary.")
        }
        return StoreMetadata(values: values)
      } catch {
        throw StoreError(
          .damaged, "The metadata can't be read: \(error)", path: file.path, cause: error)
      }
    }
  }

  private static let knownSchemas = RecentlyRead<Schema>()

  private static func schema(_ record: CommitRecord, _ file: StoreFile) throws -> Schema {
    try knownSchemas.part(file.bytes(of: record.schema)) { bytes in
      try file.reading { try SchemaCoding.read(bytes, at: record.schema.offset) }
    }
  }
}

extension StoreFile {
  /// Returns the newest whole commit of the file as it was when it was opened.
  func newestCommit() throws -> (Trailer, CommitRecord) {
    try newestCommit(before: openingByteCount)
  }

  /// Returns the commit that counts, or the newest commit before `end` if `number` is `nil`. Commits behind the one
  /// that counts were never confirmed, and are skipped.
  func newestCommit(before end: Int, counting number: Int64?) throws -> (Trailer, CommitRecord) {
    try commit(counting: number, from: newestCommit(before: end), before: end)
  }

  /// Returns the commit with the given number, or the newest commit if `number` is `nil`.
  func commit(
    counting number: Int64?, from newest: (Trailer, CommitRecord), before end: Int
  ) throws -> (Trailer, CommitRecord) {
    guard let number, newest.1.number != number else { return newest }
    var found: (Trailer, CommitRecord)?
    try forEachCommit(from: newest.0, newest.1) { trailer, record in
      if record.number == number { found = (trailer, record) }
      return record.number > number
    }
    // No later commit refers to a commit that its document has not confirmed, so only a search finds such a commit.
    if found == nil {
      found = try readIfSound { try searchedCommit(before: end) { $0.number == number } }
    }
    guard let found else {
      throw StoreError(
        .damaged,
        "The file does not contain commit \(number), which the document names. Its newest commit is "
          + "\(newest.1.number).", path: path)
    }
    return found
  }

  /// Calls `body` with each commit from the given one back, until `body` returns `false`.
  func forEachCommit(
    from trailer: Trailer, _ record: CommitRecord,
    _ body: (Trailer, CommitRecord) throws -> Bool
  ) throws {
    var (trailer, record) = (trailer, record)
    while try body(trailer, record), record.previousTrailer > 0 {
      // Each trailer lies before the commit that refers to it, so this loop ends.
      let offset = Int(record.previousTrailer)
      (trailer, record) = try reading {
        let bytes = try file.read(byteCount: BlockFile.trailerByteCount, at: offset)
        guard let before = try commit(endingWith: bytes, at: offset) else {
          throw FormatFault("The commit that must end at \(offset) is not complete.")
        }
        return before
      }
    }
  }

  /// Returns the newest whole commit before `end`, the end of the file.
  ///
  /// Tries the last bytes of the file first. The commit ends there, unless a save was cut off or is in progress.
  func newestCommit(before end: Int) throws -> (Trailer, CommitRecord) {
    do { return try wholeCommit(before: end) } catch {
      // A failed save may have removed its bytes since the size was read.
      guard let now = try? file.byteCount(), now < end else { throw error }
      return try newestCommit(before: now)
    }
  }

  private func wholeCommit(before end: Int) throws -> (Trailer, CommitRecord) {
    try reading {
      let last = end - BlockFile.trailerByteCount
      if last >= BlockFile.headerByteCount, last % 8 == 0 {
        // Usually the record lies directly before the trailer, and a small commit is completely in these bytes.
        let start = max(0, end - StoreFile.usualEndByteCount) & ~7
        let bytes = try file.read(byteCount: end - start, at: start)
        let trailer = Array(bytes[(last - start)...])
        if let found = try commit(endingWith: trailer, at: last, in: bytes, from: start) {
          return found
        }
      }
      return try searchedCommit(before: end)
    }
  }

  /// The number of last bytes of a file that contain most records.
  private static let usualEndByteCount = 4096

  /// Returns bytes of the file. They are taken from the known bytes if possible.
  private func bytes(
    _ byteCount: Int, at offset: Int, known: [UInt8], from start: Int
  ) throws -> [UInt8] {
    let place = offset - start
    guard place >= 0, place <= known.count, byteCount <= known.count - place else {
      return try file.read(byteCount: byteCount, at: offset)
    }
    return Array(known[place..<place + byteCount])
  }

  /// Searches backwards from the end for the newest whole commit that `isWanted` accepts.
  func searchedCommit(
    before end: Int, where isWanted: (CommitRecord) -> Bool = { _ in true }
  ) throws -> (Trailer, CommitRecord) {
    let window = 64 * 1024
    var high = end
    var trailerCount = 0
    while true {
      // No commit ends in bytes that were never written.
      high = file.endOfStoredBytes(before: high)
      guard high > BlockFile.headerByteCount else { break }
      let low = max(BlockFile.headerByteCount, high - window) & ~7
      // A trailer may begin in this window and end in the one behind it.
      let bytes = try file.read(
        byteCount: min(end, high + BlockFile.trailerByteCount) - low, at: low)
      var place = (bytes.count - BlockFile.trailerByteCount) & ~7
      while place >= 0 {
        let candidate = bytes[place..<place + BlockFile.trailerByteCount]
        if bytes[place] == 0x51, bytes[place + 1] == 0x45, bytes[place + 2] == 0x4E,
          bytes[place + 3] == 0x44,
          Trailer(candidate, at: UInt64(low + place), salt: header.salt) != nil
        {
          if let found = try commit(endingWith: Array(candidate), at: low + place) {
            if isWanted(found.1) { return found }
            place -= 8
            continue
          }
          // A cut leaves one or two such trailers. Checking a trailer costs as much as the size of the commit that it
          // claims to end.
          trailerCount += 1
          if trailerCount == BlockFile.mostBrokenCommits {
            throw FormatFault(
              "The last \(trailerCount) commits of the file are all damaged.")
          }
        }
        place -= 8
      }
      high = low
    }
    throw FormatFault("The file contains no complete commit.")
  }

  /// Returns the commit that ends with the given bytes; `nil` if they are no trailer, or the commit is not whole.
  ///
  /// - Parameters:
  ///   - known: Bytes of the file that were read already.
  ///   - start: The offset of these bytes.
  func commit(
    endingWith bytes: [UInt8], at offset: Int, in known: [UInt8] = [], from start: Int = 0
  ) throws -> (Trailer, CommitRecord)? {
    guard let trailer = Trailer(bytes, at: UInt64(offset), salt: header.salt) else { return nil }
    let section = trailer.record
    let recordBytes = try self.bytes(
      Int(section.byteCount), at: Int(section.offset), known: known, from: start)
    guard recordBytes.checksum == section.checksum else { return nil }
    let record = try CommitRecord(recordBytes, at: section.offset)
    if !trailer.isSettled {
      // A small commit was made durable with a single sync, so any part of it may have been lost.
      let first = Int(record.start)
      guard offset - first <= BlockFile.unsettledByteCount else {
        throw FormatFault("The commit at \(first) is too large for an unsettled commit.")
      }
      let all = try self.bytes(offset - first, at: first, known: known, from: start)
      guard all.checksum == trailer.commitChecksum else { return nil }
    }
    return (trailer, record)
  }
}
