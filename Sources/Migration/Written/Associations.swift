import ObjectModel
import Rows

/// Which objects became which by one mapping: two keys an object, found by either.
struct Associations {
  private(set) var pairs: [(source: ObjectKey, destination: ObjectKey)] = []
  private var isSorted = true
  /// The positions of the pairs in the order of their destinations; made when first needed.
  private var byDestination: [Int]?

  mutating func add(_ source: ObjectKey, _ destination: ObjectKey) {
    // Objects are mapped in the order of their keys, so that there is seldom anything to sort.
    if let last = pairs.last, (last.source, last.destination) > (source, destination) {
      isSorted = false
    }
    pairs.append((source, destination))
    byDestination = nil
  }

  /// What an object has become, in the order of the keys.
  mutating func destinations(of source: ObjectKey) -> [ObjectKey] {
    sort()
    let first = pairs.firstPosition { $0.source >= source }
    return pairs[first...].prefix { $0.source == source }.map(\.destination)
  }

  /// What has become an object.
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
