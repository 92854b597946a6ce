import Checksums
package import DurableFiles
import Foundation
package import StoreInterface

/// A whole copy of a store that is not part of a document, brought up to date while programs save to the store.
///
/// A block file grows by its new commits. An XML file is copied whole if it differs, and a database through its own means.
package struct StoreBackup: Sendable {
  /// The result of bringing a backup up to date.
  package struct Result: Sendable {
    package let record: StoreBackupRecord
    /// Whether there was no backup before.
    package let isNew: Bool
    /// The number of bytes that were written.
    package let writtenByteCount: Int
    /// The number of bytes of the backup.
    package let byteCount: Int
    let seen: [FileStatus?]
  }

  private let path: String
  private let places: StorePlaces
  private let backend: any StoreBackend
  private var disk: any Disk { places.disk }

  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notSupported`` for a store on a server, and for a folder;
  ///   `StoreError` if no backend knows the file.
  package init(of path: String, in places: StorePlaces) throws {
    (self.path, self.places) = (path, places)
    guard !places.isAddress(path) else {
      throw DocumentError(
        .notSupported,
        "The store lies on a server, which has its own backups: 'pg_dump' writes the schema of a PostgreSQL store.",
        path: path)
    }
    backend = try places.backend(ofStoreAt: path)
    guard try disk.status(of: path).kind == .file else {
      throw DocumentError(
        .notSupported, "The store is a folder, which can't be copied while programs save to it.",
        path: path)
    }
  }

  /// Returns whether a program has saved to the store since a backup.
  package func isChanged(since result: Result) throws -> Bool { try seen() != result.seen }

  private func seen() throws -> [FileStatus?] {
    try ([path] + StorePlaces.companionEndings.map { path + $0 }).map { try disk.statusIfThere($0) }
  }

  /// Makes the backup, or brings it up to date.
  ///
  /// - Parameter overwriting: Whether a file that is not a backup of this store is replaced.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notABackup`` if there is such a file, or a backup to which a
  ///   program has saved.
  package func write(to copy: String, overwriting: Bool = false) throws -> Result {
    if try disk.overlap(ofOutput: copy, withInput: path) != nil {
      throw DocumentError(
        .notSupported, "The backup can't be the store itself, nor a part of it.", path: copy)
    }
    let seen = try seen()
    guard let uuid = try places.metadata(at: path).uuid else {
      throw DocumentError(
        .notSupported, "The store has no UUID, by which a backup would be known.", path: path)
    }
    let isNew = try !disk.exists(copy)
    if !isNew, try disk.status(of: copy).kind != .file { throw refusal("a folder", copy) }
    let known = try isNew ? nil : record(of: copy)
    if !isNew, !overwriting {
      guard let known else {
        throw refusal("a file without the record '\(StoreBackupRecord.path(of: copy))'", copy)
      }
      guard known.uuid == uuid else { throw refusal("the backup of another store", copy) }
    }
    var round = StoreBackupRound(
      path: path, copy: copy, disk: disk,
      record: StoreBackupRecord(uuid: uuid, version: nil, date: Date(), marks: []),
      known: known?.uuid == uuid ? known?.marks : nil, isNew: isNew, overwriting: overwriting)
    if let backend = backend as? any CopyContinuingBackend {
      try round.growFile(backend)
    } else if try places.isDatabase(path) {
      try round.copyDatabase(places, backend)
    } else {
      try round.copyFile()
    }
    try round.finish(version: version(of: copy))
    return Result(
      record: round.record, isNew: isNew, writtenByteCount: round.writtenByteCount,
      byteCount: try disk.status(of: copy).byteCount, seen: seen)
  }

  private func refusal(_ found: String, _ copy: String) -> DocumentError {
    DocumentError(
      .notABackup, "At the path is \(found), and not a backup of this store.", path: copy)
  }

  /// Returns the newest commit of a store; `nil` if it needs a model to be opened.
  private func version(of copy: String) -> Int64? {
    guard let store = try? places.open(copy, type: backend.type, StoreOpening(readOnly: true))
    else { return nil }
    defer { try? store.close() }
    return try? store.snapshot().commit
  }

  private func record(of copy: String) throws -> StoreBackupRecord? {
    try Self.record(of: copy, on: disk)
  }

  /// Returns the record beside a file, or `nil`.
  package static func record(of copy: String, on disk: any Disk) throws -> StoreBackupRecord? {
    let path = StoreBackupRecord.path(of: copy)
    guard try disk.statusIfThere(path)?.kind == .file else { return nil }
    return StoreBackupRecord(try disk.read(path, byteLimit: StoreBackupRecord.byteLimit))
  }

  /// Returns whether a program has changed a backup since it was made.
  package static func isChanged(
    _ copy: String, since record: StoreBackupRecord, in places: StorePlaces
  ) throws -> Bool {
    let backend = try places.backend(ofStoreAt: copy) as? any CopyContinuingBackend
    let mark =
      try backend?.mark(ofNewestCommitIn: copy, on: places.disk)
      ?? places.disk.open(copy, for: .read).digest()
    return !record.marks.contains(mark)
  }
}

