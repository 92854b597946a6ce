import DurableFiles
import Foundation
package import StoreInterface

/// A whole copy of a document that is brought up to date by its new bytes, while programs save the document.
///
/// The backup is a document with the identifier of the original, and its manifests name the same versions. Its files
/// may have different names, which its own manifests record: a file that does not continue the one in the backup is
/// written beside it. A manifest is replaced when all that it names is durable, so the backup is a whole document at
/// every moment.
package struct DocumentBackup: Sendable {
  /// The result of bringing a backup up to date.
  package struct Result: Sendable {
    package let mark: BackupMark
    /// Whether there was no backup before.
    package let isNew: Bool
    /// The number of bytes that were written.
    package let writtenByteCount: Int
    /// The number of bytes of the backup.
    package let byteCount: Int
    let contents: DocumentContents
  }

  private let source: Container

  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notSupported`` for a packed document.
  package init(of path: String, in places: StorePlaces) throws {
    source = Container(path: path, disk: places.disk, backends: places.backends)
    guard try source.reading({ try places.disk.status(of: path).kind == .directory }) else {
      throw DocumentError(
        .notSupported, "A packed document never changes. Copy its file.", path: path)
    }
  }

  /// Returns the mark of a backup, the newest version in it, and whether a program has saved to it since; `nil` for another
  /// document.
  ///
  /// - Throws: ``DocumentError`` if a manifest can't be read.
  package static func mark(
    ofBackupAt path: String, in places: StorePlaces
  ) throws -> (mark: BackupMark, version: Int64, isChanged: Bool)? {
    let contents = try DocumentContents(
      Container(path: path, disk: places.disk, backends: places.backends))
    guard let mark = contents.main.backupMark else { return nil }
    let isChanged = contents.manifests.contains { $0.number != ($0.backupMark ?? mark).version }
    return (mark, contents.version, isChanged)
  }

  /// Returns whether a program has saved the document since a backup.
  package func isChanged(since result: Result) throws -> Bool {
    try !result.contents.isCurrent(in: source)
  }

  /// Makes the backup, or brings it up to date.
  ///
  /// - Parameter overwriting: Whether a document that is not a backup of this one is replaced.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notABackup`` if another document is at the path, or a
  ///   backup to which a program has saved; with code ``DocumentError/Code/locked`` if a program has the backup open for
  ///   writing. The backup has its former state then.
  package func write(to path: String, overwriting: Bool = false) throws -> Result {
    let target = source.at(path).on(nil)
    try source.reading {
      if try source.disk.overlap(ofOutput: path, withInput: source.path) != nil {
        throw DocumentError(
          .notSupported, "The backup can't be the document itself, nor lie within it.", path: path)
      }
    }
    var attempts = 0
    while true {
      let contents = try DocumentContents(source)
      try refuseServers(contents)
      do {
        return try source.reading { try write(contents, to: target, overwriting: overwriting) }
      } catch let error as DocumentError where [.notABackup, .locked].contains(error.code) {
        throw error
      } catch {
        // A program that has forgotten versions in the meantime has removed their files.
        attempts += 1
        guard attempts < 16, (try? contents.isCurrent(in: source)) != true else { throw error }
      }
    }
  }

  private func write(
    _ contents: DocumentContents, to target: Container, overwriting: Bool
  ) throws -> Result {
    let date = ManifestDate.rounded(Date())
    let mark = BackupMark(uuid: contents.main.uuid, version: contents.version, date: date)
    let disk = target.disk
    guard try disk.exists(target.path) || disk.restoreMovedAway(target.path) else {
      return try create(contents, mark, at: target, overwriting: false)
    }
    do { _ = try former(contents, in: target) } catch {
      guard overwriting else { throw error }
      return try create(contents, mark, at: target, overwriting: true)
    }
    // The lock file is made only in a document that is a backup.
    let lock = try target.lock(.fail, for: .exclusive).lock
    defer { try? lock.release() }
    try target.checkFolders()
    let former = try former(contents, in: target)
    var copying = BackupCopying(from: source, to: target, former: former)
    try copying.removeLeftovers(contents)
    let manifests = try copying.copied(contents, mark.date)
    try copying.replaceManifests(manifests, contents)
    copying.removeUnnamedFiles(manifests)
    try copying.acknowledge()
    return Result(
      mark: mark, isNew: false, writtenByteCount: copying.writtenByteCount,
      byteCount: try target.byteCount(of: manifests), contents: contents)
  }

  private func refuseServers(_ contents: DocumentContents) throws {
    for store in contents.manifests.flatMap(\.stores) where Container.isAddressFile(store.file) {
      throw DocumentError(
        .notSupported,
        "The store \"\(store.name)\" lies on a server, so a backup of the folder would not contain it. The server has "
          + "backups of its own, such as 'pg_dump'.", path: source.path)
    }
  }

  private func create(
    _ contents: DocumentContents, _ mark: BackupMark, at target: Container, overwriting: Bool
  ) throws -> Result {
    var writtenByteCount = 0
    var made: [Manifest] = []
    try target.build(overwriting: overwriting) { building in
      var copying = BackupCopying(from: source, to: building, former: nil)
      made = try copying.copied(contents, mark.date)
      try copying.writeHeads(made, contents)
      writtenByteCount = copying.writtenByteCount + made[0].text.utf8.count
      return made[0]
    }
    return Result(
      mark: mark, isNew: true, writtenByteCount: writtenByteCount,
      byteCount: try target.byteCount(of: made), contents: contents)
  }

  /// Returns the state of the backup.
  ///
  /// - Throws: ``DocumentError`` unless the backup contains only versions of the document.
  private func former(
    _ contents: DocumentContents, in target: Container
  ) throws -> DocumentContents {
    func refuse(_ message: String) -> DocumentError {
      DocumentError(.notABackup, message, path: target.path)
    }
    let former: DocumentContents
    do { former = try DocumentContents(target) } catch let error as DocumentError
      where error.code == .notADocument
    {
      throw refuse("There is something else at the path: \(error.message)")
    }
    guard former.main.uuid == contents.main.uuid else {
      throw refuse("The document at the path is another one: it has another identifier.")
    }
    guard let mark = former.main.backupMark else {
      throw refuse(
        "The document at the path is a copy of the document that no backup has made, or the document itself."
      )
    }
    for old in former.manifests {
      guard old.number == (old.backupMark ?? mark).version else {
        throw refuse(
          "The backup was changed: a program has saved version \(old.number) to it. Those changes are not in the document."
        )
      }
      guard try target.on(old.head).recovery() == nil else {
        throw refuse(
          "The backup was changed: it has a recovery, with changes that were never saved.")
      }
      let name = old.head ?? HeadName.main
      guard let new = contents.manifest(ofHead: name), !new.continues(old) else { continue }
      throw refuse(
        "The backup has version \(old.number) of the head \"\(name)\", and the document, which is at version "
          + "\(new.number), has no such version. It was probably restored from an older backup.")
    }
    return former
  }
}

extension Manifest {
  /// Returns whether the versions of an older manifest led to this one. Versions may have been forgotten since.
  fileprivate func continues(_ former: Manifest) -> Bool {
    guard let last = former.versions.last else { return true }
    if let same = versions.first(where: { $0.number == last.number }) { return same.isSame(last) }
    // The newest version of the backup is forgotten. A document that took another way has different versions before it.
    let known = Dictionary(uniqueKeysWithValues: former.versions.map { ($0.number, $0) })
    return number > last.number
      && versions.prefix { $0.number < last.number }.allSatisfy {
        known[$0.number].map($0.isSame) ?? false
      }
  }
}

extension Manifest.VersionEntry {
  /// Returns whether another entry is about the same version. Its name may differ.
  func isSame(_ other: Manifest.VersionEntry) -> Bool {
    number == other.number && saved == other.saved && model == other.model
      && author == other.author && message == other.message
  }
}
