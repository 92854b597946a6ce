import Tracing

/// The way that a store takes to answer a request, and the work that it does: the result of an `explain`.
///
///     let explanation = try context.explain(Trip.where { $0.cost > 3 })[0]
///     print(explanation)              // Trip where cost > 3: 12 results …
///     if explanation.rows.read > 1000 { print("An index would help.") }
///
/// The request is answered as usual, so the counts and the times are those of this answer, and not an estimate.
public struct QueryExplanation: Sendable, Hashable {
  /// A way to find objects.
  public enum Way: String, Sendable, Hashable, CaseIterable {
    /// Each row of the entity is compared, a block at a time.
    case scan
    /// The predicate names the objects.
    case identifiers
    /// An index of values finds candidates, whose rows are compared.
    case index
    /// The entries of an index have all values of the predicate, and no row is read.
    case entries
    /// An index has the order of the request, and is read until the limit is reached.
    case order
    /// An index of words finds the texts.
    case words
    /// The store answers on its own: a database by a statement, a plug-in by its own code.
    case store
  }

  /// One search of the rows of an entity.
  public struct Step: Sendable, Hashable {
    public let way: Way
    /// The entity whose rows are searched, which may be a subentity of the request's entity.
    public let entity: String
    /// The columns of the index; empty without an index.
    public let columns: [String]
    /// The number of rows or entries that come into question.
    public let candidateCount: Int

    public init(way: Way, entity: String, columns: [String], candidateCount: Int) {
      self.way = way
      self.entity = entity
      self.columns = columns
      self.candidateCount = candidateCount
    }
  }

  /// The number of things that were read, and of all that there are.
  public struct Share: Sendable, Hashable {
    /// The number that was read. Rows that an index finds count as candidates, and not here.
    public var read = 0
    public var all = 0

    /// The number that was left out, because the limit of the request was reached before.
    public var skipped: Int { all - read }
  }

  /// The path of the store; `nil` if it is in memory.
  public var store: String?
  public var request = ""
  /// The searches, one for each entity.
  public var steps: [Step] = []
  /// The blocks of rows that scans read.
  public var blocks = Share()
  /// The rows that scans read.
  public var rows = Share()
  /// The statement that a database received, if any.
  public var statement: String?
  /// The reason why the store does not answer on its own, although it can answer requests; otherwise `nil`.
  public var reason: String?
  /// The sort keys of a sort in memory. It is empty if nothing is sorted: an index or the database has the order.
  public var sortKeys: [String] = []
  /// The number of rows that were sorted in memory.
  public var sortedCount = 0
  /// The number of objects, or of groups, that the request finds.
  public var foundCount = 0
  /// The time until the request was bound to the model and its indexes were chosen.
  public var planning = Duration.zero
  /// The time of the answer.
  public var answering = Duration.zero

  public init() {}
}

extension QueryExplanation: CustomStringConvertible {
  /// The explanation as lines of text.
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of the text.
  public var lines: [String] {
    var lines = ["\(request): \(QueryExplanation.count(foundCount, "result"))"]
    if let store { lines.append("  store: \(store)") }
    for step in steps { lines.append("  \(QueryExplanation.words(step))") }
    if let statement { lines.append("  SQL: \(statement)") }
    if let reason { lines.append("  not answered by the store: \(reason)") }
    if blocks.all > 0 {
      lines.append(
        "  read: \(blocks.read) of \(QueryExplanation.count(blocks.all, "block")), \(rows.read) of \(QueryExplanation.count(rows.all, "row"))"
      )
    }
    if !sortKeys.isEmpty {
      lines.append(
        "  sort in memory: \(QueryExplanation.count(sortedCount, "row")) by \(sortKeys.joined(separator: ", "))"
      )
    }
    lines.append(
      "  time: \(planning.inMilliseconds) to plan, \(answering.inMilliseconds) to answer"
    )
    return lines
  }

  private static func words(_ step: Step) -> String {
    let index = "\(step.entity) (\(step.columns.joined(separator: ", ")))"
    return switch step.way {
    case .scan: "scan: \(count(step.candidateCount, "row")) of \(step.entity)"
    case .identifiers: "identifiers: \(count(step.candidateCount, "object"))"
    case .index: "index: \(index), \(count(step.candidateCount, "candidate"))"
    case .entries: "index alone: \(index), \(count(step.candidateCount, "object"))"
    case .order: "index in order: \(index), \(count(step.candidateCount, "object"))"
    case .words: "index of words: \(index), \(count(step.candidateCount, "text"))"
    case .store: "the store answers: \(step.entity)"
    }
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension QueryRequest {
  /// The request in words, for people.
  package var inWords: String {
    var words = entity
    if let predicate { words += " where \(predicate)" }
    if !sortKeys.isEmpty {
      words +=
        ", sorted by "
        + sortKeys.map { ($0.isAscending ? "" : "-") + $0.path }.joined(separator: ", ")
    }
    if !propertiesToGroupBy.isEmpty {
      words += ", grouped by \(propertiesToGroupBy.joined(separator: ", "))"
    }
    if fetchOffset > 0 { words += ", from \(fetchOffset)" }
    if fetchLimit > 0 { words += ", at most \(fetchLimit)" }
    return words
  }
}
