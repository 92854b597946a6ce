import BlockFileFormat
import Foundation
import PropertyLists
import StoreInterface

/// A version that a commit is on its own.
struct VersionInLog {
  var number: Int64
  /// The number of the version before.
  var before: Int64
  var saved: Date
  var author: String?
  var message: String?
}

/// The versions in a file that is the log of a document.
struct VersionsInLog {
  private let check: BlockFileCheck

  /// - Parameter check: A check of the file, which finds the commits. Its findings are not used.
  init(_ check: BlockFileCheck) { self.check = check }

  /// Returns the versions that commits of the file are on their own, the oldest first (spec §7.4.11).
  ///
  /// Ends at the first commit that can't be read. Another check of the same file reports the fault.
  func all(after number: Int64) throws -> [VersionInLog] {
    guard let header = try check.header() else { return [] }
    var search = check.search(header)
    guard var commit = try search.standing(header.slots, counting: number) else { return [] }
    var versions: [VersionInLog] = []
    while let record = commit.record, record.number > number {
      if record.number != versions.last?.number, let version = try version(of: record) {
        versions.append(version)
      }
      guard record.previousTrailer > 0, record.startsInPlace(at: commit.trailer.record.offset),
        let before = try check.commitBefore(record, commit.trailer, header)
      else { break }
      commit = before
    }
    return versions.reversed()
  }

  /// Returns the version of the document that a commit makes without a manifest; `nil` if a manifest has to name the
  /// commit.
  private func version(of record: CommitRecord) throws -> VersionInLog? {
    let section = record.metadata
    guard section.offset <= UInt64(check.byteCount),
      UInt64(section.byteCount) <= UInt64(check.byteCount) - section.offset
    else { return nil }
    let bytes = try check.bytes(of: section)
    guard bytes.checksum == section.checksum,
      case .dictionary(let values)? = try? BinaryPropertyList.read(bytes)
    else { return nil }
    let metadata = StoreMetadata(values: values)
    return metadata.versionBefore(commit: record.number).map { before in
      VersionInLog(
        number: record.number, before: before, saved: record.date,
        author: record.author.isEmpty ? nil : record.author,
        message: metadata.commitMessage[record.number])
    }
  }
}
