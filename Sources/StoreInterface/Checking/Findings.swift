package import ObjectModel

/// The findings of a check. All findings are counted, but only a limited number of each rule is kept. A badly damaged
/// file therefore needs no more memory than a sound one.
public final class Findings {
  public init() {}

  /// Creates the findings of a check that another module has made.
  package init(_ kept: [Finding], counts: [Rule: Int]) {
    self.kept = kept
    self.counts = counts
  }

  /// The greatest number of kept findings of one rule.
  public static let mostPerRule = 20

  /// The kept findings, in the order they were made.
  public private(set) var kept: [Finding] = []
  /// The number of findings of each broken rule.
  public private(set) var counts: [Rule: Int] = [:]

  /// Adds a finding. The message is evaluated only if the finding is kept.
  public func add(_ rule: Rule, _ place: Place, _ message: @autoclosure () -> String) {
    let count = counts[rule, default: 0] + 1
    counts[rule] = count
    if count <= Findings.mostPerRule {
      kept.append(Finding(rule: rule, place: place, message: message()))
    }
  }

  /// Adds the findings of another check, about a file of the document.
  package func take(
    _ others: Findings, of file: String, where isTaken: (Rule) -> Bool = { _ in true }
  ) {
    for finding in others.kept where isTaken(finding.rule) {
      guard kept.count(where: { $0.rule == finding.rule }) < Findings.mostPerRule else { continue }
      var place = finding.place
      place.file = file
      kept.append(Finding(rule: finding.rule, place: place, message: finding.message))
    }
    for (rule, count) in others.counts where isTaken(rule) { counts[rule, default: 0] += count }
  }

  /// Removes all findings, because the file has another format.
  public func forget() {
    kept = []
    counts = [:]
  }

  /// The number of errors so far.
  public var errorCount: Int { counts.reduce(0) { $1.key.severity == .error ? $0 + $1.value : $0 } }
}

extension Findings {
  private static let oddities: Set<ModelFault.Code> = [
    .duplicateName, .orderedToOne, .propertyNotIndexable,
  ]

  /// Reports parts of a model that Core Data accepts and stores leave out (spec §2.2.7).
  package func addOddities(of model: Model, _ place: Place) {
    for fault in model.warnings where Findings.oddities.contains(fault.code) {
      add(.modelOddities, place, "\(fault)")
    }
  }
}
