import Documents
import ObjectModel
import StoreInterface

/// A store of a document. The document stays open until the store is closed.
final class StoreOfDocument: Store {
  private let store: DocumentStore
  private let document: Document

  init(_ store: DocumentStore, _ document: Document) {
    self.store = store
    self.document = document
  }

  /// Advances to the version that another process has saved last.
  ///
  /// - Returns: Whether another process has saved.
  func refresh() throws -> Bool { try document.refresh() }

  var type: StoreType { store.type }
  // Without the group: the document knows its own store, and not this one.
  var features: StoreFeatures {
    StoreFeatures(store.features.capabilities, history: store.features.history)
  }
  var tag: StoreTag { store.tag }
  var path: String? { store.path }

  func snapshot() throws -> any StoreSnapshot { try store.snapshot() }
  func commit(_ request: CommitRequest) throws -> any StoreSnapshot { try store.commit(request) }
  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try store.holding(commit: number, body)
  }
  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try store.leaseKeys(ofEntity: number, count: count)
  }
  func describe() throws -> StoreSummary {
    var description = try store.describe()
    // In a document, bytes after the store's commit in the newest version belong to failed saves, and are not reported.
    description.strayByteCount = 0
    return description
  }
  func close() throws { try document.close() }
}
