import DurableFiles
public import Foundation
import ObjectModel
public import Rows
import StoreInterface
import Synchronization

extension Document {
  /// The versions that can be opened, the oldest first. The last one is what the document is.
  public var versions: [Manifest.VersionEntry] { manifest.versions }

  /// Opens a version, to be read.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; what opening a document throws.
  public func open(version number: Int64) throws -> Document {
    try Document.open(path, in: places, version: number)
  }

  /// Gives a version a name, so that it is kept, or takes the name away.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; what a save throws.
  public func nameVersion(_ number: Int64, _ name: String?) throws {
    try changeManifest { manifest in
      guard let index = manifest.versions.firstIndex(where: { $0.number == number }) else {
        throw DocumentError.noVersion(number, path)
      }
      manifest.versions[index].name = name
    }
  }

  /// What a version has made of another: for each store a layer, where something differs.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``, or with
  ///   ``DocumentError/Code/incompatibleModel`` when a store was of other models.
  public func changes(
    from old: Int64, to new: Int64
  ) throws -> [(store: DocumentStore, layer: Layer)] {
    let (before, after) = (try open(version: old), try open(version: new))
    defer {
      try? before.close()
      try? after.close()
    }
    return try changes(from: before, to: after)
  }

  private func changes(
    from before: Document, to after: Document
  ) throws -> [(store: DocumentStore, layer: Layer)] {
    try stores.compactMap { store in
      guard let old = try before[store.name]?.snapshot(),
        let new = try after[store.name]?.snapshot()
      else { return nil }
      let layer = try layer(from: old, to: new, store)
      return layer.isEmpty ? nil : (store, layer)
    }
  }

  /// What makes one snapshot of a store of another.
  func layer(
    from old: any StoreSnapshot, to new: any StoreSnapshot, _ store: DocumentStore
  ) throws -> Layer {
    guard old.schema == new.schema else {
      throw DocumentError(
        .incompatibleModel,
        "The store \"\(store.name)\" was of another version of the model then.", path: path)
    }
    return store.hasFileForEachCommit
      ? try SnapshotDifference.changes(from: old.view, to: new.view, schema: new.schema)
      : try new.changes(since: old)
  }

  /// Makes the document what it was at a version. That is one more version: nothing is forgotten, and it can
  /// be gone back from.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``, or with
  ///   ``DocumentError/Code/incompatibleModel`` when the document has been migrated since; what a save throws.
  public func revert(to number: Int64, author: String? = nil) throws {
    let then = try open(version: number)
    defer { try? then.close() }
    guard let model = then.manifest.versions.first(where: { $0.number == number })?.model,
      model == manifest.model
    else {
      throw DocumentError(
        .incompatibleModel,
        "The document was of another version of its model then. Open that version and save it elsewhere.",
        path: path)
    }
    var parts: [(store: any Store, request: CommitRequest)] = []
    for store in stores {
      guard let old = try then[store.name]?.snapshot() else { continue }
      let now = try store.snapshot()
      var request = CommitRequest(try layer(from: now, to: old, store), basedOn: now)
      request.requiredCommit = now.commit
      request.author = author
      request.contextName = "revert to \(number)"
      if !request.isEmpty { parts.append((store, request)) }
    }
    stageAttachments(of: number)
    do { try commit(parts) } catch {
      discardStaged()
      throw error
    }
  }

  /// Stages what makes the attachments those of a version.
  private func stageAttachments(of number: Int64) {
    let manifest = manifest
    let then = manifest.attachments.filter { $0.isPart(of: number) }
    let now = manifest.attachments.filter { $0.until == nil }
    state.withLock { state in
      state.staged = [:]
      for one in now {
        state.staged[StagedName(name: one.name, isContent: one.isContent)] = .remove
      }
      for one in then {
        state.staged[StagedName(name: one.name, isContent: one.isContent)] = .put(
          digest: one.digest, byteCount: one.byteCount)
      }
    }
  }

  /// Replaces the manifest by one that says the same of the objects: that is no version.
  func changeManifest(_ change: (inout Manifest) throws -> Void) throws {
    try alone {
      let before = state.withLock { $0.manifest }
      var manifest = before
      try change(&manifest)
      if manifest != before { try confirm(manifest, insteadOf: before) }
    }
  }

  // MARK: - Thinning

