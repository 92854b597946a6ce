import PropertyLists

/// A day of the proleptic Gregorian calendar and the time that a clock shows on it.
struct CivilTime: Equatable {
  private let date: CivilDate
  /// The number of the day, counted from 2001-01-01.
  let dayNumber: Int64
  let secondOfDay: Int64

  static let secondsOfDay: Int64 = 86_400

  /// The seconds in which dates have parts. Beyond them, a floating-point number can't represent every whole second.
  static let range = -0x1p53...0x1p53

  /// Creates the time at a second of a clock, counted from 2001-01-01 00:00 of that clock.
  init(second: Int64) {
    dayNumber = second.flooredQuotient(CivilTime.secondsOfDay)
    secondOfDay = second - dayNumber * CivilTime.secondsOfDay
    date = CivilDate(number: dayNumber)
  }

  /// Returns the whole second before a moment; `nil` for a moment outside the calendar.
  static func second(of seconds: Double) -> Int64? {
    range.contains(seconds) ? Int64(seconds.rounded(.down)) : nil
  }

  var year: Int64 { date.year }
  var month: Int64 { date.month }
  var day: Int64 { date.day }
  var weekday: Int64 { date.weekday }
  var hour: Int64 { secondOfDay / 3600 }
  var minute: Int64 { secondOfDay / 60 % 60 }
  var second: Int64 { secondOfDay % 60 }
  var quarter: Int64 { (date.month + 2) / 3 }
  /// The number of the week of ISO 8601, in which week 1 contains the first Thursday of a year.
  var week: Int64 {
    // The week belongs to the year of its Thursday.
    let thursday = dayNumber - (date.weekday - 1) + 3
    let first = CivilDate(CivilDate(number: thursday).year, 1, 1)!.number
    return (thursday - first) / 7 + 1
  }

  /// Returns the part that a function reads.
  func part(_ function: QueryExpression.Function) -> Int64 {
    switch function {
    case .year: year
    case .quarter: quarter
    case .month: month
    case .week: week
    case .day: day
    case .weekday: weekday
    case .hour: hour
    case .minute: minute
    case .second: second
    default: preconditionFailure("\(function.rawValue) must be a function of a part of dates.")
    }
  }

  /// Returns the second at which the unit of the calendar with this time begins.
  func start(of unit: QueryExpression.CalendarUnit) -> Int64 {
    func day(_ number: Int64) -> Int64 { number * CivilTime.secondsOfDay }
    func first(ofMonth month: Int64) -> Int64 { day(CivilDate(date.year, month, 1)!.number) }
    let now = day(dayNumber) + secondOfDay
    return switch unit {
    case .year: first(ofMonth: 1)
    case .quarter: first(ofMonth: quarter * 3 - 2)
    case .month: first(ofMonth: date.month)
    case .week: day(dayNumber - (date.weekday - 1))
    case .day: day(dayNumber)
    case .hour: now - secondOfDay % 3600
    case .minute: now - secondOfDay % 60
    case .second: now
    }
  }
}
