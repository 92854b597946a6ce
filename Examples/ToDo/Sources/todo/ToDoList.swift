import Quire

/// The stack: a model, a store that holds the list, and the context in which a command works.
@MainActor
struct ToDoList {
  private let container: PersistentContainer

  /// Opens the list at a path, or begins one.
  ///
  /// A list of an earlier version of the model is brought to this one first. Nothing is asked: what is new
  /// in it is empty or has a default value, so that no to-do has to be looked at.
  ///
  /// - Parameter version: The version to stay at, where it is not the current one.
  init(at path: String, version: String?) throws {
    guard let version else {
      container = try PersistentContainer(
        ToDoModel.model, at: path, migrator: Migrator.automatic,
        classes: ToDoModel.classes)
      return
    }
    guard let model = ToDoModel.versions[version] else {
      let names = ToDoModel.versions.versions.map { "'\($0.name)'" }
      throw UsageError("There is no version '\(version)', but \(names.joined(separator: ", ")).")
    }
    container = try PersistentContainer(
      model, at: path, classes: ToDoModel.classes)
  }

  /// The main actor's context, in which everything is found and changed.
  var context: ManagedObjectContext { container.viewContext }

  /// Saves what was changed: everything, or nothing when anything is wrong with it.
  func save() throws {
    if context.hasChanges { try context.save() }
  }
}
