import DurableFiles
import StoreInterface

/// The manifests of all heads of a document at one moment, with the versions of their logs.
struct DocumentContents: Equatable {
  /// The manifests; `main` is the first.
  var manifests: [Manifest]
  /// The name of the current head.
  var current: String
  /// The status of the files that were read. Every save changes one of them.
  var seen: [DocumentStatus]
  /// The status of the file with the name of the current head; `nil` if the file does not exist.
  var seenCurrent: FileStatus?

  /// The manifest of the head `main`.
  var main: Manifest { manifests[0] }
  /// The names of all heads.
  var names: [String] { main.headNames }
  /// The highest number of a version.
  var version: Int64 { manifests.map(\.number).max() ?? 0 }
  /// The paths of all files that the manifests name.
  var files: Set<String> {
    manifests.namedFiles
  }

  func manifest(ofHead name: String) -> Manifest? {
    manifests.first { ($0.head ?? HeadName.main) == name }
  }

  /// Reads a document, without a lock.
  init(_ container: Container) throws {
    let main = container.on(nil)
    let read = try main.manifest()
    let others = try main.otherHeads(read.manifest).map { try $0.manifest() }
    manifests = [read.manifest] + others.map(\.manifest)
    seen = [read.seen] + others.map(\.seen)
    seenCurrent = try container.disk.statusIfThere(container.inner(Container.currentHeadFile))
    current = try container.currentHead
  }

  /// Returns whether no program has saved the document since it was read.
  func isCurrent(in container: Container) throws -> Bool {
    try container.reading {
      guard
        try container.disk.statusIfThere(container.inner(Container.currentHeadFile)) == seenCurrent
      else { return false }
      return try zip(manifests, seen).allSatisfy { manifest, seen in
        try container.on(manifest.head).status(of: manifest) == seen
      }
    }
  }
}

extension [Manifest] {
  /// The paths of all files that the manifests name: of stores, attachments and models.
  var namedFiles: Set<String> {
    Set(flatMap(\.files) + flatMap { $0.models.map(\.file) })
  }
}
