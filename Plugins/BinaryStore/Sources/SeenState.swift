import DurableFiles

/// The state of a file at one look, to find out whether another process has written since.
struct SeenState {
  let byteCount: Int
  /// The time of the last modification. It is needed because a save that was removed and its replacement may have the
  /// same size. `nil` if the last commit is one of this process, because such a commit is never replaced.
  let modificationNanoseconds: Int64?
  /// The first bytes behind the last commit. The next commit may begin there without a change of the size and the time.
  let next: [UInt8]

  init(_ status: FileStatus, next: [UInt8] = []) {
    byteCount = status.byteCount
    modificationNanoseconds = status.modificationNanoseconds
    self.next = next
  }

  /// Looks at the bytes behind a commit of a file of the given status.
  init(_ status: FileStatus, behind head: CommittedState) throws {
    self.init(
      status, next: try head.file.firstBytes(behind: head.end, fileByteCount: status.byteCount))
  }

  /// The state of a file in which this process has just made the last commit.
  init?(endingWith state: CommittedState) {
    guard let byteCount = try? state.file.file.byteCount() else { return nil }
    self.byteCount = byteCount
    modificationNanoseconds = nil
    next = byteCount >= Int(state.end) + 8 ? [UInt8](repeating: 0, count: 8) : []
  }

  func isStill(_ other: SeenState) -> Bool {
    // Behind the remains of a save that a crash cut off, a commit changes neither the size nor these bytes.
    byteCount == other.byteCount && next == other.next && next.allSatisfy { $0 == 0 }
      && (modificationNanoseconds == nil
        || modificationNanoseconds == other.modificationNanoseconds)
  }
}
