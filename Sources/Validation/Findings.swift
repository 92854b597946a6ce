import ObjectModel

/// Findings as they are made. Of each rule only so many are kept, so that a file in which everything is
/// wrong costs no more than one in which little is; all are counted.
final class Findings {
  /// How many findings of one rule are kept.
  static let mostPerRule = 20

  private(set) var kept: [Finding] = []
  private(set) var counts: [Rule: Int] = [:]

  /// Notes a finding. The message is made only if it is kept.
  func add(_ rule: Rule, _ place: Place, _ message: @autoclosure () -> String) {
    let count = counts[rule, default: 0] + 1
    counts[rule] = count
    if count <= Findings.mostPerRule {
      kept.append(Finding(rule: rule, place: place, message: message()))
    }
  }

  /// Takes over the findings about a file of the document.
  func take(_ others: Findings, of file: String, where isTaken: (Rule) -> Bool = { _ in true }) {
    for finding in others.kept where isTaken(finding.rule) {
      guard kept.count(where: { $0.rule == finding.rule }) < Findings.mostPerRule else { continue }
      var place = finding.place
      place.file = file
      kept.append(Finding(rule: finding.rule, place: place, message: finding.message))
    }
    for (rule, count) in others.counts where isTaken(rule) { counts[rule, default: 0] += count }
  }

  /// Takes back what was noted: the file is something else.
  func forget() {
    kept = []
    counts = [:]
  }

  /// How many errors there are so far.
  var errorCount: Int { counts.reduce(0) { $1.key.severity == .error ? $0 + $1.value : $0 } }
}

extension Findings {
  private static let oddities: Set<ModelFault.Code> = [
    .duplicateName, .orderedToOne, .propertyNotIndexable,
  ]

  /// Notes what a model has that Core Data accepts and stores leave out (spec §2.2.7).
  func addOddities(of model: Model, _ place: Place) {
    for fault in model.warnings where Findings.oddities.contains(fault.code) {
      add(.modelOddities, place, "\(fault)")
    }
  }
}
