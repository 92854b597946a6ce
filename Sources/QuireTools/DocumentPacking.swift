package import Archives
import BlockFileFormat
import Documents
package import DurableFiles

/// The packing of a document's folder while no process can save the document.
package struct DocumentPacking {
  private let folder: String
  private let disk: any Disk

  package init(_ folder: String, on disk: any Disk) {
    self.folder = folder
    self.disk = disk
  }

  /// Calls `body` with the packing of the folder, and keeps processes from saving the document meanwhile.
  ///
  /// Packing takes a document's lock only here. A folder without a lock file is read without a lock.
  ///
  /// - Throws: `DocumentError` with code `locked` if a process that this one can't lock out has saved meanwhile; the errors
  ///   of reading, and of `body`.
  package func holdingStill<R>(_ body: (FolderPacking) throws -> R) throws -> R {
    let path = folder.trimmingSlashes + "/.lock"
    guard try disk.exists(path) else { return try checked(body) }
    let lock: FileLock
    do { lock = try disk.lock(path, .shared) } catch {
      guard error.code == .permissionDenied || error.code == .readOnly else { throw error }
      return try readingUnlocked(body)
    }
    let result = try checked(body)
    try lock.release()
    return result
  }

  private func checked<R>(_ body: (FolderPacking) throws -> R) throws -> R {
    try Container.refuseServers(ofDocumentAt: folder, on: disk)
    try Container.checkAttachments(ofDocumentAt: folder, on: disk)
    var packing = FolderPacking(folder, on: disk)
    packing.completion = Self.openFiles.completion
    return try body(packing)
  }

  /// Stores that a program has not closed.
  package static var openFiles: OpenFiles {
    var files = OpenFiles()
    files.completion = { file in
      CompleteFile(file).map { .init(start: $0.header, byteCount: $0.byteCount) }
    }
    files.changedByClosing = CompleteFile.headerByteCount
    return files
  }

  /// Reads a document without its lock, because the user may not take the lock. Throws if another process has saved in the
  /// meantime.
  private func readingUnlocked<R>(_ body: (FolderPacking) throws -> R) throws -> R {
    func manifest() throws -> [UInt8] {
      try disk.read(folder.trimmingSlashes + "/manifest.json", byteLimit: 1 << 26)
    }
    let before = try manifest()
    let result = try checked(body)
    guard try manifest() == before else {
      throw DocumentError(
        .locked, "Another process has saved '\(folder)' while it was packed.", path: folder)
    }
    return result
  }
}
