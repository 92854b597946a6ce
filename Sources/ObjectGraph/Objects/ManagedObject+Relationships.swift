// SAFETY: An object retains its source, which nothing leads it away from while it is asked.

import ObjectModel
import Rows

// Relationships by typed names.
extension ManagedObject {
  /// The object that a relationship leads to.
  public final subscript<D: ManagedObject>(name: ToOneName<D>) -> D? {
    get {
      guard let other = relatedObject(name.hash, name.name) else { return nil }
      if type(of: other) == D.self { return unsafe unsafeDowncast(other, to: D.self) }
      return cast(other, name.name)
    }
    set {
      if let newValue { requireDestination(newValue, of: name.name, as: D.self) }
      if let newValue, setPlainReference(to: newValue, name.hash) { return }
      let toOne = toOne(name.hash, name.name)
      if let workspace = source.entity.workspace {
        ReferenceWriter(workspace).set(toOne, of: self, to: newValue)
      }
    }
  }

  /// Sets a reference that nothing else must agree with, to an object that is surely of the same store and
  /// context; false when it must be done in another way.
  private final func setPlainReference(to other: ManagedObject, _ hash: UInt64) -> Bool {
    unsafe sourceReference._withUnsafeGuaranteedRef { source in
      unsafe other.sourceReference._withUnsafeGuaranteedRef { otherSource in
        if !source.isCurrent { refusePlace() }
        let code = source.code(hash)
        guard code.form == .plainToOne, source.isOpen, source.shares(otherSource),
          other.state.isDisjoint(with: [.deleted, .missing]), !otherSource.isUnresolved
        else { return false }
        // SAFETY: What is open is a draft, and nobody closes it while it is written.
        unsafe source.draftReference.unsafelyUnwrapped._withUnsafeGuaranteedRef {
          $0.setReference(other.key, column: Int(code.column), row: Int(row))
        }
        return true
      }
    }
  }

  /// The objects that a relationship leads to.
  public final subscript<D: ManagedObject>(name: ToManyName<D>) -> RelatedObjects<D> {
    get {
      let toMany = toMany(name.hash, name.name)
      guard let workspace = source.entity.workspace else { return RelatedObjects([]) }
      return RelatedObjects(RelationshipReader(workspace).list(of: self, toMany))
    }
    set {
      let objects = newValue.objects
      if D.self == ManagedObject.self {
        for object in objects { requireDestination(object, of: name.name, as: D.self) }
      }
      if let workspace = source.entity.workspace {
        RelationshipWriter(workspace).set(toMany(name.hash, name.name), of: self, to: objects)
      }
    }
  }

  /// Adds an object to a relationship, at the end where it is ordered. Nothing happens when it is there.
  public final func add<D: ManagedObject>(_ other: D, to name: ToManyName<D>) {
    requireDestination(other, of: name.name, as: D.self)
    if let workspace = source.entity.workspace {
      RelationshipWriter(workspace).add(other, to: self, toMany(name.hash, name.name))
    }
  }

  /// Fails when a relationship can't lead to an object, because that is of another entity. A class of its
  /// own says that it is not.
  @inline(__always)
  private final func requireDestination<D: ManagedObject>(
    _ other: D, of name: StaticString, as type: D.Type
  ) {
    if type == ManagedObject.self { requireDestination(other, of: name.description) }
  }

  /// Fails when a relationship can't lead to an object, because that is of another entity.
  @inline(never)
  final func requireDestination(_ other: ManagedObject, of name: String) {
    let graph = source.entity.graph
    guard let destination = graph[name]?.relationship?.destination,
      !graph.model.entity(other.source.entity.graph.name, isOrInheritsFrom: destination)
    else { return }
    misuse(
      """
      The relationship "\(name)" of \(self) leads to objects of the entity "\(destination)", and \(other) is \
      none.
      """)
  }

  /// Takes an object out of a relationship. Nothing happens when it is not there.
  public final func remove<D: ManagedObject>(_ other: D, from name: ToManyName<D>) {
    if let workspace = source.entity.workspace {
      RelationshipWriter(workspace).remove(other, from: self, toMany(name.hash, name.name))
    }
  }

  /// How many objects a relationship leads to.
  public final func count<D: ManagedObject>(of name: ToManyName<D>) -> Int {
    let toMany = toMany(name.hash, name.name)
    guard let workspace = source.entity.workspace else { return 0 }
    return RelationshipReader(workspace).keys(of: self, toMany).count
  }

  private final func cast<D: ManagedObject>(_ object: ManagedObject, _ name: StaticString) -> D {
    if let typed = object as? D { return typed }
    misuse(
      """
      "\(name)" of \(self) leads to an object of the class \(type(of: object)), not \(D.self). Name the \
      class when the coordinator is made.
      """)
  }

  /// What is known of a relationship to one object.
  private final func toOne(_ hash: UInt64, _ name: StaticString) -> GraphProperty.ToOne {
    let source = source
    if !source.isCurrent { refusePlace() }
    let graph = source.entity.graph
    let code = graph.code(hash)
    guard code.form == .toOne || code.form == .plainToOne,
      case .toOne(let toOne) = graph.properties[Int(code.property)].place
    else { graph.refuse(name.description, as: "a relationship to one object") }
    return toOne
  }

  private final func toMany(_ hash: UInt64, _ name: StaticString) -> GraphProperty.ToMany {
    let source = source
    if !source.isCurrent { refusePlace() }
    let graph = source.entity.graph
    let code = graph.code(hash)
    guard code.form == .other,
      case .toMany(let toMany) = graph.properties[Int(code.property)].place
    else { graph.refuse(name.description, as: "a relationship to many objects") }
    return toMany
  }

  private final func relatedObject(_ hash: UInt64, _ name: StaticString) -> ManagedObject? {
    let code = code(hash)
    guard code.form == .toOne || code.form == .plainToOne else {
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

  /// The key that a column leads to.
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

  final func relatedObjects(_ toMany: GraphProperty.ToMany) -> [ManagedObject] {
    guard let workspace = source.entity.workspace else { return [] }
    return RelationshipReader(workspace).objects(of: self, toMany)
  }
}
