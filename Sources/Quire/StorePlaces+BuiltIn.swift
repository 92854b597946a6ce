import DurableFiles
public import StoreInterface

extension StorePlaces {
  /// All types of stores that Quire contains, in files of this machine.
  ///
  ///     let coordinator = PersistentStoreCoordinator(model: model, places: .builtIn)
  ///     try coordinator.addStore(at: "Trips.store")
  public static var builtIn: StorePlaces { StorePlaces(.builtIn, on: RealDisk()) }
}
