import Foundation
import Quire

extension ToDoList {
  /// What is open comes first, so that numbers are the same with and without what is done. In each half
  /// what is due sooner precedes; what is never due comes before all.
  private static let order = [SortKey("isDone"), SortKey("dueDate"), SortKey("created")]

  private func all() throws -> [ToDo] { try context.fetch(ToDo.self, sortedBy: Self.order) }

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
    var request = try ToDo.openBefore(date: Day.day(days + 1, after: Day.today))
    request.sortKeys = Self.order
    return try context.fetch(request).map(\.line)
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
