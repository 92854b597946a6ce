import FullText

/// The sums over all searched texts that the relevance of each object depends on (spec §15.6.1).
///
/// A request to several stores adds up the sums of all of them, so that their objects have comparable scores.
package struct RelevanceStatistics: Sendable {
  /// The sums for each comparison with `TEXT` that determines the relevance.
  var parts: [TextStatistics]

  /// Adds the sums of another store, for the same request.
  package mutating func add(_ other: RelevanceStatistics) {
    precondition(other.parts.count == parts.count, "The statistics must be those of one request.")
    for (index, part) in other.parts.enumerated() { parts[index].add(part) }
  }
}
