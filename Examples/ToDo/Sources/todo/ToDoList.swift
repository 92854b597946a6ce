import Quire

/// The stack: a model, the store that contains the list, and the context for all commands.
@MainActor
struct ToDoList {
  private let container: PersistentContainer

  /// Opens the list at a path, or creates a list if there is none.
  ///
  /// A list of an earlier version of the model is migrated first, without any question to the user. New properties are optional
  /// or have a default value, so the migration does not read the to-dos.
  ///
  /// - Parameter version: The version of the model to use, or `nil` for the current version.
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

  /// The main actor's context, in which commands fetch and change objects.
  var context: ManagedObjectContext { container.viewContext }

  /// Saves all changes, or throws and saves none of them.
  func save() throws {
    if context.hasChanges { try context.save() }
  }
}
