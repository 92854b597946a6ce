package import Foundation

extension Date {
  /// Returns the moment in ISO 8601 form, in UTC. A moment beyond the calendar is returned as seconds since 2001.
  ///
  /// Files may contain any number for a moment, and Foundation ends the program for some numbers.
  package func isoText(includingFractions: Bool = false) -> String {
    let seconds = timeIntervalSinceReferenceDate
    // The range reaches from the first day of the Julian period to the last day that Foundation supports.
    guard seconds > -2.118e11, seconds < 1.59e13 else { return "\(seconds)" }
    let isWhole = seconds == seconds.rounded(.down)
    return formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: includingFractions && !isWhole))
  }
}
