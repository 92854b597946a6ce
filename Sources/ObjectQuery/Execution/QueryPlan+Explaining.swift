import ObjectModel

extension QueryPlan {
  /// Answers a request, and notes the way and the work.
  ///
  /// - Parameters:
  ///   - reason: The reason why the store is not asked, although it can answer requests.
  ///   - makePlan: Makes the plan, which is timed.
  ///   - source: The rows.
  ///   - askStore: Lets the store answer, and returns the number of results; `nil` if the rows have to be searched.
  package static func explain(
    reason: String? = nil, in source: some QuerySource, _ makePlan: () throws -> QueryPlan,
    askStore: ((QueryRequest) throws -> Int?)?
  ) throws -> QueryExplanation {
    let clock = ContinuousClock()
    let journal = QueryJournal()
    let start = clock.now
    var plan = try makePlan()
    let planned = clock.now
    plan.watch = SearchWatch(journal)
    var found: Int?
    if let askStore {
      found = try QueryJournal.$current.withValue(journal) { try askStore(plan.request) }
      if found != nil, journal.explanation.steps.isEmpty {
        journal.record([
          .init(way: .store, entity: plan.request.entity, columns: [], candidateCount: found ?? 0)
        ])
      }
    }
    let isAnswered = found != nil
    if found == nil { found = try plan.resultCount(in: source) }
    var explanation = journal.explanation
    if askStore != nil, !isAnswered {
      explanation.reason =
        explanation.statement == nil
        ? "it can't express a part of the request exactly" : "the database refused the statement"
    }
    explanation.request = plan.request.inWords
    explanation.foundCount = found ?? 0
    explanation.reason = reason ?? explanation.reason
    explanation.planning = start.duration(to: planned)
    explanation.answering = planned.duration(to: clock.now)
    return explanation
  }

  private func resultCount(in source: some QuerySource) throws -> Int {
    switch request.resultType {
    case .count: return try count(in: source)
    case .dictionaries: return try table(in: source).rows.count
    default:
      if sortKeys.isEmpty, request.predicate == nil {
        var found = 0
        try forEachRun(in: source) { found += $0.count }
        return found
      }
      return try keys(in: source).count
    }
  }
}