  /// Forgets versions that a policy does not keep, and gives back what only they took.
  ///
  /// While a recovery is there nothing is forgotten, because it may need it.
  ///
  /// - Parameters:
  ///   - now: The time that ages are counted from.
  ///   - eagerly: Whether everything that only those versions took is given back at once. Otherwise stores that keep
  ///     versions in one file write it anew only when more of them is forgotten than kept.
  /// - Returns: How many versions were forgotten.
  /// - Throws: What a save throws. What was forgotten until then is.
  @discardableResult
  public func thin(
    _ policy: VersionPolicy = .usual, now: Date = Date(), eagerly: Bool = true
  ) throws -> Int {
    let before = manifest.attachments
    let count = try forget(policy, now)
    if count > 0 {
      try giveBack(before, eagerly: eagerly)
    }
    return count
  }

  /// Gives back what nothing that is kept needs: what saves have left that came to no end, and what the
  /// versions took that were forgotten.
  ///
  /// - Throws: What the disk refuses.
  public func vacuum() throws {
    if try !hasRecovery { try giveBack([], eagerly: true) }
  }

  private var hasRecovery: Bool {
    get throws { try container.reading { try container.disk.exists(container.recoveryPath) } }
  }

  private func forget(_ policy: VersionPolicy, _ now: Date) throws -> Int {
    guard try !hasRecovery else { return 0 }
    var count = 0
    try changeManifest { manifest in
      let kept = policy.kept(manifest.versions, now: now)
      count = manifest.versions.count - kept.count
      guard count > 0 else { return }
      manifest.versions = kept
      let numbers = kept.map(\.number)
      for index in manifest.stores.indices {
        manifest.stores[index].forgetFiles(keeping: numbers)
      }
      manifest.attachments.removeAll { one in
        one.until != nil && !numbers.contains { one.isPart(of: $0) }
      }
      let models =
        Set(kept.map(\.model) + manifest.stores.flatMap { $0.earlier.map(\.model) })
      // What the document is of may lead from earlier models to later ones, so the order stays.
      manifest.models.removeAll { !models.contains($0.name) && $0.name != manifest.model }
    }
    return count
  }

  /// Has each store keep what the versions need, and removes the bytes of the given attachments that none has
  /// any more.
  private func giveBack(
    _ attachments: [Manifest.AttachmentEntry], eagerly: Bool
  ) throws {
    try alone {
      if try hasRecovery { return }
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      container.tidy(manifest, isOpening: false)
      for entry in manifest.stores {
        guard let store = self[entry.name], store.capabilities.contains(.history) else { continue }
        let commits = try store.inner.commits().map(\.number)
        let needed = Set(
          manifest.versions.compactMap { version in commits.first { $0 <= version.number } })
        guard eagerly || commits.count > 2 * needed.count + 16 else { continue }
        try store.inner.keepCommits { needed.contains($0) }
      }
      removeUnnamedModels(container, manifest)
      removeBytes(of: attachments, container, manifest)
    }
  }

  /// Removes the bytes of those attachments that no version has any more, and that nobody has added again.
  private func removeBytes(
    of attachments: [Manifest.AttachmentEntry], _ container: Container, _ manifest: Manifest
  ) {
    var needed = Set(manifest.attachments.map(\.digest))
    for case .put(let digest, byteCount: _) in state.withLock({ $0.staged }).values {
      needed.insert(digest)
    }
    for digest in Set(attachments.map(\.digest)).subtracting(needed) {
      try? container.disk.remove(container.attachment(digest))
    }
  }

  private func removeUnnamedModels(_ container: Container, _ manifest: Manifest) {
    let folder = container.inner(Container.modelsFolder)
    let named = Set(manifest.models.map(\.file))
    for entry in (try? container.disk.list(folder, links: .refused)) ?? [] {
      let name = "\(Container.modelsFolder)/\(entry.name)"
      if entry.kind == .file, entry.name.hasSuffix(".xml"), !named.contains(name) {
        try? container.disk.remove(container.inner(name))
      }
    }
  }
}

extension Manifest.StoreEntry {
  /// Forgets the files that none of the given versions, the lowest first, needs.
  fileprivate mutating func forgetFiles(keeping versions: [Int64]) {
    var since: Int64 = 0
    earlier.removeAll { one in
      defer { since = one.until }
      return !versions.contains { since <= $0 && $0 < one.until }
    }
  }
}
