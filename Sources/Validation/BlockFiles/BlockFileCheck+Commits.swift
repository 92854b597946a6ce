import BlockFileFormat
import DurableFiles
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks every commit from the newest back to the first (spec §4.3, §4.4).
  func walk(from newest: FoundCommit, _ header: FileHeader) throws {
    var commit = newest
    var newer: CommitRecord?
    while true {
      checked.commitCount += 1
      guard let record = try check(commit, newer, header) else { return }
      commits.append(commit)
      progress(0.1 * (1 - Double(commit.trailer.offset) / Double(byteCount)))
      guard record.previousTrailer > 0 else {
        try checkGap(UInt64(header.byteCount), before: record)
        return
      }
      guard let before = try commitBefore(record, commit.trailer, header) else { return }
      try checkGap(before.trailer.end, before: record)
      if let older = before.record { checkModelChange(record, after: older, commit.trailer) }
      newer = record
      commit = before
    }
  }

  /// Checks that a commit records a change of the model if and only if the model changed (spec §4.6.4).
  private func checkModelChange(
    _ record: CommitRecord, after older: CommitRecord, _ trailer: Trailer
  ) {
    let isChanged = record.model != older.model || record.schema != older.schema
    // The history policy may drop the commit that set the model and keep a later one.
    let isPossible =
      isChanged
      ? record.schemaNumber > older.number && record.schemaNumber <= record.number
      : record.schemaNumber == older.schemaNumber
    if !isPossible {
      findings.add(
        .modelChange, Place("record", at: trailer.record.offset, commit: record.number),
        "The commit \(isChanged ? "changes" : "does not change") the model or the schema, but its record "
          + "gives commit \(record.schemaNumber) as their origin, and the previous record gives "
          + "\(older.schemaNumber).")
    }
  }

  /// Reports bytes between two commits, which an interrupted save left behind.
  private func checkGap(_ end: UInt64, before record: CommitRecord) throws {
    // A writer may pass over a tail of zeros.
    if record.start >= end + 8, try file.endOfNonzeroBytes(before: Int(record.start)) > Int(end) {
      findings.add(
        .unownedBytes, Place("bytes", at: end, commit: record.number),
        "\(record.start - end) bytes before the commit do not belong to a commit.")
    }
  }

  /// Returns the commit before a record's commit; `nil` if the walk can't go on there.
  func commitBefore(
    _ record: CommitRecord, _ trailer: Trailer, _ header: FileHeader
  ) throws -> FoundCommit? {
    let offset = record.previousTrailer
    let place = Place("record", at: trailer.record.offset, commit: record.number)
    guard offset % 8 == 0, offset >= UInt64(BlockFile.headerByteCount), offset < record.start,
      record.start - offset >= UInt64(BlockFile.trailerByteCount),
      let before = Trailer(
        try bytes(offset..<offset + UInt64(BlockFile.trailerByteCount)), at: offset,
        salt: header.salt)
    else {
      findings.add(
        .previousTrailer, place,
        "The previous commit must end with a trailer at \(offset), but no trailer is there.")
      return nil
    }
    let bytes = try bytes(of: before.record)
    guard bytes.checksum == before.record.checksum else {
      findings.add(
        .recordChecksum, Place("record", at: before.record.offset),
        "The stored checksum \(hex(before.record.checksum)) differs from the computed "
          + "\(hex(bytes.checksum)).")
      return nil
    }
    return FoundCommit(before, recordBytes: bytes)
  }

  /// Checks one commit.
  ///
  /// - Returns: The record; `nil` if the walk can't go on from there.
  private func check(
    _ commit: FoundCommit, _ newer: CommitRecord?, _ header: FileHeader
  ) throws -> CommitRecord? {
    let trailer = commit.trailer
    let bytes = try bytes(of: trailer.record)
    let place = Place("record", at: trailer.record.offset)
    guard bytes.starts(with: CommitRecord.magicBytes) else {
      findings.add(.recordMagic, place, "The record does not begin with the bytes 51 43 4d 54.")
      return nil
    }
    let record: CommitRecord
    let excess: Int
    do { (record, excess) = try CommitRecord.unchecked(bytes, at: trailer.record.offset) } catch {
      findings.add(.recordStructure, place, "\(error)")
      return nil
    }
    guard excess == 0 else {
      findings.add(
        .recordStructure, place,
        "\(excess) of the record's \(bytes.count) bytes come after its last part.")
      return nil
    }
    try checkFrame(trailer, record, newer, header)
    check(record, trailer, bytes)
    // Each step of the walk must go to a lower offset, so that the walk ends in bounded time.
    guard record.startsInPlace(at: trailer.record.offset) else {
      findings.add(
        .commitStart, Place("record", at: trailer.record.offset, commit: record.number),
        "The commit gives \(record.start) as its start, but the previous commit's trailer is at "
          + "\(record.previousTrailer).")
      return nil
    }
    return record
  }

  /// Checks the positions of a commit's parts, and the commit's checksum and number.
  private func checkFrame(
    _ trailer: Trailer, _ record: CommitRecord, _ newer: CommitRecord?, _ header: FileHeader
  ) throws {
    let place = Place("trailer", at: trailer.offset, commit: record.number)
    let byteCount = trailer.offset - min(record.start, trailer.offset)
    if trailer.isSettled {
      if trailer.commitChecksum != 0 {
        findings.add(
          .settledChecksum, place,
          "The commit is settled, but its checksum is \(hex(trailer.commitChecksum)) instead of 0.")
      }
    } else if byteCount > UInt64(BlockFile.unsettledByteCount) {
      findings.add(
        .unsettledCommit, place, "The commit of \(byteCount) bytes is not settled.")
    } else if newer != nil,
      let fault = try search(header).fault(ofBytesFrom: record.start, trailer)
    {
      findings.add(.commitChecksum, place, fault.description)
    }
    let all = try bytes(trailer.offset..<trailer.end)
    if all.dropFirst(Acknowledgement.offset).contains(where: { $0 != 0 }),
      !Acknowledgement.ends(all[...], at: trailer.offset, salt: header.salt)
    {
      findings.add(
        .acknowledgement, place, "The last 8 bytes of the trailer are not an acknowledgement.")
    }
    if record.number < 1 || record.number > newer?.number ?? BlockFile.highestCommitNumber {
      findings.add(
        .commitNumber, Place("record", at: trailer.record.offset, commit: record.number),
        newer.map { "The next commit has the number \($0.number)." }
          ?? "The numbers of commits are from 1 to 2^62.")
    }
  }

  /// Checks the fields of a record, and records the parts that the record refers to.
  private func check(_ record: CommitRecord, _ trailer: Trailer, _ bytes: [UInt8]) {
    let offset = trailer.record.offset
    let place = Place("record", at: offset, commit: record.number)
    if record.bytes != bytes {
      findings.add(.reservedBytes, place, "Reserved bytes are not zero.")
    }
    parts.add(.trailer, trailer.offset..<trailer.end, commit: record.number)
    parts.add(
      .record, offset..<offset + UInt64(bytes.count), commit: record.number)
    for (kind, section) in record.sections {
      guard section.liesInPlace(before: offset) else {
        findings.add(
          .sectionPlace, place,
          "The \(kind.rawValue) of \(section.byteCount) bytes at \(section.offset) is not between the header and the record."
        )
        continue
      }
      parts.add(kind, section, commit: record.number)
    }
    checkSections(of: record, place)
    var last: UInt16 = 0
    for next in record.listedKeys {
      if next.entity <= last || !next.isPossible {
        findings.add(
          .nextKeyOrder, place,
          "The next key of entity \(next.entity) is \(next.key), and comes after the key of entity \(last)."
        )
      }
      last = max(last, next.entity)
    }
    if !(1...max(1, record.number)).contains(record.schemaNumber) {
      findings.add(
        .schemaNumber, place, "The record states that commit \(record.schemaNumber) set the model.")
    }
    checkLiveBytes(record, place, recordByteCount: bytes.count)
  }

  /// Checks that a record refers to each section once (spec §4.4.4). Metadata, a model and a schema never have the
  /// same bytes, so a shared section can't be valid as both.
  private func checkSections(of record: CommitRecord, _ place: Place) {
    let sections = record.sections
    for (index, one) in sections.enumerated() {
      for other in sections[..<index]
      where one.section.offset == other.section.offset
        && one.section.byteCount == other.section.byteCount
      {
        findings.add(
          .sharedBytes, place,
          "The record refers to the bytes at \(one.section.offset) as the \(other.kind.rawValue) "
            + "and as the \(one.kind.rawValue).")
      }
    }
  }

  private func checkLiveBytes(_ record: CommitRecord, _ place: Place, recordByteCount: Int) {
    var live = UInt64(BlockFile.headerByteCount + BlockFile.trailerByteCount + recordByteCount)
    for (_, section) in record.sections { live &+= UInt64(section.byteCount) }
    for segment in record.segments { live &+= segment.byteCount }
    if live != record.liveByteCount {
      findings.add(
        .liveByteCount, place,
        "The record gives \(record.liveByteCount) live bytes, but refers to \(live) bytes.")
    }
  }
}

extension CommitRecord {
  /// The sections that the record itself refers to.
  var sections: [(kind: FileParts.Kind, section: SectionReference)] {
    [(.metadata, metadata), (.model, model), (.schema, schema)]
  }
}
