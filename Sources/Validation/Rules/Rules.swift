public import StoreInterface

extension Rule {
  /// The rules of the formats that a validator knows on its own, sorted by identifier.
  public static let all: [Rule] =
    (files + blockFiles + blocks + xmlStores + metadata + models + indexes + objects + manifests
    + containers).sorted { $0.id < $1.id }

  /// Returns a table of rules, as in clause 6.4.1 of the specification.
  package static func table(_ rules: [Rule]) -> String {
    var table = """
      | Rule | Severity | Requirement | Clause |
      |---|---|---|---|

      """
    for rule in rules {
      table += "| \(rule.id) | \(rule.severity.rawValue) | \(rule.title) | \(rule.clause) |\n"
    }
    return table
  }
}
