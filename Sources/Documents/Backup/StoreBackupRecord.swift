package import Foundation
import JSONText

/// The file beside the backup of a store that is not part of a document. It names the store and the states of the backup.
///
/// A document says this in its manifest. The file of a store has no place for it, because not even the text of an XML file may differ.
package struct StoreBackupRecord: Sendable, Equatable {
  /// The UUID of the store.
  package var uuid: UUID
  /// The newest commit of the store in the backup; `nil` for stores that count no commits.
  package var version: Int64?
  /// The time at which the backup was brought up to date.
  package var date: Date
  /// Texts for the contents of the backup's file. While a backup is written there are two, because a crash may leave either.
  package var marks: [String]

  /// Returns the path of the record of a backup.
  package static func path(of backup: String) -> String { backup + ".backup" }

  static let byteLimit = 1 << 16
  private static let format = "quire-backup"

  init(uuid: UUID, version: Int64?, date: Date, marks: [String]) {
    (self.uuid, self.version, self.date, self.marks) = (uuid, version, date, marks)
  }

  /// The contents of the file.
  var text: String {
    JSON.object([
      "format": .string(Self.format), "store": .string(uuid.uuidString),
      "version": version.map { .number("\($0)") }, "date": .string(ManifestDate.text(date)),
      "marks": .strings(marks),
    ]).text + "\n"
  }

  /// Parses the contents of the file; `nil` if they are not a record.
  init?(_ bytes: [UInt8]) {
    guard case .members(let members)? = try? JSON.read(bytes) else { return nil }
    func value(_ name: String) -> JSON? { members.first { $0.name == name }?.value }
    func text(_ name: String) -> String? {
      if case .string(let text)? = value(name) { text } else { nil }
    }
    guard text("format") == Self.format, let uuid = text("store").flatMap(UUID.init),
      let date = text("date").flatMap(ManifestDate.date), case .array(let marks)? = value("marks")
    else { return nil }
    var version: Int64?
    if case .number(let number)? = value("version") { version = Int64(number) }
    self.init(
      uuid: uuid, version: version, date: date,
      marks: marks.compactMap { if case .string(let mark) = $0 { mark } else { nil } })
  }
}
