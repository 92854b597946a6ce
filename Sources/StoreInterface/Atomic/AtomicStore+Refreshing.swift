import DurableFiles
import ObjectModel
import Rows
import Threads

extension AtomicStore {
  /// Reads the file again if another process has replaced or changed it.
  func refresh(_ current: inout Current) throws {
    if current.isWriting || isPartOfDocument { return }
    do {
      if try current.file.isStillAtItsPath() {
        guard try current.file.status() != current.seen else { return }
      } else if try !disk.exists(current.path) {
        // The file was removed: the last state that was read stays, and a commit throws.
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
    let (file, seen, contents, isCopy) = try AtomicStore.read(
      current.path, format, disk, readOnly: isReadOnly,
      model: hasGivenModel ? current.head.model : nil,
      evolving: current.head.schema)
    // Another store is at the path: the last state that was read stays, and a commit throws.
    guard contents.metadata.uuid == uuid else { return }
    try take(contents, into: &current)
    (current.file, current.seen, current.isCopy) = (file, seen, isCopy)
  }

  /// Advances to a commit that another process has made, in a new file.
  public func advance(to position: StorePosition) throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      guard position.commit != current!.head.commit else { return }
      let (file, seen, contents, isCopy) = try AtomicStore.read(
        position.path, format, disk, readOnly: isReadOnly,
        model: hasGivenModel ? current!.head.model : nil, evolving: current!.head.schema)
      guard contents.metadata.uuid == uuid else {
        throw StoreError(
          .damaged, "The path contains another store: its UUID is not \(uuid).", path: position.path
        )
      }
      try take(contents, into: &current!, as: position.commit)
      current!.head.commit = position.commit
      (current!.path, current!.file, current!.seen) = (position.path, file, seen)
      current!.isCopy = isCopy
    }
  }

  /// Makes the contents of a file the newest state, as a new commit if the contents differ.
  ///
  /// - Parameter number: The number of the new commit; `nil` for the next number.
  private func take(
    _ contents: AtomicContents, into current: inout Current, as number: Int64? = nil
  ) throws {
    // In another lane, the key of the former one says nothing.
    let isSameLane = contents.metadata.lanes.current == current.head.metadata.lanes.current
    current.nextKey = isSameLane ? max(current.nextKey, contents.nextKey) : contents.nextKey
    let number = number ?? current.head.commit + 1
    var head = current.head
    if contents.schema == head.schema {
      head.model = contents.model
      let changes = try SnapshotDifference.changes(
        from: head.view, to: contents.view, schema: head.schema,
        firstLink: { _, count in current.takeLinkNumbers(count).lowerBound })
      guard !changes.isEmpty || contents.metadata != head.metadata else {
        current.head.model = contents.model
        return
      }
      head.metadata = contents.metadata
      try head.append(changes, as: number)
    } else {
      // The numbers have new meanings from here on, so changes based on earlier snapshots can't be saved.
      head = try AtomicStore.snapshot(contents, as: number)
    }
    current.head = head
  }
}

extension AtomicStore.Current {
  /// Returns numbers for new links.
  mutating func takeLinkNumbers(_ count: Int) -> Range<UInt64> {
    let first = nextLink
    nextLink += UInt64(count)
    return first..<nextLink
  }
}
