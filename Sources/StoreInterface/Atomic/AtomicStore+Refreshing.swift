import DurableFiles
import ObjectModel
import Rows

extension AtomicStore {
  /// Reads the file anew when somebody else put another in its place, or changed it.
  func refresh(_ current: inout Current) throws {
    if current.isWriting { return }
    do {
      if try current.file.isStillAtItsPath() {
        guard try current.file.status() != current.seen else { return }
      } else if try !disk.exists(filePath) {
        // Removed: what was read stays all there is to see. A commit says that it can't be.
        return
      }
    } catch {
      throw StoreError(error, path: filePath)
    }
    if let refused = current.refusedByteCount {
      current.refusedByteCount = nil
      if let file = try? disk.open(filePath, for: .update), let status = try? file.status(),
        status.byteCount == refused
      {
        (current.file, current.seen) = (file, status)
        return
      }
    }
    let (file, seen, contents) = try AtomicStore.read(
      filePath, format, disk, readOnly: isReadOnly, model: hasGivenModel ? current.head.model : nil,
      evolving: current.head.schema)
    // Another store was put there: what was read stays, and a commit says that it can't be.
    guard contents.metadata.uuid == uuid else { return }
    try take(contents, into: &current)
    (current.file, current.seen) = (file, seen)
  }

  /// Makes what a file holds the newest state: as one more commit when it differs.
  private func take(_ contents: AtomicContents, into current: inout Current) throws {
    current.nextKey = max(current.nextKey, contents.nextKey)
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
      try head.append(changes)
    } else {
      // Numbers mean something else from here on: nothing that was made before can be saved.
      head = LayeredSnapshot(
        commit: head.commit + 1, model: contents.model, schema: contents.schema,
        schemaNumber: head.commit + 1, metadata: contents.metadata)
      head.layers = try contents.layers.map { try $0.stamped(head.commit) }
    }
    current.head = head
  }
}
