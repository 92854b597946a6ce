import Foundation
import Quire

extension ToDoList {
  /// Puts a to-do on the list. Whether it may be there is looked at when it is saved.
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

  /// The category of a name, made where there is none.
  private func category(_ name: String) throws -> Category {
    let found = try context.fetch(Category.where { $0.name == name }.limited(to: 1))
    return try found.first ?? context.insert(Category.self) { $0.name = name }
  }

  /// Makes categories, and tells all there are.
  ///
  /// That no two have the same name is not looked for here: the model says so, and saving keeps to it.
  func categories(adding names: [String]) throws -> [String] {
    for name in names { try context.insert(Category.self) { $0.name = name } }
    let all = try context.fetch(Category.all.sorted(by: \.name, options: .caseInsensitive))
    return all.map { category in
      let open = category.toDos.count { !$0.isDone }
      return "\(category.name): \(open) open"
    }
  }
}
