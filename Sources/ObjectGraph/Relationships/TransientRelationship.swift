import ObjectModel

/// A relationship of one object that is in memory only.
///
/// No row contains it, so it may refer to objects of any store of the coordinator. A deleted object is removed from it.
struct TransientRelationship {
  /// The workspace; `nil` if the context is gone, and then the relationship refers to no object.
  private let workspace: Workspace?
  private let object: ManagedObject
  private let relationship: Relationship
  private let inverse: Relationship?
  /// The position among the properties of the entity.
  private let property: Int

  /// Makes the relationship with the code of a property. Returns `nil` if the property is not a transient relationship.
  init?(_ code: PropertyCode, of object: ManagedObject) {
    guard code.form == .other,
      case .transientRelationship(let relationship, let inverse) =
        object.source.entity.graph.properties[Int(code.property)].place
    else { return nil }
    workspace = object.source.entity.workspace
    self.object = object
    self.relationship = relationship
    self.inverse = inverse
    property = Int(code.property)
  }

  var isToMany: Bool { relationship.isToMany }

  // MARK: Reading

  /// The identifiers of the objects that were set. Some objects may be gone or may not lead back any more.
  private var identifiers: [ObjectID] {
    guard case .objects(let identifiers) = workspace?.transientValue(of: object, property) else {
      return []
    }
    return identifiers
  }

  /// The objects that the relationship refers to.
  ///
  /// An object is left out if its inverse does not lead back, because a refresh or a rollback has dropped the value of
  /// the inverse.
  var objects: [ManagedObject] {
    guard let workspace else { return [] }
    return identifiers.compactMap { id in
      guard let state = try? workspace.state(of: id.store),
        let other = workspace.object(at: id.key, in: state), workspace.exists(other)
      else { return nil }
      let leadsBack = inverse(of: other)?.identifiers.contains(object.objectID) ?? true
      return leadsBack ? other : nil
    }
  }

  // MARK: Writing

  /// Replaces the members of the relationship, and updates the inverse.
  func set(_ others: [ManagedObject]) {
    guard let workspace else { return }
    for other in others { workspace.requireOwn(other) }
    guard workspace.exists(object) else { return }
    var seen: Set<ObjectID> = []
    let others = others.filter { workspace.exists($0) && seen.insert($0.objectID).inserted }
    for former in objects where !seen.contains(former.objectID) {
      inverse(of: former)?.drop(object)
    }
    for other in others {
      guard let inverse = inverse(of: other), !inverse.identifiers.contains(object.objectID)
      else { continue }
      if !inverse.relationship.isToMany {
        for former in inverse.objects { inverse.inverse(of: former)?.drop(other) }
        inverse.write([object.objectID])
      } else {
        inverse.write(inverse.identifiers + [object.objectID])
      }
    }
    write(others.map(\.objectID))
  }

  /// Adds an object at the end, unless the relationship refers to it already.
  func add(_ other: ManagedObject) {
    let present = objects
    if !present.contains(other) { set(present + [other]) }
  }

  func remove(_ other: ManagedObject) { set(objects.filter { $0 !== other }) }

  /// Returns the transient inverse of another object; `nil` if the inverse is not transient.
  private func inverse(of other: ManagedObject) -> TransientRelationship? {
    inverse.flatMap { other.transientRelationship(PropertyHash.of($0.name)) }
  }

  private func drop(_ other: ManagedObject) {
    let rest = identifiers.filter { $0 != other.objectID }
    if rest.count != identifiers.count { write(rest) }
  }

  private func write(_ identifiers: [ObjectID]) {
    object.setting(PropertyHash.of(relationship.name)) {
      workspace?.setTransientValue(.objects(identifiers), of: object, property)
    }
  }
}

extension ManagedObject {
  /// Returns a relationship that is in memory only; `nil` if the property is another one. Stops the program unless the
  /// object may be used here.
  final func transientRelationship(_ hash: UInt64) -> TransientRelationship? {
    if !source.isCurrent { refusePlace() }
    return TransientRelationship(source.entity.graph.code(hash), of: self)
  }
}
