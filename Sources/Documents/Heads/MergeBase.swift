import StoreInterface
import Synchronization

/// The versions that a merge of another head into the open head compares.
package struct MergeBase: Sendable, Hashable {
  /// The version that both heads derive from.
  package let base: Int64
  /// The newest version of the other head.
  package let theirs: Int64
  /// Whether the open head contains the newest version of the other head already.
  package let isMerged: Bool
}

extension DocumentHeads {
  /// Finds the versions that a merge of another head compares.
  ///
  /// The base is the newest version from which the newest versions of both heads derive, by the versions before them and those
  /// that they have merged. If the heads have merged each other, there may be several such versions. The one with the highest
  /// number counts, and a change that both heads made since is the same change on both sides.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead``, or with code ``DocumentError/Code/noVersion`` if all
  ///   common versions were forgotten.
  package func mergeBase(with other: String) throws -> MergeBase {
    let (container, manifest) = document.state.withLock { ($0.container, $0.manifest) }
    if other != HeadName.main { _ = try container.mainManifest(naming: other) }
    var parents: [Int64: Set<Int64>] = [:]
    var newest = manifest.number
    for head in [container] + (try container.otherHeads(manifest)) {
      let versions =
        head.head == container.head ? manifest.versions : try head.manifest().manifest.versions
      if head.headName == other, let last = versions.last { newest = last.number }
      var before: Int64?
      for version in versions {
        parents[version.number, default: []].formUnion([before].compactMap(\.self) + version.merged)
        before = version.number
      }
    }
    func ancestors(_ number: Int64) -> Set<Int64> {
      var found: Set<Int64> = [number]
      var next = [number]
      while let one = next.popLast() {
        for parent in parents[one] ?? [] where found.insert(parent).inserted { next.append(parent) }
      }
      return found
    }
    let own = ancestors(manifest.number)
    // A version that was forgotten can't be compared. An earlier one shows more changes, and none less.
    let common = own.intersection(ancestors(newest)).filter { parents[$0] != nil }
    guard let base = common.max() else {
      throw DocumentError(
        .noVersion,
        "The heads \"\(container.headName)\" and \"\(other)\" have no version in common any more.",
        path: document.path)
    }
    return MergeBase(base: base, theirs: newest, isMerged: own.contains(newest))
  }
}
