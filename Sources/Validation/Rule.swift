/// One thing that must be so in a document, and that is checked.
///
/// A rule's identifier stays: scripts look for it, and it is never used for anything else. The rules of
/// this version are ``all``; clause 6.4 of the specification lists them.
public struct Rule: Sendable, Hashable, Identifiable {
  /// The rule's name, such as `BLCK-034`.
  public let id: String
  /// How grave it is when the rule is broken.
  public let severity: Severity
  /// What must be so, in a sentence without its full stop.
  public let title: String
  /// The clause of the specification that demands it, such as `4.4.1`.
  public let clause: String

  init(_ id: String, _ severity: Severity = .error, _ title: String, _ clause: String) {
    self.id = id
    self.severity = severity
    self.title = title
    self.clause = clause
  }
}

/// How grave a finding is.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The document is wrong: something in it is lost, or readers may refuse it or differ on it.
  case error
  /// Readers agree on what it says, and its writer should have done otherwise.
  case warning
  /// Nothing is wrong, and one may want to know.
  case information

  /// Orders severities from information up to error.
  public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .error: 2
    case .warning: 1
    case .information: 0
    }
  }
}
