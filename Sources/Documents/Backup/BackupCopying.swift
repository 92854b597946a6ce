import DurableFiles
import Foundation
import StoreInterface

/// The copying of one state of a document into its backup.
///
/// No file that the manifests of the backup name is replaced before they are: a block file grows behind the commit that
/// counts, and every other new file gets a name that is free.
struct BackupCopying {
  /// A block file of the backup, and its commit that counts.
  private struct GrownFile {
    let file: String
    let commit: Int64
    let backend: any CopyContinuingBackend
  }

  /// A file of the backup that may contain the same bytes as a file of the document.
  private struct Candidate {
    let file: String
    /// The commit that counts in the file.
    let commit: Int64
    /// Whether both files are surely equal.
    var isKnown = false
  }

  private let source: Container
  private let target: Container
  private let former: DocumentContents?
  /// The paths in the backup of the files of the document that are in it already.
  private var paths: [String: String] = [:]
  /// The paths in the backup that contain a file of the document.
  private var used: Set<String> = []
  /// The paths that are in use, so that new files get free ones.
  private var taken: Set<String>
  private var grown: [GrownFile] = []
  /// The number of bytes that were written so far.
  private(set) var writtenByteCount = 0

  /// - Parameter former: The state of the backup; `nil` for a new one.
  init(from source: Container, to target: Container, former: DocumentContents?) {
    (self.source, self.target, self.former) = (source, target, former)
    taken = Set((former?.files ?? []).map(ContainerPath.folded))
  }

  private var disk: any Disk { target.disk }

  /// Copies all files that the backup lacks, and returns the manifests of the backup that name them.
  ///
  /// - Parameter date: The time for the marks of the backup.
  mutating func copied(
    _ contents: DocumentContents, _ date: Date
  ) throws -> [Manifest] {
    var manifests = contents.manifests
    for folder in Container.firstFolders.map(target.inner) where try !disk.exists(folder) {
      try disk.makeDirectory(folder)
      try disk.syncDirectory(of: folder)
    }
    for index in manifests.indices {
      let old = former?.manifest(ofHead: manifests[index].head ?? HeadName.main)
      // The versions of the log are in the list now.
      manifests[index].log = nil
      for place in manifests[index].models.indices {
        let model = manifests[index].models[place]
        try source.checkIsFile(model.file)
        let known = old?.models.first { $0.name == model.name }
        manifests[index].models[place].file = try copy(
          model.file, known.map { [Candidate(file: $0.file, commit: 0)] } ?? [])
      }
      for place in manifests[index].stores.indices {
        try copy(&manifests[index].stores[place], manifests[index].versions, old)
      }
    }
    try copyAttachments(of: manifests)
    for index in manifests.indices {
      let old = former?.manifest(ofHead: manifests[index].head ?? HeadName.main)
      manifests[index].metadata[BackupMark.key] = old?.metadata[BackupMark.key]
      // The date stands in the manifest of `main`. Another head without new versions keeps its manifest.
      if index > 0, manifests[index] == old { continue }
      let manifest = manifests[index]
      manifests[index].metadata[BackupMark.key] =
        BackupMark(uuid: manifest.uuid, version: manifest.number, date: date).text
    }
    return manifests
  }

  // MARK: - Stores

