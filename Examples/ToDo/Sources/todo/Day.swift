import Foundation

/// Days in the form 2026-12-01. A to-do is due at the first moment of its day.
enum Day {
  private static let form = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()

  static func date(_ text: String) throws(UsageError) -> Date {
    guard let date = try? form.parse(text), form.format(date) == text else {
      throw UsageError("'\(text)' is not a day. Days are written 2026-12-01.")
    }
    return date
  }

  static func text(_ date: Date) -> String { form.format(date) }

  /// The current moment, or the beginning of the day that `TODO_TODAY` names, so that later days can be tried.
  static var now: Date {
    get throws(UsageError) {
      guard let day = ProcessInfo.processInfo.environment["TODO_TODAY"] else { return .now }
      return try date(day)
    }
  }

  /// The first moment of today.
  static var today: Date {
    get throws(UsageError) { Calendar.current.startOfDay(for: try now) }
  }

  /// Returns the first moment of the day that is `count` days after a day.
  static func day(_ count: Int, after date: Date) -> Date {
    Calendar.current.date(byAdding: .day, value: count, to: date)!
  }
}
