import Foundation

/// The rules that decide which earlier versions of a document are kept.
///
/// Named versions and the newest version are always kept.
public struct VersionPolicy: Sendable, Hashable {
  /// The rules in order. The first rule whose age a version does not exceed decides whether it is kept. A
  /// version older than all rules is not kept.
  public var rules: [Rule]

  /// A rule for versions up to an age.
  public struct Rule: Sendable, Hashable {
    /// The greatest age of a version for this rule, in seconds.
    public var age: Double
    /// The length of a span in seconds, or 0 to keep all versions. One version of each span is kept.
    public var span: Double

    /// Makes a rule that keeps one version of each span, for versions up to an age.
    public init(upTo age: Double, oneEach span: Double = 0) {
      self.age = age
      self.span = span
    }
  }

  /// Makes a policy with the given rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// The policy that keeps all versions of the last hour, then one an hour for a day, then one a day for 30
  /// days.
  public static let usual = VersionPolicy([
    Rule(upTo: 3600), Rule(upTo: 86_400, oneEach: 3600), Rule(upTo: 30 * 86_400, oneEach: 86_400),
  ])

  /// The policy that keeps all versions.
  public static let all = VersionPolicy([Rule(upTo: .infinity)])

  /// The policy that keeps only the newest version and the named versions.
  public static let newestOnly = VersionPolicy([])

  /// Returns the versions that are kept.
  ///
  /// The last version of each span is kept, because it contains the earlier changes of the span. Spans are
  /// counted from a fixed moment, so the version kept of a span does not change as time goes on.
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
    // A version saved by a clock that ran ahead has age 0.
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
