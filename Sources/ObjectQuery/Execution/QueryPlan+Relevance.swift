extension QueryPlan {
  /// Returns the sums over the texts of a source that the relevance of its objects depends on; `nil` if the request does
  /// not sort by relevance.
  ///
  /// - Throws: The errors of a damaged store.
  package func ownStatistics(in source: some QuerySource) throws -> RelevanceStatistics? {
    try relevance?.statistics(layouts, run(source), interpreter(source))
  }

  /// Returns the sums over the texts of several stores that answer one request; `nil` if the request does not sort by
  /// relevance. Assign them to ``statistics`` of each plan, and of the order that merges the results.
  package static func statistics(
    _ parts: some Sequence<(plan: QueryPlan, source: ViewSource)>
  ) throws -> RelevanceStatistics? {
    var sum: RelevanceStatistics?
    for (plan, source) in parts {
      guard let own = try plan.ownStatistics(in: source) else { return nil }
      if sum == nil { sum = own } else { sum?.add(own) }
    }
    return sum
  }

  /// Returns the calculator of relevance; `nil` if the request does not sort by it.
  func scores(in source: some QuerySource) throws -> RelevanceScores? {
    guard let relevance, let statistics = try statistics ?? ownStatistics(in: source) else {
      return nil
    }
    return RelevanceScores(relevance, statistics)
  }
}
