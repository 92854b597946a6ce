import DurableFiles
import StoreInterface
import Threads

/// The turns of the threads of this process that write to a store's file, and the lock against other processes.
struct ExclusiveAccess {
  private let store: BinaryStore

  init(_ store: BinaryStore) { self.store = store }

  /// Calls `body` with the commit that the next one must follow, while this process is the only writer.
  ///
  /// - Parameters:
  ///   - mayWait: Whether commits may wait for a sync before and after the call. Otherwise the call waits for them first.
  ///   - body: Returns `nil` to be called again once no commit waits for a sync.
  func run<R>(
    mayWait: Bool, _ body: (inout BinaryStore.Writing, CommittedState) throws -> R?
  ) throws -> R {
    if store.isReadOnly {
      throw StoreError(
        .readOnly, "The store was opened for reading only.", path: store.filePath)
    }
    var isSolo = false
    defer { if isSolo { store.writing.withLock { $0.soloCount -= 1 } } }
    while true {
      var result: R?
      try store.writing.withLock { writing in
        guard let group = writing.group else {
          result = try withLockedFile(&writing, body)
          return
        }
        // Nothing joins the group while a caller needs its end. A commit that may wait begins the next group.
        var needsEnd = !mayWait
        if mayWait, writing.soloCount == 0, !group.isFull {
          result = try body(&writing, group.newest)
          needsEnd = result == nil && !writing.group!.isClosed
        }
        guard needsEnd, !isSolo else { return }
        writing.soloCount += 1
        isSolo = true
      }
      if let result { return result }
      store.groupSync.help(by: GroupWriter(store).sync)
    }
  }

  /// Calls `body` with the newest commit while this process holds the lock of the file. A group of commits that `body` has
  /// begun keeps the lock.
  private func withLockedFile<R>(
    _ writing: inout BinaryStore.Writing,
    _ body: (inout BinaryStore.Writing, CommittedState) throws -> R?
  ) throws -> R? {
    if writing.mustPause {
      writing.mustPause = false
      Threads.sleep(for: .milliseconds(1))
    }
    while true {
      // Before the lock is held, only the file counts, and not its newest commit.
      let head = try store.knownHead()
      let file = head.file.file
      do { try file.lock(.exclusive, waiting: .upTo(store.options.patience)) } catch {
        throw BinaryStore.failure(error, store.filePath)
      }
      defer { if writing.group == nil { try? file.unlock() } }
      // The previous lock holder may have saved, or replaced the file.
      let (newest, byteCount) = try store.look()
      guard newest.file === head.file else { continue }
      writing.byteCount = byteCount
      if byteCount != nil { return try body(&writing, newest) }
      // Bytes written to a file without a name would be lost.
      guard try head.file.reading({ try file.isStillAtItsPath() }) else {
        if store.isPartOfDocument, try goOnInReplacement(of: head) { continue }
        throw StoreError(
          .notFound, "The store's file was removed, or another file replaced it.",
          path: store.filePath)
      }
      return try body(&writing, newest)
    }
  }

  /// Continues in the file that replaced a commit's file: a rewrite by this process whose last step failed.
  ///
  /// - Returns: Whether such a file exists.
  private func goOnInReplacement(of head: CommittedState) throws -> Bool {
    try store.current.withLock { current in
      guard current != nil else { throw store.closed }
      current!.seen = nil
      try store.refresh(&current!)
      return current!.head.file !== head.file
    }
  }
}
