import Foundation

/// Which earlier versions of a document are kept.
///
/// Named versions are kept in any case, and so is the newest.
public struct VersionPolicy: Sendable, Hashable {
  /// All versions that are not older than a rule's age are kept as often as it says; the first rule that a
  /// version is young enough for decides.
  public var rules: [Rule]

  /// How many versions of an age are kept.
  public struct Rule: Sendable, Hashable {
    /// How old a version may be for this rule, in seconds.
    public var age: Double
    /// One version is kept of each span of so many seconds; all when this is 0.
    public var span: Double

    /// One version of each span, of those that are not older.
    public init(upTo age: Double, oneEach span: Double = 0) {
      self.age = age
      self.span = span
    }
  }

  /// Versions that the given rules keep.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// All of the last hour, one an hour of the last day, one a day of the last month.
  public static let usual = VersionPolicy([
    Rule(upTo: 3600), Rule(upTo: 86_400, oneEach: 3600), Rule(upTo: 30 * 86_400, oneEach: 86_400),
  ])

  /// All of them.
  public static let all = VersionPolicy([Rule(upTo: .infinity)])

  /// Only the newest, and those that have a name.
  public static let newestOnly = VersionPolicy([])

  /// The versions that are kept.
  ///
  /// Of each span the last one stays, because it has what came before in it. Spans are counted from one moment
  /// for all time, so that which version is kept of one does not change as time goes on.
  func kept(_ versions: [Manifest.VersionEntry], now: Date) -> [Manifest.VersionEntry] {
    var lastOfSpan: [Span: Int64] = [:]
    for version in versions {
      if let span = span(of: version, now) { lastOfSpan[span] = version.number }
    }
    return versions.filter { version in
      if version.name != nil || version.number == versions.last?.number { return true }
      guard let rule = rule(for: version, now) else { return false }
      if rule.span == 0 { return true }
      return span(of: version, now).map { lastOfSpan[$0] == version.number } ?? false
    }
  }

  private struct Span: Hashable {
    var length: Double
    var number: Double
  }

  private func rule(for version: Manifest.VersionEntry, _ now: Date) -> Rule? {
    // What was saved by a clock that went ahead is young.
    let age = max(0, now.timeIntervalSince(version.saved))
    return rules.first { age <= $0.age }
  }

  private func span(of version: Manifest.VersionEntry, _ now: Date) -> Span? {
    guard let rule = rule(for: version, now), rule.span > 0 else { return nil }
    return Span(
      length: rule.span,
      number: (version.saved.timeIntervalSinceReferenceDate / rule.span).rounded(.down))
  }
}
