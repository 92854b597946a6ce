package import Foundation

extension Date {
  /// The moment as ISO 8601 writes it, in UTC; the seconds since 2001 where no calendar has such a moment.
  ///
  /// Files may hold any number for a moment, and Foundation ends the program over some of them.
  package func isoText(includingFractions: Bool = false) -> String {
    let seconds = timeIntervalSinceReferenceDate
    // From the first day of the Julian period to the last that Foundation counts.
    guard seconds > -2.118e11, seconds < 1.59e13 else { return "\(seconds)" }
    let isWhole = seconds == seconds.rounded(.down)
    return formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: includingFractions && !isWhole))
  }
}
