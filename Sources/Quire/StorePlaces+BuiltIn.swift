import DurableFiles
public import StoreInterface

extension StorePlaces {
  /// All types of stores that Quire contains, in files of this machine.
  ///
  ///     let coordinator = PersistentStoreCoordinator(model: model, places: .builtIn)
  ///     try coordinator.addStore(at: "Trips.store")
  public static var builtIn: StorePlaces { builtIn(adding: []) }

  /// Returns the types of stores that Quire contains, and further ones, in files of this machine:
  /// `.builtIn(adding: [.sqlite])` after `import SQLiteStore`.
  public static func builtIn(adding backends: [any StoreBackend]) -> StorePlaces {
    StorePlaces(backends.reduce(.builtIn) { $0.adding($1) }, on: RealDisk())
  }
}
