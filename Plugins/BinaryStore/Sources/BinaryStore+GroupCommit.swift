import BlockFileFormat
import DurableFiles
import Rows
public import StoreInterface
import Synchronization

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
      !isPartOfDocument && request.model == nil && request.changes.count <= BinaryStore.mostRowsThatWait
    switch try commit(request, as: nil, mayWait: mayWait, confirm: { _ in }) {
    case .durable(let state):
      ordered(state)
      return state
    case .waiting(let commit):
      ordered(commit.state)
      return try groupSync.decision(about: commit, by: syncGroup)
    }
  }

  /// The most rows of a commit that waits with others. A larger commit would wait for the disk for a long time anyway, and
  /// its image might be made in vain.
  private static let mostRowsThatWait = 1000

  /// The progress of a commit when its bytes are in the file.
  enum CommitProgress {
    /// The commit is durable and confirmed.
    case durable(CommittedState)
    /// The commit waits for a sync.
    case waiting(WaitingCommit)
  }

  /// Appends a small commit to the group of commits that wait for a sync, or begins a group.
  ///
  /// - Returns: `nil` if the commit does not fit into the group, which is then closed.
  func appendToGroup(
    _ image: CommitImage, to head: CommittedState, _ writing: inout Writing
  ) throws -> CommitProgress? {
    let file = head.file.file
    do {
      let size = try file.byteCount()
      var group = writing.group ?? CommitGroup(after: head, durableEnd: size)
      var image = image
      let (bytes, trailer) = try image.finished(salt: head.file.header.salt)
      guard
        writing.group == nil
          || Int(trailer.end) - group.durableEnd <= BlockFile.unsettledByteCount
      else {
        writing.group!.isClosed = true
        return nil
      }
      // From here on, readers of this process do not look at the file, which contains bytes that may not become durable.
      current.withLock { $0?.waiting = head }
      do {
        try file.append([UInt8](repeating: 0, count: Int(image.record.start) - size) + bytes)
      } catch {
        if writing.group == nil { current.withLock { $0?.waiting = nil } }
        throw error
      }
      let state = try CommittedState(
        trailer, image.record, in: head.file, after: head, knowing: image.pending, image.made)
      let commit = WaitingCommit(state)
      group.newest = state
      group.waiting.append(commit)
      writing.group = group
      current.withLock { $0?.waiting = state }
      return .waiting(commit)
    } catch let error as DiskError {
      throw BinaryStore.failure(error, filePath)
    }
  }

  /// Waits until the group of commits is durable, or has failed.
  func finishGroup() { groupSync.help(by: syncGroup) }

  /// Syncs the file once, for all commits that are in it.
  private func syncGroup() -> GroupSync.Decided {
    guard let group = writing.withLock({ $0.group }) else { return [] }
    let file = group.newest.file.file
    var failure: (any Error)?
    do { try file.sync() } catch { failure = error }
    return writing.withLock { writing in
      if let failure { return fail(&writing, failure) }
      return settle(group, &writing)
    }
  }

  /// Shows the commits that a sync has made durable.
  private func settle(_ group: CommitGroup, _ writing: inout Writing) -> GroupSync.Decided {
    let state = group.newest
    state.file.acknowledge(state.trailer)
    var decided: GroupSync.Decided = group.waiting.map { ($0, .success($0.state)) }
    guard writing.group!.newest === state else {
      // Further commits were appended during the sync.
      writing.group!.waiting.removeFirst(group.waiting.count)
      writing.group!.durableEnd = Int(state.end)
      current.withLock { $0?.head = state }
      return decided
    }
    writing.mustPause = group.waiting.count > 1 && group.isFull
    writing.group = nil
    show(state)
    if let vacuumed = try? vacuumIfDue(state, &writing), vacuumed !== state {
      decided[decided.count - 1].outcome = .success(vacuumed)
    }
    try? state.file.file.unlock()
    return decided
  }

  /// Takes back all commits of the group, as far as the disk allows.
  private func fail(_ writing: inout Writing, _ error: any Error) -> GroupSync.Decided {
    let group = writing.group!
    writing.group = nil
    writing.numberToExceed = group.newest.commit
    let error = takingBack(group.durableEnd, group.newest.trailer, after: error, &writing)
    current.withLock { $0?.waiting = nil }
    try? group.newest.file.file.unlock()
    return group.waiting.map { ($0, .failure(error)) }
  }
}
