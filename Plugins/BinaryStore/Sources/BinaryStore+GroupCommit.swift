import Rows
public import StoreInterface
import Threads

// While one thread syncs the file, other threads append commits behind it. The next sync makes all of these durable (spec
// §4.3.8).
extension BinaryStore: GroupCommitStore {
  /// The newest commit of this process that is not durable yet; `nil` if all commits are durable.
  public var waitingSnapshot: (any StoreSnapshot)? {
    get throws {
      try current.withLock { current in
        guard let current else { throw closed }
        return current.waiting
      }
    }
  }

  /// Makes changes durable, and calls `ordered` as soon as another commit may follow.
  ///
  /// The store of a document calls `ordered` after the commit, because the document decides which commit counts.
  @discardableResult
  public func commit(
    _ request: CommitRequest, whenOrdered ordered: (any StoreSnapshot) -> Void
  ) throws -> any StoreSnapshot {
    let mayWait =
      !isPartOfDocument && request.model == nil
      && request.changes.count <= BinaryStore.mostRowsThatWait
    let progress = try commit(request, as: nil, mayWait: mayWait, confirm: { _ in })
    ordered(progress.state)
    guard case .waiting(let commit) = progress else { return progress.state }
    return try groupSync.decision(about: commit, by: GroupWriter(self).sync)
  }

  /// The most rows of a commit that joins a group. A larger commit would wait for the disk for a long time anyway, and
  /// its image might be made in vain.
  private static let mostRowsThatWait = 1000
}
