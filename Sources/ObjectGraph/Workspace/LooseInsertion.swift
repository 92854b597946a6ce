import ObjectModel

/// Inserts loose objects into a context.
struct LooseInsertion {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Inserts a loose object, and the loose objects that it is related to.
  ///
  /// - Throws: ``ContextError`` if no store takes one of the objects, or the coordinator has another class for an entity;
  ///   `StoreError` if the store fails. No object is inserted then.
  func insert(_ first: ManagedObject, into store: PersistentStore? = nil) throws {
    workspace.checkPlace()
    var found: [(object: ManagedObject, values: LooseValues)] = []
    var known: Set<ObjectIdentifier> = []
    var waiting = [first]
    while let object = waiting.popLast() {
      guard let values = object.loose, known.insert(ObjectIdentifier(object)).inserted else {
        continue
      }
      found.append((object, values))
      waiting += values.neighbors.reversed()
    }
    // Everything that may fail comes before the first change.
    let places = try found.map { object, _ in
      let type = Swift.type(of: object)
      let state = try workspace.entityState(type.entityName, into: store)
      guard state.type == type else {
        throw ContextError(
          .unknownEntity,
          "The objects of \"\(type.entityName)\" have the class \(state.type), not \(type). Give the class to the initializer of the coordinator."
        )
      }
      return (state, try state.nextNumber())
    }
    for ((object, _), (state, number)) in zip(found, places) {
      state.settle(object, number)
      workspace.drafts.addInserted(object)
    }
    for (object, values) in found { fill(object, with: values) }
    for (object, values) in found {
      values.forgetRelated()
      object.awakeFromInsert()
    }
  }

  /// Sets the values and the relationships that a loose object had.
  private func fill(_ object: ManagedObject, with values: LooseValues) {
    for property in object.source.entity.graph.properties {
      let hash = PropertyHash.of(property.name)
      if let relationship = property.relationship {
        let others = values.objects(hash)
        if others.isEmpty { continue }
        if relationship.isToMany {
          ToManyAccess(object, hash, property.name).set(others)
        } else {
          object.relate(to: others.first, hash, property.name)
        }
      } else if let value = values.given(hash) {
        object.setStored(value, hash, property.name)
      }
    }
  }

  /// Prepares an object for a relationship to further objects. If one of them belongs to a context, the loose objects are
  /// inserted there.
  ///
  /// - Returns: The values of the object if it is still loose, and then all of them are loose.
  static func join(_ object: ManagedObject, _ others: [ManagedObject]) -> LooseValues? {
    guard object.state.contains(.loose) || others.contains(where: { $0.state.contains(.loose) })
    else { return nil }
    let all = [object] + others
    let owner = all.lazy.filter { !$0.state.contains(.loose) }
      .compactMap { $0.source.entity.workspace }.first
    guard let owner else { return object.loose }
    do {
      for next in all where next.state.contains(.loose) { try LooseInsertion(owner).insert(next) }
    } catch { misuse("\(object) can't be related to objects outside of a context. \(error)") }
    return nil
  }
}
