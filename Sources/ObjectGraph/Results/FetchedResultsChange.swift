public import ObjectModel

/// The difference between two states of a list of results.
///
/// To apply the change to a view, first remove the deleted and moved objects by their earlier places. Then insert the
/// new and moved objects in the order of their new places. An updated object keeps its place among the remaining
/// objects.
public struct FetchedResultsChange: Sendable {
  /// The list before the change.
  public let before: FetchedSnapshot
  /// The list after the change.
  public let after: FetchedSnapshot
  /// The changes of objects: first deletions in the order of their earlier places, then moves, insertions and updates
  /// in the order of their new places.
  public let objects: [ObjectChange]
  /// The indexes of the deleted sections in `before`.
  public let deletedSections: [Int]
  /// The indexes of the new sections in `after`.
  public let insertedSections: [Int]

  /// The change of one object.
  public enum ObjectChange: Sendable, Hashable {
    /// The object has become a result.
    case insert(ObjectID, at: FetchedPlace)
    /// The object is no longer a result.
    case delete(ObjectID, from: FetchedPlace)
    /// The object has changed and has another place.
    case move(ObjectID, from: FetchedPlace, to: FetchedPlace)
    /// The object has changed and has kept its place among the remaining objects.
    case update(ObjectID, from: FetchedPlace, to: FetchedPlace)

    public var object: ObjectID {
      switch self {
      case .insert(let id, _), .delete(let id, _), .move(let id, _, _), .update(let id, _, _): id
      }
    }
  }
}

/// The difference between two lists of identifiers, by indexes.
struct ListChange {
  /// The ascending indexes, in the earlier list, of objects that have left their place.
  var removed: [Int] = []
  /// The ascending indexes, in the later list, of objects that are new at their place.
  var inserted: [Int] = []
  /// The ascending indexes, in both lists, of objects that have changed in their place.
  var updated: [(old: Int, new: Int)] = []

  /// Compares two lists.
  ///
  /// - Parameter touched: Returns whether the values of an object may have changed.
  init(
    from before: FetchedSnapshot, to after: FetchedSnapshot, touched: (ObjectID) -> Bool
  ) {
    let (old, new) = (before.identifiers, after.identifiers)
    // An object moves if the name of its section changes.
    var names: [String: Int32] = [:]
    let oldNames = ListChange.names(before, &names)
    let newNames = ListChange.names(after, &names)
    func isSame(_ i: Int, _ j: Int) -> Bool { old[i] == new[j] && oldNames[i] == newNames[j] }
    // Equal beginnings and equal ends of the lists need no comparison in detail.
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
    // The objects of the longest run in unchanged order stay. The remaining objects move.
    let staying = ListChange.longestAscending(common)
    for pair in staying where touched(old[pair.old]) { updated.append(pair) }
    let (oldStays, newStays) = (Set(staying.map(\.old)), Set(staying.map(\.new)))
    removed = oldRest.filter { !oldStays.contains($0) }
    inserted = newRest.filter { !newStays.contains($0) }
    for back in (0..<end).reversed() where touched(old[old.count - 1 - back]) {
      updated.append((old.count - 1 - back, new.count - 1 - back))
    }
  }

  /// Returns a number for the name of each object's section.
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

  /// Returns the longest subsequence of pairs that ascends by the second index. The pairs ascend by the first index.
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

  /// Whether the two lists do not differ.
  public var isEmpty: Bool {
    objects.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
  }
}
