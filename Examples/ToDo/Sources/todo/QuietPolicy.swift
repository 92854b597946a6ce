import Quire

/// Migrates to-dos from version 1 to version 2, and silences each to-do with a name that begins with an A.
final class QuietPolicy: EntityMigrationPolicy {
  /// The mapping that uses this policy. The mapping does not mention categories, so their mapping is inferred from the two
  /// versions. The attributes and the category of each to-do are inferred too.
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
