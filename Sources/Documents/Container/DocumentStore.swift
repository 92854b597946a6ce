public import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// A store of a document. Whatever is committed to it is committed to the document.
public final class DocumentStore: Store {
  /// The store's name in the document.
  public let name: String
  /// The configuration whose entities it is for; all when it is `nil`.
  public let configuration: String?
  /// The store's type.
  public let type: StoreType
  /// What this kind of store can do by itself.
  public let capabilities: StoreCapabilities
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// The store's identifier.
  public let uuid: UUID
  /// The store's file.
  public var path: String? { inner.path }

  private let held: Mutex<any Store>
  private let owner = Mutex(Owner())

  /// Held while keys are set aside, and while the store becomes one in another file.
  private let leasing = Mutex(())

  /// Calls `body` while nobody sets keys of any of some stores aside.
  static func holdingKeys(
    _ stores: ArraySlice<DocumentStore>, _ body: () throws -> Void
  ) throws {
    guard let first = stores.first else { return try body() }
    try first.leasing.withLock { _ in try holdingKeys(stores.dropFirst(), body) }
  }

  private struct Owner {
    // Whoever has a store of a document has the document: a coordinator holds on to stores only.
    weak var document: Document?
  }

  init(_ store: any Store, _ entry: Manifest.StoreEntry) {
    held = Mutex(store)
    name = entry.name
    configuration = entry.configuration
    uuid = entry.uuid
    type = store.type
    tag = store.tag
    // What it takes to be part of a document is the document's.
    capabilities = store.capabilities.subtracting(.confirmation)
  }

  /// The store as its backend knows it.
  var inner: any Store { held.withLock { $0 } }

  func attach(to document: Document) { owner.withLock { $0.document = document } }

  /// Takes another store that holds the same in its stead.
  func replaceInner(by store: any Store) { held.withLock { $0 = store } }

  /// The document.
  ///
  /// - Throws: ``DocumentError`` when nobody holds it any more.
  public var document: Document {
    get throws {
      guard let document = owner.withLock({ $0.document }) else {
        throw DocumentError.closed(path)
      }
      return document
    }
  }

  /// The document, which commits several of its stores as one.
  public var group: (any StoreGroup)? { owner.withLock { $0.document } }

  /// Whether the store is one that is rewritten with each commit, so that each has a file of its own.
  var hasFileForEachCommit: Bool { !capabilities.contains(.history) }

  /// The objects as the document has them.
  public func snapshot() throws -> any StoreSnapshot { try inner.snapshot() }

  /// Saves the document with changes of this store.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try document.commit([(self, request)])[0]
  }

  /// Calls `body` while nobody saves the document, and a commit is the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try document.alone {
      try checkNewest(number, is: inner.snapshot().commit)
      return try body()
    }
  }

  /// Sets keys aside for new objects.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    let document = try document
    switch document.access {
    // Nobody else writes, and the store itself knows who comes first.
    case .exclusive:
      return try leasing.withLock { _ in try inner.leaseKeys(ofEntity: number, count: count) }
    default:
      return try document.alone { try inner.leaseKeys(ofEntity: number, count: count) }
    }
  }

  /// The commits of this store that can be opened.
  public func commits() throws -> [CommitSummary] { try inner.commits() }

  /// The objects as an earlier commit left them.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try inner.snapshot(ofCommit: number)
  }

  /// Refuses: which versions are kept is the document's affair (``Document/thin(_:now:)``).
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    throw StoreError(
      .notConfirmable,
      "A store of a document forgets nothing by itself: the document's versions do.",
      path: path)
  }

  /// What there is to say of the store besides its objects.
  public func describe() throws -> StoreDescription { try inner.describe() }

  /// Gives back what the store holds.
  public func close() throws { try inner.close() }
}
