// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those of Core Data.

public import Foundation
public import ObjectGraph
public import ObjectModel
public import ObjectQuery

// The names of Core Data and SwiftData that have another name here. Each is unavailable, so that the compiler shows the name
// to write. `docs/from-core-data.md` and `docs/from-swiftdata.md` list all names.

// MARK: - Types

/// Unavailable: ``ManagedObject`` is the name here.
@available(*, unavailable, renamed: "ManagedObject")
public typealias NSManagedObject = ManagedObject
/// Unavailable: ``ManagedObjectContext`` is the name here.
@available(*, unavailable, renamed: "ManagedObjectContext")
public typealias NSManagedObjectContext = ManagedObjectContext
/// Unavailable: ``ObjectID`` is the name here.
@available(*, unavailable, renamed: "ObjectID")
public typealias NSManagedObjectID = ObjectID
/// Unavailable: ``Model`` is the name here.
@available(*, unavailable, renamed: "Model")
public typealias NSManagedObjectModel = Model
/// Unavailable: ``PersistentContainer`` is the name here.
@available(*, unavailable, renamed: "PersistentContainer")
public typealias NSPersistentContainer = PersistentContainer
/// Unavailable: ``PersistentStoreCoordinator`` is the name here.
@available(*, unavailable, renamed: "PersistentStoreCoordinator")
public typealias NSPersistentStoreCoordinator = PersistentStoreCoordinator
/// Unavailable: ``PersistentContainer.StoreDescription`` is the name here.
@available(*, unavailable, renamed: "PersistentContainer.StoreDescription")
public typealias NSPersistentStoreDescription = PersistentContainer.StoreDescription
/// Unavailable: ``FetchRequest`` is the name here.
@available(*, unavailable, renamed: "FetchRequest")
public typealias NSFetchRequest<Object: ManagedObject> = FetchRequest<Object>
/// Unavailable: ``BatchInsertRequest`` is the name here.
@available(*, unavailable, renamed: "BatchInsertRequest")
public typealias NSBatchInsertRequest = BatchInsertRequest
/// Unavailable: ``BatchUpdateRequest`` is the name here.
@available(*, unavailable, renamed: "BatchUpdateRequest")
public typealias NSBatchUpdateRequest = BatchUpdateRequest
/// Unavailable: ``BatchDeleteRequest`` is the name here.
@available(*, unavailable, renamed: "BatchDeleteRequest")
public typealias NSBatchDeleteRequest = BatchDeleteRequest
/// Unavailable: ``FetchedResults`` is the name here.
@available(*, unavailable, renamed: "FetchedResults")
public typealias NSFetchedResultsController<Object: ManagedObject> = FetchedResults<Object>
/// Unavailable: ``HistoryToken`` is the name here.
@available(*, unavailable, renamed: "HistoryToken")
public typealias NSPersistentHistoryToken = HistoryToken
/// Unavailable: ``ManagedObjectContext`` is the name here.
@available(*, unavailable, renamed: "ManagedObjectContext")
public typealias ModelContext = ManagedObjectContext
/// Unavailable: ``PersistentContainer`` is the name here.
@available(*, unavailable, renamed: "PersistentContainer")
public typealias ModelContainer = PersistentContainer
/// Unavailable: ``ObjectID`` is the name here.
@available(*, unavailable, renamed: "ObjectID")
public typealias PersistentIdentifier = ObjectID
/// Unavailable: ``FetchRequest`` is the name here.
@available(*, unavailable, renamed: "FetchRequest")
public typealias FetchDescriptor<Object: ManagedObject> = FetchRequest<Object>
/// Unavailable: ``ManagedObject`` is the name here.
@available(*, unavailable, renamed: "ManagedObject")
public typealias PersistentModel = ManagedObject

// MARK: - Merge policies

