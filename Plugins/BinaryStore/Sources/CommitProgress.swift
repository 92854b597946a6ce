/// The progress of a commit when its bytes are in the file.
enum CommitProgress {
  /// The commit is durable and confirmed.
  case durable(CommittedState)
  /// The commit waits for a sync.
  case waiting(WaitingCommit)

  /// The snapshot of the commit.
  var state: CommittedState {
    switch self {
    case .durable(let state): state
    case .waiting(let commit): commit.state
    }
  }
}
