import Comparison
import Documents
import Foundation
import JSONText
import Migration
import ObjectModel
import Rows
import StoreInterface

/// The versions of the open head since a version that a remote has, with their changes.
///
/// The work is in proportion to the changes.
struct OwnVersions {
  /// A version with the changes since the version before it.
  struct Own {
    let known: Remotes.Known
    var version: SharedVersion
    /// The changes; `nil` after a migration that can't be inferred.
    let changes: ChangeBook?
    /// The model, if it differs from the model of the version before.
    let model: SharedModel?
  }

  /// The versions, the oldest first.
  private(set) var versions: [Own] = []
  /// The versions that were merged into the version that the remote has, without a change.
  private(set) var mergedIntoStart: [String] = []

  /// Reads the versions after a version.
  ///
  /// - Parameter start: The version that the remote has.
  init(of document: Document, since start: Remotes.Known) throws {
    var before = start
    var content = try document.content(ofVersion: start.number)
    defer { content.close() }
    var received: [String] = []
    for version in document.versions where version.number > start.number {
      let next = try document.content(ofVersion: version.number)
      let isMigrated = !ModelDifference(from: content.model, to: next.model).isEmpty
      let model = isMigrated ? try SharedModel(next.model) : nil
      let changes =
        if let model {
          try OwnVersions.changes(from: content, to: next, model, in: document.places)
        } else {
          try next.changes(since: content)
        }
      let sums =
        if !isMigrated, let changes {
          try next.sums(after: changes, before.sums)
        } else {
          try next.sums()
        }
      let identity = try next.identity(sums).description
      received += version.received
      let known = Remotes.Known(
        remote: start.remote, head: document.head, version, identity: identity, sums: sums)
      defer {
        content.close()
        (before, content) = (known, next)
      }
      // A merge that adds nothing is the version before it. This version derives from what was merged if it is not sent yet, and the
      // next version in any case.
      if identity == before.identity, !isMigrated {
        if let last = versions.indices.last {
          versions[last].version = versions[last].version.deriving(from: received)
        } else {
          mergedIntoStart = OwnVersions.distinct(received, without: identity)
        }
        continue
      }
      let parents = OwnVersions.distinct([before.identity] + received, without: identity)
      received = []
      versions.append(
        Own(
          known: known,
          version: SharedVersion(
            version, of: document.head, identity: identity, parents: parents),
          changes: try changes.map {
            try ChangeBook(
              OwnVersions.patch($0, document), files: OwnVersions.files(content, next),
              path: document.path)
          }, model: model))
    }
  }

  private static func distinct(_ identities: [String], without own: String) -> [String] {
    var seen: Set<String> = [own]
    return identities.filter { seen.insert($0).inserted }
  }

  /// Returns the changes from the inferred migration of a version to the version that was saved; `nil` if no migration can be inferred.
  private static func changes(
    from before: VersionContent, to next: VersionContent, _ model: SharedModel,
    in places: StorePlaces
  ) throws -> [VersionContent.Change]? {
    do {
      return try VersionRows(before, SharedModel(before.model)).migrated(to: model, in: places)
        .changes(to: VersionRows(next, model))
    } catch let error as MigrationError where error.code == .notInferable {
      return nil
    }
  }

  static func patch(_ changes: [VersionContent.Change], _ document: Document) throws -> Patch {
    let parts = try changes.map { store, old, new, _ in
      let before = try ComparedStore(document.path, old)
      return MergePart(
        name: document.stores.count > 1 ? store.name : nil, store: store, base: before,
        ours: before, theirs: try ComparedStore(document.path, new))
    }
    let layers = changes.map { MergeLayers(base: Layer([]), theirs: $0.layer) }
    var lines: [JSON] = []
    _ = try PatchWriter { lines.append($0) }.write(parts, layers)
    return try Patch("changes", lines[0], Array(lines.dropFirst()))
  }

  private static func files(
    _ old: VersionContent, _ new: VersionContent
  ) -> [String: ChangeBook.File] {
    func files(_ content: VersionContent) -> [String: ChangeBook.AttachedFile] {
      Dictionary(
        content.attachments.map {
          ($0.name, ChangeBook.AttachedFile(digest: $0.digest, byteCount: $0.byteCount))
        }, uniquingKeysWith: { one, _ in one })
    }
    let (before, after) = (files(old), files(new))
    var changed: [String: ChangeBook.File] = [:]
    for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
      changed[name] = ChangeBook.File(old: before[name], new: after[name])
    }
    return changed
  }
}
