import BlockFileFormat

/// The search for the newest commit that stands (spec §4.3.8): the commit is whole, and so is each commit before it that the
/// same sync may have made durable.
struct StandingCommit {
  private let check: BlockFileCheck
  private let header: FileHeader

  init(_ check: BlockFileCheck, _ header: FileHeader) {
    (self.check, self.header) = (check, header)
  }

  /// Returns the commit, and records the damaged commits behind it; `nil` if there is none.
  func find(_ behind: inout BehindNewest) throws -> FoundCommit? {
    guard var newest = try check.newestCommit(header, before: check.byteCount, &behind) else {
      return nil
    }
    var commit = newest
    while !isSurelyDurable(commit.trailer), let offset = commit.record?.previousTrailer, offset > 0,
      offset < commit.trailer.offset
    {
      let end = offset + UInt64(BlockFile.trailerByteCount)
      guard end + UInt64(BlockFile.unsettledByteCount) > newest.trailer.end else { break }
      if let trailer = Trailer(try check.bytes(offset..<end), at: offset, salt: header.salt),
        try check.faultOfWhole(trailer) == nil
      {
        commit = FoundCommit(trailer: trailer, record: try check.record(of: trailer))
      } else {
        guard let other = try check.newestCommit(header, before: Int(end), &behind) else {
          return nil
        }
        (newest, commit) = (other, other)
      }
    }
    return newest
  }

  /// Whether a commit was acknowledged, or all commits before it were durable before it was written.
  private func isSurelyDurable(_ trailer: Trailer) -> Bool {
    trailer.isSettled || header.slots.newestTrailer.map { trailer.offset <= $0 } ?? false
  }
}
