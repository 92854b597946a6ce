public import ObjectGraph
public import ObjectModel
import StoreInterface

extension PersistentStoreCoordinator {
  /// Makes a coordinator with the built-in types of stores on the system's disk.
  public convenience init(
    model: Model, classes: [ManagedObject.Type] = [], transformers: [ValueTransformer] = []
  ) {
    self.init(model: model, places: .builtIn, classes: classes, transformers: transformers)
  }
}
