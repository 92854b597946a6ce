public import Foundation
public import ObjectModel
package import Rows
public import StoreInterface
import Synchronization
import Threads

/// A store of a document. A commit to the store is a save of the document.
public final class DocumentStore: HistoryStore {
  /// The store's name in the document.
  public let name: String
  /// The configuration whose entities the store holds, or `nil` if it holds all entities.
  public let configuration: String?
  public let type: StoreType
  /// The features of the store in the document. The document confirms commits and answers no requests, so the store
  /// offers neither to its callers. It commits with the other stores of the document.
  public var features: StoreFeatures {
    StoreFeatures(
      inner.features.capabilities, history: self, group: owner.withLock { $0.document })
  }
  /// The tag that object identifiers contain for this store.
  public let tag: StoreTag
  public let uuid: UUID
  /// Whether the store lies on a server. Its ``path`` is an address then.
  public var isOnServer: Bool { addressFile != nil }
  /// The path of the store's file, or the store's address on a server.
  public var path: String? { inner.path }

  /// The name of the file with the address of the store; `nil` if the store is a file of the document itself.
  let addressFile: String?
  private let held: Mutex<any Store>
  private let owner = Mutex(Owner())

  /// Locked while keys are leased, and while the store is replaced by a store in another file.
  private let leasing = Guarded(())

  /// Calls `body` while no keys of any of the given stores can be leased.
  static func holdingKeys(
    _ stores: ArraySlice<DocumentStore>, _ body: () throws -> Void
  ) throws {
    guard let first = stores.first else { return try body() }
    try first.leasing.withLock { _ in try holdingKeys(stores.dropFirst(), body) }
  }

  private struct Owner {
    // A weak reference, because the document holds its stores. A coordinator holds stores only, so the program
    // must hold the document.
    weak var document: Document?
  }

  /// The damage of the log that the caller accepted when it opened the document, if any.
  private let damage: String?

  init(_ store: any Store, _ entry: Manifest.StoreEntry, damage: String? = nil) {
    self.damage = damage
    held = Mutex(store)
    name = entry.name
    configuration = entry.configuration
    uuid = entry.uuid
    addressFile = Container.isAddressFile(entry.file) ? entry.file : nil
    type = store.type
    tag = store.tag
  }

  /// The store that the backend has opened.
  var inner: any Store { held.withLock { $0 } }

  func attach(to document: Document) { owner.withLock { $0.document = document } }

  /// Replaces the backend's store by another store with the same content.
  func replaceInner(by store: any Store) { held.withLock { $0 = store } }

  /// The document.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/closed`` if the document has been released.
  public var document: Document {
    get throws {
      guard let document = owner.withLock({ $0.document }) else {
        throw DocumentError.closed(path)
      }
      return document
    }
  }

  /// Whether each commit writes the whole store again, in its own file.
  var hasFileForEachCommit: Bool { inner.features.history == nil }

  /// Returns the newest snapshot of the store in the document.
  public func snapshot() throws -> any StoreSnapshot { try inner.snapshot() }

  /// Saves the document with changes of this store.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try document.commit([(self, request)])[0]
  }

  /// Calls `body` while no save of the document can run. Throws if the given commit is not the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try document.withExclusiveAccess {
      try checkNewest(number, is: inner.snapshot().commit)
      return try body()
    }
  }

  /// Leases keys for new objects.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let document = try document
    switch document.access {
    // No other process writes, and the store itself orders the callers.
    case .exclusive:
      return try leasing.withLock { _ in
        try document.checkHoldsLock()
        return try inner.leaseKeys(ofEntity: number, count: count)
      }
    default:
      return try document.withExclusiveAccess {
        try inner.leaseKeys(ofEntity: number, count: count)
      }
    }
  }

  /// Returns the changes that lead from one snapshot of the store to another.
  ///
  /// - Parameters:
  ///   - current: The snapshot that the changes will be applied to, if `old` is not it.
  ///   - leasesKeys: Whether new links get keys of the store, so that the changes can be saved.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/incompatibleModel`` if the store had different models at
  ///   the two snapshots; `StoreError` if a snapshot can't be read.
  package func changes(
    from old: any StoreSnapshot, to new: any StoreSnapshot,
    appliedTo current: (any StoreSnapshot)? = nil, leasesKeys: Bool = true
  ) throws -> Layer {
    guard old.schema == new.schema else {
      throw DocumentError(
        .incompatibleModel,
        "The earlier state of the store \"\(name)\" has another version of the model.",
        path: try document.path)
    }
    guard hasFileForEachCommit else { return try new.changes(since: old) }
    var next: UInt64 = 1
    return try SnapshotDifference.changes(
      from: old.view, to: new.view, schema: new.schema, appliedTo: current?.view
    ) { table, count in
      if leasesKeys { return try leaseKeys(ofEntity: table, count: count).lowerBound }
      next += UInt64(count)
      return next - UInt64(count)
    }
  }

  /// Returns the commits of this store that can be opened.
  public func commits() throws -> [CommitSummary] { try inner.commits() }

  /// Returns the snapshot of an earlier commit.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try inner.snapshot(ofCommit: number)
  }

  /// Throws `StoreError` with code `notConfirmable`: the document decides which versions are kept
  /// (``Document/thin(_:now:eagerly:didForget:)``).
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    throw StoreError(
      .notConfirmable,
      "A store of a document can't remove commits itself: remove versions of the document instead.",
      path: path)
  }

  /// Returns a description of the store, without its objects.
  public func describe() throws -> StoreSummary {
    var description = try inner.describe()
    description.damage = description.damage ?? damage
    return description
  }

  /// Closes the backend's store.
  public func close() throws { try inner.close() }
}
