import ObjectModel

/// The repairs of a merge, which make changes agree with the merged saves: references to deleted objects, parts of deleted
/// objects, ends of one-to-one relationships, links.
///
/// The next merge takes all repairs back first (decision 0020).
struct NaiveRepairs {
  private struct Change<Part: Equatable> {
    let before: Part?
    let after: Part?
  }

  private var objects: [ObjectID: Change<NaiveGraph.Object>] = [:]
  private var links: [String: [NaiveGraph.Pair: Change<NaiveGraph.Link>]] = [:]

  init() {}

  /// Creates the difference that repairs have made. A repair that deletes an inserted object or removes an inserted link is
  /// final.
  ///
  /// - Parameter base: The state below the context after the merge.
  init(before: NaiveGraph, after: NaiveGraph, above base: NaiveGraph) {
    for id in Set(before.objects.keys).union(after.objects.keys)
    where before.objects[id] != after.objects[id] {
      if after.objects[id] == nil, base.objects[id] == nil { continue }
      objects[id] = Change(before: before.objects[id], after: after.objects[id])
    }
    for table in Set(before.links.keys).union(after.links.keys) {
      let (old, new) = (before.links[table] ?? [:], after.links[table] ?? [:])
      for pair in Set(old.keys).union(new.keys) where old[pair] != new[pair] {
        if new[pair] == nil, base.links[table]?[pair] == nil { continue }
        links[table, default: [:]][pair] = Change(before: old[pair], after: new[pair])
      }
    }
  }

  /// The repairs that were reverted: the objects that a repair had deleted, and the references that a repair had cleared.
  struct Reverted {
    var deleted: Set<ObjectID> = []
    var cleared: [(id: ObjectID, name: String, target: ObjectID)] = []
  }

  /// Returns a graph as it was before the repairs. Changes since the repairs stay.
  func reverted(from graph: NaiveGraph) -> (graph: NaiveGraph, repairs: Reverted) {
    var result = graph
    var reverted = Reverted()
    for (id, change) in objects {
      if graph.objects[id] == change.after {
        result.objects[id] = change.before
        if change.after == nil { reverted.deleted.insert(id) }
      } else if let now = graph.objects[id], let before = change.before, let after = change.after {
        result.objects[id] = now.reverting(from: after, to: before)
      }
      for (name, other) in change.before?.references ?? [:] {
        guard let object = graph.objects[id], object.references[name] == nil,
          result.objects[id]?.references[name] == other
        else { continue }
        reverted.cleared.append((id, name, other))
      }
    }
    for (table, changes) in links {
      for (pair, change) in changes where graph.links[table]?[pair] == change.after {
        result.links[table, default: [:]][pair] = change.before
      }
      if result.links[table]?.isEmpty ?? false { result.links[table] = nil }
    }
    return (result, reverted)
  }

  /// Adds the repairs of a child that has pushed its changes. If a repair deletes an object or removes a link that the parent
  /// has inserted, the repair is final: insertion and deletion leave no trace.
  ///
  /// - Parameter base: The state below the parent.
  mutating func add(_ pushed: NaiveRepairs, above base: NaiveGraph) {
    objects.merge(pushed.objects.filter { $0.value.after != nil || base.objects[$0.key] != nil }) {
      $1
    }
    for (table, changes) in pushed.links {
      let kept = changes.filter { $0.value.after != nil || base.links[table]?[$0.key] != nil }
      links[table, default: [:]].merge(kept) { $1 }
    }
  }
}

extension NaiveGraph.Object {
  /// Returns the object with the former value of each reference that was repaired and is unchanged since.
  fileprivate func reverting(from repaired: Self, to before: Self) -> Self {
    var result = self
    for name in Set(before.references.keys).union(repaired.references.keys)
    where references[name] == repaired.references[name] {
      result.references[name] = before.references[name]
      if places[name] == repaired.places[name] { result.places[name] = before.places[name] }
    }
    return result
  }
}
