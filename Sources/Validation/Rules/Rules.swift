extension Rule {
  /// All rules, sorted by identifier.
  public static let all: [Rule] =
    (files + blockFiles + blocks + xmlStores + sqliteStores + metadata + models + indexes + objects
    + manifests
    + containers).sorted {
      $0.id < $1.id
    }

  /// The table of all rules, which is clause 6.4.1 of the specification.
  public static var table: String {
    var table = """
      | Rule | Severity | What must be so | Clause |
      |---|---|---|---|

      """
    for rule in all {
      table += "| \(rule.id) | \(rule.severity.rawValue) | \(rule.title) | \(rule.clause) |\n"
    }
    return table
  }

  static let files = [unknownFormat, newerFormat]

  static let unknownFormat = Rule("FILE-001", "The file begins as one of a known format", "6.2.1")
  static let newerFormat = Rule("FILE-002", "The format's version is one that is known", "4.2.2")
}

extension Rule {
  /// Creates a rule with the severity ``Severity/error``.
  init(_ id: String, _ title: String, _ clause: String) { self.init(id, .error, title, clause) }
}
