import BlockFileFormat
import DurableFiles
import Rows
import StoreInterface

extension StoreFile {
  /// Returns the newest commit of a file that this process has just written whole.
  func newestCommit() throws -> (Trailer, CommitRecord) {
    try searching(before: openingByteCount) { try checked($0.newest(before: $0.byteCount), $0) }
  }

  /// Returns the newest commit that stands (spec §4.3.8).
  ///
  /// - Parameters:
  ///   - end: The length of the file.
  ///   - number: The number of the newest commit that a manifest tells to be durable, in a document.
  func standingCommit(
    before end: Int, _ slots: AcknowledgementSlots, counting number: Int64? = nil
  ) throws -> (Trailer, CommitRecord) {
    try searching(before: end) { try checked($0.standing(slots, counting: number), $0) }
  }

  /// Returns the commit that counts according to a document (spec §7.4.4).
  ///
  /// Commits behind the one that counts were never confirmed, and are skipped.
  func commit(
    counting number: Int64, before end: Int
  ) throws -> (found: (Trailer, CommitRecord), newest: (Trailer, CommitRecord)) {
    // The manifest shows which commits are durable, so no slot needs to name them.
    let newest = try standingCommit(before: end, AcknowledgementSlots(), counting: number)
    var found: (Trailer, CommitRecord)?
    try forEachCommit(from: newest.0, newest.1) { trailer, record in
      if record.number == number { found = (trailer, record) }
      return record.number > number
    }
    // No later commit refers to the commit of a recovery, so after another save only a search finds it (spec §7.6.2).
    if found == nil {
      found = try readIfSound { try newestCommit(before: end) { $0 == number } }
    }
    guard let found else {
      throw StoreError(
        .damaged,
        "The file does not contain commit \(number), which the document names. Its newest commit is "
          + "\(newest.1.number).", path: path)
    }
    return (found, newest)
  }

  /// Returns the newest whole commit with a number that `isWanted` accepts, also one that no later commit refers to.
  func newestCommit(
    before end: Int, where isWanted: (Int64) -> Bool
  ) throws -> (Trailer, CommitRecord) {
    try searching(before: end) { search in
      let found = try search.newest(before: search.byteCount) { found in
        found.fault == nil && found.record.map { isWanted($0.number) } ?? false
      }
      return try checked(found, search)
    }
  }

  /// Calls `body` with each commit from the given one back, until `body` returns `false`.
  func forEachCommit(
    from trailer: Trailer, _ record: CommitRecord,
    _ body: (Trailer, CommitRecord) throws -> Bool
  ) throws {
    var (trailer, record) = (trailer, record)
    while try body(trailer, record), record.previousTrailer > 0 {
      // Each trailer lies before the commit that refers to it, so this loop ends.
      let offset = record.previousTrailer
      (trailer, record) = try searching(before: Int(trailer.offset)) { search in
        guard let before = try search.trailer(at: offset),
          case .success(let found) = try search.commit(endingWith: before)
        else { throw FormatFault("The commit that must end at \(offset) is not complete.") }
        return try checked(found, search)
      }
    }
  }

  /// Calls `body` with a search in the first `end` bytes of the file.
  func searching<Result>(
    before end: Int, _ body: (inout CommitSearch) throws -> Result
  ) throws -> Result {
    var search = CommitSearch(file, salt: header.salt, byteCount: end)
    do { return try reading { try body(&search) } } catch {
      // A failed save may have removed its bytes since the size was read.
      guard let now = try? file.byteCount(), now < end else { throw error }
      return try searching(before: now, body)
    }
  }

  /// Returns the parts of a commit after checking its record.
  func checked(
    _ found: FoundCommit?, _ search: CommitSearch
  ) throws -> (Trailer, CommitRecord) {
    if let fault = found?.fault { throw fault }
    guard let found, let record = found.record else {
      throw FormatFault(
        search.hasGivenUp
          ? "The last \(search.broken.count) commits of the file are all damaged."
          : "The file contains no complete commit.")
    }
    return (found.trailer, record)
  }
}
