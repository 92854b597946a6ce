public import Foundation
public import ObjectModel
public import Rows
public import StoreInterface

/// The changes that one commit made to the objects of one store, with the commit's time and author.
public struct HistoryTransaction: Sendable {
  public let store: UUID
  /// The store's tag in object identifiers.
  public let tag: StoreTag
  /// The commit's number in that store.
  public let number: Int64
  /// The time of the commit.
  public let time: Date
  /// The author of the commit, if the context had one (``ManagedObjectContext/transactionAuthor``).
  public let author: String?
  /// The name of the context that saved (``ManagedObjectContext/name``), if it had one.
  public let contextName: String?
  /// The identifier of the application that saved, such as `org.example.trips`; `nil` if the store does not record it.
  /// Databases of Core Data do.
  public let bundleID: String?
  /// The name of the process that saved; `nil` if the store does not record it.
  public let processName: String?
  /// The changes, in the order of the objects' identifiers.
  public let changes: [HistoryChange]
  /// The same changes, as rows.
  public let layer: Layer
  /// The numbers of the tables that contain links and no objects.
  let linkTables: Set<UInt16>

  /// The place in the history right after this transaction.
  public var token: HistoryToken { HistoryToken(commits: [store: number]) }

  /// The change that a context merges to show this transaction (``ManagedObjectContext/mergeChanges(from:)``).
  public var contextChange: ContextChange {
    ContextChange(
      kind: .saved, contextName: contextName, author: author, layers: [tag: layer],
      linkTables: [tag: linkTables])
  }
}

/// The change that a transaction made to one object.
public struct HistoryChange: Sendable, Hashable {
  /// The kind of a change to an object.
  public typealias Kind = LoggedChange.Kind

  public let object: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The kind of the change.
  public let kind: Kind
  /// The sorted names of the changed properties; empty if the object was inserted or deleted. In a database of Core Data,
  /// a relationship that refers to many may be named without a change, if the history does not tell which one changed.
  public let changedProperties: [String]
  /// The last values of a deleted object, by name: the attributes that the model preserves
  /// (`preservesValueOnDeletion`). Attributes without a value are left out.
  public let tombstone: [String: Value]
}

/// A place in the history of some stores: the last commit seen in each store.
///
/// Keep the token together with the data that you derived from the history, and request the later transactions with it.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The commits, by the stores' identifiers.
  public var commits: [UUID: Int64]

  /// Creates a token for the place after the given commits.
  public init(commits: [UUID: Int64] = [:]) { self.commits = commits }

  /// Returns the token with the later commit of each store in this token and another.
  public func merged(with other: HistoryToken) -> HistoryToken {
    HistoryToken(commits: commits.merging(other.commits) { max($0, $1) })
  }
}

/// A selection of transactions in the history.
///
///     var request = HistoryRequest(after: token)
///     request.excludedAuthors = ["app"]
///     for transaction in try coordinator.history(request) { … }
public struct HistoryRequest: Sendable, Hashable {
  /// The place after which transactions are included; `nil` for all kept transactions. All kept transactions of a store
  /// that the token does not name are included.
  public var after: HistoryToken?
  /// The earliest time of an included transaction; `nil` for no limit.
  public var since: Date?
  /// The time before which an included transaction was made; `nil` for no limit.
  public var before: Date?
  /// The authors of included transactions; `nil` for all authors.
  public var authors: Set<String>?
  /// The authors of transactions that are left out.
  public var excludedAuthors: Set<String> = []
  /// The names of the contexts that made included transactions; `nil` for all contexts.
  public var contextNames: Set<String>?
  /// The entities with included changes, and their subentities; `nil` for all entities. A transaction without such
  /// changes is left out.
  public var entities: Set<String>?
  /// The identifiers of the included stores; `nil` for all stores.
  public var stores: Set<UUID>?

  /// Creates a request for the transactions after a place in the history.
  public init(after: HistoryToken? = nil) { self.after = after }
}
