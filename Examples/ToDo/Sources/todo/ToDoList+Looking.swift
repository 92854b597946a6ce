import Foundation
import Quire

extension ToDoList {
  private func all() throws -> [ToDo] { try context.fetch(ToDo.all.inOrder) }

  /// The list, numbered.
  func lines(all showsAll: Bool) throws -> [String] {
    try all().enumerated().filter { showsAll || !$1.isDone }.map { "\($0 + 1). \($1.line)" }
  }

  /// Checks off what has a number in the list.
  func checkOff(_ number: Int) throws -> [String] {
    let all = try all()
    guard all.indices.contains(number - 1) else {
      throw UsageError("There is no to-do \(number).")
    }
    all[number - 1].isDone = true
    return ["Done: \(all[number - 1].name)"]
  }

  /// What is due within some days. The request is the model's own; its variable is a parameter here.
  func dueSoon(days: Int) throws -> [String] {
    let request = try ToDo.openBefore(date: Day.day(days + 1, after: Day.today))
    return try context.fetch(request.inOrder).map(\.line)
  }
}

extension FetchRequest<ToDo> {
  /// The request in the order of the list. Open to-dos come first, so that numbers are the same with and without those
  /// that are done. In each half those that are due sooner come first, after those that are never due.
  fileprivate var inOrder: FetchRequest<ToDo> {
    sorted(by: \.isDone).sorted(by: \.dueDate).sorted(by: \.created)
  }
}

extension ToDo {
  /// The to-do on a line: `[ ] Buy milk (Home), due 2026-12-01`.
  var line: String {
    var line = "[\(isDone ? "x" : " ")] \(name)"
    if let category { line += " (\(category.name))" }
    if let dueDate { line += ", due \(Day.text(dueDate))" }
    return line
  }
}
