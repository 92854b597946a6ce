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
    // If another store is at the path, the last state that was read stays, and a commit throws.
    _ = try take(current.path, into: &current)
  }

  /// Advances to a commit that another process has made, in a new file.
  public func advance(to position: StorePosition) throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      guard position.commit != current!.head.commit else { return }
      guard try take(position.path, into: &current!, as: position.commit) else {
        throw StoreError(
          .damaged, "The path contains another store: its UUID is not \(uuid).", path: position.path
        )
      }
      current!.head.commit = position.commit
      current!.path = position.path
    }
  }

  /// Takes over the keys that another process has reserved in the file of a document's commit. Because a reservation is
  /// not a commit, the document does not announce it, so only a writer looks for it.
  func followReservation(_ current: inout Current) throws {
    do {
      guard isPartOfDocument, !current.isWriting, try !current.file.isStillAtItsPath(),
        try disk.exists(current.path)
      else { return }
    } catch {
      throw StoreError(error, path: current.path)
    }
    _ = try take(current.path, into: &current, as: current.head.commit)
  }

  /// Makes the contents of a file the newest state. Returns `false`, and changes nothing, if the file is another store.
  private func take(
    _ path: String, into current: inout Current, as number: Int64? = nil
  ) throws -> Bool {
    let (file, seen, contents, isCopy) = try AtomicStore.read(
      path, format, disk, readOnly: isReadOnly,
      model: hasGivenModel ? current.head.model : nil, evolving: current.head.schema)
    guard contents.metadata.uuid == uuid else { return false }
    try take(contents, into: &current, as: number)
    (current.file, current.seen, current.isCopy) = (file, seen, isCopy)
    return true
  }

  /// Makes contents the newest state, as a new commit if they differ.
  ///
  /// - Parameter number: The number of the new commit; `nil` for the next number.
  private func take(
    _ contents: AtomicContents, into current: inout Current, as number: Int64?
  ) throws {
    // Keys of different lanes are not comparable: after a change of lane, only the key in the file counts.
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
