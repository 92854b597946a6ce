import ObjectModel
import Rows
import StoreInterface

/// Writes the references of to-one relationships.
///
/// A relationship is stored in one form: a reference at its to-one end, or links. The other end is computed from it.
/// Only a one-to-one relationship has two references that must agree.
struct ReferenceWriter {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Sets a to-one relationship, and its inverse.
  func set(
    _ toOne: GraphProperty.ToOne, of object: ManagedObject, to other: ManagedObject?
  ) {
    if let other {
      workspace.requireOwn(other)
      guard other.source.entity.store === object.source.entity.store else {
        misuse(
          "\(ContextError.crossStore(toOne.relationship.name, object, other))")
      }
    }
    // A deleted or missing object can't refer to another object, nor can another object lead to it.
    workspace.realize(object)
    guard workspace.isAlive(object) else { return }
    let other = other.flatMap { workspace.exists($0) ? $0 : nil }
    if let inverse = toOne.inverse, !inverse.isToMany {
      setBothReferences(of: object, toOne, inverse, to: other)
    } else {
      // An object that is a member already keeps its place.
      if let other, object.reference(column: toOne.column) == other.key { return }
      write(other?.key, of: object, toOne.column)
    }
    guard let order = toOne.order, let inverse = toOne.inverse else { return }
    guard let other else { return write(order: nil, of: object, order) }
    write(order: OrderedPlaces(workspace).next(of: other, inverse.name), of: object, order)
  }

  /// Sets both ends of a one-to-one relationship, and clears the references of their former partners.
  private func setBothReferences(
    of object: ManagedObject, _ toOne: GraphProperty.ToOne, _ inverse: Relationship,
    to other: ManagedObject?
  ) {
    let old = object.reference(column: toOne.column)
    if old == other?.key { return }
    let store = object.source.entity.store
    if let old, let before = workspace.object(at: old, in: store) {
      clear(inverse.name, of: before, ifLeadingTo: object.key)
    }
    write(other?.key, of: object, toOne.column)
    guard let other, let back = other.source.entity.graph[inverse.name],
      case .toOne(let backward) = back.place
    else { return }
    workspace.realize(other)
    if let third = other.reference(column: backward.column), third != object.key,
      let former = workspace.object(at: third, in: store)
    {
      clear(toOne.relationship.name, of: former, ifLeadingTo: other.key)
    }
    write(object.key, of: other, backward.column)
  }

  private func clear(_ name: String, of object: ManagedObject, ifLeadingTo key: ObjectKey) {
    guard case .toOne(let toOne)? = object.source.entity.graph[name]?.place else { return }
    workspace.realize(object)
    if object.reference(column: toOne.column) == key { write(nil, of: object, toOne.column) }
  }

  /// Writes a reference, and leaves its inverse as it is.
  func write(_ key: ObjectKey?, of object: ManagedObject, _ column: Int) {
    guard let source = workspace.beginChange(of: object), let draft = source.draft else { return }
    if let key {
      draft.setReference(key, column: column, row: Int(object.row))
    } else {
      draft.setNull(column: column, row: Int(object.row))
    }
  }

  /// Writes the place of an object in an ordered relationship.
  func write(order: Int64?, of object: ManagedObject, _ column: Int) {
    guard let source = workspace.beginChange(of: object), let draft = source.draft else { return }
    if let order {
      draft.setInteger(order, column: column, row: Int(object.row))
    } else {
      draft.setNull(column: column, row: Int(object.row))
    }
  }
}
