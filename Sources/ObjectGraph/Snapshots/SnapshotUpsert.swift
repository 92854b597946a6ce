import ObjectModel
import ObjectQuery

/// Makes objects of snapshots, and finds the objects that are there already.
struct SnapshotUpsert {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the object that a snapshot refers to.
  func object<S: EntitySnapshot>(_ related: RelatedSnapshot<S>) throws -> S.ManagedClass {
    if let value = related.value { return try objects(from: [value])[0] }
    guard let id = related.objectID,
      let object = try workspace.existingObject(with: id) as? S.ManagedClass
    else { throw wrongObject(related.objectID, S.self) }
    return object
  }

  /// Returns the objects of snapshots, with the values of the snapshots.
  ///
  /// - Parameter key: The attribute by which objects are found; `nil` for their identifiers, or an attribute that is unique.
  func objects<S: EntitySnapshot>(
    from snapshots: [S], matching key: String? = nil
  ) throws -> [S.ManagedClass] {
    let unique = key ?? uniqueAttribute(of: S.ManagedClass.entityName)
    let values = snapshots.map { snapshot in
      unique.flatMap { self.values(of: snapshot)[$0] } ?? .null
    }
    var known = try unique.map { try objects(of: S.self, with: $0, in: values) } ?? [:]
    var result: [S.ManagedClass] = []
    for (snapshot, value) in zip(snapshots, values) {
      let object: S.ManagedClass
      if key == nil, let id = snapshot.objectID {
        guard let named = try workspace.existingObject(with: id) as? S.ManagedClass else {
          throw wrongObject(id, S.self)
        }
        object = named
      } else if let found = known[value] {
        object = found
      } else {
        let made = try workspace.insert(S.ManagedClass.entityName)
        made.source.entity.requireClass(S.ManagedClass.self)
        object = made as! S.ManagedClass
      }
      if !value.isNull { known[value] = object }
      var target = SnapshotTarget(object, self)
      try snapshot.write(to: &target)
      result.append(object)
    }
    return result
  }

  /// Makes a relationship lead to the objects of a list. Deletes the members that leave it and can't be without it.
  func set<S: EntitySnapshot>(
    _ list: [S], of object: ManagedObject, _ name: StaticString, _ hash: UInt64
  ) throws {
    let before: RelatedObjects<S.ManagedClass> = object.relatedObjects(name.description, hash)
    let old = Array(before)
    let new = try objects(from: list)
    object.relate(to: new, name.description, hash)
    let inverse = object.source.entity.graph.toMany(hash, name.description).inverse
    guard let inverse, !inverse.isToMany, !inverse.isOptional else { return }
    for member in Set(old).subtracting(new) { workspace.delete(member) }
  }

  private func values(of snapshot: some EntitySnapshot) -> [String: Value] {
    var target = SnapshotTarget.values
    // Only an encoder throws.
    try! snapshot.write(to: &target)
    return target.values
  }

  private func objects<S: EntitySnapshot>(
    of type: S.Type, with key: String, in values: [Value]
  ) throws -> [Value: S.ManagedClass] {
    let values = Set(values.filter { !$0.isNull })
    guard !values.isEmpty else { return [:] }
    let request = QueryRequest(
      S.ManagedClass.entityName,
      where: .comparison(
        .init(.path(key), .in, .aggregate(values.map(QueryExpression.constant)))))
    var found: [Value: S.ManagedClass] = [:]
    for object in try ObjectFetcher(workspace).fetch(request, as: S.ManagedClass.self) {
      found[object.storedValue(PropertyHash.of(key)) { key }] = object
    }
    return found
  }

  /// Returns the attribute whose values are unique on their own.
  private func uniqueAttribute(of entity: String) -> String? {
    let model = workspace.coordinator.model
    return sequence(first: entity) { model[$0]?.superentity }
      .lazy.compactMap { model[$0] }.flatMap(\.uniquenessConstraints)
      .first { $0.count == 1 }?.first
  }

  private func wrongObject<S: EntitySnapshot>(_ id: ObjectID?, _ type: S.Type) -> ContextError {
    ContextError(
      .noObject,
      "The object \(id?.uri ?? "without an identifier") is no \(S.ManagedClass.entityName), so it can't have the values of a snapshot."
    )
  }
}
