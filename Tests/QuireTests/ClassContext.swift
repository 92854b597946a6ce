import Quire

extension ManagedObjectContext {
  /// A context over a new store in memory, with the model that classes declare.
  static func inMemory(
    _ classes: [ManagedObject.Type], _ transformers: [ValueTransformer] = []
  ) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: try Model(classes: classes), classes: classes,
      transformers: transformers)
    try coordinator.addStore(at: "memory", type: .memory)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }
}
