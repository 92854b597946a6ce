import BlockFileFormat
package import DurableFiles
import Foundation
package import StoreInterface

extension BinaryStoreBackend: VersionLoggingBackend {
  /// Reads the versions from the newest commit that stands (spec §4.3.8) back to the commit with the given number.
  ///
  /// Commits without a version were prepared for a manifest that does not name them.
  package func versionLog(
    at path: String, on disk: any Disk, after number: Int64, acceptsDamage: Bool
  ) throws -> VersionLog {
    let file = try BinaryStore.file(path, disk, true)
    let end = file.openingByteCount
    let slots = file.header.slots
    var newest: (Trailer, CommitRecord)
    var damage: StoreError?
    if acceptsDamage {
      (newest, damage) = try file.judgedCommit(before: end, slots, counting: number)
    } else {
      newest = try file.acknowledgedCommit(before: end, slots: slots, counting: number)
    }
    var versions: [LoggedVersion] = []
    do {
      try file.forEachCommit(from: newest.0, newest.1) { _, record in
        guard record.number > number else { return false }
        // A commit that only reserved keys repeats the number of the one before.
        guard record.number != versions.last?.number else { return true }
        let metadata = try CommittedState.metadata(record, file)
        guard let before = metadata.versionBefore(commit: record.number) else { return true }
        versions.append(
          LoggedVersion(
            number: record.number, record: VersionRecord(before: before, saved: record.date),
            author: record.author.isEmpty ? nil : record.author,
            message: metadata.commitMessage[record.number]))
        return true
      }
    } catch let error as StoreError where acceptsDamage && error.code == .damaged {
      damage = damage ?? error
    }
    return VersionLog(versions.reversed(), file.file.openingStatus, damage: damage?.message)
  }
}
