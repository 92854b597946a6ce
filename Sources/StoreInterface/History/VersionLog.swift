package import DurableFiles
package import Foundation

/// The origin of a commit that is a version of its document without a new manifest (spec §7.4.11).
package struct VersionRecord: Sendable, Hashable {
  /// The number of the version before.
  package var before: Int64
  /// The date of the version, in whole milliseconds.
  package var saved: Date

  package init(before: Int64, saved: Date) {
    self.before = before
    self.saved = saved
  }
}

/// A version of a document that only a commit of the log describes (spec §7.4.11).
package struct LoggedVersion: Sendable, Hashable {
  /// The number of the version, which is the number of the commit.
  package var number: Int64
  /// The number of the version before, and the date.
  package var record: VersionRecord
  /// The author of the version, or `nil` if the commit does not name one.
  package var author: String?
  /// The message of the version, or `nil` for a commit without one.
  package var message: String?

  package init(number: Int64, record: VersionRecord, author: String?, message: String?) {
    self.number = number
    self.record = record
    self.author = author
    self.message = message
  }
}

/// The versions in the file of a store that is the log of a document.
package struct VersionLog: Sendable {
  /// The versions, the oldest first.
  package var versions: [LoggedVersion]
  /// The status of the file when it was read.
  package var status: FileStatus
  /// The damage of the file's last commit, if it is damaged and the caller accepts damage.
  package var damage: String?

  package init(_ versions: [LoggedVersion], _ status: FileStatus, damage: String?) {
    self.versions = versions
    self.status = status
    self.damage = damage
  }
}

/// A backend whose stores can be the log of a document: a commit with a ``CommitRequest/version`` is a version of the
/// document as soon as it is durable.
package protocol VersionLoggingBackend: StoreBackend {
  /// Returns the versions in a store's file whose numbers are above the given one.
  ///
  /// - Parameter acceptsDamage: Whether the versions before a damaged commit are returned. Otherwise a damaged last
  ///   commit is an error.
  /// - Throws: `StoreError`.
  func versionLog(
    at path: String, on disk: any Disk, after number: Int64, acceptsDamage: Bool
  ) throws -> VersionLog
}
