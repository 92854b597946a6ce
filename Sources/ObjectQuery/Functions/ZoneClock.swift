import Foundation
import Synchronization

/// The clock of a time zone: how far it is ahead of UTC at each moment.
package struct ZoneClock: Sendable {
  static let utc = ZoneClock(zone: nil, fixed: 0)

  /// The zone, if its difference changes with the time.
  private let zone: TimeZone?
  private let fixed: Int64

  private init(zone: TimeZone?, fixed: Int64) {
    self.zone = zone
    self.fixed = fixed
  }

  /// Zones by their names. Expressions name few zones, but once for each object.
  private static let known = Mutex<[String: ZoneClock]>([:])
  private static let mostKnown = 64

  /// Creates the clock of a zone: `UTC`, a name of the time zone database, or a difference such as `+02:00` or `GMT+0200`.
  package init?(named name: String) {
    if name.isEmpty || name == "UTC" || name == "Z" {
      if name.isEmpty { return nil }
      self = .utc
      return
    }
    if let clock = ZoneClock.known.withLock({ $0[name] }) {
      self = clock
      return
    }
    guard let clock = ZoneClock.difference(name) ?? ZoneClock.zone(name) else { return nil }
    ZoneClock.known.withLock {
      if $0.count >= ZoneClock.mostKnown { $0.removeAll() }
      $0[name] = clock
    }
    self = clock
  }

  /// Returns the clock of a difference: a sign, two digits of hours, and two digits of minutes behind an optional colon.
  private static func difference(_ name: String) -> ZoneClock? {
    guard let match = name.wholeMatch(of: /(?:GMT|UTC)?([+-])([0-9]{2}):?([0-9]{2})/),
      let hours = Int64(match.2), let minutes = Int64(match.3), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return ZoneClock(zone: nil, fixed: match.1 == "-" ? -seconds : seconds)
  }

  private static func zone(_ name: String) -> ZoneClock? {
    // Abbreviations such as CST have several meanings. Only names of places, and UTC, are unique.
    guard name.contains("/") || name == "GMT", let zone = TimeZone(identifier: name) else {
      return nil
    }
    return ZoneClock(zone: zone, fixed: 0)
  }

  /// Whether the difference to UTC is the same at each moment.
  var isFixed: Bool { zone == nil }

  /// Returns the seconds by which the clock is ahead of UTC at a second, which is counted from 2001-01-01 00:00 UTC.
  package func offset(at second: Int64) -> Int64 {
    guard let zone else { return fixed }
    return Int64(
      zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: Double(second))))
  }

  /// Returns the second at which a unit of the calendar begins that contains a second. Both are counted in UTC.
  ///
  /// If the clock skips the beginning of the unit, the unit begins with the first second that the clock shows. If the
  /// clock shows the beginning twice, the earlier second counts, unless the clock is set back between it and the moment.
  func start(of unit: QueryExpression.CalendarUnit, at second: Int64) -> Int64 {
    let offset = offset(at: second)
    let shown = CivilTime(second: second + offset).start(of: unit)
    let start = shown - offset
    let offsetAtStart = self.offset(at: start)
    guard offsetAtStart != offset else { return start }
    let other = shown - offsetAtStart
    return self.offset(at: other) == offsetAtStart ? other : max(start, other)
  }
}
