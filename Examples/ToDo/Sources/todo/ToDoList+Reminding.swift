import Foundation
import Quire

extension ToDoList {
  /// Returns a reminder for each open to-do that is due by tomorrow, is not silenced and has had no reminder today. Records the
  /// reminders, so that a second call on the same day returns none of them.
  func remind() throws -> [String] {
    let today = try Day.today
    let end = try Day.day(2, after: today)
    let alerting = ToDo.where {
      !$0.isDone && !$0.doNotAlert && $0.dueDate < end
        && ($0.lastAlertDate == nil || $0.lastAlertDate < today)
    }
    let toDos = try context.fetch(alerting.sorted(by: \.dueDate).sorted(by: \.name))
    let now = try Day.now
    for toDo in toDos { toDo.lastAlertDate = now }
    return toDos.map { "Remember: \($0.line)" }
  }
}
