extension Rule {
  /// Every rule, by its identifier.
  public static let all: [Rule] =
    (files + blockFiles + blocks + xmlStores + sqliteStores + metadata + models + indexes + objects
    + manifests
    + containers).sorted {
      $0.id < $1.id
    }

  /// The list of all rules as a page: what `docs/validation-rules.md` holds.
  public static var page: String {
    var page = """
      # The rules of the validator

      What `quire validate` checks. Made from the rules themselves; `RECORD_SNAPSHOTS=1 ./run test` makes it
      anew. An identifier stays, and is never used for another rule. Clauses are those of [spec](../spec/README.md);
      a file, or a document, that breaks just the one rule lies in [spec/vectors/rules](../spec/vectors/rules/README.md) under its identifier.

      | Rule | Severity | What must be so | Clause |
      |---|---|---|---|

      """
    for rule in all {
      page += "| \(rule.id) | \(rule.severity.rawValue) | \(rule.title) | \(rule.clause) |\n"
    }
    return page
  }

  static let files = [unknownFormat, newerFormat]

  static let unknownFormat = Rule("FILE-001", "The file begins as one of a known format", "6.2.1")
  static let newerFormat = Rule("FILE-002", "The format's version is one that is known", "4.2.2")
}

extension Rule {
  /// A rule that is broken by an error.
  init(_ id: String, _ title: String, _ clause: String) { self.init(id, .error, title, clause) }
}
