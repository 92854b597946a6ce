import DurableFiles
import ObjectGraph
import ObjectModel
import ObjectQuery
import SQLiteStore
import StoreInterface
import Testing

/// A database of ``HandMade/library`` in a context.
struct Library {
  let store: any Store
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  init(_ made: HandMade, _ opening: StoreOpening) throws {
    store = try SQLiteStoreBackend().open(made.path, on: RealDisk(), opening)
    coordinator = PersistentStoreCoordinator(model: made.model)
    try coordinator.add(store, readOnly: opening.readOnly)
    context = ManagedObjectContext(coordinator, concurrency: .confined)
  }

  func object(_ entity: String, _ number: UInt64) throws -> ManagedObject {
    let key = ObjectKey(
      entity: try #require(try store.snapshot().schema[entity]).entityNumber, number: number)
    return try context.existingObject(with: ObjectID(store: store.tag, key: key))
  }

  func reader(_ name: String) throws -> ManagedObject {
    var found: ManagedObject?
    for reader in try context.fetch(FetchRequest("Reader")) where reader["name"] == .string(name) {
      found = reader
    }
    return try #require(found)
  }

  /// Returns the targets of a relationship, as `Entity/key`.
  func keys(_ object: ManagedObject, _ relationship: String) -> [String] {
    let others = object.value(forKey: relationship) as? [ManagedObject] ?? []
    return others.map { "\($0.entity.name)/\($0.objectID.key.number)" }
  }
}
