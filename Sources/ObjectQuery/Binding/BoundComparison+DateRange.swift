import Foundation
import ObjectModel
import PropertyLists
import Rows

extension BoundComparison {
  /// The same comparison as a range of dates; `nil` if it is not a comparison of `YEAR(x)` or `TRUNC(x, unit)` in UTC with
  /// a constant.
  ///
  /// An index and a database can find the dates of a range, and can't find the years of dates.
  var asDateRange: BoundPredicate? {
    guard modifier == .direct, case .function(let function, let arguments) = left,
      let first = arguments.first, case .path(.this, let steps) = first,
      steps.allSatisfy(\.isSingle), let value = right.constant?.single
    else { return nil }
    // The first second of the unit that the constant names or lies in, the first second of the next unit, and whether the
    // constant is a unit's first second.
    let (start, next): (Int64, Int64)
    var isStart = true
    switch (function, arguments.count, value) {
    case (.year, 1, .integer(let year)):
      guard abs(year) < 200_000_000, let day = CivilDate(year, 1, 1),
        let nextDay = CivilDate(year + 1, 1, 1)
      else { return nil }
      (start, next) = (
        day.number * CivilTime.secondsOfDay, nextDay.number * CivilTime.secondsOfDay
      )
    case (.trunc, 2, .date(let date)):
      guard
        let unit = arguments[1].constant?.text.flatMap(QueryExpression.CalendarUnit.init(name:)),
        let second = CivilTime.second(of: date.timeIntervalSinceReferenceDate),
        abs(second) < 1 << 52
      else { return nil }
      start = CivilTime(second: second).start(of: unit)
      next = CivilTime(second: start + unit.greatestLength).start(of: unit)
      isStart = Double(start) == date.timeIntervalSinceReferenceDate
    default: return nil
    }
    switch operation {
    case .equal: return isStart ? range(of: first, from: start, to: next) : .constant(false)
    case .greaterThan: return range(of: first, from: next)
    case .greaterThanOrEqual: return range(of: first, from: isStart ? start : next)
    case .lessThan: return range(of: first, to: isStart ? start : next)
    case .lessThanOrEqual: return range(of: first, to: next)
    default: return nil
    }
  }

  /// Returns the condition that a date lies in a range. Dates outside the calendar do not have parts, so they are
  /// outside of every range.
  private func range(
    of date: BoundExpression, from start: Int64? = nil, to end: Int64? = nil
  ) -> BoundPredicate {
    func condition(_ operation: QueryPredicate.Operator, _ seconds: Double) -> BoundPredicate {
      let constant = Value.date(Date(timeIntervalSinceReferenceDate: seconds))
      return .comparison(
        BoundComparison(
          left: date, operation: operation, right: .constant(.value(constant)), modifier: .direct,
          options: []))
    }
    return .and([
      condition(.greaterThanOrEqual, start.map(Double.init) ?? CivilTime.range.lowerBound),
      end.map { condition(.lessThan, Double($0)) }
        ?? condition(.lessThanOrEqual, CivilTime.range.upperBound),
    ])
  }
}

extension PathStep {
  /// Whether the step gives one value.
  fileprivate var isSingle: Bool {
    switch self {
    case .attribute, .toOne: true
    case .toMany, .collection: false
    }
  }
}

extension QueryExpression.CalendarUnit {
  /// The greatest number of seconds in the unit. A moment so much later than the start of a unit lies in the next one.
  fileprivate var greatestLength: Int64 {
    switch self {
    case .year: 366 * CivilTime.secondsOfDay
    case .quarter: 92 * CivilTime.secondsOfDay
    case .month: 31 * CivilTime.secondsOfDay
    case .week: 7 * CivilTime.secondsOfDay
    case .day: CivilTime.secondsOfDay
    case .hour: 3600
    case .minute: 60
    case .second: 1
    }
  }
}
