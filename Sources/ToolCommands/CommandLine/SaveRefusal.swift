import CommandInterface
import ObjectGraph
import ObjectModel

/// The failures of a refused save, in the words of the tool. Many objects may fail for one reason, which appears once.
struct SaveRefusal {
  private let error: ContextError

  /// The greatest number of objects that are named for one reason.
  private static let mostNamed = 3
  /// The greatest number of lines about conflicts.
  private static let mostConflicts = 18

  init(_ error: ContextError) { self.error = error }

  /// The message, then each reason with its objects.
  var message: String {
    let conflicts =
      error.conflicts.map { "  \($0)" } + error.constraintConflicts.map { "  \($0)" }
    guard !error.failures.isEmpty || !conflicts.isEmpty else { return "\(error)" }
    var lines = [error.message]
    for group in groups {
      let named = group.count > SaveRefusal.mostNamed ? 1 : group.count
      lines += group.prefix(named).map { "  \($0)" }
      let rest = group.count - named
      if rest > 0 {
        lines.append(
          "  The same holds for \(Wording.count(rest, "more object")) of '\(group[0].entity)'.")
      }
    }
    lines += conflicts.prefix(SaveRefusal.mostConflicts)
    let rest = conflicts.count - SaveRefusal.mostConflicts
    if rest > 0 {
      lines.append("  There \(rest == 1 ? "is" : "are") \(Wording.count(rest, "more conflict")).")
    }
    return lines.joined(separator: "\n")
  }

  /// The next step after a deletion that a delete rule denies.
  var hint: String? {
    guard let denied = error.failures.first(where: { $0.rule == .deletionDenied }),
      let key = denied.key
    else { return nil }
    return
      "Delete the objects of '\(key)' first, or change the delete rule of '\(denied.entity).\(key)' with "
      + "'quire model edit'."
  }

  /// The failures in groups of the same rule of the same property. An object that lacks a reference because its deletion is
  /// denied has no group, because the denial is the reason.
  private var groups: [[ValidationFailure]] {
    let isDenied = error.failures.contains { $0.rule == .deletionDenied }
    var groups: [[ValidationFailure]] = []
    var places: [String: Int] = [:]
    for failure in error.failures {
      if isDenied, failure.rule == .required, failure.value?.isNull ?? true { continue }
      let reason = "\(failure.entity)\u{0}\(failure.key ?? "")\u{0}\(failure.rule.rawValue)"
      if let place = places[reason] {
        groups[place].append(failure)
      } else {
        places[reason] = groups.count
        groups.append([failure])
      }
    }
    return groups
  }
}
