package import DurableFiles
package import Rows

/// A commit that a search has found. Its trailer counts (spec §4.3.2), and the record has the trailer's checksum.
package struct FoundCommit {
  package let trailer: Trailer
  /// The fields of the record; `nil` if the bytes are not a record.
  package private(set) var record: CommitRecord?
  /// The reason, if any, why a reader refuses the commit although its checksums match.
  package private(set) var fault: FormatFault?

  /// - Parameter bytes: The bytes of the record.
  package init(_ trailer: Trailer, recordBytes bytes: [UInt8]) {
    self.trailer = trailer
    do throws(FormatFault) {
      let (record, excess) = try CommitRecord.unchecked(bytes, at: trailer.record.offset)
      self.record = record
      try record.check(at: trailer.record.offset, excess: excess)
      guard
        trailer.isSettled || trailer.offset - record.start <= UInt64(BlockFile.unsettledByteCount)
      else {
        throw FormatFault("The commit at \(record.start) is too large for an unsettled commit.")
      }
    } catch { fault = error }
  }
}

/// The search for the commit that a file shows, and the judgement of the bytes behind it: damage, or the remains of a
/// save that a crash cut off (spec §4.3.3, §4.3.8).
///
/// The store and the validator share the search (decision 0024). If each had its own, a document could be refused by one
/// of them and called valid by the other.
///
/// ```
/// var search = CommitSearch(file, salt: header.salt, byteCount: size)
/// let newest = try search.standing(header.slots)
/// let damages = try search.damages(behind: newest, header.slots)
/// ```
package struct CommitSearch {
  /// A damaged commit behind the commit that the file shows.
  package struct Damage {
    /// The offset of the commit's trailer.
    package let offset: UInt64
    /// The damage, as a sentence.
    package let fault: String
    /// Whether a slot names the commit.
    package let isAcknowledged: Bool
  }

  /// The trailers that count and end no whole commit, from the end of the file on.
  package private(set) var broken: [(trailer: Trailer, fault: String)] = []
  /// The offset of the last trailer with an acknowledgement that the search has passed; 0 without one. The trailer itself
  /// may be damaged.
  private var newestAcknowledgement: UInt64 = 0
  private let salt: UInt64
  /// The number of bytes of the file to look at.
  package let byteCount: UInt64
  private let file: DurableFile
  /// The bytes that were read last while searching for trailers. A small commit is in the same bytes as its trailer.
  private var known: (start: UInt64, bytes: [UInt8]) = (0, [])

  private static let trailerByteCount = UInt64(BlockFile.trailerByteCount)
  private static let headerByteCount = UInt64(BlockFile.headerByteCount)
  /// The number of last bytes of a file without a tail that usually contain the last commit, or at least its record.
  private static let usualEndByteCount: UInt64 = 4096
  private static let windowByteCount: UInt64 = 64 * 1024

  /// - Parameter byteCount: The number of bytes of the file to look at.
  package init(_ file: DurableFile, salt: UInt64, byteCount: Int) {
    self.file = file
    self.salt = salt
    self.byteCount = UInt64(byteCount)
  }

  /// Whether the search has ended at too many broken commits. Checking a trailer costs as much as the size of the
  /// commit that it claims to end, so a reader may refuse such a file.
  package var hasGivenUp: Bool { broken.count >= BlockFile.mostBrokenCommits }

  /// Returns the newest commit that stands: it is whole, and so is each commit before it that the same sync may have
  /// made durable. A power cut may keep the last of several such commits, and lose a part of an earlier one.
  ///
  /// - Parameters:
  ///   - slots: The slots of the header, which name commits that were durable.
  ///   - number: In a document, the number of the newest commit that the manifest lists, which is therefore durable.
  ///   - known: The trailer of a commit that an earlier search has returned.
  package mutating func standing(
    _ slots: AcknowledgementSlots, counting number: Int64? = nil, after known: Trailer? = nil
  ) throws -> FoundCommit? {
    guard var newest = try newest(before: byteCount) else { return nil }
    var commit = newest
    let durable = max(slots.newest?.trailer ?? 0, known?.offset ?? 0)
    while let record = commit.record, record.previousTrailer > 0,
      record.previousTrailer < commit.trailer.offset, !commit.trailer.isSettled,
      commit.trailer.offset > durable, record.number > number ?? 0
    {
      let end = record.previousTrailer + CommitSearch.trailerByteCount
      try readWindow(before: end)
      if let before = try trailer(at: record.previousTrailer),
        case .success(let found) = try self.commit(endingWith: before)
      {
        commit = found
      } else {
        guard let other = try self.newest(before: end) else { return nil }
        (newest, commit) = (other, other)
      }
    }
    return newest
  }

  /// Returns the last whole commit before an offset that `isWanted` accepts.
  package mutating func newest(
    before limit: UInt64, where isWanted: (FoundCommit) -> Bool = { _ in true }
  ) throws -> FoundCommit? {
    var high = limit
    while true {
      // No commit ends in zeros, apart from the end of its trailer. Usually a commit ends in the last bytes.
      if high < limit {
        let end = UInt64(try file.endOfNonzeroBytes(before: Int(high)))
        high = min(high, end + CommitSearch.trailerByteCount)
      }
      guard high > CommitSearch.headerByteCount else { return nil }
      let window =
        high == limit ? CommitSearch.usualEndByteCount : CommitSearch.windowByteCount
      let low = (high - min(high - CommitSearch.headerByteCount, window)) & ~7
      // A trailer may begin in this window and end in the next one.
      let bytes = try readBytes(low..<min(limit, high + CommitSearch.trailerByteCount))
      known = (low, bytes)
      for place in stride(
        from: (bytes.count - BlockFile.trailerByteCount) & ~7, through: 0, by: -8)
      {
        let offset = low + UInt64(place)
        recordAcknowledgement(in: bytes[place...], at: offset)
        guard bytes[place...].starts(with: Trailer.magicBytes),
          let trailer = try trailer(at: offset)
        else { continue }
        switch try commit(endingWith: trailer) {
        case .success(let found): if isWanted(found) { return found }
        case .failure(let fault):
          // Two windows share the first place of the later one.
          if broken.last?.trailer == trailer { continue }
          broken.append((trailer, fault.description))
          if hasGivenUp { return nil }
        }
      }
      high = low
    }
  }

  /// Returns the trailer at an offset, if it counts.
  package mutating func trailer(at offset: UInt64) throws -> Trailer? {
    guard offset <= byteCount, byteCount - offset >= CommitSearch.trailerByteCount else {
      return nil
    }
    let bytes = try bytes(offset..<offset + CommitSearch.trailerByteCount)
    recordAcknowledgement(in: bytes[...], at: offset)
    return Trailer(bytes, at: offset, salt: salt)
  }

  /// Notes an acknowledgement in the bytes at the place of a trailer, which may be damaged itself.
  private mutating func recordAcknowledgement(in bytes: ArraySlice<UInt8>, at offset: UInt64) {
    guard Acknowledgement.ends(bytes, at: offset, salt: salt) else { return }
    newestAcknowledgement = max(newestAcknowledgement, offset)
  }

  /// Returns the commit that a trailer ends, or the reason why the commit is not whole (spec §4.3.2).
  package func commit(endingWith trailer: Trailer) throws -> Result<FoundCommit, FormatFault> {
    let section = trailer.record
    let bytes = try bytes(section.offset..<section.offset + UInt64(section.byteCount))
    guard bytes.checksum == section.checksum else {
      return .failure(
        FormatFault("The commit's record at \(section.offset) does not match its checksum."))
    }
    let found = FoundCommit(trailer, recordBytes: bytes)
    guard !trailer.isSettled, let start = found.record?.start,
      let fault = try fault(ofBytesFrom: start, trailer)
    else { return .success(found) }
    return .failure(fault)
  }

  /// Returns the reason why the bytes of a commit that is not settled do not match its trailer; `nil` if they match, or
  /// if no commit can begin at `start`.
  package func fault(ofBytesFrom start: UInt64, _ trailer: Trailer) throws -> FormatFault? {
    guard start >= CommitSearch.headerByteCount, start <= trailer.offset,
      trailer.offset - start <= UInt64(BlockFile.unsettledByteCount)
    else { return nil }
    let computed = try bytes(start..<trailer.offset).checksum
    guard computed != trailer.commitChecksum else { return nil }
    return FormatFault(
      "The stored checksum \(hex(trailer.commitChecksum)) of the bytes from \(start) on differs "
        + "from the computed \(hex(computed)).")
  }

  /// Returns whether a slot or a later trailer records that a commit of this search was acknowledged.
  package func isAcknowledged(_ commit: FoundCommit, _ slots: AcknowledgementSlots) -> Bool {
    commit.trailer.offset <= max(newestAcknowledgement, slots.newest?.trailer ?? 0)
  }

  /// Returns the damaged commits behind the commit that the file shows. If the result is empty, the bytes behind it
  /// are the remains of a save that was never acknowledged.
  package func damages(
    behind newest: FoundCommit, _ slots: AcknowledgementSlots
  ) throws -> [Damage] {
    let offset = max(newestAcknowledgement, slots.newest?.trailer ?? 0)
    if offset > newest.trailer.offset {
      return [Damage(offset: offset, fault: fault(ofCommitEndingAt: offset), isAcknowledged: true)]
    }
    // Slots also record the least size of the file, so they show whether its tail is lost.
    if slots.areSound, let least = slots.newest?.fileByteCount, least > byteCount {
      let fault = "The file ends at byte \(byteCount), but it had at least \(least) bytes."
      return [Damage(offset: newest.trailer.offset, fault: fault, isAcknowledged: true)]
    }
    // Sound slots show that only a save that was never acknowledged lies behind the commit.
    if slots.areSound { return [] }
    var offsets = broken.map(\.trailer.offset)
    if offsets.isEmpty, let likely = try likelyTrailer(from: newest.trailer.end) {
      offsets = [likely]
    }
    return offsets.map {
      Damage(offset: $0, fault: fault(ofCommitEndingAt: $0), isAcknowledged: false)
    }
  }

  /// Returns the reason why the commit that must end with a trailer at `offset` is not whole.
  private func fault(ofCommitEndingAt offset: UInt64) -> String {
    if let broken = broken.first(where: { $0.trailer.offset == offset }) { return broken.fault }
    let end = offset + CommitSearch.trailerByteCount
    return end > byteCount
      ? "The commit ends at byte \(end), but the file ends at byte \(byteCount)."
      : "The trailer at \(offset) does not match its checksum."
  }

  /// Returns the offset of bytes from `start` on that look like a former trailer; `nil` if the search does not find any.
  private func likelyTrailer(from start: UInt64) throws -> UInt64? {
    var low = UInt64(BlockFile.align(Int(start)))
    while let stored = file.startOfStoredBytes(from: Int(low)) {
      // The first bytes of a likely trailer may be zeros.
      low = max(low, UInt64(max(0, stored - BlockFile.trailerByteCount)) & ~7)
      guard low + CommitSearch.trailerByteCount <= byteCount else { break }
      let bytes = try readBytes(
        low..<min(byteCount, low + CommitSearch.windowByteCount + CommitSearch.trailerByteCount))
      for place in stride(from: 0, through: bytes.count - BlockFile.trailerByteCount, by: 8)
      where Trailer.isLikely(bytes[place...], at: low + UInt64(place), salt: salt) {
        return low + UInt64(place)
      }
      low += CommitSearch.windowByteCount
    }
    return nil
  }

  /// Returns the bytes of a range. They are taken from the known bytes if possible.
  private func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
    guard range.lowerBound >= known.start,
      range.upperBound <= known.start + UInt64(known.bytes.count)
    else { return try readBytes(range) }
    return Array(
      known.bytes[Int(range.lowerBound - known.start)..<Int(range.upperBound - known.start)])
  }

  /// Reads the bytes before an offset, which contain several small commits, unless they are known.
  private mutating func readWindow(before end: UInt64) throws {
    let low = (end - min(end, CommitSearch.windowByteCount)) & ~7
    let isKnown =
      known.start <= end - CommitSearch.trailerByteCount
      && end <= known.start + UInt64(known.bytes.count)
    if !isKnown, end <= byteCount { known = (low, try readBytes(low..<end)) }
  }

  private func readBytes(_ range: Range<UInt64>) throws -> [UInt8] {
    try file.read(byteCount: range.count, at: Int(range.lowerBound))
  }
}

/// Returns a checksum in hexadecimal.
private func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}
