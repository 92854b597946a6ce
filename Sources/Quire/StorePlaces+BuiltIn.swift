import DurableFiles
public import StoreInterface

extension StorePlaces {
  /// Every kind of store that Quire brings along, in files of this machine.
  ///
  ///     let coordinator = PersistentStoreCoordinator(model: model, places: .builtIn)
  ///     try coordinator.addStore(at: "Trips.store")
  public static var builtIn: StorePlaces { StorePlaces(.builtIn, on: RealDisk()) }
}
