package import ObjectModel
package import Rows
import Synchronization

/// The contents of a store at an earlier commit: the newest rows, under the layers that undo each later commit.
package struct EarlierSnapshot: StoreSnapshot {
  /// The number of the commit.
  package let commit: Int64
  /// The model of the store.
  package let model: Model
  /// The numbers of the model's entities and properties.
  package let schema: Schema
  /// The metadata at the commit.
  package let metadata: StoreMetadata
  /// The rows at the commit.
  package let tables: [any RowTable]

  /// Creates the snapshot of a commit.
  ///
  /// - Parameters:
  ///   - before: The rows that undo the later commits, newest first.
  ///   - readMetadata: Reads metadata from their property list.
  package init(
    _ commit: Int64, _ head: some StoreSnapshot, _ before: [RowsBefore],
    readMetadata: ([UInt8]) throws -> StoreMetadata
  ) throws {
    self.commit = commit
    (model, schema) = (try head.model, head.schema)
    tables = head.tables + before
    metadata = try before.last { $0.list != nil }?.list.map(readMetadata) ?? head.metadata
  }
}

/// A cache of the rows before the commits of one snapshot.
package final class KnownBefore: Sendable {
  private let known = Mutex(Known())

  private struct Known: Sendable {
    var rows: [Int64: RowsBefore] = [:]
    var byteCount = 0
  }
  /// The number of bytes above which the cache is emptied.
  private static let mostByteCount = 1 << 26

  package init() {}

  /// Returns the rows before a commit: the cached object, or the result of `read`.
  package func rows(before number: Int64, _ read: () throws -> RowsBefore) throws -> RowsBefore {
    try rows(before: [number]) { _ in [number: try read()] }[0]
  }

  /// Returns the rows before some commits, in their order. `read` returns those that are not cached, all at once.
  package func rows(
    before numbers: [Int64], _ read: ([Int64]) throws -> [Int64: RowsBefore]
  ) throws -> [RowsBefore] {
    var found: [Int64: RowsBefore] = [:]
    known.withLock { known in
      for number in numbers { found[number] = known.rows[number] }
    }
    let missing = numbers.filter { found[$0] == nil }
    if !missing.isEmpty {
      let read = try read(missing)
      add(read)
      found.merge(read) { known, _ in known }
    }
    return numbers.compactMap { found[$0] }
  }

  private func add(_ rows: [Int64: RowsBefore]) {
    known.withLock { known in
      if known.byteCount > KnownBefore.mostByteCount { known = Known() }
      known.rows.merge(rows) { _, new in new }
      known.byteCount += rows.values.reduce(0) { $0 + $1.byteCount }
    }
  }
}
