public import Migration
public import ObjectGraph
public import ObjectModel
public import StoreInterface

extension PersistentContainer {
  /// Makes a container over one store, with the model that classes declare.
  ///
  ///     let container = try PersistentContainer(at: "Trips.store", for: Trip.self, Stop.self)
  ///
  /// - Parameters:
  ///   - type: The type of a new store; `nil` for a binary store.
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  ///   - migrator: Brings a store of another model to this model. Without a migrator such a store is refused.
  ///   - transformers: The transformers of transformable attributes.
  ///   - classes: The classes with `@Entity`.
  /// - Throws: `ModelError` if the model of the classes has faults; `StoreError` if the store can't be opened;
  ///   ``ContextError`` if the store has another model.
  public convenience init(
    at path: String, type: StoreType? = nil, backends: [any StoreBackend] = [],
    migrator: (any StoreMigrator)? = nil,
    transformers: [ValueTransformer] = [], for classes: ManagedObject.Type...
  ) throws {
    try self.init(
      try Model(classes: classes), at: path, type: type, places: .builtIn(adding: backends),
      migrator: migrator, classes: classes, transformers: transformers)
  }

  /// Makes a container over one store, with the model of a version that classes declare.
  ///
  ///     let migrator = try Migrator(TripsV1.self, TripsV2.self)
  ///     let container = try PersistentContainer(at: "Trips.store", for: TripsV2.self, migrator: migrator)
  ///
  /// - Parameters:
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  ///   - migrator: Brings a store of another version to this version. Without a migrator such a store is refused.
  ///   - transformers: The transformers of transformable attributes.
  /// - Throws: `ModelError` if the model of the classes has faults; `StoreError` if the store can't be opened;
  ///   ``ContextError`` if the store has another model.
  public convenience init(
    at path: String, type: StoreType? = nil, backends: [any StoreBackend] = [],
    for version: any ModelVersion.Type,
    migrator: (any StoreMigrator)? = nil, transformers: [ValueTransformer] = []
  ) throws {
    try self.init(
      try Model(classes: version.classes), at: path, type: type,
      places: .builtIn(adding: backends), migrator: migrator, classes: version.classes,
      transformers: transformers)
  }

  /// Makes a container over one store, with a model of the program.
  ///
  /// - Parameters:
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  ///   - migrator: Brings a store of another model to this model. Without a migrator such a store is refused.
  ///   - classes: The classes of the objects, each for the entity that it names.
  ///   - transformers: The transformers of transformable attributes.
  /// - Throws: `StoreError` if the store can't be opened; ``ContextError`` if the store has another model.
  public convenience init(
    _ model: Model, at path: String, type: StoreType? = nil, backends: [any StoreBackend] = [],
    migrator: (any StoreMigrator)? = nil, classes: [ManagedObject.Type] = [],
    transformers: [ValueTransformer] = []
  ) throws {
    try self.init(
      model, at: path, type: type, places: .builtIn(adding: backends), migrator: migrator,
      classes: classes,
      transformers: transformers)
  }
}
