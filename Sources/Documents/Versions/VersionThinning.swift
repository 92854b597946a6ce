import DurableFiles
import Foundation
import StoreInterface
import Synchronization

/// The forgetting of a document's versions, and the freeing of their space (spec §7.4.8).
struct VersionThinning {
  let document: Document

  /// Forgets the versions that a policy does not keep.
  func run(
    _ policy: VersionPolicy, _ now: Date, eagerly: Bool, _ didForget: (Int) throws -> Void
  ) throws -> Int {
    let before = document.manifest.attachments
    let count = try forget(policy, now)
    if count > 0 {
      try didForget(count)
      try giveBack(before, eagerly: eagerly)
    }
    return count
  }

  /// Returns the versions that a policy does not keep, the oldest first.
  func forgotten(by policy: VersionPolicy, _ now: Date) throws -> [Manifest.VersionEntry] {
    guard try !hasRecovery else { return [] }
    let kept = Set(try kept(by: policy, now).map(\.number))
    return document.manifest.versions.filter { !kept.contains($0.number) }
  }

  private var hasRecovery: Bool {
    get throws {
      let container = document.container
      return try container.reading { try container.disk.exists(container.recoveryPath) }
    }
  }

  /// Returns the versions that a policy keeps, and those that the next merge with another head compares.
  private func kept(by policy: VersionPolicy, _ now: Date) throws -> [Manifest.VersionEntry] {
    let versions = document.manifest.versions
    var numbers = Set(policy.kept(versions, now: now).map(\.number))
    // Heads that can't be read can't be merged.
    if let graph = try? document.heads.graph() {
      for (name, _) in graph.heads where name != document.head {
        if let base = graph.mergeBase(of: name, into: document.head)?.base { numbers.insert(base) }
      }
    }
    // The next version that a remote gets is written as the changes since the last one that the remote has.
    numbers.formUnion(known.map(\.number))
    return versions.filter { numbers.contains($0.number) }
  }

  /// The versions of the open head that remotes are known to have. A damaged file of remotes counts as empty.
  private var known: [Remotes.Known] {
    ((try? document.remotes)?.known ?? []).filter { $0.head == document.head && !$0.isShown }
  }

  private func forget(_ policy: VersionPolicy, _ now: Date) throws -> Int {
    guard try !hasRecovery else { return 0 }
    var count = 0
    try document.changeManifest { manifest in
      let kept = try kept(by: policy, now)
      count = manifest.versions.count - kept.count
      // Remotes know the ancestors of their versions.
      if count > 0 { manifest.keep(kept, sharedUpTo: known.map(\.number).min() ?? 0) }
    }
    return count
  }

  /// Makes each store keep only the commits that versions need, and removes the bytes of the given attachments that no
  /// version contains any more.
  func giveBack(
    _ attachments: [Manifest.AttachmentEntry], eagerly: Bool
  ) throws {
    try document.withExclusiveAccess {
      if try hasRecovery { return }
      let (container, manifest) = document.state.withLock { ($0.container, $0.manifest) }
      container.tidy(manifest, isOpening: false)
      for entry in manifest.stores {
        guard let history = document[entry.name]?.inner.features.history else { continue }
        let commits = try history.commits().map(\.number)
        let needed = Set(
          manifest.versions.compactMap { version in commits.first { $0 <= version.number } })
        guard eagerly || commits.count > 2 * needed.count + 16 else { continue }
        try history.keepCommits { needed.contains($0) }
      }
      try removeUnnamed(attachments, container, manifest)
    }
  }

  /// Removes the files of models that no head names any more, and the bytes of attachments that no version of any head
  /// contains any more, unless they were added again. The caller holds the lock for writing.
  func removeUnnamed(
    _ attachments: [Manifest.AttachmentEntry], _ container: Container, _ manifest: Manifest
  ) throws {
    // If another manifest can't be read, the files that it names are unknown.
    guard let others = try readIfSound({ try container.otherManifests(manifest) }) else { return }
    let manifests = [manifest] + others
    container.removeUnnamedModels(manifests)
    let unnamed = Set(attachments.map(\.digest))
      .subtracting(manifests.flatMap(\.attachments).map(\.digest))
    guard !unnamed.isEmpty, try isAlone(container) else { return }
    // No attachment is staged between the check and the removal.
    document.state.withLock { state in
      var needed = Set(state.incoming)
      for case .put(let digest, byteCount: _) in state.staged.values { needed.insert(digest) }
      for digest in unnamed.subtracting(needed) {
        try? container.disk.remove(container.attachment(digest))
      }
    }
  }

  /// Returns whether no other document at the path is open for writing. Its attachments that are not saved yet may have the
  /// same bytes as attachments of forgotten versions.
  private func isAlone(_ container: Container) throws -> Bool {
    guard document.access == .shared else { return true }
    let own = document.state.withLock { state in
      defer { state.lock = nil }
      return state.lock
    }
    try own?.release()
    let isAlone = (try? container.isUnshared()) ?? false
    let sharing = try container.share()
    document.state.withLock { $0.lock = sharing }
    return isAlone
  }
}

extension Container {
  /// Removes the files of models that none of the given manifests names.
  fileprivate func removeUnnamedModels(_ manifests: [Manifest]) {
    let named = Set(manifests.flatMap(\.models).map(\.file))
    for entry in (try? disk.list(inner(Container.modelsFolder), links: .refused)) ?? [] {
      let name = "\(Container.modelsFolder)/\(entry.name)"
      if entry.kind == .file, entry.name.hasSuffix(".xml"), !named.contains(name) {
        try? disk.remove(inner(name))
      }
    }
  }
}

extension Manifest {
  /// Forgets all versions but the given ones, with the attachments, earlier files and models that no kept version needs.
  ///
  /// The next version that is kept takes over the versions that a forgotten one has merged and received, because it derives from
  /// them too.
  ///
  /// - Parameter shared: The number of the newest version that every remote has. What it and earlier versions have received
  ///   follows from the versions of the remotes.
  mutating func keep(_ kept: [VersionEntry], sharedUpTo shared: Int64 = 0) {
    let numbers = kept.map(\.number)
    var merged: Set<Int64> = []
    var received: Set<String> = []
    versions = versions.compactMap { version in
      merged.formUnion(version.merged)
      if version.number > shared { received.formUnion(version.received) }
      guard numbers.contains(version.number) else { return nil }
      var version = version
      (version.merged, version.received) = (merged.sorted(), received.sorted())
      (merged, received) = ([], [])
      return version
    }
    for index in stores.indices { stores[index].forgetFiles(keeping: numbers) }
    attachments.removeAll { one in
      one.until != nil && !numbers.contains { one.isPart(of: $0) }
    }
    let needed = Set(kept.map(\.model) + stores.flatMap { $0.earlier.map(\.model) })
    // Mappings may lead from earlier models to later ones, so the order stays.
    models.removeAll { !needed.contains($0.name) && $0.name != model }
  }
}

extension Manifest.StoreEntry {
  /// Removes the earlier files that none of the given versions needs. The versions are in ascending order.
  fileprivate mutating func forgetFiles(keeping versions: [Int64]) {
    var since: Int64 = 0
    earlier.removeAll { one in
      defer { since = one.until }
      return !versions.contains { since <= $0 && $0 < one.until }
    }
  }
}
