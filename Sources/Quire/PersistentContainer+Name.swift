import Foundation
import Migration
import ModelNotations
public import ObjectGraph
public import ObjectModel
public import StoreInterface

extension PersistentContainer {
  /// Makes a container. Its model file and its store have the given name. The store is opened later.
  ///
  ///     let container = try PersistentContainer(name: "Trips", classes: [Trip.self, Stop.self])
  ///     container.loadPersistentStores { description, error in
  ///       if let error { fatalError("\(description.path): \(error)") }
  ///     }
  ///
  /// The model is read from `NAME.momd`, `.mom`, `.xcdatamodeld`, `.xcdatamodel` or `.model`. The container looks for
  /// this file in the resources of the program, then beside the executable and in the resources of packages there, and
  /// then in the working directory.
  ///
  /// The container describes one store: the block file `NAME.store` in ``defaultDirectory``, which is migrated from
  /// other versions of the model if that loses nothing. Set ``persistentStoreDescriptions`` for other stores.
  ///
  /// - Parameters:
  ///   - model: The model; `nil` to read it from a file.
  ///   - classes: The classes of the objects, each for the entity that it names.
  ///   - transformers: The transformers of transformable attributes.
  ///   - type: The type of a new store; `nil` for a block file. The file of another type has its own ending, such as
  ///     `NAME.sqlite`.
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  /// - Throws: `ModelFileError` if the file does not exist, with the folders; or if the file has faults.
  public convenience init(
    name: String, model: Model? = nil, classes: [ManagedObject.Type] = [],
    transformers: [ValueTransformer] = [], type: StoreType? = nil,
    backends: [any StoreBackend] = []
  ) throws {
    try self.init(
      name: name, model: model, classes: classes, transformers: transformers, type: type,
      backends: backends, in: ModelSearch())
  }

  /// Makes a container with a name and the model that classes declare. The store is opened later.
  ///
  ///     let container = try PersistentContainer(name: "Trips", for: Trip.self, Stop.self)
  ///
  /// The store is the same as that of ``init(name:model:classes:transformers:type:backends:)``.
  ///
  /// - Parameters:
  ///   - type: The type of a new store; `nil` for a block file.
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  ///   - classes: The classes with `@Entity`.
  /// - Throws: `ModelError` if the model of the classes has faults.
  public convenience init(
    name: String, type: StoreType? = nil, backends: [any StoreBackend] = [],
    for classes: ManagedObject.Type...
  ) throws {
    try self.init(
      name: name, model: try Model(classes: classes), classes: classes, type: type,
      backends: backends)
  }

  convenience init(
    name: String, model: Model?, classes: [ManagedObject.Type], transformers: [ValueTransformer],
    type: StoreType? = nil, backends: [any StoreBackend] = [], in search: ModelSearch
  ) throws {
    let versions = try model == nil ? search.versions(named: name) : nil
    var migrator = Migrator(knowing: versions.map { [KnownVersion]($0) } ?? [])
    (migrator.classes, migrator.transformers) = (classes, transformers)
    let ending = type?.rawValue.lowercased() ?? "store"
    var store = StoreDescription(
      Self.defaultDirectory + "/\(name).\(ending)", type: type, migrator: migrator)
    store.createsFolder = true
    self.init(
      name: name, model ?? versions!.current, describing: [store],
      places: .builtIn(adding: backends), classes: classes, transformers: transformers)
  }

  /// The folder of a store that has a name and no path: `$XDG_DATA_HOME/PROGRAM`, and `~/.local/share/PROGRAM` without
  /// that variable. On Apple's systems the folder is in Application Support.
  ///
  /// The folder is created when the first store is opened in it.
  public static var defaultDirectory: String {
    let program =
      Bundle.main.executableURL?.lastPathComponent ?? ProcessInfo.processInfo.processName
    #if canImport(Darwin)
      let folder = FileManager.default.urls(
        for: .applicationSupportDirectory, in: .userDomainMask)[0].path
      return folder + "/" + program
    #else
      return defaultDirectory(
        of: program, ProcessInfo.processInfo.environment,
        home: FileManager.default.homeDirectoryForCurrentUser.path)
    #endif
  }

  /// Returns the folder for the stores of a program, as the XDG Base Directory Specification defines it.
  static func defaultDirectory(
    of program: String, _ environment: [String: String], home: String
  ) -> String {
    // The specification says that a relative path is ignored.
    let named = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (named ?? home + "/.local/share") + "/" + program
  }
}
