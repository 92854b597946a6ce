import ObjectModel
import Rows

/// What objects of the files say of references that others have: a list of objects says of each of them
/// where it leads.
struct ReferenceStatements {
  /// For each object of the files, by its number, who says that it leads there, plus one; 0 for nobody.
  private var owners: [UInt32] = []
  private var places: [UInt32] = []
  /// How many objects each object's own list has, or more as others lead to it.
  private var counts: [UInt32] = []
  let isOrdered: Bool

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// Notes that `other` leads to `owner`.
  ///
  /// - Returns: Who has said the same of another, if somebody has.
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

  /// Where an object leads, as others say, and its place there.
  func owner(of other: Int) -> (owner: Int, place: Int)? {
    guard other < owners.count, owners[other] != 0 else { return nil }
    return (Int(owners[other]) - 1, isOrdered ? Int(places[other]) : 0)
  }

  /// A place for one more behind the last.
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

/// Links of one table that the files say, each with its places from 1, and 0 where none is said.
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
    // An object that leads to itself has one place in its list, and the link has two for it.
    let isLoop = table.isSymmetric && owner == other
    links.append(
      isForward
        ? Link(
          source: owner, target: other, targetPlace: place, sourcePlace: isLoop ? place : 0)
        : Link(source: other, target: owner, targetPlace: 0, sourcePlace: place))
  }

  /// Brings together what both ends say of a link, and gives places to those that have none and need one.
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

  /// Gives places where a relationship is its own inverse, so that an object's list has the places of
  /// the links that lead from it and of the links that lead to it.
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
