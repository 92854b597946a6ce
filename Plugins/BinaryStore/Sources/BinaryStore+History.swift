import BlockFileFormat
import DurableFiles
import Rows
public import StoreInterface

extension BinaryStore: HistoryStore {
  /// Returns the commits that can be opened, the newest first: all since the file was last written again, and the
  /// commits that were kept then (``BinaryStoreOptions/history``).
  public func commits() throws -> [CommitSummary] {
    let head = try head()
    var summaries: [CommitSummary] = []
    // Most commits keep the metadata of the commit before.
    var messages: [SectionReference: [Int64: String]] = [:]
    try forEachCommit(from: head) { _, record in
      // A commit that only reserved keys repeats the number of the one before.
      if summaries.last?.number != record.number {
        if messages[record.metadata] == nil {
          // The list of commits does not depend on readable metadata.
          let metadata = try readIfSound { try CommittedState.metadata(record, head.file) }
          messages[record.metadata] = metadata?.commitMessage ?? [:]
        }
        summaries.append(
          CommitSummary(
            number: record.number, time: record.date,
            author: record.author.isEmpty ? nil : record.author,
            contextName: record.contextName.isEmpty ? nil : record.contextName,
            message: messages[record.metadata]?[record.number]))
      }
      return true
    }
    return summaries
  }

  /// Returns the snapshot of an earlier commit.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try head()
    var found: CommittedState?
    try forEachCommit(from: head) { trailer, record in
      if record.number == number {
        found = try CommittedState(trailer, record, in: head.file, after: head)
      }
      return found == nil && record.number > number
    }
    guard let found else { throw BinaryStore.missing(number, filePath) }
    return found
  }

  /// Writes the file again without the commits that are not kept. If nothing would be saved, the file stays as it is.
  ///
  /// - Throws: `StoreError`; the file is unchanged then.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try withExclusiveAccess { _, head in
      let named = try head.metadata.namedCommits
      let kept = try retained(before: head.commit, head) { _, record, _ in
        isKept(record.number) || named[record.number] != nil ? .yes : .no
      }
      try compact(head, keeping: kept)
    }
  }

  /// Names a commit, so that every ``BinaryStoreOptions/history`` keeps it until the name is removed. The name is
  /// stored in one more commit, which changes no object.
  ///
  ///     try store.name(commit: 12, "Before the import")
  ///
  /// - Parameter name: The name; `nil` to remove it.
  /// - Throws: `StoreError`, with code `StoreError.Code.notFound` if the commit does not exist.
  public func name(commit number: Int64, _ name: String?) throws {
    guard try commits().contains(where: { $0.number == number }) else {
      throw BinaryStore.missing(number, filePath)
    }
    let base = try snapshot()
    var metadata = try base.metadata
    metadata.namedCommits[number] = name
    try commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
  }

  /// Calls `body` with each commit from the given one back, until `body` returns `false`.
  func forEachCommit(
    from head: CommittedState, _ body: (Trailer, CommitRecord) throws -> Bool
  ) throws {
    try head.file.forEachCommit(from: head.trailer, head.record, body)
  }
}
