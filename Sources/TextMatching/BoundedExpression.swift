import Foundation

/// One of Foundation's regular expressions, matched with whole texts in a bounded number of steps.
///
/// Foundation backtracks, which takes time that doubles with each character for some patterns. Foundation reports its
/// progress after every 10,000 steps, and the matching ends after a limited number of reports.
///
/// `@unchecked Sendable`, because a compiled expression never changes and each match has its own matcher.
struct BoundedExpression: @unchecked Sendable {
  private static let stepsPerReport = 10_000
  private let expression: NSRegularExpression

  init(_ pattern: String, ignoresCase: Bool) throws(PatternFault) {
    let options: NSRegularExpression.Options = ignoresCase ? .caseInsensitive : []
    do {
      // The pattern is checked without brackets first: in brackets, a pattern such as "a)(b" would seem valid.
      if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
      expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
    } catch { throw .notAPattern }
  }

  /// Returns whether the whole text matches, and subtracts the steps taken from the steps left.
  func matches(_ text: String, _ stepsLeft: inout Int) throws(PatternFault) -> Bool {
    var result: Bool? = false
    let allowed = min(stepsLeft, RegularPattern.fallbackStepLimit) / Self.stepsPerReport
    var reportsLeft = allowed
    defer { stepsLeft -= (allowed - reportsLeft) * Self.stepsPerReport }
    // SAFETY: `stop` belongs to the matcher and is set only during its call.
    unsafe expression.enumerateMatches(
      in: text, options: [.anchored, .reportProgress],
      range: NSRange(location: 0, length: text.utf16.count)
    ) { match, flags, stop in
      if match != nil {
        result = true
        unsafe stop.pointee = true
      } else if flags.contains(.internalError) {
        result = nil
        unsafe stop.pointee = true
      } else if flags.contains(.progress) {
        reportsLeft -= 1
        if reportsLeft <= 0 {
          result = nil
          unsafe stop.pointee = true
        }
      }
    }
    guard let result else { throw .tooManySteps(limit: RegularPattern.fallbackStepLimit) }
    return result
  }
}
