import Quire

/// Takes to-dos from version 1 to version 2, and silences those whose names begin with an A.
final class QuietPolicy: EntityMigrationPolicy {
  /// What it is for. Categories are not spoken of, so they become what follows from the two versions, and
  /// so do the attributes and the category of each to-do.
  static let mapping = "map ToDo -> ToDo using QuietPolicy"

  override func createDestinationInstances(
    for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(for: source, mapping, manager)
    for case let toDo as ToDo in manager.destinationInstances(of: mapping.name, for: [source])
    where toDo.name.hasPrefix("A") {
      toDo.doNotAlert = true
    }
  }
}
