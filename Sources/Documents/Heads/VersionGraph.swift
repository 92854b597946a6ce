import StoreInterface
import Synchronization

/// The versions of all heads of a document, and the versions from which each derives (spec §7.7.5).
package struct VersionGraph {
  /// The heads, `main` first, each with its versions, the oldest first.
  package let heads: [(name: String, versions: [Manifest.VersionEntry])]
  private var parents: [Int64: Set<Int64>] = [:]

  fileprivate init(_ heads: [(name: String, versions: [Manifest.VersionEntry])]) {
    self.heads = heads
    for (_, versions) in heads {
      var before: Int64?
      for version in versions {
        parents[version.number, default: []].formUnion([before].compactMap(\.self) + version.merged)
        before = version.number
      }
    }
  }

  /// Returns whether a head has a version.
  func contains(_ number: Int64) -> Bool { parents[number] != nil }

  /// Finds the versions that a merge compares; `nil` if all common versions were forgotten.
  ///
  /// The base is a version from which the newest versions of both heads derive. Heads that have merged each other may have
  /// several such versions, of which the one with the highest number counts. A change since then that both heads contain is the
  /// same change on both sides.
  func mergeBase(of other: String, into head: String) -> MergeBase? {
    func newest(_ name: String) -> Int64? {
      heads.first { $0.name == name }?.versions.last?.number
    }
    guard let theirs = newest(other), let ours = newest(head) else { return nil }
    let own = ancestors(ours)
    // A version that was forgotten can't be compared. An earlier version shows all the changes, and more.
    guard let base = own.intersection(ancestors(theirs)).filter(contains).max() else { return nil }
    return MergeBase(base: base, theirs: theirs, isMerged: own.contains(theirs))
  }

  /// Returns a version and all versions from which it derives.
  private func ancestors(_ number: Int64) -> Set<Int64> {
    var found: Set<Int64> = [number]
    var next = [number]
    while let one = next.popLast() {
      for parent in parents[one] ?? [] where found.insert(parent).inserted { next.append(parent) }
    }
    return found
  }
}

extension DocumentHeads {
  /// Reads the versions of all heads, from their manifests alone.
  ///
  /// - Throws: ``DocumentError`` if the manifest of a head can't be read.
  package func graph() throws -> VersionGraph {
    let (container, manifest) = document.state.withLock { ($0.container, $0.manifest) }
    return VersionGraph(
      try container.headNames(manifest).map { name in
        let head = container.on(name)
        return (
          name,
          head.head == container.head ? manifest.versions : try head.manifest().manifest.versions
        )
      })
  }

  /// Finds the versions that a merge of another head into the open one compares.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead``, or with code ``DocumentError/Code/noVersion`` if all
  ///   common versions were forgotten.
  package func mergeBase(with other: String) throws -> MergeBase {
    if other != HeadName.main { _ = try document.container.mainManifest(naming: other) }
    guard let found = try graph().mergeBase(of: other, into: document.head) else {
      throw DocumentError(
        .noVersion,
        "The heads \"\(document.head)\" and \"\(other)\" have no version in common any more.",
        path: document.path)
    }
    return found
  }
}
