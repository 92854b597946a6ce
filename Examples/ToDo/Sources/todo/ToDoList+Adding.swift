import Foundation
import Quire

extension ToDoList {
  /// Adds a to-do to the list. The save validates the to-do.
  func add(_ name: String, category: String?, due: Date?, isQuiet: Bool) throws -> [String] {
    let toDo = try context.insert(ToDo.self) {
      $0.name = name
      $0.created = .now
      $0.dueDate = due
    }
    if isQuiet { toDo.doNotAlert = true }
    if let category { toDo.category = try self.category(category) }
    return ["Added: \(toDo.line)"]
  }

  /// Returns the category with a name, and inserts the category if there is none.
  private func category(_ name: String) throws -> Category {
    let found = try context.fetch(Category.where { $0.name == name }.limited(to: 1))
    return try found.first ?? context.insert(Category.self) { $0.name = name }
  }

  /// Inserts categories, and returns a line for each category of the list.
  ///
  /// Nothing is checked here for two categories with the same name: the model has a uniqueness constraint, which the save
  /// enforces.
  func categories(adding names: [String]) throws -> [String] {
    for name in names { try context.insert(Category.self) { $0.name = name } }
    let all = try context.fetch(Category.all.sorted(by: \.name, options: .caseInsensitive))
    return all.map { category in
      let open = category.toDos.count { !$0.isDone }
      return "\(category.name): \(open) open"
    }
  }
}
