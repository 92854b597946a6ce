import BlockFileFormat
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import Synchronization

/// A commit of a file: what a snapshot shows.
final class CommittedState: StoreSnapshot {
  let file: StoreFile
  let record: CommitRecord
  let trailer: Trailer
  let schema: Schema
  let segments: [Segment]
  private let lazy: Mutex<Description>

  /// What a commit has beside its rows. Of a commit in the file, metadata and model are read when they
  /// are first asked for: rows need neither.
  struct Description {
    var metadata: StoreMetadata?
    var model: Model?
    var schema: Schema?
  }

  var commit: Int64 { record.number }
  var tables: [any RowTable] { segments }
  /// Where the commit ends.
  var end: UInt64 { trailer.end }

  /// Reads a commit.
  ///
  /// - Parameters:
  ///   - before: A commit that was read already. What is the same is taken from it, blocks in memory
  ///     included.
  ///   - known: What is known already of what it has beside its rows.
  init(
    _ trailer: Trailer, _ record: CommitRecord, in file: StoreFile, after before: CommittedState?,
    knowing known: Description = Description()
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
    var kept: [SegmentRecord: Segment] = [:]
    for segment in before?.segments ?? [] { kept[segment.record] = segment }
    let limit = trailer.record.offset
    let allowance = BlockAllowance(before: limit)
    segments = record.segments.map { part in
      kept[part] ?? Segment(part, in: file, before: limit, within: allowance)
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
      do { model = try Model(ModelSource.read(source, path: file.path)) } catch {
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
          throw FormatFault("The metadata are no dictionary.")
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
      try file.reading { try SchemaSection.read(bytes, at: record.schema.offset) }
    }
  }
}

extension StoreFile {
  /// The newest whole commit of the file as it was when it was opened.
  func newestCommit() throws -> (Trailer, CommitRecord) {
    try newestCommit(before: openingByteCount)
  }

  /// The newest commit before the end of the file, or the one that counts: what was made behind that one and
  /// never confirmed is passed over.
  func newestCommit(before end: Int, counting number: Int64?) throws -> (Trailer, CommitRecord) {
    try commit(counting: number, from: newestCommit(before: end), before: end)
  }

  /// The commit that counts, of a file whose newest is given; the newest itself where nobody says which one does.
  func commit(
    counting number: Int64?, from newest: (Trailer, CommitRecord), before end: Int
  ) throws -> (Trailer, CommitRecord) {
    guard let number, newest.1.number != number else { return newest }
    var found: (Trailer, CommitRecord)?
    try forEachCommit(from: newest.0, newest.1) { trailer, record in
      if record.number == number { found = (trailer, record) }
      return record.number > number
    }
    // What nobody has confirmed no later commit leads to.
    if found == nil { found = try? searchedCommit(before: end) { $0.number == number } }
    guard let found else {
      throw StoreError(
        .damaged,
        "The file does not hold commit \(number), which is the one that counts; its newest is "
          + "\(newest.1.number).", path: path)
    }
    return found
  }

  /// Calls `body` with each commit from the given one back, as long as it answers yes.
  func forEachCommit(
    from trailer: Trailer, _ record: CommitRecord,
    _ body: (Trailer, CommitRecord) throws -> Bool
  ) throws {
    var (trailer, record) = (trailer, record)
    while try body(trailer, record), record.previousTrailer > 0 {
      // Each lies before the one that names it, so this comes to an end.
      let offset = Int(record.previousTrailer)
      (trailer, record) = try reading {
        let bytes = try file.read(byteCount: BlockFile.trailerByteCount, at: offset)
        guard let before = try commit(endingWith: bytes, at: offset) else {
          throw FormatFault("The commit that should end at \(offset) is not whole.")
        }
        return before
      }
    }
  }

  /// The newest whole commit before the end of the file, which is at `end`.
  ///
  /// Looks at the end first, where it is unless a save was cut off, or goes on at the moment.
  func newestCommit(before end: Int) throws -> (Trailer, CommitRecord) {
    do { return try wholeCommit(before: end) } catch {
      // Whoever could not save takes back what it appended, perhaps since the size was looked at.
      guard let now = try? file.byteCount(), now < end else { throw error }
      return try newestCommit(before: now)
    }
  }

  private func wholeCommit(before end: Int) throws -> (Trailer, CommitRecord) {
    try reading {
      let last = end - BlockFile.trailerByteCount
      if last >= BlockFile.headerByteCount, last % 8 == 0 {
        // The record, and the whole of a small commit, mostly lie right before the trailer.
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

  /// Most records fit into so many last bytes of a file.
  private static let usualEndByteCount = 4096

  /// Bytes of the file, from those that were read of it already if they are there.
  private func bytes(
    _ byteCount: Int, at offset: Int, known: [UInt8], from start: Int
  ) throws -> [UInt8] {
    let place = offset - start
    guard place >= 0, place <= known.count, byteCount <= known.count - place else {
      return try file.read(byteCount: byteCount, at: offset)
    }
    return Array(known[place..<place + byteCount])
  }

  /// Looks for the newest whole commit, of those that are wanted, from the end on backwards.
  func searchedCommit(
    before end: Int, where isWanted: (CommitRecord) -> Bool = { _ in true }
  ) throws -> (Trailer, CommitRecord) {
    let window = 64 * 1024
    var high = end
    var trailerCount = 0
    while high > BlockFile.headerByteCount {
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
          // A cut leaves one or two of these. Looking at each costs what it says it ends.
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
    throw FormatFault("The file holds no whole commit.")
  }

  /// The commit that the given bytes end; `nil` when they are no trailer, or what they end is not
  /// whole.
  ///
  /// - Parameters:
  ///   - known: Bytes of the file that were read already.
  ///   - start: Where they are.
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
      // What is small was made durable all at once: any part of it may have been lost.
      let first = Int(record.start)
      guard offset - first <= BlockFile.unsettledByteCount else {
        throw FormatFault("The commit at \(first) is too large to be unsettled.")
      }
      let all = try self.bytes(offset - first, at: first, known: known, from: start)
      guard all.checksum == trailer.commitChecksum else { return nil }
    }
    return (trailer, record)
  }
}
