public import Foundation
public import ObjectModel
public import Rows

/// What one commit did to one store: when, by whom, and to which objects.
public struct HistoryTransaction: Sendable {
  /// The store's identifier.
  public let store: UUID
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// The commit's number in that store.
  public let number: Int64
  /// When it was made.
  public let time: Date
  /// Who made it, if anybody said so (``ManagedObjectContext/transactionAuthor``).
  public let author: String?
  /// What the context is called that made it (``ManagedObjectContext/name``), if it has a name.
  public let contextName: String?
  /// What was changed, in the order of the objects' identifiers.
  public let changes: [HistoryChange]
  /// The same, as rows.
  public let layer: Layer
  /// The numbers of the tables that hold links and no objects.
  let linkTables: Set<UInt16>

  /// The place in the history right behind this transaction.
  public var token: HistoryToken { HistoryToken(commits: [store: number]) }

  /// What a context merges to show what the transaction did (``ManagedObjectContext/mergeChanges(from:)``).
  public var contextChange: ContextChange {
    ContextChange(
      kind: .saved, contextName: contextName, author: author, layers: [tag: layer],
      linkTables: [tag: linkTables])
  }
}

/// What a transaction did to one object.
public struct HistoryChange: Sendable, Hashable {
  /// What happened to the object.
  public enum Kind: String, Sendable, Hashable {
    /// It was inserted.
    case insert
    /// It was changed.
    case update
    /// It was deleted.
    case delete
  }

  /// The object.
  public let object: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// What happened to it.
  public let kind: Kind
  /// The names of the properties that were changed, sorted; none when it was inserted or deleted.
  public let changedProperties: [String]
  /// The last values of the attributes of a deleted object that its model says to preserve
  /// (`preservesValueOnDeletion`), by name; what had no value is left out.
  public let tombstone: [String: Value]
}

/// A place in the history of some stores: for each the commit that was seen last.
///
/// Keep it where you keep what you made of the history, and ask for what came since.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The commits, by the stores' identifiers.
  public var commits: [UUID: Int64]

  /// The place behind the given commits.
  public init(commits: [UUID: Int64] = [:]) { self.commits = commits }

  /// The place behind both this and another: of each store the later commit.
  public func merged(with other: HistoryToken) -> HistoryToken {
    HistoryToken(commits: commits.merging(other.commits) { max($0, $1) })
  }
}

/// Which part of the history is wanted.
///
///     var request = HistoryRequest(after: token)
///     request.excludedAuthors = ["app"]
///     for transaction in try coordinator.history(request) { … }
public struct HistoryRequest: Sendable, Hashable {
  /// What was seen already; everything that is kept when it is `nil`. Of a store that it does not name
  /// everything is wanted.
  public var after: HistoryToken?
  /// Only what was made at this time or later.
  public var since: Date?
  /// Only what was made before this time.
  public var before: Date?
  /// Only what these made; everybody when it is `nil`.
  public var authors: Set<String>?
  /// Nothing that these made.
  public var excludedAuthors: Set<String> = []
  /// Only what contexts of these names made; any when it is `nil`.
  public var contextNames: Set<String>?
  /// Only changes of objects of these entities and those that inherit from them; any when it is `nil`.
  /// Transactions without such changes are left out.
  public var entities: Set<String>?
  /// Only these stores; all when it is `nil`.
  public var stores: Set<UUID>?

  /// What came after a place in the history.
  public init(after: HistoryToken? = nil) { self.after = after }
}
