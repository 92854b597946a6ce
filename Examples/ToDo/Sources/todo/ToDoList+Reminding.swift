import Foundation
import Quire

extension ToDoList {
  /// What is due by tomorrow, open, not silenced, and was not told of today; from now on it was.
  func remind() throws -> [String] {
    let today = try Day.today
    let alerting = try QueryPredicate(
      """
      isDone == NO AND doNotAlert == NO AND dueDate < %@ \
      AND (lastAlertDate == nil OR lastAlertDate < %@)
      """, Day.day(2, after: today), today)
    let toDos = try context.fetch(
      ToDo.self, where: alerting, sortedBy: [SortKey("dueDate"), SortKey("name")])
    let now = try Day.now
    for toDo in toDos { toDo.lastAlertDate = now }
    return toDos.map { "Remember: \($0.line)" }
  }
}
