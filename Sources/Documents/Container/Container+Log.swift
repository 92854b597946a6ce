import DurableFiles
import StoreInterface

/// The manifest of a document with the versions of its log (spec §7.4.11).
struct ReadManifest {
  var manifest: Manifest
  /// The status of the files that were read.
  var seen: DocumentStatus
  /// The number of versions that only the log contains.
  var loggedCount = 0
  /// The damage of the log, if it is damaged and the caller accepts damage.
  var damage: String?
}

/// The status of the files that tell the newest version of a document. Every save changes one of them.
struct DocumentStatus: Hashable {
  var manifest: FileStatus
  /// The status of the file of the log; `nil` if the document has no log.
  var log: FileStatus?
}

extension Container {
  /// Reads the manifest with the versions of its log.
  ///
  /// All readers of a document learn its newest version here.
  ///
  /// - Parameters:
  ///   - known: A manifest that was read before. It is not read again if its file is still the same.
  ///   - acceptsDamage: Whether a damaged end of the log is left out. Otherwise it is an error.
  func manifest(
    knowing known: (manifest: Manifest, seen: FileStatus)? = nil, acceptsDamage: Bool = false
  ) throws -> ReadManifest {
    var unchanged = known.flatMap { (try? disk.status(of: manifestPath)) == $0.seen ? $0 : nil }
    var attempts = 0
    while true {
      let (written, status) = try unchanged ?? writtenManifest()
      unchanged = nil
      do { return try extended(written, status, acceptsDamage) } catch {
        // A log that does not fit the manifest may belong to a manifest that has replaced this one.
        attempts += 1
        let now = try? disk.status(of: manifestPath)
        guard attempts < 16, now != status else { throw error }
      }
    }
  }

  /// Returns whether a version is the newest one of the log, or the log can't be read. The caller has the lock.
  ///
  /// A refused version that is not in the file must be forgotten: another process gives its number to its next version, and
  /// both may have the same author and the same date.
  func mayEnd(with version: Manifest.VersionEntry) -> Bool {
    guard let read = try? manifest() else { return true }
    return read.manifest.versions.last == version
  }

  /// Returns the status of the files that tell the newest version, if the document has the given manifest.
  func status(of manifest: Manifest) throws -> DocumentStatus {
    var status = DocumentStatus(manifest: try disk.status(of: manifestPath))
    if let log = manifest.storeOfLog {
      status.log = try disk.status(of: inner(log.file))
    }
    return status
  }

  private func extended(
    _ written: Manifest, _ status: FileStatus, _ acceptsDamage: Bool
  ) throws -> ReadManifest {
    var read = ReadManifest(manifest: written, seen: DocumentStatus(manifest: status))
    guard let index = written.stores.firstIndex(where: { $0.name == written.log }) else {
      return read
    }
    let entry = written.stores[index]
    guard let backend = try backend(of: entry) as? any VersionLoggingBackend else {
      throw DocumentError(
        .notSupported,
        "The store \"\(entry.name)\" contains the newest versions of the document, and the backend for its type "
          + "can't read them.", path: path)
    }
    try checkIsStore(entry.file)
    let log = try backend.versionLog(
      at: inner(entry.file), on: disk, after: written.number, acceptsDamage: acceptsDamage)
    for version in log.versions {
      guard version.record.before == read.manifest.number || acceptsDamage else {
        throw DocumentError(
          .damaged,
          "The store \"\(entry.name)\" contains version \(version.number), which follows version "
            + "\(version.record.before), but the version before is \(read.manifest.number).",
          path: inner(entry.file))
      }
      read.manifest.versions.append(
        Manifest.VersionEntry(
          number: version.number, saved: ManifestDate.rounded(version.record.saved),
          model: written.model, author: version.author, message: version.message))
      read.manifest.stores[index].commit = version.number
    }
    read.loggedCount = log.versions.count
    read.seen.log = log.status
    read.damage = log.damage
    return read
  }

  /// Returns the backend of a store.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noBackend``.
  func backend(of entry: Manifest.StoreEntry) throws -> any StoreBackend {
    if let backend = backends[entry.type] { return backend }
    let explanation = backends.explanation(ofMissing: entry.type)
    throw DocumentError(
      .noBackend,
      "The store \"\(entry.name)\" is of type \"\(entry.type.rawValue)\", and no available backend "
        + "supports that type."
        + (explanation.map { " " + $0.message } ?? ""),
      path: path, cause: explanation)
  }
}
