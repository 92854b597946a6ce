import Foundation
import ObjectModel

extension FunctionTraits {
  static let dates: [FunctionTraits] = [
    FunctionTraits(.now, 0...0, type: FunctionArguments.any(.date)) {
      .value(.date($1))
    },
    part(.year), part(.quarter), part(.month), part(.week), part(.day), part(.weekday),
    part(.hour), part(.minute), part(.second),
  ]

  private static func part(_ function: Function) -> FunctionTraits {
    FunctionTraits(
      function, 1...2, missing: "the date has no such part or the zone is unknown", zoneAt: 1,
      type: FunctionArguments.ofDate
    ) { arguments in
      guard let (second, clock) = moment(arguments, zoneAt: 1) else { return .null }
      let time = CivilTime(second: second + clock.offset(at: second))
      return .value(.integer(time.part(function)))
    }
  }

  /// Returns a date at the start of a unit of the calendar, from the arguments of `TRUNC`.
  static func truncatedDate(_ arguments: [Operand]) -> Operand {
    guard let unit = arguments[1].text.flatMap(QueryExpression.CalendarUnit.init(name:)),
      let (second, clock) = moment(arguments, zoneAt: 2)
    else { return .null }
    let start = clock.start(of: unit, at: second)
    return .value(.date(Date(timeIntervalSinceReferenceDate: Double(start))))
  }

  /// Returns the whole second of a date, counted from 2001, and the clock of the zone; `nil` without a date in the range
  /// of the calendar or with an unknown zone.
  private static func moment(_ arguments: [Operand], zoneAt index: Int) -> (Int64, ZoneClock)? {
    guard case .value(.date(let date)) = arguments[0],
      let second = CivilTime.second(of: date.timeIntervalSinceReferenceDate)
    else { return nil }
    guard index < arguments.count else { return (second, .utc) }
    guard let clock = arguments[index].text.flatMap(ZoneClock.init(named:)) else { return nil }
    return (second, clock)
  }
}
