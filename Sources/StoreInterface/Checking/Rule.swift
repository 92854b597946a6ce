/// A requirement on documents or on stores of one type, which a validator checks.
///
/// A rule's identifier never changes and is never used for another rule, because scripts search for it. Clause 6.4 of
/// the specification lists the rules of Quire's own formats. A backend adds the rules of its format
/// (``StoreBackend/rules()``).
public struct Rule: Sendable, Hashable, Identifiable {
  /// The rule's name, such as `BLCK-034`.
  public let id: String
  /// The severity of a violation.
  public let severity: Severity
  /// The requirement, in a sentence without its full stop.
  public let title: String
  /// The clause of the specification that contains the requirement, such as `4.4.1`.
  public let clause: String
  /// Whether the clause is one of the specification of a plug-in's format, and not of Quire's specification.
  public var isOfPlugin = false

  /// The clause and its specification in words: `spec §4.4.1`, or `§2 of the plug-in's format`.
  public var reference: String {
    isOfPlugin ? "§\(clause) of the plug-in's format" : "spec §\(clause)"
  }

  public init(_ id: String, _ severity: Severity, _ title: String, _ clause: String) {
    self.id = id
    self.severity = severity
    self.title = title
    self.clause = clause
  }

  /// Creates a rule with the severity ``Severity/error``.
  public init(_ id: String, _ title: String, _ clause: String) {
    self.init(id, .error, title, clause)
  }

  /// Returns whether both rules say the same. Their origin does not count.
  public static func == (left: Rule, right: Rule) -> Bool {
    (left.id, left.severity, left.title, left.clause)
      == (right.id, right.severity, right.title, right.clause)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The severity of a finding.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The document is wrong: data is lost, or readers may reject the document or differ on its meaning.
  case error
  /// Readers agree on the meaning of the document, but the writer should have written it differently.
  case warning
  /// Nothing is wrong, but the finding may be useful.
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
