public import ObjectGraph
public import ObjectModel
import StoreInterface

extension PersistentStoreCoordinator {
  /// A coordinator of the built-in kinds of stores on the system's disk.
  public convenience init(
    model: Model, classes: [ManagedObject.Type] = [], transformers: [ValueTransformer] = []
  ) {
    self.init(model: model, places: .builtIn, classes: classes, transformers: transformers)
  }
}
