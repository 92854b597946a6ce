import ObjectModel
import Rows

/// Changes the members of to-many relationships.
struct RelationshipWriter {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Replaces the members of a to-many relationship.
  func set(
    _ toMany: GraphProperty.ToMany, of object: ManagedObject, to objects: [ManagedObject]
  ) {
    var wanted: [ManagedObject] = []
    var seen: Set<ManagedObject> = []
    for other in objects where seen.insert(other).inserted { wanted.append(other) }
    if let side = toMany.links {
      do { try LinkWriter(workspace).set(side, of: object, toMany, to: wanted) } catch {
        workspace.record(error)
      }
      if toMany.relationship.keepsOrder {
        OrderedPlaces(workspace).number(wanted, in: object, toMany)
      }
      return
    }
    for other in RelationshipReader(workspace).objects(of: object, toMany)
    where !seen.contains(other) {
      remove(other, from: object, toMany)
    }
    let present = Set(RelationshipReader(workspace).keys(of: object, toMany))
    for other in wanted where !present.contains(other.key) { add(other, to: object, toMany) }
    if toMany.relationship.keepsOrder {
      OrderedPlaces(workspace).number(wanted, in: object, toMany)
    }
  }

  /// Adds an object to a relationship.
  func add(_ other: ManagedObject, to object: ManagedObject, _ toMany: GraphProperty.ToMany) {
    workspace.requireOwn(object)
    workspace.requireOwn(other)
    guard other.source.entity.store === object.source.entity.store else {
      misuse(
        "\(ContextError.crossStore(toMany.relationship.name, object, other))")
    }
    if let toOne = toMany.backward(from: other) {
      workspace.realize(other)
      if other.reference(column: toOne.column) == object.key { return }
      return ReferenceWriter(workspace).set(toOne, of: other, to: object)
    }
    guard let side = toMany.links, let state = workspace.state(of: object) else { return }
    do { try LinkWriter(workspace).add(side, object, other, state) } catch {
      workspace.record(error)
    }
  }

  /// Removes an object from a relationship.
  func remove(
    _ other: ManagedObject, from object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) {
    workspace.requireOwn(object)
    workspace.requireOwn(other)
    if let toOne = toMany.backward(from: other) {
      workspace.realize(other)
      if other.reference(column: toOne.column) == object.key {
        ReferenceWriter(workspace).set(toOne, of: other, to: nil)
      }
      return
    }
    guard let side = toMany.links, let state = workspace.state(of: object) else { return }
    do { try LinkWriter(workspace).remove(side, object.key, other.key, state) } catch {
      workspace.record(error)
    }
  }
}

extension GraphProperty.ToMany {
  /// Returns the to-one relationship of a member that stores this relationship; `nil` if links store it.
  func backward(from member: ManagedObject) -> GraphProperty.ToOne? {
    guard links == nil, let inverse,
      case .toOne(let toOne)? = member.source.entity.graph[inverse.name]?.place
    else { return nil }
    return toOne
  }
}
