import Comparison
import Documents
import Foundation
import JSONText
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
    let version: SharedVersion
    let changes: ChangeBook
  }

  /// The versions, the oldest first.
  private(set) var versions: [Own] = []

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
      guard next.model.versionHashes == content.model.versionHashes else {
        throw ExchangeError(
          .notSupported,
          "Version \(version.number) has another model than the version before it, and a remote keeps to one model.",
          path: document.path,
          hint:
            "Let all devices sync before a migration. Then give them an empty folder, push, and clone from it."
        )
      }
      let changes = try next.changes(since: content)
      let sums = try next.sums(after: changes, before.sums)
      let identity = try next.identity(sums).description
      received += version.received
      let known = Remotes.Known(
        remote: start.remote, head: document.head, version, identity: identity, sums: sums)
      defer {
        content.close()
        (before, content) = (known, next)
      }
      // A merge that adds nothing is the version before it. The next version derives from what was merged.
      if identity == before.identity { continue }
      let parents = OwnVersions.distinct([before.identity] + received, without: identity)
      received = []
      versions.append(
        Own(
          known: known,
          version: SharedVersion(
            version, of: document.head, identity: identity, parents: parents),
          changes: try ChangeBook(
            OwnVersions.patch(changes, document), files: OwnVersions.files(content, next),
            path: document.path)))
    }
  }

  private static func distinct(_ identities: [String], without own: String) -> [String] {
    var seen: Set<String> = [own]
    return identities.filter { seen.insert($0).inserted }
  }

  private static func patch(
    _ changes: [(
      store: DocumentStore, old: any StoreSnapshot, new: any StoreSnapshot, layer: Layer
    )],
    _ document: Document
  ) throws -> Patch {
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
