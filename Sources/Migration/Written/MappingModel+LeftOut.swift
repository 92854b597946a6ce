import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface

extension MappingModel {
  /// Counts the objects that no mapping takes because of the mappings' conditions, by entity.
  ///
  /// The objects of an entity without a mapping are not counted here.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` for a condition that contradicts the
  ///   model.
  func leftOut(of snapshot: any StoreSnapshot) throws -> [MigrationDrop] {
    let takers = entityMappings.filter { $0.destinationEntity != nil }
    let open = Set(takers.filter { $0.sourcePredicate == nil }.compactMap(\.sourceEntity))
    let filtered = Set(takers.compactMap(\.sourceEntity)).subtracting(open).sorted()
    guard !filtered.isEmpty else { return [] }
    let coordinator = PersistentStoreCoordinator(model: source)
    try coordinator.add(SnapshotStore(snapshot))
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    return try filtered.compactMap { entity in
      guard !(source[entity]?.isAbstract ?? true) else { return nil }
      var all = FetchRequest(entity)
      all.includesSubentities = false
      var taken: Set<ObjectID> = []
      for mapping in takers where mapping.sourceEntity == entity {
        taken.formUnion(try mapping.identifiers(in: context))
      }
      let count = try context.count(for: all) - taken.count
      return count > 0 ? MigrationDrop(entity, nil, count) : nil
    }
  }
}

extension EntityMapping {
  /// Returns the identifiers of the objects that the mapping takes, in no order.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` for a condition that contradicts the
  ///   model.
  func identifiers(in context: ManagedObjectContext) throws -> [ObjectID] {
    guard let entity = sourceEntity else { return [] }
    var request = FetchRequest(entity)
    request.includesSubentities = false
    do {
      request.predicate = try sourcePredicate?.replacing("source") {
        ofSource($0, context.coordinator.model)
      }
      return try context.fetchIdentifiers(request)
    } catch let error as QueryError {
      throw MigrationError(
        .badMapping, "The condition of the mapping \"\(name)\" can't be evaluated: \(error)",
        cause: error)
    }
  }
}
