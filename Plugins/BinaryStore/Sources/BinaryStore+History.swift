import BlockFileFormat
import DurableFiles
public import StoreInterface

extension BinaryStore {
  /// The commits that can be opened, the newest first: all since the file was last written anew, and
  /// those that ``BinaryStoreOptions/history`` kept then.
  public func commits() throws -> [CommitSummary] {
    var summaries: [CommitSummary] = []
    try forEachCommit(from: head()) { _, record in
      // A commit that only set keys aside repeats the number of the one before.
      if summaries.last?.number != record.number {
        summaries.append(
          CommitSummary(
            number: record.number, time: record.date,
            author: record.author.isEmpty ? nil : record.author,
            contextName: record.contextName.isEmpty ? nil : record.contextName))
      }
      return true
    }
    return summaries
  }

  /// The objects as an earlier commit left them.
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

  /// Writes the file anew without the commits that are not kept.
  ///
  /// - Throws: ``StoreInterface/StoreError``; the file is as it was then.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try alone { _, head in
      let image = CommitImage(copying: head, compression: compression)
      let kept = try retained(before: head.commit, head) { _, record, _ in
        isKept(record.number) ? .yes : .no
      }
      show(try rewrite(image, head, keeping: kept))
    }
  }

  /// Calls `body` with each commit from the given one back, as long as it answers yes.
  func forEachCommit(
    from head: CommittedState, _ body: (Trailer, CommitRecord) throws -> Bool
  ) throws {
    try head.file.forEachCommit(from: head.trailer, head.record, body)
  }
}
