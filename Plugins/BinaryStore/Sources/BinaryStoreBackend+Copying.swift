import BlockFileFormat
package import DurableFiles
import StoreInterface

extension BinaryStoreBackend: CopyContinuingBackend {
  package func copyStore(
    at path: String, upTo commit: Int64?, to copy: String, on disk: any Disk
  ) throws -> Int {
    let source = try BinaryStore.file(path, disk, true)
    let last = try source.lastCommit(counting: commit).0
    var header = source.header
    // A copy may get the number of the original on its disk. Without a place, it is still known to be a copy (spec §4.2.6).
    header.place = 0
    let start = header.bytes(acknowledging: last, fileByteCount: last.end)
    let permissions = source.file.openingStatus.permissions
    try disk.replace(copy, newPermissions: permissions) { writer in
      try writer.write(start)
      try source.reading {
        try source.file.forEachPiece(of: start.count..<Int(last.end)) { bytes, _ in
          try writer.write(bytes)
        }
      }
    }
    return Int(last.end)
  }

  package func continueCopy(
    at copy: String, counting former: Int64?, of path: String, upTo commit: Int64?,
    on disk: any Disk
  ) throws -> Int? {
    let source = try BinaryStore.file(path, disk, true)
    let last = try source.lastCommit(counting: commit)
    guard let target = try readIfSound({ try BinaryStore.file(copy, disk, false) }),
      // The salt in the header is drawn for each file that is written whole, so a file that was vacuumed has another one.
      target.header.bytes == source.header.bytes,
      let known = try readIfSound({ try target.lastCommit(counting: former) }),
      let missing = try source.commits(from: last, behind: known.0, in: target)
    else { return nil }
    return try target.append(missing, behind: known, of: source)
  }

  package func acknowledgeCopy(
    at copy: String, counting commit: Int64?, on disk: any Disk
  ) throws -> Int {
    let target = try BinaryStore.file(copy, disk, false)
    let last = try target.lastCommit(counting: commit).0
    let slots = target.header.slots
    guard slots.newest?.trailer != last.offset || !slots.areSound else { return 0 }
    let name = AcknowledgementSlots.Name(trailer: last.offset, fileByteCount: last.end)
    let bytes = name.bytes(salt: target.header.salt)
    try target.file.write(bytes, at: slots.offsetOfNext)
    try target.file.sync()
    return bytes.count
  }

  package func mark(ofNewestCommitIn path: String, on disk: any Disk) throws -> String {
    let (trailer, record) = try BinaryStore.file(path, disk, true).lastCommit(counting: nil)
    return "\(record.number) \(trailer.offset) \(trailer.salt) \(trailer.recordChecksum)"
  }
}

extension StoreFile {
  /// Returns the commit with a number, as a document counts it; without a number, the newest commit that was acknowledged.
  fileprivate func lastCommit(counting number: Int64?) throws -> (Trailer, CommitRecord) {
    let end = try reading { try file.byteCount() }
    guard let number else { return try acknowledgedCommit(before: end) }
    return try commit(counting: number, before: end).found
  }

  /// Returns the commits behind the last one of a copy, the oldest first; `nil` if that commit is not in this file.
  ///
  /// The record of a commit has the checksums, or the checksums of the checksums, of all that the commit refers to, and names the
  /// commit before. So two files with equal salts and one equal record are equal up to there, except for damage.
  fileprivate func commits(
    from last: (Trailer, CommitRecord), behind known: Trailer, in copy: StoreFile
  ) throws -> [(trailer: Trailer, record: CommitRecord)]? {
    var missing: [(trailer: Trailer, record: CommitRecord)] = []
    var found: Trailer?
    try forEachCommit(from: last.0, last.1) { trailer, record in
      guard trailer.offset > known.offset else {
        found = trailer
        return false
      }
      missing.append((trailer, record))
      return true
    }
    guard found == known, try bytes(of: known.record) == copy.bytes(of: known.record) else {
      return nil
    }
    return missing.reversed()
  }

  /// Appends commits of another file at the same offsets, by the rules for a writer (spec §4.3.4, §4.3.8): a trailer is written
  /// when the bytes before it are durable, unless the commit is small enough for its checksum to show that they are not.
  ///
  /// - Returns: The number of bytes written.
  fileprivate func append(
    _ commits: [(trailer: Trailer, record: CommitRecord)],
    behind known: (trailer: Trailer, record: CommitRecord), of source: StoreFile
  ) throws -> Int {
    // Remove commits that an interrupted backup left behind: the original may have lost them in a power cut.
    if try file.byteCount() > Int(known.trailer.end) {
      try file.truncate(to: Int(known.trailer.end))
      try file.sync()
    }
    var byteCount = 0
    var number = known.record.number
    var startOfUnsynced: UInt64?
    func sync() throws {
      if startOfUnsynced != nil { try file.sync() }
      startOfUnsynced = nil
    }
    for (trailer, record) in commits {
      let start = startOfUnsynced ?? record.start
      if trailer.isSettled || trailer.end - start > UInt64(BlockFile.unsettledByteCount) {
        try sync()
      }
      try source.reading {
        try source.file.forEachPiece(of: Int(record.start)..<Int(trailer.offset)) { bytes, offset in
          try file.write(bytes, at: offset)
        }
      }
      if startOfUnsynced == nil { startOfUnsynced = record.start }
      if trailer.isSettled { try sync() }
      // The acknowledgement stays empty: it tells that the bytes are durable, and here they are not yet.
      try file.write(trailer.bytes, at: Int(trailer.offset))
      startOfUnsynced = startOfUnsynced ?? trailer.offset
      if trailer.isSettled || record.number == number { try sync() }
      number = record.number
      byteCount += Int(trailer.end - record.start)
    }
    try sync()
    return byteCount
  }
}

extension DurableFile {
  /// Calls `body` with the bytes of a range, a part after the other, and their offsets.
  fileprivate func forEachPiece(
    of range: Range<Int>, _ body: (_ bytes: [UInt8], _ offset: Int) throws -> Void
  ) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
      let count = min(1 << 20, range.upperBound - start)
      try body(try read(byteCount: count, at: start), start)
    }
  }
}