/// Unavailable: `.error` is the name here.
@available(*, unavailable, renamed: "MergePolicy.error")
public var NSErrorMergePolicy: MergePolicy { .error }
/// Unavailable: `.storeWins` is the name here.
@available(*, unavailable, renamed: "MergePolicy.storeWins")
public var NSMergeByPropertyStoreTrumpMergePolicy: MergePolicy { .storeWins }
/// Unavailable: `.objectWins` is the name here.
@available(*, unavailable, renamed: "MergePolicy.objectWins")
public var NSMergeByPropertyObjectTrumpMergePolicy: MergePolicy { .objectWins }
/// Unavailable: `.overwrite` is the name here.
@available(*, unavailable, renamed: "MergePolicy.overwrite")
public var NSOverwriteMergePolicy: MergePolicy { .overwrite }
/// Unavailable: `.rollback` is the name here.
@available(*, unavailable, renamed: "MergePolicy.rollback")
public var NSRollbackMergePolicy: MergePolicy { .rollback }

extension MergePolicy {
  /// Unavailable: `.storeWins` is the name here.
  @available(*, unavailable, renamed: "storeWins")
  public static var mergeByPropertyStoreTrump: MergePolicy { .storeWins }
  /// Unavailable: `.objectWins` is the name here.
  @available(*, unavailable, renamed: "objectWins")
  public static var mergeByPropertyObjectTrump: MergePolicy { .objectWins }
}

// MARK: - Members

extension ManagedObjectContext {
  /// Unavailable: ``undoStack`` is the name here.
  @available(*, unavailable, renamed: "undoStack")
  public var undoManager: UndoStack? {
    get { undoStack }
    set { undoStack = newValue }
  }
  /// Unavailable: ``coordinator`` is the name here.
  @available(*, unavailable, renamed: "coordinator")
  public var persistentStoreCoordinator: PersistentStoreCoordinator? { coordinator }
  /// Unavailable: a request of the class selects the objects.
  @available(*, unavailable, message: "Write try context.delete(Trip.where { … }).")
  public func delete<Object: ManagedObject>(
    model: Object.Type, where predicate: Predicate<Object>? = nil
  ) throws { fatalError() }
  /// Unavailable: ``count(for:)`` is the name here.
  @available(*, unavailable, renamed: "count(for:)")
  public func fetchCount<Object>(_ request: FetchRequest<Object>) throws -> Int {
    try count(for: request)
  }
  /// Unavailable: ``find(_:_:)`` is the name here.
  @available(*, unavailable, message: "Write try context.find(Trip.self, id).")
  public func model(for id: ObjectID) -> ManagedObject { object(with: id) }
}

extension ManagedObject {
  /// Unavailable: a request begins with its class.
  @available(*, unavailable, message: "Write Trip.all, or Trip.where { … }.")
  public static func fetchRequest() -> FetchRequest<ManagedObject> { FetchRequest() }
  /// Unavailable: ``objectID`` is the name here.
  @available(*, unavailable, renamed: "objectID")
  public var persistentModelID: ObjectID { objectID }
}

extension FetchRequest {
  /// Unavailable: ``sorted(by:ascending:options:)`` takes key paths, and `sortKeys` is the list.
  @available(
    *, unavailable, message: "Write .sorted(by: \\.name), or sortKeys = [SortKey(\"name\")]."
  )
  public var sortDescriptors: [SortKey]? {
    get { query.sortKeys }
    set { query.sortKeys = newValue ?? [] }
  }
}

extension QueryPredicate {
  /// Unavailable: the format needs no label.
  @available(
    *, unavailable, message: "Write QueryPredicate(\"name == %@\", name), without a label."
  )
  public init(format: String, _ arguments: (any QueryArgument)?...) { fatalError() }
}

extension TextOptions {
  /// Unavailable: ``localeSensitive`` is the name here.
  @available(*, unavailable, renamed: "localeSensitive")
  public static var localized: TextOptions { .localeSensitive }
}

extension BatchUpdateRequest {
  /// Unavailable: ``valuesToUpdate`` is the name here.
  @available(*, unavailable, renamed: "valuesToUpdate")
  public var propertiesToUpdate: [String: QueryExpression] { valuesToUpdate }
}

extension PersistentContainer {
  /// Unavailable: `viewContext` is the name here.
  @available(*, unavailable, renamed: "viewContext")
  public var mainContext: ManagedObjectContext { fatalError() }
}
