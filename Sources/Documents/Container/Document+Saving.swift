import DurableFiles
import Foundation
public import StoreInterface
import Synchronization
import Threads

extension Document: StoreGroup {
  /// Commits changes of some of the document's stores, together with the staged attachments, as one version.
  /// Either all changes become durable, or none.
  ///
  /// - Returns: The stores' snapshots after the commit, in the order of the requests.
  /// - Throws: `StoreError` as each store's commit does; ``DocumentError`` with code
  ///   ``DocumentError/Code/readOnly``, ``DocumentError/Code/closed`` or ``DocumentError/Code/gone``. If this
  ///   function throws, the document is unchanged.
  @discardableResult
  public func commit(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [any StoreSnapshot] {
    try commit(parts) { _ in }
  }

  /// Returns snapshots of some of the document's stores at one version.
  public func snapshots(of stores: [any Store]) throws -> [any StoreSnapshot] {
    try moves.reading { try stores.map { try $0.snapshot() } }
  }

  /// Saves the staged attachments, and the manifest as `change` edits it, as one version.
  ///
  /// - Parameters:
  ///   - author: The author of the version.
  ///   - message: The author's message about the version.
  ///   - change: Edits the manifest before it is saved: sets the title or the application's metadata,
  ///     for instance.
  /// - Throws: As ``commit(_:)``, and any error that `change` throws.
  public func save(
    author: String? = nil, message: String? = nil,
    _ change: (inout Manifest) throws -> Void = { _ in }
  ) throws {
    try commit([], VersionOrigin(author: author, message: message), change)
  }

  /// Calls `body` while no other save of the document can run, in this process or another.
  ///
  /// - Parameter writesFiles: Whether the folders are checked. Most saves append to a file that is open, and need no check.
  func withExclusiveAccess<R>(writesFiles: Bool = true, _ body: () throws -> R) throws -> R {
    if isReadOnly { throw DocumentError.readOnly(path) }
    var result: R?
    try writing.withLock { _ in
      try checkOpen()
      let container = container
      try container.reading {
        let lock =
          access == .exclusive
          ? nil : try container.disk.lock(container.lockPath, waiting: .upTo(patience))
        defer { try? lock?.release() }
        try checkIsThere()
        if access == .exclusive { try checkHoldsLock() }
        if writesFiles { try container.checkFolders() }
        try restoreIfNeeded()
        if access == .shared {
          try followOthers()
          // A recovery that another process has kept uses a number as well.
          let kept = try readIfSound { try container.recovery()?.number ?? 0 } ?? 0
          let others = try container.highestNumberOfOthers(manifest)
          state.withLock { $0.highestNumber = max($0.highestNumber, kept, others) }
        }
        result = try body()
      }
    }
    return result!
  }

  /// The time for which a save waits for the save of another process.
  private var patience: Duration { .seconds(10) }

  /// Throws ``DocumentError`` with code ``DocumentError/Code/gone`` if the folder is not the one that was
  /// opened. The folder was then moved or removed, or another folder has taken its place.
  func checkIsThere() throws {
    let (container, folder) = state.withLock { ($0.container, $0.folder) }
    guard try container.disk.statusIfThere(container.path)?.identity == folder else {
      throw DocumentError(
        .gone, "The document was moved or removed while it was open.", path: container.path)
    }
  }

  /// Throws ``DocumentError`` with code ``DocumentError/Code/gone`` if the lock file was removed. Another program may have
  /// saved then, and a save that does not know of it would write over its commit. Keys that a store sets aside for new
  /// objects are a commit too.
  func checkHoldsLock() throws {
    let (container, lock) = state.withLock { ($0.container, $0.lock) }
    let found = try container.reading { try container.disk.statusIfThere(container.lockPath) }
    guard let lock, found?.identity != lock.identity else { return }
    throw DocumentError(
      .gone,
      "The file \(Container.lockFile) was removed while the document was open, so another program may have saved. Open the "
        + "document again.", path: container.path)
  }

  /// Writes the manifest of the newest version again, if the manifest of a failed save may be in its place.
  private func restoreIfNeeded() throws {
    let (container, manifest, refused) = state.withLock { ($0.container, $0.manifest, $0.refused) }
    guard let refused else { return }
    // Another process may have saved since. Its manifest stays.
    if try container.manifest().manifest == refused {
      try container.replace(manifest, at: container.manifestPath)
    }
    state.withLock { $0.refused = nil }
  }

  // MARK: - Steps

  /// Saves changes of stores, staged attachments and an edited manifest as one version.
  ///
  /// - Parameter origin: The origin of the version. Without an author and a message, those of the requests count.
  @discardableResult
  func commit(
    _ parts: [(store: any Store, request: CommitRequest)],
    _ origin: VersionOrigin = VersionOrigin(),
    _ change: (inout Manifest) throws -> Void
  ) throws -> [any StoreSnapshot] {
    try withExclusiveAccess(writesFiles: false) {
      let before = state.withLock { $0.manifest }
      let number = nextNumber()
      var manifest = before
      try change(&manifest)
      let staged = state.withLock { $0.staged }
      if !staged.isEmpty { try container.checkFolders() }
      try apply(staged, to: &manifest, number)
      var origin = origin
      origin.taken = DocumentHeads.taken
      origin.author = origin.author ?? parts.lazy.compactMap(\.request.author).first
      origin.message = origin.message ?? parts.lazy.compactMap(\.request.message).first
      let parts = try own(parts)
      if manifest == before, parts.allSatisfy(\.request.isEmpty), !origin.needsManifest {
        return try parts.map {
          try $0.store.inner.confirming.commit($0.request, at: $0.store.position) { _ in }
        }
      }
      let loggedCount = state.withLock { $0.loggedCount }
      if manifest == before,
        let save = LogSave(parts, number, origin, after: before, loggedCount: loggedCount)
      {
        let snapshots = try commit(save)
        finish(staged)
        return snapshots
      }
      try container.checkFolders()
      manifest.addVersion(number, origin)
      manifest.chooseLog(changing: parts, places.backends)
      var snapshots: [any StoreSnapshot] = []
      var isMoving = false
      defer { if isMoving { moves.end() } }
      try prepare(parts[...], number, manifest, &snapshots) { manifest in
        try confirm(manifest, insteadOf: before)
        // From here on, each store in turn shows its commit.
        moves.begin()
        isMoving = true
      }
      recordStatus()
      finish(staged)
      return snapshots.reversed()
    }
  }

  /// Returns the parts, each with its store as a ``DocumentStore`` of this document.
  func own(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [(store: DocumentStore, request: CommitRequest)] {
    try parts.map { part in
      guard let store = part.store as? DocumentStore, stores.contains(where: { $0 === store })
      else {
        throw DocumentError(
          .notSupported, "The store does not belong to the document.", path: path)
      }
      // The manifest contains the message.
      var request = part.request
      request.message = nil
      return (store, request)
    }
  }

  /// Returns a version number that no version has used.
  func nextNumber() -> Int64 {
    state.withLock { state in
      state.highestNumber += 1
      return state.highestNumber
    }
  }

  /// Makes the changes of each store durable, one store after another, and then calls `confirm`. The changes belong to
  /// the document once `confirm` has returned.
  func prepare(
    _ parts: ArraySlice<(store: DocumentStore, request: CommitRequest)>, _ number: Int64,
    _ manifest: Manifest, _ snapshots: inout [any StoreSnapshot],
    confirm: (Manifest) throws -> Void
  ) throws {
    guard let (store, request) = parts.first else { return try confirm(manifest) }
    let before = try store.position
    let position = store.position(after: before, number, in: container)
    // The innermost commit returns first, so the snapshots come back in the opposite order.
    let place = request.isEmpty ? before : position
    let snapshot = try store.inner.confirming.commit(request, at: place) { _ in
      var manifest = manifest
      if !request.isEmpty { manifest.record(position, of: store, in: container) }
      try prepare(parts.dropFirst(), number, manifest, &snapshots, confirm: confirm)
    }
    snapshots.append(snapshot)
  }

  /// Makes all prepared commits part of the document at once, by replacing the manifest (spec §7.4.3).
  func confirm(_ manifest: Manifest, insteadOf before: Manifest) throws {
    let container = container
    do {
      try container.replace(manifest, at: container.manifestPath)
    } catch {
      // The new manifest may be in place and not be durable. No reader may take it for saved, so the previous
      // manifest is written back.
      if (try? container.manifest())?.manifest != before {
        let isBack = (try? container.replace(before, at: container.manifestPath)) != nil
        if !isBack { state.withLock { $0.refused = manifest } }
        if isBack, let error = error as? DiskError {
          let reason = error.cause.map { "\($0)" } ?? error.message
          throw DocumentError(
            DocumentError(error, path: container.path).code,
            "The new manifest could not be made durable, and the former one is in its place again: \(reason).",
            path: container.path, cause: error)
        }
      }
      throw error
    }
    state.withLock { state in
      state.manifest = manifest
      state.loggedCount = 0
      // The log's versions up to the newest one of the manifest do not count.
      if let refused = state.refusedVersion, refused.number < manifest.number {
        state.refusedVersion = nil
      }
    }
    recordStatus()
  }

  /// Records the status of the files that tell the newest version. A later change of them is a save of another process.
  func recordStatus() {
    let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
    let seen = try? container.status(of: manifest)
    state.withLock { $0.seen = seen }
  }

  /// Forgets the attachments that were saved. Attachments staged during the save wait for the next one.
  private func finish(_ staged: [StagedName: StagedAttachment]) {
    state.withLock { state in
      state.staged = state.staged.filter { staged[$0.key] != $0.value }
    }
  }
}

extension DocumentStore {
  /// The path of the store's file, and the store's newest commit.
  var position: StorePosition {
    get throws {
      let inner = inner
      guard let path = inner.path else {
        throw DocumentError.closed(self.path)
      }
      return StorePosition(path: path, commit: try inner.snapshot().commit)
    }
  }

  /// Returns the position of the store after a commit of the given number.
  func position(
    after before: StorePosition, _ number: Int64, in container: Container
  ) -> StorePosition {
    guard hasFileForEachCommit else { return StorePosition(path: before.path, commit: number) }
    return StorePosition(path: pathOfSuccessor(number, in: container), commit: number)
  }
}

/// The origin of a version: its author, and the reason why it was made.
struct VersionOrigin {
  var author: String?
  var message: String?
  /// The version to which undo returns; `nil` for an ordinary save.
  var undoneTo: Int64?
  /// The versions of other heads and of other replicas that are merged into the version.
  var taken = TakenVersions()

  /// Whether only a manifest can describe the version, and a commit of the log can't.
  var needsManifest: Bool { undoneTo != nil || !taken.isEmpty }
}

extension Manifest {
  /// Appends a version that describes the document as it is now.
  mutating func addVersion(_ number: Int64, _ origin: VersionOrigin = VersionOrigin()) {
    versions.append(
      VersionEntry(
        number: number, saved: origin.taken.saved ?? dateOfSave, model: model,
        author: origin.author, message: origin.message, undoneTo: origin.undoneTo,
        merged: origin.taken.merged, received: origin.taken.received))
  }

  /// The present, but not a date that a version has which was saved just before. Two versions of one date could have one
  /// identity, if the second takes back the first.
  private var dateOfSave: Date {
    let now = ManifestDate.rounded(Date())
    guard let last = versions.last?.saved, now <= last, last.timeIntervalSince(now) < 1 else {
      return now
    }
    return ManifestDate.rounded(last + 0.001)
  }

  /// Records the file and the commit that a store has reached.
  mutating func record(
    _ position: StorePosition, of store: DocumentStore, uuid: UUID? = nil, in container: Container
  ) {
    guard let index = stores.firstIndex(where: { $0.name == store.name }) else { return }
    let file = store.addressFile ?? String(position.path.dropFirst(container.inner("").count))
    if file != stores[index].file {
      stores[index].earlier.append(
        EarlierFile(
          file: stores[index].file, commit: stores[index].commit, until: position.commit,
          model: versions.dropLast().last?.model ?? model))
      stores[index].file = file
    }
    if let uuid, uuid != stores[index].uuid {
      // Earlier files had the store's previous UUID, so each keeps that UUID in its own entry.
      for place in stores[index].earlier.indices where stores[index].earlier[place].uuid == nil {
        stores[index].earlier[place].uuid = stores[index].uuid
      }
    }
    stores[index].commit = position.commit
    if let uuid { stores[index].uuid = uuid }
  }
}
