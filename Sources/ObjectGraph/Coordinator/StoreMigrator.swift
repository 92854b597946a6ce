public import ObjectModel
public import StoreInterface

/// Migrates a store to another version of its model when the store does not fit the coordinator's model.
///
/// The module Migration provides a migrator. The coordinator knows only this protocol.
public protocol StoreMigrator: Sendable {
  /// Migrates the store at a path to a model, and to a type if one is given. The store keeps its path.
  ///
  /// - Parameters:
  ///   - configuration: The configuration that lists the store's entities; `nil` for all entities.
  /// - Throws: The reason why the store can't be migrated. The store is unchanged then.
  func migrateStore(
    at path: String, type: StoreType?, to model: Model, configuration: String?,
    in places: StorePlaces
  ) throws
}
