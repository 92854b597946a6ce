import Foundation

/// A regular expression that whole texts are matched with, giving up on those that take too long.
///
/// A hostile pattern takes time that doubles with each character of a text. So the matcher is asked to
/// report how it goes on, which it does after so many steps, and only so many reports are waited for.
struct BoundedPattern {
  let pattern: String
  private let expression: NSRegularExpression
  private var reportsLeft = 2_000

  /// The pattern; `nil` when it is no regular expression.
  init?(_ pattern: String) {
    guard
      let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
    else { return nil }
    self.pattern = pattern
    self.expression = expression
  }

  /// Whether so much time was spent that no more should be.
  var isExhausted: Bool { reportsLeft <= 0 }

  /// Whether the whole text matches; `nil` when that takes too long to say.
  mutating func matches(_ text: String) -> Bool? {
    guard !isExhausted else { return nil }
    var result: Bool? = false
    var reports = min(reportsLeft, 500)
    let allowed = reports
    // SAFETY: `stop` is the matcher's own, and set while it calls.
    unsafe expression.enumerateMatches(
      in: text, options: [.anchored, .reportProgress],
      range: NSRange(location: 0, length: text.utf16.count)
    ) { match, flags, stop in
      if match != nil {
        result = true
        unsafe stop.pointee = true
      } else if flags.contains(.progress) {
        reports -= 1
        if reports <= 0 {
          result = nil
          unsafe stop.pointee = true
        }
      } else if flags.contains(.internalError) {
        result = nil
      }
    }
    reportsLeft -= allowed - reports
    return result
  }
}
