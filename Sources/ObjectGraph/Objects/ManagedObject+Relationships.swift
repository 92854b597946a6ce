// SAFETY: An object retains its source. A hook may give the object another source, so after a call that may run hooks
// only the entity state is used, which the new source retains too.

import ObjectModel
import Rows

// Relationships by their names.
extension ManagedObject {
  /// Returns the object that a relationship refers to.
  @usableFromInline
  final func relatedObject<D: ManagedObject>(_ name: StaticString, _ hash: UInt64) -> D? {
    guard let other = relatedObject(hash, name) else { return nil }
    if type(of: other) == D.self { return unsafe unsafeDowncast(other, to: D.self) }
    return cast(other, name)
  }

  /// Sets the object that a to-one relationship refers to.
  @usableFromInline
  final func relate<D: ManagedObject>(to other: D?, _ name: StaticString, _ hash: UInt64) {
    if let other {
      if D.self == ManagedObject.self { requireDestination(other, of: name.description) }
      if state.isDisjoint(with: [.tracked, .loose]), setPlainReference(to: other, hash) { return }
    }
    relate(to: other, hash, name.description)
  }

  /// Sets the object that a to-one relationship refers to, whether the relationship is stored or in memory only.
  final func relate(to other: ManagedObject?, _ hash: UInt64, _ name: @autoclosure () -> String) {
    let isLoose = state.contains(.loose) || other?.state.contains(.loose) ?? false
    if isLoose, let loose = LooseInsertion.join(self, other.map { [$0] } ?? []) {
      return loose.relate(other.map { [$0] } ?? [], hash, name(), of: self)
    }
    if let transient = transientRelationship(hash), !transient.isToMany {
      return transient.set(other.map { [$0] } ?? [])
    }
    let toOne = source.entity.graph.toOne(hash, name())
    if let workspace = source.entity.workspace {
      setting(hash) { ReferenceWriter(workspace).set(toOne, of: self, to: other) }
    }
  }

  /// Sets a reference in place if no inverse must change with it. Returns `false` if the caller must set the reference
  /// through ``relate(to:_:_:)``.
  ///
  /// The other object must be known to exist in the same store and context.
  private final func setPlainReference(to other: ManagedObject, _ hash: UInt64) -> Bool {
    unsafe sourceReference._withUnsafeGuaranteedRef { source in
      unsafe other.sourceReference._withUnsafeGuaranteedRef { otherSource in
        if !source.isCurrent { refusePlace() }
        let code = source.code(hash)
        guard code.form == .plainToOne, source.isOpen, source.shares(otherSource),
          other.state.isDisjoint(with: [.deleted, .missing]), !otherSource.isUnresolved
        else { return false }
        // SAFETY: An open source has a draft, and nothing closes the draft while it is written.
        unsafe source.draftReference.unsafelyUnwrapped._withUnsafeGuaranteedRef {
          $0.setReference(other.key, column: Int(code.column), row: Int(row))
        }
        return true
      }
    }
  }

  /// Returns the objects that a relationship refers to.
  @usableFromInline
  final func relatedObjects<D: ManagedObject>(
    _ name: @autoclosure () -> String, _ hash: UInt64
  ) -> RelatedObjects<D> {
    RelatedObjects(ToManyAccess(self, hash, name()).list)
  }

  /// Replaces the members of a to-many relationship.
  @usableFromInline
  final func relate<D: ManagedObject>(
    to objects: [D], _ name: @autoclosure () -> String, _ hash: UInt64
  ) {
    let members = ToManyAccess(self, hash, name())
    if D.self == ManagedObject.self {
      for object in objects { requireDestination(object, of: name()) }
    }
    members.set(objects)
  }

  /// Returns the objects that a to-many relationship refers to.
  ///
  /// - Precondition: The entity has a to-many relationship with this name.
  public final func objects(forKey key: String) -> RelatedObjects<ManagedObject> {
    relatedObjects(key, PropertyHash.of(key))
  }

  /// Adds an object to a relationship, at the end if the relationship is ordered. A member stays where it is.
  ///
  /// - Precondition: The entity has a to-many relationship with this name, and the object is of its destination.
  public final func add(_ other: ManagedObject, to key: String) {
    let members = ToManyAccess(self, PropertyHash.of(key), key)
    requireDestination(other, of: key)
    members.add(other)
  }

  /// Removes an object from a relationship. Does nothing if the object is not a member.
  ///
  /// - Precondition: The entity has a to-many relationship with this name.
  public final func remove(_ other: ManagedObject, from key: String) {
    ToManyAccess(self, PropertyHash.of(key), key).remove(other)
  }

  /// Returns the number of objects that a relationship refers to.
  ///
  /// - Precondition: The entity has a to-many relationship with this name.
  public final func count(forKey key: String) -> Int {
    ToManyAccess(self, PropertyHash.of(key), key).count
  }

  /// Stops the program if an object is not of the destination entity of a relationship.
  @inline(never)
  final func requireDestination(_ other: ManagedObject, of name: String) {
    let graph = source.entity.graph
    guard let destination = graph[name]?.relationship?.destination,
      !graph.model.entity(other.source.entity.graph.name, isOrInheritsFrom: destination),
      // The model of a loose object may lack the subclasses of its neighbours.
      !other.source.entity.graph.model.entity(
        other.source.entity.graph.name, isOrInheritsFrom: destination)
    else { return }
    misuse(
      """
      The relationship "\(name)" of \(self) can't refer to \(other): its destination is the entity \
      "\(destination)".
      """)
  }

  private final func cast<D: ManagedObject>(_ object: ManagedObject, _ name: StaticString) -> D {
    if let typed = object as? D { return typed }
    misuse(
      """
      "\(name)" of \(self) refers to an object of the class \(type(of: object)), not \(D.self). Give the \
      class to the initializer of the coordinator.
      """)
  }

  private final func relatedObject(_ hash: UInt64, _ name: StaticString) -> ManagedObject? {
    if let loose { return loose.objects(hash).first }
    let code = code(hash)
    recordRead(hash)
    guard code.form == .toOne || code.form == .plainToOne else {
      if let transient = transientRelationship(hash), !transient.isToMany {
        return transient.objects.first
      }
      source.entity.graph.refuse(name.description, as: "a relationship to one object")
    }
    return unsafe sourceReference._withUnsafeGuaranteedRef { source in
      guard let key = reference(column: Int(code.column)) else { return nil }
      return unsafe source.entityReference._withUnsafeGuaranteedRef { entity in
        if entity.hasDeletionsToPropagate { entity.workspace?.propagateDeletions() }
        guard let other = entity.destination(key),
          other.state.isDisjoint(with: [.deleted, .missing])
        else { return nil }
        return other
      }
    }
  }

  /// Returns the key that a column leads to.
  @inline(__always)
  final func reference(column: Int) -> ObjectKey? {
    unsafe sourceReference._withUnsafeGuaranteedRef { source in
      if let raw = unsafe source.loaded(column) {
        // SAFETY: A loaded column has a row for each row of its source.
        if unsafe raw.pointee.isNull(Int(row)) { return nil }
        let bits = unsafe UInt64(bitPattern: raw.pointee.integer(Int(row)))
        return bits == 0 ? nil : ObjectKey(rawValue: bits)
      }
      if case .object(let key) = source.value(column, Int(row)) { return key }
      return nil
    }
  }
}
