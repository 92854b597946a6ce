public import ObjectGraph
import ObjectModel
public import StoreInterface

extension PersistentContainer {
  /// A container over one store, with the model that classes declare.
  ///
  ///     let container = try PersistentContainer(at: "Trips.store", for: Trip.self, Stop.self)
  ///
  /// - Parameters:
  ///   - type: The type of a new store; `nil` for a binary store.
  ///   - migrator: What brings a store of another model to this one; a store of another model is refused without it.
  ///   - classes: The classes with `@Entity`.
  /// - Throws: `ModelError` if the classes make no model; `StoreError` if the store can't be opened; ``ContextError`` if its
  ///   model is another.
  public convenience init(
    at path: String, type: StoreType? = nil, migrator: (any StoreMigrator)? = nil,
    for classes: ManagedObject.Type...
  ) throws {
    try self.init(
      try Model(classes: classes), at: path, type: type, places: .builtIn, migrator: migrator,
      classes: classes)
  }
}
