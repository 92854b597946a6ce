import BlockFileFormat
import DurableFiles
import Rows
import StoreInterface
import Threads

/// Appends commits that wait for a sync, and syncs the file for all of them (spec §4.3.8).
struct GroupWriter {
  private let store: BinaryStore

  init(_ store: BinaryStore) { self.store = store }

  /// Appends a small commit to the group of commits that wait for a sync, or begins a group.
  ///
  /// - Returns: `nil` if the commit does not fit into the group, which is then closed.
  func append(
    _ image: CommitImage, to head: CommittedState, _ writing: inout BinaryStore.Writing
  ) throws -> CommitProgress? {
    // From here on, readers of this process do not look at the file, which contains bytes that may not become durable.
    store.current.withLock { $0?.waiting = head }
    defer {
      store.current.withLock { $0?.waiting = writing.group?.newest }
    }
    do {
      var group = writing.group ?? CommitGroup(after: head, writing.free!)
      var image = image
      let (bytes, trailer) = try image.finished(salt: head.file.header.salt)
      guard
        writing.group == nil
          || Int(trailer.end) - group.before.start <= BlockFile.unsettledByteCount
      else {
        writing.group!.isClosed = true
        return nil
      }
      if try writing.free!.write(bytes) { group.lengtheningCount += 1 }
      let state = try CommittedState(
        trailer, image.record, in: head.file, after: head, writtenAs: image)
      let commit = WaitingCommit(state)
      group.newest = state
      group.after = writing.free!
      group.waiting.append(commit)
      writing.group = group
      return .waiting(commit)
    } catch let error as DiskError {
      throw BinaryStore.failure(error, store.filePath)
    }
  }

  /// Syncs the file once, for all commits that are in it. Called by one thread at a time.
  func sync() -> GroupSync.Decided {
    guard let group = store.writing.withLock({ $0.group }) else { return [] }
    var failure: (any Error)?
    do { try group.newest.file.file.sync() } catch { failure = error }
    return store.writing.withLock { writing in
      if let failure { return fail(&writing, failure) }
      return settle(group, &writing)
    }
  }

  /// Shows the commits that a sync has made durable.
  private func settle(
    _ group: CommitGroup, _ writing: inout BinaryStore.Writing
  ) -> GroupSync.Decided {
    let state = group.newest
    state.file.acknowledge(state.trailer, isLengthened: group.lengtheningCount > 0)
    writing.hasCommitted = true
    var decided: GroupSync.Decided = group.waiting.map { ($0, .success($0.state)) }
    guard writing.group!.newest === state else {
      // Further commits were appended during the sync.
      writing.group!.waiting.removeFirst(group.waiting.count)
      writing.group!.lengtheningCount -= group.lengtheningCount
      writing.group!.before = group.after
      store.current.withLock { $0?.head = state }
      return decided
    }
    writing.mustPause = group.waiting.count > 1 && group.isFull
    writing.group = nil
    store.show(state, byteCount: group.after.fileByteCount)
    if let vacuumed = try? store.vacuumIfDue(state, &writing), vacuumed !== state {
      decided[decided.count - 1].outcome = .success(vacuumed)
    }
    try? state.file.file.unlock()
    return decided
  }

  /// Takes back all commits of the group, as far as the disk allows.
  private func fail(
    _ writing: inout BinaryStore.Writing, _ error: any Error
  ) -> GroupSync.Decided {
    let group = writing.group!
    writing.group = nil
    writing.numberToExceed = group.newest.commit
    let error = store.takingBack(group.before, group.newest.trailer, after: error, &writing)
    store.current.withLock { $0?.waiting = nil }
    try? group.newest.file.file.unlock()
    return group.waiting.map { ($0, .failure(error)) }
  }
}
