package import Foundation

/// The line in the metadata of a backup that names its origin (spec §7.4.13).
///
/// A backup has the identifier of its document, because it takes the place of the document when that is lost. The mark
/// distinguishes it from the document, and its version shows whether a program has saved to the backup since.
package struct BackupMark: Sendable, Hashable {
  /// The identifier of the document.
  package var uuid: UUID
  /// The highest number of a version in all heads.
  package var version: Int64
  /// The time at which the backup was brought up to date.
  package var date: Date

  /// The name of the mark in the metadata.
  static let key = "QuireBackup"

  package init(uuid: UUID, version: Int64, date: Date) {
    self.uuid = uuid
    self.version = version
    self.date = date
  }

  /// The text in the metadata.
  var text: String { "\(uuid.uuidString) \(version) \(ManifestDate.text(date))" }

  /// Parses the text in the metadata.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let uuid = UUID(uuidString: parts[0]), let version = Int64(parts[1]),
      let date = ManifestDate.date(parts[2])
    else { return nil }
    self.init(uuid: uuid, version: version, date: date)
  }
}

extension Manifest {
  /// The mark of a backup; `nil` for an ordinary document, also for a copy of a backup with its own identifier.
  package var backupMark: BackupMark? {
    metadata[BackupMark.key].flatMap(BackupMark.init).flatMap { $0.uuid == uuid ? $0 : nil }
  }
}
