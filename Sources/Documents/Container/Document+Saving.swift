import DurableFiles
import Foundation
public import StoreInterface
import Synchronization

extension Document: StoreGroup {
  /// Saves the document: makes changes of some of its stores durable, all of them or none, and what was staged
  /// of its attachments with them.
  ///
  /// - Returns: The stores' snapshots then, in the order of the requests.
  /// - Throws: `StoreError` as each store's commit does; ``DocumentError`` with code
  ///   ``DocumentError/Code/readOnly``, ``DocumentError/Code/closed`` or ``DocumentError/Code/gone``. The
  ///   document is as it was then.
  @discardableResult
  public func commit(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [any StoreSnapshot] {
    try commit(parts) { _ in }
  }

  /// Saves what is staged of attachments, and what `change` does to the manifest, as one version.
  ///
  /// - Parameter change: May set the title and the application's metadata, for instance.
  /// - Throws: As ``commit(_:)``, and what `change` throws.
  public func save(_ change: (inout Manifest) throws -> Void = { _ in }) throws {
    try commit([], change)
  }

  /// Calls `body` while nobody else saves, in no process.
  func alone<R>(_ body: () throws -> R) throws -> R {
    guard !isReadOnly else {
      throw DocumentError.readOnly(path)
    }
    var result: R?
    try writing.withLock { _ in
      try checkOpen()
      let (container, holdsLock) = state.withLock { ($0.container, $0.lock != nil) }
      try container.reading {
        let lock =
          holdsLock ? nil : try container.disk.lock(container.lockPath, waiting: .upTo(patience))
        defer { try? lock?.release() }
        try checkIsThere()
        try restoreIfNeeded()
        if access == .shared {
          try followOthers()
          // What another process has kept for recovery has a number too.
          let kept = (try? container.recovery())?.number ?? 0
          state.withLock { $0.highestNumber = max($0.highestNumber, kept) }
        }
        result = try body()
      }
    }
    return result!
  }

  /// How long a save waits for another process's.
  private var patience: Duration { .seconds(10) }

  /// Refuses a folder that is not the one that was opened: it was moved, removed, or another is in its place.
  func checkIsThere() throws {
    let (container, folder) = state.withLock { ($0.container, $0.folder) }
    let isThere = try container.disk.exists(container.path)
    guard isThere, try container.disk.status(of: container.path).identity == folder else {
      throw DocumentError(
        .gone, "The document was moved or removed while it was open.", path: container.path)
    }
  }

  /// Puts the manifest back that counts, when one that came to nothing may be in its place.
  private func restoreIfNeeded() throws {
    let (container, manifest, refused) = state.withLock {
      ($0.container, $0.manifest, $0.refused)
    }
    guard let refused else { return }
    // Somebody else may have saved on top of it, which stays.
    if try container.manifest().manifest == refused {
      try container.replace(manifest, at: container.manifestPath)
    }
    state.withLock { $0.refused = nil }
  }

  // MARK: - Steps

  /// Saves, as one version.
  @discardableResult
  func commit(
    _ parts: [(store: any Store, request: CommitRequest)],
    _ change: (inout Manifest) throws -> Void
  ) throws -> [any StoreSnapshot] {
    try alone {
      let before = state.withLock { $0.manifest }
      let number = nextNumber()
      var manifest = before
      try change(&manifest)
      let staged = state.withLock { $0.staged }
      try apply(staged, to: &manifest, number)
      let parts = try own(parts)
      if manifest == before, parts.allSatisfy(\.request.isEmpty) {
        return try parts.map {
          try $0.store.inner.commit($0.request, at: $0.store.position) { _ in }
        }
      }
      manifest.addVersion(number, author: parts.lazy.compactMap(\.request.author).first)
      var snapshots: [any StoreSnapshot] = []
      try prepare(parts[...], number, manifest, &snapshots) { manifest in
        try confirm(manifest, insteadOf: before)
      }
      finish(staged)
      return snapshots.reversed()
    }
  }

  /// The parts, each with the store it is about.
  func own(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [(store: DocumentStore, request: CommitRequest)] {
    try parts.map { part in
      guard let store = part.store as? DocumentStore, stores.contains(where: { $0 === store })
      else {
        throw DocumentError(.notSupported, "The store is none of the document's.", path: path)
      }
      return (store, part.request)
    }
  }

  /// A number for a version that none had.
  func nextNumber() -> Int64 {
    state.withLock { state in
      state.highestNumber += 1
      return state.highestNumber
    }
  }

  /// Has one store after another make its changes durable; when all have, they count once `confirm` returns.
  func prepare(
    _ parts: ArraySlice<(store: DocumentStore, request: CommitRequest)>, _ number: Int64,
    _ manifest: Manifest, _ snapshots: inout [any StoreSnapshot],
    confirm: (Manifest) throws -> Void
  ) throws {
    guard let (store, request) = parts.first else { return try confirm(manifest) }
    let before = try store.position
    let position = store.position(after: before, number, in: container)
    // The innermost is the first that counts, so they come back in the opposite order.
    let snapshot = try store.inner.commit(request, at: request.isEmpty ? before : position) { _ in
      var manifest = manifest
      if !request.isEmpty { manifest.note(position, of: store, in: container) }
      try prepare(parts.dropFirst(), number, manifest, &snapshots, confirm: confirm)
    }
    snapshots.append(snapshot)
  }

  /// Makes everything that was prepared count, at once (spec §7.4.3).
  func confirm(_ manifest: Manifest, insteadOf before: Manifest) throws {
    let container = container
    do {
      try container.replace(manifest, at: container.manifestPath)
    } catch {
      // It may be there and not be durable. Nobody may take it for saved, so the one before comes back.
      if (try? container.manifest().manifest) != before {
        let isBack = (try? container.replace(before, at: container.manifestPath)) != nil
        if !isBack { state.withLock { $0.refused = manifest } }
      }
      throw error
    }
    let seen = try? container.disk.status(of: container.manifestPath)
    state.withLock { state in
      state.manifest = manifest
      state.seen = seen
    }
  }

  /// What was staged meanwhile waits for the next save.
  private func finish(_ staged: [StagedName: StagedAttachment]) {
    state.withLock { state in
      state.staged = state.staged.filter { staged[$0.key] != $0.value }
    }
  }
}

extension DocumentStore {
  /// Where the store is, and at which commit.
  var position: StorePosition {
    get throws {
      let inner = inner
      guard let path = inner.path else {
        throw DocumentError.closed(self.path)
      }
      return StorePosition(path: path, commit: try inner.snapshot().commit)
    }
  }

  /// Where the store is after a commit of the given number.
  func position(
    after before: StorePosition, _ number: Int64, in container: Container
  ) -> StorePosition {
    guard hasFileForEachCommit else { return StorePosition(path: before.path, commit: number) }
    return StorePosition(path: pathOfSuccessor(number, in: container), commit: number)
  }
}

extension Manifest {
  /// Adds a version of the document as it is now.
  mutating func addVersion(_ number: Int64, author: String? = nil) {
    versions.append(
      VersionEntry(
        number: number, saved: ManifestDate.rounded(Date()), model: model, author: author))
  }

  /// Notes where a store is by now.
  mutating func note(
    _ position: StorePosition, of store: DocumentStore, uuid: UUID? = nil, in container: Container
  ) {
    guard let index = stores.firstIndex(where: { $0.name == store.name }) else { return }
    let file = String(position.path.dropFirst(container.inner("").count))
    if file != stores[index].file {
      stores[index].earlier.append(
        EarlierFile(
          file: stores[index].file, commit: stores[index].commit, until: position.commit,
          model: versions.dropLast().last?.model ?? model))
      stores[index].file = file
    }
    if let uuid, uuid != stores[index].uuid {
      // What was the store's own until now is another by now.
      for place in stores[index].earlier.indices where stores[index].earlier[place].uuid == nil {
        stores[index].earlier[place].uuid = stores[index].uuid
      }
    }
    stores[index].commit = position.commit
    if let uuid { stores[index].uuid = uuid }
  }
}
