import BlockFileFormat
import DurableFiles
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Returns the search for the commit that the file shows.
  func search(_ header: FileHeader) -> CommitSearch {
    CommitSearch(file, salt: header.salt, byteCount: byteCount)
  }

  /// Returns the commit that the file shows: the newest commit that stands, or the commit that counts; `nil` if it is
  /// missing.
  func shownCommit(_ header: FileHeader) throws -> FoundCommit? {
    var search = search(header)
    // Outside of the log, the manifest shows which commit must be there, so the slots are not needed (spec §7.4.11).
    let usesSlots = counting.map(\.isLog) ?? true
    let newest = try search.standing(
      usesSlots ? header.slots : AcknowledgementSlots(), counting: counting?.number)
    guard let newest else {
      recordBroken(search)
      return nil
    }
    let before = findings.errorCount
    if usesSlots { try recordDamage(search, newest, header) }
    guard let counting else {
      if findings.errorCount == before { try recordEnd(search, newest, header) }
      return newest
    }
    guard let found = try countedCommit(counting.number, from: newest, header) else {
      if findings.errorCount == before { try recordDamage(search, newest, header) }
      if findings.errorCount == before, findings.counts[.headerChecksum] == nil {
        findings.add(
          .countedCommit, Place(),
          "The file does not contain commit \(counting.number)"
            + (newest.record.map { "; its newest commit is \($0.number)." } ?? "."))
      }
      return nil
    }
    let remains = try byteCountOfRemains(behind: found)
    if findings.errorCount == before, remains > 0 {
      findings.add(
        .unconfirmed, Place("bytes", at: found.trailer.end),
        "\(remains) bytes come after the commit. An interrupted save left them.")
    }
    return found
  }

  /// Returns the commit with the given number, found backwards from the newest commit that stands (spec §7.4.4); `nil` if
  /// there is none.
  private func countedCommit(
    _ number: Int64, from newest: FoundCommit, _ header: FileHeader
  ) throws -> FoundCommit? {
    var commit = newest
    while let record = commit.record, record.number > number, record.previousTrailer > 0 {
      facts.unconfirmed.append(record.number)
      let place = Place("record", at: commit.trailer.record.offset, commit: record.number)
      guard record.startsInPlace(at: commit.trailer.record.offset) else {
        findings.add(.commitStart, place, "The commit's start, \(record.start), is not valid.")
        return nil
      }
      guard let before = try commitBefore(record, commit.trailer, header) else { return nil }
      if case .failure(let fault) = try search(header).commit(endingWith: before.trailer) {
        findings.add(
          .commitChecksum, Place("trailer", at: before.trailer.offset), fault.description)
        return nil
      }
      commit = before
    }
    return commit.record?.number == number ? commit : nil
  }

  /// Reports the damaged commits behind the newest commit that stands (spec §4.3.3).
  private func recordDamage(
    _ search: CommitSearch, _ newest: FoundCommit, _ header: FileHeader
  ) throws {
    for damage in try search.damages(behind: newest, header.slots) {
      findings.add(
        damage.isAcknowledged ? .acknowledgedCommit : .brokenLastCommit,
        Place("trailer", at: damage.offset), damage.fault)
    }
  }

  /// Returns the number of bytes behind a commit, without the zeros of a tail.
  private func byteCountOfRemains(behind commit: FoundCommit) throws -> Int {
    let end = Int(commit.trailer.end)
    return byteCount > end ? max(0, try file.endOfNonzeroBytes(before: byteCount) - end) : 0
  }

  /// Reports two things that are not faults, but that a person should know: the remains of a save that a crash cut off,
  /// and a last commit without an acknowledgement.
  private func recordEnd(
    _ search: CommitSearch, _ newest: FoundCommit, _ header: FileHeader
  ) throws {
    let remains = try byteCountOfRemains(behind: newest)
    if remains > 0 {
      findings.add(
        .strayBytes, Place("bytes", at: newest.trailer.end),
        "\(remains) bytes come after the last whole commit. A crash interrupted a save, "
          + "and the save was never reported as successful.")
    }
    if header.slots.areSound, !search.isAcknowledged(newest, header.slots) {
      findings.add(
        .unnamedCommit, Place("trailer", at: newest.trailer.offset),
        "The last commit is not acknowledged, in its trailer or in a slot. Damage in the commit would look like "
          + "a save that a crash interrupted. The next save ends this state."
      )
    }
  }

  /// Reports the commits of a file in which no commit is whole.
  private func recordBroken(_ search: CommitSearch) {
    for (trailer, fault) in search.broken {
      findings.add(.brokenLastCommit, Place("trailer", at: trailer.offset), fault)
    }
    if search.hasGivenUp {
      findings.add(
        .wholeCommit, Place(), "None of the last \(search.broken.count) commits is whole.")
    } else if findings.counts[.headerChecksum] == nil, search.broken.isEmpty {
      // If the header is damaged, its salt may be wrong, so trailers can't be recognised.
      findings.add(.wholeCommit, Place(), "No trailer ends a whole commit.")
    }
  }

  /// Checks that the slots name commits, once all commits are known.
  func checkSlots(_ header: FileHeader) {
    // If the walk through the commits ended early, the first commits are not known.
    guard let first = commits.last?.record, first.previousTrailer == 0,
      let newest = commits.first?.trailer.offset
    else { return }
    let offsets = Set(commits.map(\.trailer.offset))
    for (index, slot) in header.slots.slots.enumerated() {
      guard case .name(let name) = slot, name.trailer <= newest, !offsets.contains(name.trailer)
      else { continue }
      findings.add(
        .slotCommit, Place("header", at: 0),
        "Slot \(index) refers to a trailer at \(name.trailer), but no commit ends there.")
    }
  }

  /// Returns the bytes of a section that lies in the file.
  func bytes(of section: SectionReference) throws -> [UInt8] {
    try bytes(section.offset..<section.offset + UInt64(section.byteCount))
  }
}
