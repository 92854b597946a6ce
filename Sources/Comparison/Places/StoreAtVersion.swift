package import ObjectModel
package import StoreInterface

/// A store that shows one of its earlier commits, for reading.
package final class StoreAtVersion: HistoryStore {
  private let store: any Store
  private let shown: any StoreSnapshot
  private let summary: CommitSummary

  package init(_ store: any Store, _ shown: any StoreSnapshot, _ summary: CommitSummary) {
    self.store = store
    self.shown = shown
    self.summary = summary
  }

  package var type: StoreType { store.type }
  // Predicates are evaluated on the rows of the commit, and not by the store.
  package var features: StoreFeatures {
    StoreFeatures(store.features.capabilities, history: self)
  }
  package var tag: StoreTag { store.tag }
  package var path: String? { store.path }

  package func snapshot() throws -> any StoreSnapshot { shown }
  package func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    throw StoreError(.readOnly, "An earlier version can't be changed.", path: path)
  }
  package func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    throw StoreError(.readOnly, "An earlier version can't be changed.", path: path)
  }
  package func commits() throws -> [CommitSummary] { try store.commits() }
  package func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try store.snapshot(ofCommit: number)
  }
  package func keepCommits(where isKept: (Int64) -> Bool) throws {
    throw StoreError(.readOnly, "An earlier version can't be changed.", path: path)
  }
  package func describe() throws -> StoreSummary {
    var description = try store.describe()
    description.savedAt = summary.time
    return description
  }
  package func close() throws { try store.close() }
}
