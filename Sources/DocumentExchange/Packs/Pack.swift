import Archives
import Checksums
import Comparison
import Documents
import DurableFiles
import Foundation
import JSONText
import ModelNotations
import ObjectModel
import Synchronization

/// A file with versions and their changes, complete in itself, and named by the digest of its bytes (spec §16.2).
///
/// Opening a pack reads its header alone. The bytes are compared with the name before something in the pack is used.
final class Pack: Sendable {
  /// The path of the file.
  let path: String
  let versions: [PackedVersion]
  /// The UUIDs of the stores of the document, in ascending order.
  let stores: [String]
  private let archive: Archive
  /// The entries of the archive, by their names.
  private let entries: [String: ArchiveEntry]
  private let disk: any Disk
  private let isVerified = Mutex(false)

  /// Opens a pack.
  ///
  /// - Throws: ``PackFault``, or `DiskError`.
  init(_ path: String, on disk: any Disk) throws {
    self.path = path
    self.disk = disk
    do { archive = try Archive(path, on: disk) } catch let error as ArchiveError {
      throw PackFault("is not complete: \(error.message)")
    }
    entries = Dictionary(
      archive.entries.map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
    guard let entry = entries[PackFormat.headerFile] else {
      throw PackFault("has no \(PackFormat.headerFile).")
    }
    let header: JSON
    do { header = try JSON.read(archive.bytes(of: entry, byteLimit: PackFormat.byteLimit)) } catch {
      throw PackFault("has a header that can't be read: \(error)")
    }
    guard header["format"] == .string(PackFormat.format),
      case .number(let digits)? = header["version"], let version = Int(digits), version > 0
    else { throw PackFault("is not a pack of Quire.") }
    guard version <= PackFormat.version else {
      throw PackFault(
        "has version \(version) of the format, and this program reads version \(PackFormat.version). Update Quire."
      )
    }
    guard case .array(let stores)? = header["stores"], case .array(let list)? = header["versions"],
      !list.isEmpty, list.count <= PackFormat.countLimit
    else { throw PackFault("has a header without stores or versions.") }
    self.stores = stores.compactMap { if case .string(let uuid) = $0 { uuid } else { nil } }
    guard self.stores.count == stores.count, self.stores == self.stores.sorted(),
      self.stores.allSatisfy({ UUID(uuidString: $0)?.uuidString == $0 })
    else { throw PackFault("has stores that are no UUIDs in ascending order.") }
    let versions = list.compactMap(PackedVersion.init)
    guard versions.count == list.count, versions.count(where: { $0.from == nil }) <= 1 else {
      throw PackFault("has a version that can't be read.")
    }
    self.versions = versions
    for one in versions {
      for needed in [one.changes ?? PackFormat.documentFolder + "/manifest.json", one.model]
        .compactMap(\.self) where entries[needed] == nil
      {
        throw PackFault("lacks the entry \(needed).")
      }
      for case let digest? in one.files.values.map({ $0.new?.digest })
      where !contains(attachment: digest) {
        throw PackFault("lacks the attachment \(digest).")
      }
    }
  }

  /// Whether the pack contains a whole document.
  var document: SharedVersion? { versions.first { $0.from == nil }?.version }

  /// Compares the bytes with the name of the file.
  ///
  /// - Throws: ``PackFault`` if they differ, `DiskError`.
  func verify() throws {
    if isVerified.withLock({ $0 }) { return }
    let file = try disk.open(path, for: .read)
    var hash = SHA256()
    try file.forEachPiece { hash.update($0) }
    guard hash.digest().description == PackFormat.digest(inName: path.lastPathComponent) else {
      throw PackFault("has other bytes than its name says.")
    }
    isVerified.withLock { $0 = true }
  }

  /// Returns the changes of a version.
  ///
  /// - Throws: ``PackFault`` if the pack is damaged, `DiskError`.
  func changes(of version: PackedVersion) throws -> ChangeBook {
    try verify()
    guard let name = version.changes, let entry = entries[name] else {
      throw PackFault("lacks the changes of a version.")
    }
    do {
      let bytes = try archive.bytes(of: entry, byteLimit: PackFormat.byteLimit)
      return try ChangeBook(Patch(bytes, name: name), files: version.files, path: path)
    } catch let error as ArchiveError {
      throw PackFault("is damaged: \(error.message)")
    } catch let error as ComparisonError {
      throw PackFault("contains changes that can't be read: \(error.message)")
    }
  }

  /// Returns the model of a version that differs from the model of the version before it.
  ///
  /// - Throws: ``PackFault`` if the pack is damaged, `DiskError`.
  func model(of version: PackedVersion) throws -> SharedModel? {
    guard let name = version.model, let entry = entries[name] else { return nil }
    try verify()
    do {
      let bytes = try archive.bytes(of: entry, byteLimit: Manifest.modelByteLimit)
      return try SharedModel(Model(contents: bytes, path: name))
    } catch let error as DiskError { throw error } catch {
      throw PackFault("contains a model that can't be read: \(error)")
    }
  }

  /// Whether the pack contains the bytes of an attachment.
  func contains(attachment digest: String) -> Bool { entry(ofAttachment: digest) != nil }

  private func entry(ofAttachment digest: String) -> ArchiveEntry? {
    entries["\(PackFormat.attachmentsFolder)/\(digest)"]
      ?? entries["\(PackFormat.documentFolder)/attachments/\(digest)"]
  }

  /// Passes on the bytes of an attachment.
  func read(attachment digest: String, _ write: ([UInt8]) throws -> Void) throws {
    try verify()
    guard let entry = entry(ofAttachment: digest) else {
      throw PackFault("does not contain the attachment \(digest).")
    }
    var hash = SHA256()
    try archive.read(entry) { piece in
      // SAFETY: The pointer is only read while the span lends it.
      let bytes = unsafe piece.withUnsafeBytes { unsafe Array($0) }
      hash.update(bytes)
      try write(bytes)
    }
    guard hash.digest().description == digest else {
      throw PackFault("contains other bytes for the attachment \(digest).")
    }
  }

  /// Writes all entries into a new folder.
  func unpack(to folder: String, on disk: any Disk) throws {
    try verify()
    do { _ = try archive.unpack(to: folder, on: disk) } catch let error as ArchiveError {
      throw PackFault("is damaged: \(error.message)")
    }
  }
}
