import Comparison
import Documents
import Foundation
import StoreInterface

/// The versions of a document or a store, as a report shows them.
struct ReportHistory {
  /// One version, with the changes that it made.
  struct Version {
    let line: HistoryLine
    /// The numbers of changed objects; `nil` if the objects are not compared.
    var counts: VersionCounts?
    /// The number of objects after the version; `nil` if it is unknown.
    var objectCount: Int?
    /// Whether the version has another model than the version before.
    var changesModel = false
  }

  /// The newest versions, the oldest first.
  private(set) var versions: [Version] = []
  /// The number of all versions.
  private(set) var count = 0
  /// Whether the store keeps its earlier saves.
  let isKept: Bool

  /// The most versions of a page.
  static let mostVersions = 200
  /// The most versions that are compared if each earlier version of a store is its own file.
  private static let mostFiles = 20

  /// Reads the versions of a document, up to the version that it shows.
  ///
  /// - Parameter objectCount: The number of objects of the version that the document shows.
  init(of document: Document, objectCount: Int) throws {
    isKept = true
    let number = document.shownVersion ?? .max
    let history = VersionHistory(document)
    let isOneFile = document.stores.allSatisfy { $0.features.history != nil }
    try add(
      HistoryLine.all(of: document.versions.filter { $0.number <= number }), objectCount,
      mostCompared: isOneFile ? Self.mostVersions : Self.mostFiles
    ) { try history.change(from: $0, to: $1) }
  }

  /// Reads the commits of a store, up to the commit that it shows.
  init(of store: any Store, at snapshot: any StoreSnapshot, objectCount: Int) throws {
    isKept = store.features.history != nil
    guard isKept else { return }
    let names = try snapshot.metadata.namedCommits
    let commits = try store.commits().filter { $0.number <= snapshot.commit }
    try add(
      commits.reversed().map { HistoryLine($0, name: names[$0.number]) }, objectCount,
      mostCompared: Self.mostVersions
    ) { before, number in
      try VersionChange(
        from: store.snapshot(ofCommit: before), to: store.snapshot(ofCommit: number))
    }
  }

  /// Adds the newest versions, and compares each with the version before it.
  ///
  /// - Parameters:
  ///   - lines: All versions, the oldest first.
  ///   - objectCount: The number of objects after the newest version.
  private mutating func add(
    _ lines: [HistoryLine], _ objectCount: Int, mostCompared: Int,
    _ change: (_ before: Int64, _ number: Int64) throws -> VersionChange
  ) throws {
    count = lines.count
    var known: Int? = objectCount
    var shown: [Version] = []
    for (place, line) in lines.enumerated().reversed().prefix(Self.mostVersions) {
      var version = Version(line: line, objectCount: known)
      // A version that can't be read any more is listed without its changes. The validator reports the reason.
      if place > 0, shown.count < mostCompared,
        let change = try readIfSound({ try change(lines[place - 1].number, line.number) })
      {
        version.counts = change.counts
        version.changesModel = change.parts == nil
      }
      known = version.counts.flatMap { counts in
        known.map { $0 - counts.inserted + counts.deleted }
      }
      shown.append(version)
    }
    versions = shown.reversed()
  }
}
