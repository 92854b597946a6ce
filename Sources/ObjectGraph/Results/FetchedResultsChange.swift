public import ObjectModel

/// How a list of results has become another one.
///
/// Apply it as any list does: take out what is deleted or moved, by its old place, and then put in what is
/// inserted or moved, in the order of the new places. What is updated stays where it is among the others.
public struct FetchedResultsChange: Sendable {
  /// The list before.
  public let before: FetchedSnapshot
  /// The list now.
  public let after: FetchedSnapshot
  /// What has happened to objects: deletions by their old places first, then moves, insertions and
  /// updates by their new ones.
  public let objects: [ObjectChange]
  /// The indexes, in the list before, of sections that are gone.
  public let deletedSections: [Int]
  /// The indexes, in the list now, of sections that are new.
  public let insertedSections: [Int]

  /// What has happened to one object.
  public enum ObjectChange: Sendable, Hashable {
    /// It is among the results now.
    case insert(ObjectID, at: FetchedPlace)
    /// It is no more among the results.
    case delete(ObjectID, from: FetchedPlace)
    /// It has gone to another place, and has changed.
    case move(ObjectID, from: FetchedPlace, to: FetchedPlace)
    /// It has changed, and is where it was among the others.
    case update(ObjectID, from: FetchedPlace, to: FetchedPlace)

    /// The object.
    public var object: ObjectID {
      switch self {
      case .insert(let id, _), .delete(let id, _), .move(let id, _, _), .update(let id, _, _): id
      }
    }
  }
}

/// How a list of identifiers becomes another one, by positions.
struct ListChange {
  /// Positions in the list before, ascending, of what is not in its old place any more.
  var removed: [Int] = []
  /// Positions in the list now, ascending, of what was not there before.
  var inserted: [Int] = []
  /// Of what has changed in its place: the positions before and now, ascending.
  var updated: [(old: Int, new: Int)] = []

  /// - Parameter touched: What may have changed without moving.
  init(
    from before: FetchedSnapshot, to after: FetchedSnapshot, touched: (ObjectID) -> Bool
  ) {
    let (old, new) = (before.identifiers, after.identifiers)
    // An object in a section of another name is not where it was.
    var names: [String: Int32] = [:]
    let oldNames = ListChange.names(before, &names)
    let newNames = ListChange.names(after, &names)
    func isSame(_ i: Int, _ j: Int) -> Bool { old[i] == new[j] && oldNames[i] == newNames[j] }
    // What both have at either end is quickly passed over.
    var start = 0
    let least = min(old.count, new.count)
    while start < least, isSame(start, start) { start += 1 }
    var end = 0
    while end < least - start, isSame(old.count - 1 - end, new.count - 1 - end) { end += 1 }
    let (oldRest, newRest) = (start..<old.count - end, start..<new.count - end)
    for place in 0..<start where touched(old[place]) { updated.append((place, place)) }
    let positions = Dictionary(uniqueKeysWithValues: newRest.map { (new[$0], $0) })
    var common: [(old: Int, new: Int)] = []
    for place in oldRest {
      if let position = positions[old[place]], isSame(place, position) {
        common.append((place, position))
      }
    }
    // The longest run of objects that keep their order stay; the others move.
    let staying = ListChange.longestAscending(common)
    for pair in staying where touched(old[pair.old]) { updated.append(pair) }
    let (oldStays, newStays) = (Set(staying.map(\.old)), Set(staying.map(\.new)))
    removed = oldRest.filter { !oldStays.contains($0) }
    inserted = newRest.filter { !newStays.contains($0) }
    for back in (0..<end).reversed() where touched(old[old.count - 1 - back]) {
      updated.append((old.count - 1 - back, new.count - 1 - back))
    }
  }

  /// A number for the name of each object's section.
  private static func names(
    _ list: FetchedSnapshot, _ numbers: inout [String: Int32]
  ) -> [Int32] {
    var names: [Int32] = []
    names.reserveCapacity(list.identifiers.count)
    for section in list.sections {
      let number = numbers[section.name] ?? Int32(numbers.count)
      numbers[section.name] = number
      names.append(contentsOf: repeatElement(number, count: section.count))
    }
    return names
  }

  init() {}

  /// The longest part of some pairs, ascending by their first, that ascends by the second too.
  private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for index in pairs.indices {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[tails[middle]].new < pairs[index].new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var found: [(old: Int, new: Int)] = []
    var next = tails.last ?? -1
    while next >= 0 {
      found.append(pairs[next])
      next = before[next]
    }
    return found.reversed()
  }
}

extension FetchedResultsChange {
  init(_ before: FetchedSnapshot, _ after: FetchedSnapshot, _ list: ListChange) {
    self.before = before
    self.after = after
    var changes: [ObjectChange] = []
    var leaving: [ObjectID: Int] = [:]
    let arriving = Set(list.inserted.map { after.identifiers[$0] })
    for old in list.removed {
      let id = before.identifiers[old]
      if arriving.contains(id) {
        leaving[id] = old
      } else {
        changes.append(.delete(id, from: before.place(at: old)))
      }
    }
    var insertions: [ObjectChange] = []
    for new in list.inserted {
      let id = after.identifiers[new]
      if let old = leaving[id] {
        changes.append(.move(id, from: before.place(at: old), to: after.place(at: new)))
      } else {
        insertions.append(.insert(id, at: after.place(at: new)))
      }
    }
    changes += insertions
    for (old, new) in list.updated {
      changes.append(
        .update(
          after.identifiers[new], from: before.place(at: old), to: after.place(at: new)))
    }
    objects = changes
    if before.sections.map(\.name) == after.sections.map(\.name) {
      (deletedSections, insertedSections) = ([], [])
    } else {
      let (old, new) = (
        Set(before.sections.map(\.name)), Set(after.sections.map(\.name))
      )
      deletedSections = before.sections.indices.filter { !new.contains(before.sections[$0].name) }
      insertedSections = after.sections.indices.filter { !old.contains(after.sections[$0].name) }
    }
  }

  /// Whether nothing is different.
  public var isEmpty: Bool {
    objects.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }
}
