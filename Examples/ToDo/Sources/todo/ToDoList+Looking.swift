import Foundation
import Quire

extension ToDoList {
  private func all() throws -> [ToDo] { try context.fetch(ToDo.all.inOrder) }

  /// Returns the lines of the list, with numbers.
  func lines(all showsAll: Bool) throws -> [String] {
    try all().enumerated().filter { showsAll || !$1.isDone }.map { "\($0 + 1). \($1.line)" }
  }

  /// Marks the to-do with a number of the list as done.
  func checkOff(_ number: Int) throws -> [String] {
    let all = try all()
    guard all.indices.contains(number - 1) else {
      throw UsageError("There is no to-do \(number).")
    }
    all[number - 1].isDone = true
    return ["Done: \(all[number - 1].name)"]
  }

  /// Returns the open to-dos that are due within some days. The model declares the request, and its variable is a parameter
  /// here.
  func dueSoon(days: Int) throws -> [String] {
    let request = try ToDo.openBefore(date: Day.day(days + 1, after: Day.today))
    return try context.fetch(request.inOrder).map(\.line)
  }
}

extension FetchRequest<ToDo> {
  /// The request, sorted as the list is. Open to-dos come first, so that their numbers do not change when done to-dos are
  /// hidden. Within each half, to-dos without a due date come first, and then the other to-dos by date.
  fileprivate var inOrder: FetchRequest<ToDo> {
    sorted(by: \.isDone).sorted(by: \.dueDate).sorted(by: \.created)
  }
}

extension ToDo {
  /// The line that shows the to-do: `[ ] Buy milk (Home), due 2026-12-01`.
  var line: String {
    var line = "[\(isDone ? "x" : " ")] \(name)"
    if let category { line += " (\(category.name))" }
    if let dueDate { line += ", due \(Day.text(dueDate))" }
    return line
  }
}