  /// Copies the files of a store, and puts their paths in the backup into its entry.
  private mutating func copy(
    _ entry: inout Manifest.StoreEntry, _ versions: [Manifest.VersionEntry], _ old: Manifest?
  ) throws {
    let known = old?.stores.first { $0.name == entry.name }
    let backend = try source.backend(of: entry) as? any CopyContinuingBackend
    let formerFiles = Dictionary(grouping: known?.earlier ?? [], by: \.commit)
    let formerVersions = Dictionary(
      uniqueKeysWithValues: (old?.versions ?? []).map { ($0.number, $0) })
    let same = Set(
      versions.filter { formerVersions[$0.number].map($0.isSame) ?? false }.map(\.number))
    func candidates(_ commit: Int64) -> [Candidate] {
      guard let known else { return [] }
      let earlier = (formerFiles[commit] ?? []).map {
        Candidate(file: $0.file, commit: commit, isKnown: same.contains(commit))
      }
      let isUsable = backend != nil || known.commit == commit
      return earlier + (isUsable ? [Candidate(file: known.file, commit: known.commit)] : [])
    }
    entry.file = try copy(entry.file, candidates(entry.commit), to: entry.commit, backend)
    for place in entry.earlier.indices {
      let file = entry.earlier[place]
      entry.earlier[place].file = try copy(
        file.file, candidates(file.commit), to: file.commit, backend)
    }
  }

  private mutating func copy(
    _ name: String, _ candidates: [Candidate], to commit: Int64,
    _ backend: (any CopyContinuingBackend)?
  ) throws -> String {
    if let path = paths[name] { return path }
    try source.checkIsStore(name)
    guard let backend else { return try copy(name, candidates) }
    for one in candidates where try isUsable(one.file) {
      let byteCount = try backend.continueCopy(
        at: target.inner(one.file), counting: one.commit, of: source.inner(name), upTo: commit,
        on: disk)
      guard let byteCount else { continue }
      writtenByteCount += byteCount
      return take(one.file, for: name, grownTo: commit, backend)
    }
    let path = freePath(for: name)
    try removeLeftover(target.inner(path))
    writtenByteCount += try backend.copyStore(
      at: source.inner(name), upTo: commit, to: target.inner(path), on: disk)
    return take(path, for: name, grownTo: commit, backend)
  }

  private mutating func take(
    _ path: String, for name: String, grownTo commit: Int64,
    _ backend: any CopyContinuingBackend
  ) -> String {
    grown.append(GrownFile(file: path, commit: commit, backend: backend))
    return take(path, for: name)
  }

  private mutating func take(_ path: String, for name: String) -> String {
    paths[name] = path
    used.insert(path)
    taken.insert(ContainerPath.folded(path))
    return path
  }

  /// Copies a file, or a folder, that is written whole.
  private mutating func copy(_ name: String, _ candidates: [Candidate]) throws -> String {
    if let path = paths[name] { return path }
    for one in candidates where try isUsable(one.file) {
      guard
        try one.isKnown || disk.hasSameBytes(source.inner(name), as: target.inner(one.file))
      else { continue }
      return take(one.file, for: name)
    }
    let path = freePath(for: name)
    try copyAnew(source.inner(name), to: target.inner(path))
    try disk.syncDirectory(of: target.inner(path))
    return take(path, for: name)
  }

  /// Copies a file or a folder to a path that no manifest names. An interrupted backup may have left something there.
  private mutating func copyAnew(_ path: String, to copy: String) throws {
    try removeLeftover(copy)
    try disk.copyTree(path, to: copy)
    writtenByteCount += try disk.treeByteCount(copy)
  }

  private func removeLeftover(_ path: String) throws {
    if try disk.statusIfThere(path, followingLinks: false) != nil { try disk.removeTree(path) }
  }

  /// Returns whether a file of the backup can still become that of a file of the document. Through a link, bytes outside of the
  /// backup would change.
  private func isUsable(_ path: String) throws -> Bool {
    guard !used.contains(path) else { return false }
    let kind = try disk.statusIfThere(target.inner(path), followingLinks: false)?.kind
    return kind == .file || kind == .directory
  }

