public import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
public import StoreInterface
import Synchronization

extension PostgreSQLStore {
  /// Returns a snapshot of the newest commit that contains the row of a key, in one round trip.
  ///
  /// The snapshot has no transaction. It begins one if a later read needs it, and takes later commits back with the history.
  public func snapshot(reading key: ObjectKey) throws -> any StoreSnapshot {
    guard let known = current.withLock({ $0?.head }) else { throw closed }
    guard !isPartOfDocument, let entity = known.contents.map.entities[key.entity] else {
      return try newest()
    }
    // A known row is read again with the newest commit, which may have changed it.
    let keys = known.rows.keysToRead(for: key) ?? key.number..<key.number + 1
    let found = try asStore(filePath) {
      try retrying { try pool.lookUp(keys, of: entity, in: known.contents.map) }
    }
    guard let (head, run) = found, head.newest >= known.commit,
      head.modelCommit == known.contents.modelCommit,
      head.metadataCommit == known.contents.metadataCommit
    else { return try newest() }
    if head.newest == known.commit {
      known.rows.add(run, for: key, keys)
      return known
    }
    let made = PostgreSQLSnapshot(
      head.newest, known.contents,
      SnapshotReader(nil, commit: head.newest, known.contents, pool: pool))
    made.rows.add(run, for: key, keys)
    show(made)
    return made
  }
}
