package import ObjectModel
import Rows
import Synchronization

/// A store for a dry run: it reads another store and writes nothing.
///
///     let trial = TrialStore(store)
///     let keys = try trial.leaseKeys(ofEntity: 3, count: 10)  // The other store does not set them aside.
///
/// New objects get keys that no object has. The wrapped store does not reserve these keys, so the keys of a real
/// insertion may differ.
package final class TrialStore: HistoryStore {
  private let store: any Store
  private let nextKeys = Mutex<[UInt16: UInt64]>([:])

  package init(_ store: any Store) { self.store = store }

  package var type: StoreType { store.type }
  package var features: StoreFeatures {
    let features = store.features
    return StoreFeatures(features.capabilities, history: self, querying: features.querying)
  }
  package var tag: StoreTag { store.tag }
  package var path: String? { store.path }

  package func snapshot() throws -> any StoreSnapshot { try store.snapshot() }
  package func knownSnapshot() throws -> any StoreSnapshot { try store.knownSnapshot() }

  /// Throws ``StoreError/Code/readOnly``: a dry run saves nothing.
  package func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    throw StoreError(.readOnly, "A dry run does not save.", path: path)
  }

  /// Returns keys that no object has.
  package func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let wanted = UInt64(max(count, 1))
    return try nextKeys.withLock { nextKeys in
      let first: UInt64
      if let known = nextKeys[number] {
        first = known
      } else {
        let ranges = try store.knownSnapshot().tables.flatMap { table in
          let ranges = try table.keyRanges(ofEntity: number)
          return [ranges.put, ranges.changed, ranges.removed].compactMap { $0 }
        }
        let above = (ranges.map(\.upperBound).max() ?? 0) + 1
        let lowest = ranges.map(\.lowerBound).min() ?? 0
        // A store without numbers for links gives links the highest numbers. The numbers below are free then.
        let fitsAbove = above + wanted <= ObjectKey.highestNumber
        first = fitsAbove || lowest <= wanted ? above : 1
      }
      let end = first + wanted
      guard end <= ObjectKey.highestNumber else {
        throw StoreError(.badChange, "The store has no keys left.", path: path)
      }
      nextKeys[number] = end
      return first..<end
    }
  }

  package func commits() throws -> [CommitSummary] { try store.commits() }
  package func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try store.snapshot(ofCommit: number)
  }
  /// Does nothing: a dry run removes no commits.
  package func keepCommits(where isKept: (Int64) -> Bool) throws {}

  package func describe() throws -> StoreSummary { try store.describe() }

  /// Does nothing: the wrapped store stays open.
  package func close() throws {}
}
