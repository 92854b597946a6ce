/// Moments as text that preserves every bit: ISO 8601 with as many digits as needed, or a mark and the seconds since
/// 2001 if ISO 8601 can't express the moment.
package enum MomentText {
  /// Returns the text of a moment, given in seconds since 2001-01-01 00:00 UTC.
  ///
  /// - Parameter offset: The seconds by which the clock that the text shows is ahead of UTC.
  package static func text(_ seconds: Double, mark: String = "@", ahead offset: Int = 0) -> String {
    ISOMoment.text(seconds, ahead: offset) ?? mark + RealText.text(seconds)
  }

  /// Returns the seconds since 2001 of a moment's text; `nil` if the text is not a moment. A time without a zone is in
  /// UTC.
  package static func seconds(_ text: String, mark: String = "@") -> Double? {
    ISOMoment.seconds(text)
      ?? (text.hasPrefix(mark) ? RealText.double(String(text.dropFirst(mark.count))) : nil)
  }
}
