import Quire

/// Migrates a list to the current version and prints the plan first. The other commands migrate a list without printing the
/// plan.
enum ListMigration {
  static func run(at path: String, isCustom: Bool) throws {
    var migrator = Migrator(knowing: .init(ToDoModel.versions))
    migrator.classes = ToDoModel.classes
    if isCustom, let first = ToDoModel.versions["ToDo"] {
      migrator.mappings = [
        try MappingModel(QuietPolicy.mapping, from: first, to: ToDoModel.model)
      ]
      migrator.policies["QuietPolicy"] = { QuietPolicy() }
    }
    print(try migrator.plan(forStoreAt: path, to: ToDoModel.model, in: .builtIn))
    try migrator.migrate(storeAt: path, to: ToDoModel.model, in: .builtIn)
  }
}
