import Foundation

/// A regular expression of Foundation's that whole texts are matched with, within a number of steps.
///
/// Foundation goes back and tries again, which takes time that doubles with each character for some
/// patterns. It reports its progress after every 10,000 steps, and only so many reports are waited for.
///
/// `@unchecked Sendable`, because a compiled expression never changes and each match has a matcher of
/// its own.
struct BoundedExpression: @unchecked Sendable {
  private static let stepsPerReport = 10_000
  private let expression: NSRegularExpression

  init(_ pattern: String, ignoresCase: Bool) throws(PatternFault) {
    let options: NSRegularExpression.Options = ignoresCase ? .caseInsensitive : []
    do {
      // By itself first: in brackets, a pattern such as "a)(b" would look like a sound one.
      if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
      expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
    } catch { throw .notAPattern }
  }

  /// Returns whether the whole text matches, and takes the steps from those that are left.
  func matches(_ text: String, _ stepsLeft: inout Int) throws(PatternFault) -> Bool {
    var result: Bool? = false
    let allowed = min(stepsLeft, RegularPattern.fallbackStepLimit) / Self.stepsPerReport
    var reportsLeft = allowed
    defer { stepsLeft -= (allowed - reportsLeft) * Self.stepsPerReport }
    // SAFETY: `stop` is the matcher's own, and set while it calls.
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