/// One round of copying a store into its backup.
struct StoreBackupRound {
  let path: String
  let copy: String
  let disk: any Disk
  var record: StoreBackupRecord
  /// The marks of the states that the backup may have; `nil` if no record tells them.
  let known: [String]?
  let isNew: Bool
  let overwriting: Bool
  private(set) var writtenByteCount = 0

  init(
    path: String, copy: String, disk: any Disk, record: StoreBackupRecord, known: [String]?,
    isNew: Bool, overwriting: Bool
  ) {
    (self.path, self.copy, self.disk, self.record) = (path, copy, disk, record)
    (self.known, self.isNew, self.overwriting) = (known, isNew, overwriting)
  }

  /// Writes the record for the time in which the backup may have either of two states.
  private mutating func begin(_ former: String?, _ mark: String) throws {
    record.marks = Array(Set([former, mark].compactMap { $0 })).sorted()
    try writeRecord()
    record.marks = [mark]
  }

  private func writeRecord() throws {
    try disk.replace(StoreBackupRecord.path(of: copy)) { try $0.write(record.text) }
  }

  /// Writes the record of the finished backup.
  mutating func finish(version: Int64?) throws {
    record.version = version
    record.date = ManifestDate.rounded(Date())
    try writeRecord()
  }

  /// Throws unless the backup has a state that its record names.
  private func check(_ mark: String) throws {
    guard !overwriting, known?.contains(mark) != true else { return }
    throw DocumentError(
      .notABackup,
      "The backup was changed by a program since it was made. Those changes are not in the store.",
      path: copy)
  }

  mutating func growFile(_ backend: any CopyContinuingBackend) throws {
    let mark = try backend.mark(ofNewestCommitIn: path, on: disk)
    guard !isNew, known != nil else {
      try begin(nil, mark)
      writtenByteCount += try backend.copyStore(at: path, upTo: nil, to: copy, on: disk)
      record.marks = [try backend.mark(ofNewestCommitIn: copy, on: disk)]
      return
    }
    let lock = try disk.open(copy, for: .update)
    defer { try? lock.close() }
    try lock.lock(.exclusive)
    let former = try? backend.mark(ofNewestCommitIn: copy, on: disk)
    let added = try backend.continueCopy(
      at: copy, counting: nil, of: path, upTo: nil, on: disk)
    if let added {
      writtenByteCount += added
      writtenByteCount += try backend.acknowledgeCopy(at: copy, counting: nil, on: disk)
    } else {
      try check(former ?? "")
      try begin(former, mark)
      writtenByteCount += try backend.copyStore(at: path, upTo: nil, to: copy, on: disk)
    }
    record.marks = [try backend.mark(ofNewestCommitIn: copy, on: disk)]
  }

  /// Copies a file that each save replaces. The open file has one state.
  mutating func copyFile() throws {
    let file = try disk.open(path, for: .read)
    defer { try? file.close() }
    let mark = try file.digest()
    let former = try formerDigest()
    guard former != mark else {
      record.marks = [mark]
      return
    }
    if let former { try check(former) }
    try begin(former, mark)
    let byteCount = try file.byteCount()
    try disk.replace(copy, newPermissions: file.openingStatus.permissions) { writer in
      try file.forEachPiece { try writer.write($0) }
    }
    writtenByteCount += byteCount
  }

  /// Writes a copy of a database beside the backup, and puts it in its place.
  mutating func copyDatabase(_ places: StorePlaces, _ backend: any StoreBackend) throws {
    let temporary = try places.pathOfReplacement(for: copy)
    defer {
      for ending in [""] + StorePlaces.companionEndings { try? disk.remove(temporary + ending) }
    }
    guard try backend.backUp(path, to: temporary, on: disk) else {
      throw DocumentError(
        .notSupported,
        "The plug-in for this database can't copy it while it is in use. SQLite's own program can: "
          + "sqlite3 DB '.backup COPY'.", path: path)
    }
    let mark = try disk.open(temporary, for: .read).digest()
    let former = try formerDigest()
    guard former != mark else {
      record.marks = [mark]
      return
    }
    if let former {
      try check(former)
      if !overwriting, let log = try disk.statusIfThere(copy + "-wal"), log.byteCount > 0 {
        try check("")
      }
    }
    try begin(former, mark)
    writtenByteCount += try disk.status(of: temporary).byteCount
    try places.put(temporary, inPlaceOf: copy, overwriting: !isNew)
  }

  private func formerDigest() throws -> String? {
    guard !isNew else { return nil }
    let file = try disk.open(copy, for: .read)
    defer { try? file.close() }
    return try file.digest()
  }
}

extension DurableFile {
  /// Returns the SHA-256 of the file.
  fileprivate func digest() throws -> String {
    var hash = SHA256()
    try forEachPiece { hash.update($0.rawSpan) }
    return hash.digest().description
  }
}
