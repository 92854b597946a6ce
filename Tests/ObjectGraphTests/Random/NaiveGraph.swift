import Foundation
import ObjectModel

/// The content of a context or a store, in dictionaries. Tests compare contexts with this naive model.
///
/// Each rule is implemented in the simplest way, without regard to speed.
struct NaiveGraph: Equatable {
  struct Object: Equatable {
    var entity: String
    var values: [String: Value] = [:]
    var references: [String: ObjectID] = [:]
    /// The places of the object in the ordered inverses of its references, by the names of the references.
    var places: [String: Int] = [:]
  }

  struct Pair: Hashable {
    var source: ObjectID
    var target: ObjectID
  }

  /// A link. A link that was removed and inserted again has another identity.
  struct Link: Equatable {
    var place: Int
    let identity = UUID()
  }

  var objects: [ObjectID: Object] = [:]
  var links: [String: [Pair: Link]] = [:]
  /// Denied deletions: each with its deleted object and the objects that deny the deletion.
  var denials: [Denial] = []
  /// References in the base to deleted objects. The context that deleted these objects must resolve the denied deletions.
  var dangling: [ObjectID: ObjectID] = [:]

  struct Denial: Equatable {
    var object: ObjectID
    var others: [ObjectID]
  }
}

// MARK: - Reading

extension NaiveGraph {
  func relation(_ name: String, of id: ObjectID) -> Wild.Relation {
    Wild.relation(name, of: objects[id]!.entity)
  }

  /// Returns the objects of a relationship, in order.
  func related(_ id: ObjectID, _ name: String) -> [ObjectID] {
    let relation = relation(name, of: id)
    switch relation.shape {
    case .oneToOne, .reference: return objects[id]!.references[name].map { [$0] } ?? []
    case .members(let inverse, let isOrdered):
      let members = objects.filter { $0.value.references[inverse] == id }
      return members.sorted { left, right in
        let (first, second) = (left.value.places[inverse] ?? 0, right.value.places[inverse] ?? 0)
        return isOrdered && first != second ? first < second : left.key < right.key
      }.map(\.key)
    case .links(let table, let isForward, let isOrdered):
      var found: [ObjectID: Int] = [:]
      for (pair, link) in links[table] ?? [:] {
        if isForward || table == "friends", pair.source == id { found[pair.target] = link.place }
        if !isForward || table == "friends", pair.target == id { found[pair.source] = link.place }
      }
      return found.sorted {
        isOrdered && $0.value != $1.value ? $0.value < $1.value : $0.key < $1.key
      }.map(\.key)
    }
  }

  /// Returns the objects of an entity and of its subentities.
  func all(_ entity: String) -> [ObjectID] {
    objects.filter { $0.value.entity == entity || Wild.roots[$0.value.entity] == entity }
      .map(\.key).sorted()
  }
}

// MARK: - Changing

extension NaiveGraph {
  mutating func set(_ id: ObjectID, _ name: String, to other: ObjectID?) {
    switch relation(name, of: id).shape {
    case .oneToOne(let inverse):
      if objects[id]!.references[name] == other { return }
      if let old = objects[id]!.references[name], objects[old]?.references[inverse] == id {
        objects[old]!.references[inverse] = nil
      }
      objects[id]!.references[name] = other
      guard let other else { return }
      if let third = objects[other]!.references[inverse], third != id,
        objects[third]?.references[name] == other
      {
        objects[third]!.references[name] = nil
      }
      objects[other]!.references[inverse] = id
    case .reference(let inverse, let isOrdered):
      if other != nil, objects[id]!.references[name] == other { return }
      let next =
        other.map { owner in
          (related(owner, inverse).compactMap { objects[$0]!.places[name] }.max() ?? -1) + 1
        }
      objects[id]!.references[name] = other
      if isOrdered { objects[id]!.places[name] = next }
    default: preconditionFailure("\(name) leads to many")
    }
  }

  mutating func add(_ other: ObjectID, to id: ObjectID, _ name: String) {
    switch relation(name, of: id).shape {
    case .members(let inverse, _):
      if objects[other]!.references[inverse] != id { set(other, inverse, to: id) }
    case .links(let table, let isForward, _):
      if related(id, name).contains(other) { return }
      let pair = isForward ? Pair(source: id, target: other) : Pair(source: other, target: id)
      let places = (links[table] ?? [:]).filter { $0.key.source == pair.source }.values.map(\.place)
      links[table, default: [:]][pair] = Link(place: (places.max() ?? -1) + 1)
    default: preconditionFailure("\(name) leads to one")
    }
  }

