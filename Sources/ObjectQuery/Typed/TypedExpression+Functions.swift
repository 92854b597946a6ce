public import Foundation
public import ObjectModel

// The functions of predicates for properties of classes. docs/predicates.md states the meaning of each.

extension TypedExpression {
  fileprivate func called<Result>(
    _ function: QueryExpression.Function, _ others: QueryExpression?...
  ) -> ComputedExpression<Root, Result> {
    ComputedExpression(.function(function, [queryExpression] + others.compactMap(\.self)))
  }
}

extension TimeZone {
  /// The name of the zone as an argument of a function.
  fileprivate var queryExpression: QueryExpression { .constant(.string(identifier)) }
}

extension Int {
  fileprivate var queryExpression: QueryExpression { .constant(.integer(Int64(self))) }
}

// MARK: - Dates

extension TypedExpression where Value.Bare == Date {
  public var year: ComputedExpression<Root, Int?> { called(.year) }
  /// The quarter of the year in UTC, from 1 to 4.
  public var quarter: ComputedExpression<Root, Int?> { called(.quarter) }
  /// The month in UTC, from 1 to 12.
  public var month: ComputedExpression<Root, Int?> { called(.month) }
  /// The week of ISO 8601 in UTC, from 1 to 53.
  public var week: ComputedExpression<Root, Int?> { called(.week) }
  /// The day of the month in UTC, from 1 to 31.
  public var day: ComputedExpression<Root, Int?> { called(.day) }
  /// The day of the week in UTC, from 1 for Monday to 7 for Sunday.
  public var weekday: ComputedExpression<Root, Int?> { called(.weekday) }
  /// The hour in UTC, from 0 to 23.
  public var hour: ComputedExpression<Root, Int?> { called(.hour) }
  /// The minute in UTC, from 0 to 59.
  public var minute: ComputedExpression<Root, Int?> { called(.minute) }
  /// The whole second in UTC, from 0 to 59.
  public var second: ComputedExpression<Root, Int?> { called(.second) }

  /// Returns the year that a clock of a time zone shows.
  ///
  ///     Trip.where { $0.start.year(in: .current) == 2026 }
  public func year(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.year, zone.queryExpression)
  }

  /// Returns the quarter of the year that a clock of a time zone shows.
  public func quarter(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.quarter, zone.queryExpression)
  }

  /// Returns the month that a clock of a time zone shows.
  public func month(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.month, zone.queryExpression)
  }

  /// Returns the week of ISO 8601 that a clock of a time zone shows.
  public func week(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.week, zone.queryExpression)
  }

  /// Returns the day of the month that a clock of a time zone shows.
  public func day(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.day, zone.queryExpression)
  }

  /// Returns the day of the week that a clock of a time zone shows, from 1 for Monday to 7 for Sunday.
  public func weekday(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.weekday, zone.queryExpression)
  }

  /// Returns the hour that a clock of a time zone shows.
  public func hour(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.hour, zone.queryExpression)
  }

  /// Returns the minute that a clock of a time zone shows.
  public func minute(in zone: TimeZone) -> ComputedExpression<Root, Int?> {
    called(.minute, zone.queryExpression)
  }

  /// Returns the first moment of the unit of the calendar that contains the date.
  ///
  ///     Trip.where { $0.start.truncated(to: .month) == now }
  ///
  /// - Parameter zone: The time zone of the calendar; UTC if `nil`.
  public func truncated(
    to unit: QueryExpression.CalendarUnit, in zone: TimeZone? = nil
  ) -> ComputedExpression<Root, Value> {
    called(.trunc, .constant(.string(unit.rawValue)), zone?.queryExpression)
  }

  /// Returns the date that is some seconds later.
  public static func + (left: Self, right: TimeInterval) -> ComputedExpression<Root, Value> {
    left.called(.add, .constant(.double(right)))
  }

  /// Returns the date that is some seconds earlier.
  public static func - (left: Self, right: TimeInterval) -> ComputedExpression<Root, Value> {
    left.called(.subtract, .constant(.double(right)))
  }

  /// Returns the seconds from another date to this one.
  public static func - <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Double?>
  where Other.Root == Root, Other.Value.Bare == Date {
    left.called(.subtract, right.queryExpression)
  }

  /// Returns the seconds from another date to this one.
  public static func - (left: Self, right: Date) -> ComputedExpression<Root, Double?> {
    left.called(.subtract, .constant(.date(right)))
  }
}

// MARK: - Texts

extension TypedExpression where Value.Bare == String {
  /// Returns the text in capital letters.
  public func uppercased() -> ComputedExpression<Root, Value> { called(.uppercase) }

  /// Returns the text in lower case.
  public func lowercased() -> ComputedExpression<Root, Value> { called(.lowercase) }

  /// Returns the text without white space at its start and its end.
  public func trimmed() -> ComputedExpression<Root, Value> { called(.trim) }

  /// The number of characters of the text.
  public var length: ComputedExpression<Root, Int?> { called(.length) }

  /// Returns the text with each occurrence of a part replaced.
  public func replacing(_ part: String, with other: String) -> ComputedExpression<Root, Value> {
    called(.replace, .constant(.string(part)), .constant(.string(other)))
  }

  /// Returns the characters from a position on, counted from 1, or some of them.
  ///
  ///     Trip.where { $0.name.characters(from: 1, count: 3) == "Lis" }
  public func characters(from start: Int, count: Int? = nil) -> ComputedExpression<Root, Value> {
    called(.substring, start.queryExpression, count?.queryExpression)
  }

  /// Returns the two texts, one after the other.
  public static func + <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Value>
  where Other.Root == Root, Other.Value.Bare == String { left.called(.add, right.queryExpression) }

  /// Returns the two texts, one after the other.
  public static func + (left: Self, right: String) -> ComputedExpression<Root, Value> {
    left.called(.add, .constant(.string(right)))
  }
}

// MARK: - Numbers

extension TypedExpression where Value.Bare: NumericAttributeValue {
  /// The number without its sign.
  public var magnitude: ComputedExpression<Root, Value> { called(.abs) }

  /// The greatest whole number that is not above the number.
  public var floor: ComputedExpression<Root, Value> { called(.floor) }

  /// The least whole number that is not below the number.
  public var ceiling: ComputedExpression<Root, Value> { called(.ceiling) }

  /// Returns the number rounded to some decimal places. Halves are rounded away from zero.
  public func rounded(toPlaces places: Int = 0) -> ComputedExpression<Root, Value> {
    called(.round, places.queryExpression)
  }
}
