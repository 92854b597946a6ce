import ObjectModel
import Rows

/// The pairs of source and destination objects of one mapping, which can be looked up from either side.
struct Associations {
  private(set) var pairs: [(source: ObjectKey, destination: ObjectKey)] = []
  private var isSorted = true
  /// The positions of the pairs in the order of their destinations. Computed on first use.
  private var byDestination: [Int]?

  mutating func add(_ source: ObjectKey, _ destination: ObjectKey) {
    // Objects are mapped in the order of their keys, so sorting is seldom necessary.
    if let last = pairs.last, (last.source, last.destination) > (source, destination) {
      isSorted = false
    }
    pairs.append((source, destination))
    byDestination = nil
  }

  /// Returns the objects that a source object has become, in the order of their keys.
  mutating func destinations(of source: ObjectKey) -> [ObjectKey] {
    sort()
    let first = pairs.firstPosition { $0.source >= source }
    return pairs[first...].prefix { $0.source == source }.map(\.destination)
  }

  mutating func sources(of destination: ObjectKey) -> [ObjectKey] {
    sort()
    let order =
      byDestination ?? pairs.indices.sorted { pairs[$0].destination < pairs[$1].destination }
    byDestination = order
    let first = order.firstPosition { pairs[$0].destination >= destination }
    return order[first...].prefix { pairs[$0].destination == destination }.map { pairs[$0].source }
  }

  private mutating func sort() {
    guard !isSorted else { return }
    pairs.sort { ($0.source, $0.destination) < ($1.source, $1.destination) }
    isSorted = true
  }
}