  mutating func remove(_ other: ObjectID, from id: ObjectID, _ name: String) {
    switch relation(name, of: id).shape {
    case .members(let inverse, _):
      if objects[other]!.references[inverse] == id { set(other, inverse, to: nil) }
    case .links(let table, let isForward, _):
      links[table]?[isForward ? Pair(source: id, target: other) : Pair(source: other, target: id)] =
        nil
      if table == "friends" { links[table]?[Pair(source: other, target: id)] = nil }
    default: preconditionFailure("\(name) leads to one")
    }
  }

  mutating func set(_ id: ObjectID, _ name: String, to others: [ObjectID]) {
    var wanted: [ObjectID] = []
    for other in others where !wanted.contains(other) { wanted.append(other) }
    for other in related(id, name) where !wanted.contains(other) { remove(other, from: id, name) }
    for other in wanted { add(other, to: id, name) }
    // Members that are in the wanted order keep their places.
    switch relation(name, of: id).shape {
    case .members(let inverse, true):
      if isAscending(wanted.map { objects[$0]!.places[inverse] }) { return }
      for (place, other) in wanted.enumerated() { objects[other]!.places[inverse] = place }
    case .links(let table, _, true):
      if isAscending(wanted.map { links[table]![Pair(source: id, target: $0)]!.place }) { return }
      for (place, other) in wanted.enumerated() {
        links[table]![Pair(source: id, target: other)]!.place = place
      }
    default: break
    }
  }

  private func isAscending(_ places: [Int?]) -> Bool {
    let known = places.compactMap(\.self)
    return known.count == places.count && zip(known, known.dropFirst()).allSatisfy(<)
  }

  mutating func delete(_ doomed: [ObjectID]) {
    var waiting = doomed.filter { objects[$0] != nil }
    var gone: Set<ObjectID> = []
    var denied: [Denial] = []
    while let id = waiting.popLast() {
      guard objects[id] != nil, gone.insert(id).inserted else { continue }
      for relation in Wild.relations(of: objects[id]!.entity) {
        var others = related(id, relation.name)
        // While changes are merged, only one of the two ends may refer to the other.
        if case .oneToOne(let inverse) = relation.shape {
          others.removeAll { objects[$0]?.references[inverse] != id }
        }
        switch relation.rule {
        case .cascade: waiting += others
        case .deny: if !others.isEmpty { denied.append(Denial(object: id, others: others)) }
        default: break
        }
      }
    }
    for id in gone { objects[id] = nil }
    denials += denied
    settle(keepingDenied: true)
  }

  /// Whether a deletion can't be saved, because an object that denies it still exists.
  var isDenied: Bool {
    denials.contains { denial in
      objects[denial.object] == nil
        && denial.others.contains { objects[$0]?.references["post"] == denial.object }
    }
  }

  private func isDenied(_ deleted: ObjectID) -> Bool {
    denials.contains { $0.object == deleted }
  }

  /// The graph as child contexts see it: they see denied deletions as deletions, and do not see the denials.
  var seenFromAbove: NaiveGraph {
    var seen = self
    // Child contexts see only the dangling references of this graph, not the ones further below.
    seen.dangling = [:]
    for (id, object) in objects {
      if let post = object.references["post"], objects[post] == nil { seen.dangling[id] = post }
    }
    seen.denials = []
    seen.settle()
    return seen
  }

  /// Clears references to objects that do not exist, and one-to-one references without an inverse reference.
  mutating func settle(keepingDenied: Bool = false) {
    for (id, object) in objects {
      for (name, other) in object.references {
        let relation = Wild.relation(name, of: object.entity)
        if objects[other] == nil {
          if keepingDenied, isDenied(other), name == "post" { continue }
          if name == "post", dangling[id] == other { continue }
          objects[id]!.references[name] = nil
          objects[id]!.places[name] = nil
        } else if case .oneToOne(let inverse) = relation.shape,
          objects[other]!.references[inverse] != id
        {
          objects[id]!.references[name] = nil
        }
      }
    }
    for table in links.keys {
      links[table] = links[table]!.filter {
        objects[$0.key.source] != nil && objects[$0.key.target] != nil
      }
      if links[table]!.isEmpty { links[table] = nil }
    }
  }
}

// MARK: - Merging two graphs

