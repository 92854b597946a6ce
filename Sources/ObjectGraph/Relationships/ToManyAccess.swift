import ObjectModel

/// Access to the members of one to-many relationship of an object. The relationship is stored, or in memory only.
struct ToManyAccess {
  private enum Place {
    case stored(GraphProperty.ToMany)
    case inMemory(TransientRelationship)
  }

  private let object: ManagedObject
  private let hash: UInt64
  /// The name of the relationship; empty unless the object was loose at first. A new access is needed once it is inserted.
  private let looseName: String
  private let place: Place
  /// `nil` when the context is gone: the relationship has no members then.
  private let workspace: Workspace?

  /// Stops the program unless the object may be used here and has the relationship.
  ///
  /// - Parameter hash: The hash of the name.
  init(_ object: ManagedObject, _ hash: UInt64, _ name: @autoclosure () -> String) {
    self.object = object
    self.hash = hash
    looseName = object.state.contains(.loose) ? name() : ""
    workspace = object.source.entity.workspace
    if let transient = object.transientRelationship(hash) {
      place = .inMemory(transient)
    } else {
      place = .stored(object.source.entity.graph.toMany(hash, name()))
    }
  }

  /// The members, each of which becomes an object when it is read.
  var list: RelatedStorage {
    if let loose = object.loose { return RelatedStorage(loose.objects(hash)) }
    object.recordRead(hash)
    switch place {
    case .stored(let toMany):
      return workspace.map { RelationshipReader($0).list(of: object, toMany) } ?? RelatedStorage([])
    case .inMemory(let transient): return RelatedStorage(transient.objects)
    }
  }

  var count: Int { list.count }

  func set(_ others: [ManagedObject]) {
    if let loose = LooseInsertion.join(object, others) {
      return loose.relate(others, hash, looseName, of: object)
    }
    if !looseName.isEmpty { return ToManyAccess(object, hash, looseName).set(others) }
    change(
      { RelationshipWriter($0).set($1, of: object, to: others) }, inMemory: { $0.set(others) })
  }

  /// Adds a member at the end. A member stays where it is.
  func add(_ other: ManagedObject) {
    let isLoose = object.state.contains(.loose) || other.state.contains(.loose)
    if isLoose, let loose = LooseInsertion.join(object, [other]) {
      return loose.relate(loose.objects(hash) + [other], hash, looseName, of: object)
    }
    if !looseName.isEmpty { return ToManyAccess(object, hash, looseName).add(other) }
    change(
      { RelationshipWriter($0).add(other, to: object, $1) }, inMemory: { $0.add(other) })
  }

  func remove(_ other: ManagedObject) {
    if let loose = object.loose {
      return loose.relate(
        loose.objects(hash).filter { $0 !== other }, hash, looseName, of: object)
    }
    change(
      { RelationshipWriter($0).remove(other, from: object, $1) }, inMemory: { $0.remove(other) })
  }

  private func change(
    _ stored: (Workspace, GraphProperty.ToMany) -> Void,
    inMemory: (TransientRelationship) -> Void
  ) {
    guard let workspace else { return }
    switch place {
    case .stored(let toMany): object.setting(hash) { stored(workspace, toMany) }
    // Each end notifies observers of its own change.
    case .inMemory(let transient): inMemory(transient)
    }
  }
}
