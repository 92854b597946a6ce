import DurableFiles
import ObjectModel
import Rows
import Synchronization

extension AtomicStore {
  /// Reads the file anew when somebody else put another in its place, or changed it.
  func refresh(_ current: inout Current) throws {
    if current.isWriting || isLed { return }
    do {
      if try current.file.isStillAtItsPath() {
        guard try current.file.status() != current.seen else { return }
      } else if try !disk.exists(current.path) {
        // Removed: what was read stays all there is to see. A commit says that it can't be.
        return
      }
    } catch {
      throw StoreError(error, path: current.path)
    }
    if let refused = current.refusedByteCount {
      current.refusedByteCount = nil
      if let file = try? disk.open(current.path, for: .update), let status = try? file.status(),
        status.byteCount == refused
      {
        (current.file, current.seen) = (file, status)
        return
      }
    }
    let (file, seen, contents) = try AtomicStore.read(
      current.path, format, disk, readOnly: isReadOnly,
      model: hasGivenModel ? current.head.model : nil,
      evolving: current.head.schema)
    // Another store was put there: what was read stays, and a commit says that it can't be.
    guard contents.metadata.uuid == uuid else { return }
    try take(contents, into: &current)
    (current.file, current.seen) = (file, seen)
  }

  /// Goes on to a commit that another process has made: in a file of its own.
  public func advance(to position: StorePosition) throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      guard position.commit != current!.head.commit else { return }
      let (file, seen, contents) = try AtomicStore.read(
        position.path, format, disk, readOnly: isReadOnly,
        model: hasGivenModel ? current!.head.model : nil, evolving: current!.head.schema)
      guard contents.metadata.uuid == uuid else {
        throw StoreError(
          .damaged, "The store is another one: its UUID is not \(uuid).", path: position.path)
      }
      try take(contents, into: &current!, as: position.commit)
      current!.head.commit = position.commit
      (current!.path, current!.file, current!.seen) = (position.path, file, seen)
    }
  }

  /// Makes what a file holds the newest state: as one more commit when it differs.
  ///
  /// - Parameter number: The number of that commit; the next when it is `nil`.
  private func take(
    _ contents: AtomicContents, into current: inout Current, as number: Int64? = nil
  ) throws {
    current.nextKey = max(current.nextKey, contents.nextKey)
    let number = number ?? current.head.commit + 1
    var head = current.head
    if contents.schema == head.schema {
      head.model = contents.model
      let changes = try SnapshotDifference.changes(
        from: head.view, to: contents.view, schema: head.schema)
      guard !changes.isEmpty || contents.metadata != head.metadata else {
        current.head.model = contents.model
        return
      }
      head.metadata = contents.metadata
      try head.append(changes, as: number)
    } else {
      // Numbers mean something else from here on: nothing that was made before can be saved.
      head = try AtomicStore.snapshot(contents, as: number)
    }
    current.head = head
  }
}
