import BlockFileFormat
import DurableFiles

/// The state of a file at one look, to find out whether another process has written since.
struct SeenState {
  private let byteCount: Int
  /// The time of the last modification. It is needed because a save that was removed and its replacement may have the
  /// same size. `nil` if the last commit is one of this process, because such a commit is never replaced.
  private let modificationNanoseconds: Int64?
  /// The offset at which the next commit begins: behind the last commit and the remains of saves. In a tail it changes
  /// neither the size nor always the time, but its first bytes are not zeros (spec §4.3.5).
  private let next: Int

  /// - Parameter used: The number of bytes of the file without a tail. It must be older than the look for the last commit.
  init(_ status: FileStatus, used: Int, last: CommittedState) {
    byteCount = status.byteCount
    modificationNanoseconds = status.modificationNanoseconds
    next = last.trailer.startOfNext(used: used)
  }

  /// The state of a file in which this process has just made the last commit.
  ///
  /// - Parameter byteCount: The size of the file, if it is known.
  init?(endingWith state: CommittedState, byteCount: Int? = nil) {
    guard let byteCount = try? byteCount ?? state.file.file.byteCount() else { return nil }
    self.byteCount = byteCount
    modificationNanoseconds = nil
    next = Int(state.end)
  }

  /// The size of the file, if the bytes behind the last commit are known to be zeros; `nil` if another process may have
  /// left remains of a save there.
  var byteCountOfOwn: Int? { modificationNanoseconds == nil ? byteCount : nil }

  /// Returns whether a file with the given status has no new commit.
  func isStill(_ status: FileStatus, of file: StoreFile) throws -> Bool {
    guard byteCount == status.byteCount,
      modificationNanoseconds == nil || modificationNanoseconds == status.modificationNanoseconds
    else { return false }
    return try file.firstBytes(behind: UInt64(next), fileByteCount: byteCount)
      .allSatisfy { $0 == 0 }
  }
}