  /// Returns a path for a new file: that of the original, unless the backup has another file there.
  private func freePath(for name: String) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    return (1...).lazy.map { number in
      number == 1 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
    }.first { !taken.contains(ContainerPath.folded($0)) }!
  }

  private mutating func copyAttachments(of manifests: [Manifest]) throws {
    var attachments: [String: Int] = [:]
    for one in manifests.flatMap(\.attachments) { attachments[one.digest] = one.byteCount }
    for (digest, byteCount) in attachments.sorted(by: { $0.key < $1.key }) {
      let path = target.attachment(digest)
      let found = try disk.statusIfThere(path, followingLinks: false)
      if let found, found.kind == .file, found.byteCount == byteCount { continue }
      try source.checkAttachment(digest, byteCount: byteCount)
      try copyAnew(source.attachment(digest), to: path)
    }
  }

  // MARK: - Manifests

  /// Replaces the manifests whose contents differ: the manifest of `main` is the last, because it names the heads.
  mutating func replaceManifests(
    _ manifests: [Manifest], _ contents: DocumentContents
  ) throws {
    let (formerNames, formerCurrent) = (former?.names ?? [], former?.current ?? HeadName.main)
    // The current head exists at every moment.
    if formerCurrent != contents.current {
      if formerNames.contains(contents.current) {
        try target.writeCurrentHead(contents.current)
      } else if !contents.names.contains(formerCurrent) {
        try target.writeCurrentHead(HeadName.main)
      }
    }
    try writeHeads(manifests, contents)
    try target.replace(manifests[0], at: target.manifestPath)
    writtenByteCount += manifests[0].text.utf8.count
    if !formerNames.contains(contents.current) { try target.writeCurrentHead(contents.current) }
  }

  /// Writes the manifests of the heads besides `main`; in a new backup, also the name of the current head.
  mutating func writeHeads(_ manifests: [Manifest], _ contents: DocumentContents) throws {
    for manifest in manifests.dropFirst() {
      let place = target.on(manifest.head)
      if former?.manifest(ofHead: manifest.head!) == manifest { continue }
      try target.makeHeadsFolder()
      try place.replace(manifest, at: place.manifestPath)
      writtenByteCount += manifest.text.utf8.count
    }
    if former == nil, contents.current != HeadName.main {
      try target.writeCurrentHead(contents.current)
    }
  }

  /// Records in the headers of block files that their last commits count, now that the manifests name them.
  mutating func acknowledge() throws {
    for one in grown {
      writtenByteCount += try one.backend.acknowledgeCopy(
        at: target.inner(one.file), counting: one.commit, on: disk)
    }
  }

  // MARK: - Files that no manifest names

  /// Removes files with the names of the document's files that an interrupted backup has left.
  func removeLeftovers(_ contents: DocumentContents) throws {
    let named = former?.files ?? []
    for name in contents.files where !named.contains(name) && !Container.isAttachmentFile(name) {
      if try disk.exists(target.inner(name)) { try disk.removeTree(target.inner(name)) }
    }
  }

  /// Removes the files that only the former manifests name. A file that can't be removed is left to the next backup.
  func removeUnnamedFiles(_ manifests: [Manifest]) {
    let named = manifests.namedFiles
    for name in former?.files ?? [] where !named.contains(name) {
      try? disk.removeTree(target.inner(name))
    }
    target.tidy(manifests[0], isOpening: true)
  }
}

extension Container {
  /// Returns whether a path of a document is that of an attachment.
  fileprivate static func isAttachmentFile(_ name: String) -> Bool {
    name.hasPrefix("\(attachmentsFolder)/")
  }

  /// Returns the number of bytes of a document with the given manifests.
  func byteCount(of manifests: [Manifest]) throws -> Int {
    return try reading {
      try manifests.namedFiles.reduce(manifests.reduce(0) { $0 + $1.text.utf8.count }) {
        try $0 + disk.treeByteCount(inner($1))
      }
    }
  }
}

extension Disk {
  /// Returns the number of bytes of a file, or of all files in a folder.
  fileprivate func treeByteCount(_ path: String) throws(DiskError) -> Int {
    let status = try status(of: path, followingLinks: false)
    guard status.kind == .directory else { return status.byteCount }
    var byteCount = 0
    for entry in try list(path) {
      byteCount += try treeByteCount(path.appendingPathComponent(entry.name))
    }
    return byteCount
  }
}
