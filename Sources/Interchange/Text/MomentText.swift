import ObjectModel

/// Moments as text that reads back to the last bit: ISO 8601 with as many digits as it takes, and where that
/// can't say it, `@` and seconds since 2001.
package enum MomentText {
  /// The text of the moment so many seconds after 2001-01-01 00:00 UTC.
  static func text(_ seconds: Double) -> String {
    ISOMoment.text(seconds) ?? "@\(RealText.text(seconds))"
  }

  /// The seconds since 2001 that a text stands for; `nil` when it is no moment. A time without a zone is UTC.
  package static func seconds(_ text: String) -> Double? {
    text.hasPrefix("@") ? RealText.double(String(text.dropFirst())) : ISOMoment.seconds(text)
  }
}
