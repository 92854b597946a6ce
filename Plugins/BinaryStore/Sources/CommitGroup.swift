import Threads

/// The commits that this process has appended to the file, and that wait for a sync.
///
/// The process holds the lock of the file as long as there is a group, so no other process appends.
struct CommitGroup {
  /// The newest commit of the group. The next commit follows it.
  var newest: CommittedState
  /// The free bytes of the file before the first commit that is not durable.
  var before: FreeBytes
  /// The free bytes of the file behind the newest commit.
  var after: FreeBytes
  /// The number of times that a commit, not yet acknowledged, has lengthened the file.
  var lengtheningCount = 0
  /// The calls that wait for the group, in the order of their commits.
  var waiting: [WaitingCommit] = []
  /// Whether a commit did not fit into the group.
  var isClosed = false
  private let start = Threads.now

  init(after newest: CommittedState, _ free: FreeBytes) {
    (self.newest, before, after) = (newest, free, free)
  }

  /// Whether no further commit joins. A group ends after a while even if threads save without a pause, so that other
  /// processes get the lock.
  var isFull: Bool { isClosed || Threads.now - start > CommitGroup.longestDuration }

  private static let longestDuration = Duration.milliseconds(25)
}

/// A call that waits until its commit is durable. ``GroupSync`` guards the outcome.
final class WaitingCommit: @unchecked Sendable {
  // Sendable: the condition of `GroupSync` guards the outcome.
  let state: CommittedState
  fileprivate var outcome: Result<CommittedState, any Error>?

  init(_ state: CommittedState) { self.state = state }
}

/// The turns of the threads that sync the file for a group of commits. One thread syncs for all of them.
final class GroupSync: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = Condition()
  private var isSyncing = false

  /// The outcomes of the commits that one sync has decided.
  typealias Decided = [(commit: WaitingCommit, outcome: Result<CommittedState, any Error>)]

  /// Waits until a commit is decided, and returns its snapshot or throws its error.
  ///
  /// - Parameter sync: Syncs the file, and decides commits. Called by one thread at a time.
  func decision(
    about commit: WaitingCommit, by sync: () -> Decided
  ) throws -> CommittedState {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let outcome = commit.outcome { return try outcome.get() }
      turn(sync)
    }
  }

  /// Waits for a sync by another thread, or else syncs.
  func help(by sync: () -> Decided) {
    condition.lock()
    turn(sync)
    condition.unlock()
  }

  /// The caller must hold the condition's lock. The lock is released during the sync or the wait.
  private func turn(_ sync: () -> Decided) {
    if isSyncing { return condition.wait() }
    isSyncing = true
    condition.unlock()
    let decided = sync()
    condition.lock()
    isSyncing = false
    for one in decided { one.commit.outcome = one.outcome }
    condition.broadcast()
  }
}
