import DurableFiles
import Foundation
import StoreInterface

/// A document's folder: the paths of its files (spec §7.2), and the code that reads and replaces its manifest.
package struct Container: Sendable {
  let path: String
  let disk: any Disk
  /// The backends that read the log.
  let backends: StoreBackends
  /// The head whose manifest and recovery are meant; `nil` for `main`.
  var head: String?

  package static let modelsFolder = "models"
  package static let storesFolder = "stores"
  package static let attachmentsFolder = "attachments"
  package static let headsFolder = "heads"
  /// The folders of a new document.
  static let firstFolders = [modelsFolder, storesFolder, attachmentsFolder]
  /// All folders of a document.
  package static let folders = firstFolders + [headsFolder]
  /// The manifest of a state that could not become a version, because something in it was not valid.
  package static let recoveryFile = "recovery.json"
  /// The file that a process locks while it writes to the document.
  package static let lockFile = ".lock"
  /// The file that each process with shared access locks as long as it has the document open.
  package static let sharingFile = ".sharing"

  var manifestPath: String {
    inner(head.map(Container.manifestFile(ofHead:)) ?? Manifest.fileName)
  }
  var recoveryPath: String {
    inner(head.map(Container.recoveryFile(ofHead:)) ?? Container.recoveryFile)
  }
  var lockPath: String { inner(Container.lockFile) }
  var sharingPath: String { inner(Container.sharingFile) }

  /// Returns the path of a file within the folder.
  func inner(_ name: String) -> String { path.appendingPathComponent(name) }

  /// Returns the name of the file with an attachment's bytes, relative to the document.
  package static func attachmentFile(_ digest: String) -> String {
    "\(attachmentsFolder)/\(digest)"
  }

  /// Returns the path of the file with an attachment's bytes.
  func attachment(_ digest: String) -> String { inner(Container.attachmentFile(digest)) }

  /// Calls `body` and translates each `DiskError` into a ``DocumentError``.
  func reading<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as DiskError {
      throw DocumentError(error, path: path)
    }
  }

  /// Reads the manifest without the versions of the log, and the status of its file.
  func writtenManifest(
    checkingChecksum checksChecksum: Bool = true
  ) throws -> (manifest: Manifest, seen: FileStatus) {
    try reading {
      let file: DurableFile
      do {
        file = try disk.open(manifestPath, for: .read, links: .refusedBelow(path))
      } catch let error as DiskError
        where error.code == .notFound || error.code == .notADirectory
      {
        throw try missing(error)
      }
      let seen = try file.status()
      return (try read(file, checkingChecksum: checksChecksum), seen)
    }
  }

  func read(
    _ file: DurableFile, checkingChecksum checksChecksum: Bool = true
  ) throws -> Manifest {
    let byteCount = try file.byteCount()
    guard byteCount <= Manifest.byteLimit else {
      throw DocumentError(
        .damaged, "The manifest has \(byteCount) bytes; the limit is \(Manifest.byteLimit).",
        path: file.path)
    }
    return try Manifest(
      try file.read(byteCount: byteCount, at: 0), path: file.path, head: head,
      checkingChecksum: checksChecksum)
  }

  /// Returns the error for a manifest that is missing.
  private func missing(_ error: DiskError) throws -> DocumentError {
    guard try disk.exists(path) else {
      return DocumentError(.notFound, "The document does not exist.", path: path, cause: error)
    }
    return DocumentError(
      .notADocument, "This is not a document: it has no \(Manifest.fileName).", path: path,
      cause: error)
  }

  /// Replaces a manifest at once.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notSupported``, before anything is written, if
  ///   a reader would reject the manifest; `DiskError` if the disk refuses.
  func replace(_ manifest: Manifest, at path: String) throws {
    try Manifest.check(manifest.features, isReading: false, path: self.path)
    let text = manifest.text
    do { try manifest.check(path: self.path) } catch {
      throw DocumentError(
        .notSupported, "The document can't be saved with this manifest: \(error.message)",
        path: self.path,
        cause: error)
    }
    guard text.utf8.count <= Manifest.byteLimit else {
      throw DocumentError(
        .notSupported,
        "The manifest would have \(text.utf8.count) bytes; the limit is "
          + "\(Manifest.byteLimit).", path: self.path)
    }
    try disk.replace(path, links: .refused) { writer in try writer.write(text) }
  }

  /// Throws ``DocumentError`` if one of the document's folders is a symbolic link, or anything else but a folder. Through a
  /// link a writer would write and remove files outside of the document.
  func checkFolders() throws {
    try reading {
      for path in Container.folders.map(inner) {
        let kind: FileKind
        do { kind = try disk.status(of: path, followingLinks: false).kind } catch let error
          as DiskError where error.code == .notFound
        {
          continue
        }
        guard kind == .directory else {
          throw DocumentError(
            .damaged,
            "This is a \(kind), and a document is changed only within its own folders. Put a folder in its place, or "
              + "copy the document with the files that links lead to: 'cp -rL DOC COPY'.",
            path: path)
        }
      }
    }
  }

  /// Throws ``DocumentError`` unless the name is that of a file within the document. A link is refused.
  func checkIsFile(_ name: String) throws { try check(name, isOneOf: [.file]) }

  /// Throws ``DocumentError`` unless the name is that of a file or folder within the document. Some stores are
  /// folders.
  func checkIsStore(_ name: String) throws { try check(name, isOneOf: [.file, .directory]) }

  private func check(_ name: String, isOneOf kinds: Set<FileKind>) throws {
    try reading {
      for path in [inner(String(name.prefix { $0 != "/" })), inner(name)] {
        let kind = try disk.status(of: path, followingLinks: false).kind
        guard path == inner(name) ? kinds.contains(kind) : kind == .directory else {
          throw DocumentError(
            .damaged,
            "The manifest names a \(kind) here: no path of a manifest may leave the document.",
            path: path)
        }
      }
    }
  }
}

extension DocumentError {
  /// Creates the error of a document for an error of the disk.
  init(_ error: DiskError, path: String) {
    // The code has the same name in ``DocumentError`` as in `StoreError`.
    let code = Code(rawValue: StoreError(error, path: path).code.rawValue)
    self.init(code, error.message, path: path, cause: error)
  }
}
