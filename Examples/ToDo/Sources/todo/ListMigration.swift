import Quire

/// Brings a list to the current version by hand, which shows what happens; every other command does it
/// by itself.
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
