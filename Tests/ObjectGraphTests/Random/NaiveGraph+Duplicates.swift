import ObjectGraph
import ObjectModel

/// The treatment of inserted duplicates, with the meaning of `MergePolicy`.
enum NaivePolicy: CaseIterable {
  case error, storeWins, objectWins, overwrite, rollback, delete

  var policy: MergePolicy {
    switch self {
    case .error: .error
    case .storeWins: .storeWins
    case .objectWins: .objectWins
    case .overwrite: .overwrite
    case .rollback: .rollback
    case .delete: .custom { _ in .delete }
    }
  }
}

extension NaiveGraph {
  /// Merges inserted objects into the objects that have the same labels.
  ///
  /// - Parameters:
  ///   - inserted: The inserted objects, in the order of their insertion.
  /// - Returns: Whether any object was merged.
  mutating func mergeDuplicates(_ policy: NaivePolicy, inserted: [ObjectID]) -> Bool {
    if policy == .error { return false }
    var isAny = false
    for entity in Set(Wild.roots.keys).sorted() {
      for id in inserted where objects[id]?.entity == entity {
        guard let twin = twin(of: id, inserted: inserted) else { continue }
        merge(id, into: twin, policy)
        isAny = true
      }
    }
    return isAny
  }

  /// Returns the objects that share the label of an object, including the object itself.
  private func sharing(_ id: ObjectID) -> [ObjectID] {
    guard let label = objects[id]!.values[Wild.label] else { return [] }
    return all(Wild.roots[objects[id]!.entity]!).filter {
      objects[$0]!.values[Wild.label] == label
    }
  }

  private func twin(of id: ObjectID, inserted: [ObjectID]) -> ObjectID? {
    sharing(id).first { $0 != id && (!inserted.contains($0) || $0 < id) }
  }

  private mutating func merge(_ id: ObjectID, into other: ObjectID, _ policy: NaivePolicy) {
    let (mine, theirs) = (objects[id]!, objects[other]!)
    if policy == .delete { return delete([other]) }
    func isTaken<V: Equatable>(_ mine: V?, _ theirs: V?) -> Bool {
      switch policy {
      case .overwrite: true
      case .objectWins: mine != nil
      default: false
      }
    }
    let attributes = Wild.attributes(of: mine.entity).map(\.name) + [Wild.label]
    let references = Wild.relations(of: mine.entity).filter(\.leadsToOne).map(\.name)
    for name in (attributes + references).sorted() {
      if attributes.contains(name) {
        if Wild.attributes(of: theirs.entity).contains(where: { $0.name == name }),
          isTaken(mine.values[name], theirs.values[name])
        {
          objects[other]!.values[name] = mine.values[name]
        }
      } else if isTaken(mine.references[name], theirs.references[name]) {
        let target = mine.references[name]
        // A reference to a deleted object is not transferred.
        if let target, objects[target] == nil { continue }
        set(other, name, to: target)
      }
    }
    for relation in Wild.relations(of: mine.entity) where !relation.leadsToOne {
      for member in related(id, relation.name) {
        add(member == id ? other : member, to: other, relation.name)
      }
    }
    delete([id])
  }

  /// The objects that share a label with another object.
  var doubles: Set<ObjectID> { Set(objects.keys.filter { sharing($0).count > 1 }) }
}

extension Wild.Relation {
  /// Whether the relationship refers to at most one object.
  var leadsToOne: Bool {
    switch shape {
    case .oneToOne, .reference: true
    case .members, .links: false
    }
  }
}