extension NaiveGraph {
  /// Merges the changes of both sides. A value that was changed on this side wins.
  ///
  /// - Parameter reverted: The repairs of the last merge that were reverted before this one.
  /// - Returns: The merged graph, and the part of it that is a repair.
  static func merged(
    base: NaiveGraph, mine: NaiveGraph, theirs: NaiveGraph, denials: [Denial]? = nil,
    reverted: NaiveRepairs.Reverted = NaiveRepairs.Reverted()
  ) -> (graph: NaiveGraph, repairs: NaiveRepairs) {
    var result = theirs
    result.denials = denials ?? mine.denials
    // An object that no longer exists below can't be deleted again.
    result.denials.removeAll { base.objects[$0.object] != nil && theirs.objects[$0.object] == nil }
    var doomed: [ObjectID] = []
    for (id, before) in base.objects {
      guard let here = mine.objects[id] else {
        doomed.append(id)
        continue
      }
      guard result.objects[id] != nil else { continue }
      for name in Wild.attributes(of: here.entity).map(\.name) + [Wild.label]
      where here.values[name] != before.values[name] {
        result.objects[id]!.values[name] = here.values[name]
      }
      for relation in Wild.relations(of: here.entity) {
        let name = relation.name
        if here.references[name] != before.references[name] {
          result.objects[id]!.references[name] = here.references[name]
        }
        // A place is a position among the members of one owner. It becomes invalid when the owner changes.
        let isElsewhere =
          here.references[name] == before.references[name]
          && result.objects[id]!.references[name] != before.references[name]
        if here.places[name] != before.places[name], !isElsewhere {
          result.objects[id]!.places[name] = here.places[name]
        }
      }
    }
    for (id, object) in mine.objects where base.objects[id] == nil { result.objects[id] = object }
    for table in Set(base.links.keys).union(mine.links.keys) {
      let (before, here) = (base.links[table] ?? [:], mine.links[table] ?? [:])
      for (pair, link) in before where here[pair]?.identity != link.identity {
        // A link that another context has removed and inserted again stays.
        if result.links[table]?[pair]?.identity == link.identity {
          result.links[table]![pair] = nil
        }
      }
      for (pair, link) in here where before[pair] != link {
        if result.links[table]?[pair] != nil {
          result.links[table]![pair]!.place = link.place
        } else if before[pair]?.identity != link.identity {
          // The friends of an object are its friends in turn, so both sides may have made the same link.
          let turned = Pair(source: pair.target, target: pair.source)
          if table == "friends", result.links[table]?[turned] != nil { continue }
          result.links[table, default: [:]][pair] = link
        }
      }
    }
    var unrepaired = result
    unrepaired.clearLost()
    for id in doomed { unrepaired.objects[id] = nil }
    func isDeleted(_ id: ObjectID) -> Bool { doomed.contains(id) && theirs.objects[id] != nil }
    // Repairs that follow from a deletion are made again while the deletion stays.
    for (id, name, target) in reverted.cleared {
      guard isDeleted(target), result.objects[id]?.references[name] == target else { continue }
      result.objects[id]!.references[name] = nil
      result.objects[id]!.places[name] = nil
    }
    let reached = reverted.deleted.filter { id in
      (result.objects[id]?.references ?? [:]).contains { name, other in
        isDeleted(other)
          && Wild.inverseRule(of: name, in: result.objects[id]!.entity) == .cascade
      }
    }
    // A deletion reaches the objects that are related to the deleted one now. Earlier relatives have followed the delete rules
    // already, unless they were disconnected before.
    for id in doomed {
      for (name, other) in result.objects[id]?.references ?? [:] {
        let isReached =
          if case .oneToOne(let inverse) = result.relation(name, of: id).shape {
            result.objects[other]?.references[inverse] == id
          } else {
            base.objects[id]!.references[name] != other
          }
        if !isReached { result.objects[id]!.references[name] = nil }
      }
    }
    result.delete(doomed + reached)
    return (result, NaiveRepairs(before: unrepaired, after: result, above: theirs))
  }

  /// Clears references and links to deleted objects, except references that deny the deletion.
  private mutating func clearLost() {
    for (id, object) in objects {
      for (name, other) in object.references where objects[other] == nil {
        if name == "post", isDenied(other) || dangling[id] == other { continue }
        objects[id]!.references[name] = nil
        objects[id]!.places[name] = nil
      }
    }
    for table in links.keys {
      links[table] = links[table]!.filter {
        objects[$0.key.source] != nil && objects[$0.key.target] != nil
      }
      if links[table]!.isEmpty { links[table] = nil }
    }
  }
}
