package import StoreInterface

/// The features of a store, as its cases found them.
extension ConformanceReport {
  /// The finding of the cases about a feature.
  package enum Finding: Sendable, Hashable {
    /// At least one case tried the feature, and all that did passed.
    case works
    /// The store does not declare the feature, or does not have it.
    case missing
    /// Cases with these names failed.
    case fails([String])
    /// No case could try the feature, for the given reason.
    case untried(String)
  }

  /// Returns each feature with its finding.
  ///
  /// - Parameter capabilities: The capabilities that the store declares.
  package func abilities(
    of capabilities: StoreCapabilities
  ) -> [(ability: StoreAbility, finding: Finding)] {
    StoreAbility.allCases.map { ability in
      let results = results.filter { $0.testCase.ability == ability }
      let failed = results.filter { $0.outcome.isFailure }.map(\.testCase.name)
      if !failed.isEmpty { return (ability, .fails(failed)) }
      if ability.isDeclared(in: capabilities) == false { return (ability, .missing) }
      if results.contains(where: { $0.outcome == .passed }) { return (ability, .works) }
      guard ability.capability != nil, case .skipped(let reason)? = results.first?.outcome else {
        return (ability, .missing)
      }
      return (ability, .untried(reason))
    }
  }
}
