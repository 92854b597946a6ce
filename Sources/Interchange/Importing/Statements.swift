import ObjectModel
import Rows

/// References stated from the inverse end. An object's list, or its one-to-one reference, determines the reference of
/// each member.
struct ReferenceStatements {
  /// The owner of the list that contains each object, plus one, by the object's number; 0 if no list contains the
  /// object.
  private var owners: [UInt32] = []
  private var places: [UInt32] = []
  /// The number of members of each object's list, including members that state the reference themselves.
  private var counts: [UInt32] = []
  let isOrdered: Bool

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// Records that `other` refers to `owner`.
  ///
  /// - Returns: The earlier owner, if another list already contains `other`; otherwise `nil`.
  mutating func add(owner: Int, other: Int, of count: Int) -> Int? {
    grow(&owners, to: count)
    if owners[other] != 0 {
      return owners[other] == UInt32(owner + 1) ? nil : Int(owners[other]) - 1
    }
    owners[other] = UInt32(owner + 1)
    if isOrdered {
      grow(&places, to: count)
      grow(&counts, to: count)
      places[other] = counts[owner]
      counts[owner] += 1
    }
    return nil
  }

  /// Returns the owner of the list that contains an object, and the object's place in the list.
  func owner(of other: Int) -> (owner: Int, place: Int)? {
    guard other < owners.count, owners[other] != 0 else { return nil }
    return (Int(owners[other]) - 1, isOrdered ? Int(places[other]) : 0)
  }

  /// Returns the place of the next member in an owner's list, and counts that member.
  mutating func nextPlace(at owner: Int, of count: Int) -> Int {
    grow(&counts, to: count)
    defer { counts[owner] += 1 }
    return Int(counts[owner])
  }

  private func grow(_ numbers: inout [UInt32], to count: Int) {
    guard numbers.count < count else { return }
    if numbers.capacity < count { numbers.reserveCapacity(count + count / 4) }
    numbers.append(contentsOf: repeatElement(0, count: count - numbers.count))
  }
}

/// Links of one table that the files state, with places from 1, or 0 if no place is stated.
struct LinkStatements {
  let table: LinkTable

  struct Link {
    var source: UInt32
    var target: UInt32
    var targetPlace: UInt32
    var sourcePlace: UInt32
  }
  private(set) var links: [Link] = []

  init(_ table: LinkTable) { self.table = table }

  mutating func add(owner: Int, other: Int, place: Int, _ side: LinkTable.Side) {
    let (owner, other, place) = (UInt32(owner), UInt32(other), UInt32(place + 1))
    let isForward = table.isSymmetric ? owner <= other : side.isForward
    // A symmetric link of an object to itself has one place in the list and two order columns.
    let isLoop = table.isSymmetric && owner == other
    links.append(
      isForward
        ? Link(
          source: owner, target: other, targetPlace: place, sourcePlace: isLoop ? place : 0)
        : Link(source: other, target: owner, targetPlace: 0, sourcePlace: place))
  }

  /// Merges the two statements of each link, and assigns missing places.
  mutating func settle() {
    links.sort { ($0.source, $0.target) < ($1.source, $1.target) }
    var settled: [Link] = []
    for link in links {
      guard let last = settled.last, last.source == link.source, last.target == link.target else {
        settled.append(link)
        continue
      }
      let place = settled.count - 1
      if last.targetPlace == 0 { settled[place].targetPlace = link.targetPlace }
      if last.sourcePlace == 0 { settled[place].sourcePlace = link.sourcePlace }
    }
    links = settled
    if table.isSymmetric { return completeSymmetric() }
    if table.layout.index(ofNumber: LinkTable.Column.targetOrder) != nil {
      complete(\.source, \.targetPlace)
    }
    if table.layout.index(ofNumber: LinkTable.Column.sourceOrder) != nil {
      complete(\.target, \.sourcePlace)
    }
  }

  private mutating func complete(
    _ owner: WritableKeyPath<Link, UInt32>, _ place: WritableKeyPath<Link, UInt32>
  ) {
    var highest: [UInt32: UInt32] = [:]
    for link in links { highest[link[keyPath: owner], default: 0].raise(to: link[keyPath: place]) }
    for index in links.indices where links[index][keyPath: place] == 0 {
      let next = highest[links[index][keyPath: owner], default: 0] + 1
      links[index][keyPath: place] = next
      highest[links[index][keyPath: owner]] = next
    }
  }

  /// Assigns missing places in a relationship that is its own inverse. An object's list contains the links in both
  /// directions, so both share one sequence of places.
  private mutating func completeSymmetric() {
    guard table.layout.index(ofNumber: LinkTable.Column.targetOrder) != nil else { return }
    var highest: [UInt32: UInt32] = [:]
    for link in links {
      highest[link.source, default: 0].raise(to: link.targetPlace)
      highest[link.target, default: 0].raise(to: link.sourcePlace)
    }
    func next(_ owner: UInt32) -> UInt32 {
      highest[owner, default: 0] += 1
      return highest[owner]!
    }
    for index in links.indices {
      let link = links[index]
      if link.targetPlace == 0 { links[index].targetPlace = next(link.source) }
      if link.sourcePlace == 0 { links[index].sourcePlace = next(link.target) }
    }
  }
}

extension UInt32 {
  fileprivate mutating func raise(to other: UInt32) { self = Swift.max(self, other) }
}
