import ObjectModel
import ObjectQuery

/// Collects the changes of a list, and applies them together.
struct FetchedEdit {
  private let before: FetchedSnapshot
  private let isSectioned: Bool
  /// The indexes of the removed and the moved objects in the earlier list.
  private var removed: [Int] = []
  private var updated: [Int] = []
  private var inserted: [Insertion] = []

  /// An object that is inserted, or moved to another place.
  private struct Insertion {
    let id: ObjectID
    let place: CompiledOrder.Place
    /// The number of objects of the earlier list that precede the object.
    let gap: Int
    let section: String
  }

  init(_ before: FetchedSnapshot, _ sections: FetchedSections?) {
    self.before = before
    isSectioned = sections != nil
  }

  mutating func remove(_ index: Int) { removed.append(index) }
  mutating func update(_ index: Int) { updated.append(index) }
  mutating func insert(
    _ id: ObjectID, _ place: CompiledOrder.Place, _ gap: Int, _ section: String
  ) {
    inserted.append(Insertion(id: id, place: place, gap: gap, section: section))
  }

  /// Returns the difference between the list before and after the recorded edits.
  ///
  /// - Parameter order: The order of the list.
  mutating func change(_ order: CompiledOrder) -> FetchedResultsChange {
    removed.sort()
    updated.sort()
    inserted.sort { order.precedes($0.place, $1.place) }
    var list = ListChange()
    var after = before
    if removed.isEmpty, inserted.isEmpty {
      list.updated = updated.map { ($0, $0) }
      return FetchedResultsChange(before, after, list)
    }
    list.removed = removed
    if removed.count + inserted.count <= 4 {
      // Few removals and insertions are made in place.
      for index in removed.reversed() { after.identifiers.remove(at: index) }
      for (offset, one) in inserted.enumerated() {
        let place = one.gap - removed.count { $0 < one.gap } + offset
        after.identifiers.insert(one.id, at: place)
        list.inserted.append(place)
      }
    } else {
      after.identifiers = rebuilt(&list)
    }
    list.updated = updated.map { old in
      let gone = FetchedEdit.count(removed, below: old)
      return (old, old - gone + insertionCount(upTo: old))
    }
    after.sections = sections(after.identifiers.count)
    keepInPlace(&list, after)
    return FetchedResultsChange(before, after, list)
  }

  /// Returns the new list, copied piece by piece without the removed objects and with the inserted objects.
  private func rebuilt(_ list: inout ListChange) -> [ObjectID] {
    let old = before.identifiers
    var ids: [ObjectID] = []
    ids.reserveCapacity(old.count + inserted.count - removed.count)
    var (next, gone) = (0, 0)
    func copy(to end: Int, _ ids: inout [ObjectID], _ next: inout Int, _ gone: inout Int) {
      while gone < removed.count, removed[gone] < end {
        ids.append(contentsOf: old[next..<removed[gone]])
        next = removed[gone] + 1
        gone += 1
      }
      if next < end {
        ids.append(contentsOf: old[next..<end])
        next = end
      }
    }
    for one in inserted {
      copy(to: one.gap, &ids, &next, &gone)
      list.inserted.append(ids.count)
      ids.append(one.id)
    }
    copy(to: old.count, &ids, &next, &gone)
    return ids
  }

  private static func count(_ ascending: [Int], below limit: Int) -> Int {
    var (low, high) = (0, ascending.count)
    while low < high {
      let middle = (low + high) / 2
      if ascending[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of insertions before the object at an index of the earlier list.
  private func insertionCount(upTo old: Int) -> Int {
    var (low, high) = (0, inserted.count)
    while low < high {
      let middle = (low + high) / 2
      if inserted[middle].gap <= old { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Replaces a move by an update if the object has the same neighbours before and after.
  private func keepInPlace(_ list: inout ListChange, _ after: FetchedSnapshot) {
    // The check is skipped for a large change, which may then report moves of objects that have kept their place.
    guard list.removed.count + list.inserted.count <= 64 else { return }
    var arriving: [ObjectID: Int] = [:]
    for new in list.inserted { arriving[after.identifiers[new]] = new }
    var stays: Set<Int> = []
    var arrives: Set<Int> = []
    for (rank, old) in list.removed.enumerated() {
      guard let new = arriving[before.identifiers[old]] else { continue }
      // If a neighbour was itself inserted or removed, a move and an update look the same.
      if list.inserted.contains(new - 1) || list.inserted.contains(new + 1) { continue }
      if rank > 0, list.removed[rank - 1] == old - 1 { continue }
      if rank + 1 < list.removed.count, list.removed[rank + 1] == old + 1 { continue }
      let oldBefore = old > 0 ? before.identifiers[old - 1] : nil
      let newBefore = new > 0 ? after.identifiers[new - 1] : nil
      let (oldSection, newSection) = (before.place(at: old).section, after.place(at: new).section)
      guard oldBefore == newBefore,
        before.sections[oldSection].name == after.sections[newSection].name
      else { continue }
      stays.insert(old)
      arrives.insert(new)
      list.updated.append((old, new))
    }
    guard !stays.isEmpty else { return }
    list.removed.removeAll { stays.contains($0) }
    list.inserted.removeAll { arrives.contains($0) }
    list.updated.sort { $0.old < $1.old }
  }

  /// Returns the sections of the new list: the remaining parts of the earlier sections, with the insertions.
  private func sections(_ count: Int) -> [FetchedSection] {
    guard isSectioned else {
      return [FetchedSection(name: "", range: 0..<count)]
    }
    var runs: [(name: String, count: Int)] = []
    func append(_ name: String, _ count: Int) {
      if count == 0 { return }
      if runs.last?.name == name {
        runs[runs.count - 1].count += count
      } else {
        runs.append((name, count))
      }
    }
    var next = 0
    for section in before.sections {
      var start = section.range.lowerBound
      while next < inserted.count, inserted[next].gap < section.range.upperBound {
        let gap = max(inserted[next].gap, start)
        append(section.name, left(start..<gap))
        append(inserted[next].section, 1)
        start = gap
        next += 1
      }
      append(section.name, left(start..<section.range.upperBound))
    }
    for one in inserted[next...] { append(one.section, 1) }
    var sections: [FetchedSection] = []
    var start = 0
    for run in runs {
      sections.append(FetchedSection(name: run.name, range: start..<start + run.count))
      start += run.count
    }
    return sections
  }

  /// Returns the number of objects of a range that are not removed.
  private func left(_ range: Range<Int>) -> Int {
    range.count
      - (FetchedEdit.count(removed, below: range.upperBound)
        - FetchedEdit.count(removed, below: range.lowerBound))
  }
}
