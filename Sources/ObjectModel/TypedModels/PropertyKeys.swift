/// What a property of an ``EntityType`` is known by, with its types.
public protocol PropertyKey: EntityPart {
  /// The entity that declares the property.
  associatedtype Owner: EntityType

  /// The property's name in the model.
  var name: String { get }
}

/// A property that constraints and indexes may be over: an attribute or a to-one relationship.
public protocol ColumnKey: PropertyKey {}

/// A relationship, known by both its ends.
public protocol RelationshipKey: PropertyKey {
  /// The entity it leads to.
  associatedtype Destination: EntityType

  /// The relationship as the model holds it, but for its inverse.
  var relationship: Relationship { get set }
  /// The inverse, if it is stated at this end.
  var inverse: InverseKey<Destination>? { get }
}

/// The other end of a relationship.
///
/// Holds the path and not the key: to make the key, the entity type it belongs to must be made, whose
/// own inverses may lead back here.
public struct InverseKey<Owner: EntityType>: Sendable {
  let name: @Sendable () -> (entity: String, property: String)

  init<Key: RelationshipKey>(_ path: any KeyPath<Owner, Key> & Sendable) {
    name = { (Key.Owner.entityName, Owner()[keyPath: path].name) }
  }
}

extension RelationshipKey {
  /// The relationship's name in the model.
  public var name: String { relationship.name }

  /// Adds the relationship to its entity.
  public func add(to entity: inout Entity) {
    var relationship = relationship
    if let inverse = inverse?.name() {
      relationship.inverse = inverse.property
      relationship.inverseEntity = inverse.entity
    }
    entity.declaredProperties.append(.relationship(relationship))
  }

  /// The relationship with the given name in the version before, for migration.
  public func renamed(from name: String) -> Self { with { $0.renamingIdentifier = name } }

  /// The relationship, kept in memory only.
  public func transient() -> Self { with { $0.isTransient = true } }

  /// The relationship with a text that changes its version hash when nothing else does.
  public func hashModifier(_ modifier: String) -> Self {
    with { $0.versionHashModifier = modifier }
  }

  /// The relationship, its objects meeting a predicate in text form, in which `SELF` is the object or the objects.
  ///
  /// - Parameter message: The sentence that a failure shows; `nil` for one that names the predicate.
  public func validated(_ predicate: String, message: String? = nil) -> Self {
    with { $0.validationPredicates.append(ValidationPredicate(predicate, message: message)) }
  }

  /// The relationship with notes of the application's own.
  public func userInfo(_ userInfo: [String: String]) -> Self { with { $0.userInfo = userInfo } }

  func with(_ change: (inout Relationship) -> Void) -> Self {
    var changed = self
    change(&changed.relationship)
    return changed
  }
}

/// A relationship that leads to one object at most.
public struct ToOneKey<Owner: EntityType, Destination: EntityType>: RelationshipKey, ColumnKey {
  /// The relationship as the model holds it, but for its inverse.
  public var relationship: Relationship
  /// The inverse, if it is stated at this end.
  public let inverse: InverseKey<Destination>?

  /// A relationship whose inverse, if any, is stated at the other end.
  public init(_ name: String, onDelete deleteRule: Relationship.DeleteRule = .nullify) {
    relationship = Relationship(
      name, to: Destination.entityName, count: .toOne, deleteRule: deleteRule)
    inverse = nil
  }

  /// A relationship and its inverse.
  public init<Inverse: RelationshipKey>(
    _ name: String, inverse: any KeyPath<Destination, Inverse> & Sendable,
    onDelete deleteRule: Relationship.DeleteRule = .nullify
  ) where Inverse.Destination == Owner {
    relationship = Relationship(
      name, to: Destination.entityName, count: .toOne, deleteRule: deleteRule)
    self.inverse = InverseKey(inverse)
  }

  /// The relationship, which must lead to an object.
  public func required() -> Self {
    with {
      $0.isOptional = false
      $0.count.minimum = 1
    }
  }
}

/// A relationship that leads to any number of objects.
public struct ToManyKey<Owner: EntityType, Destination: EntityType>: RelationshipKey {
  /// The relationship as the model holds it, but for its inverse.
  public var relationship: Relationship
  /// The inverse, if it is stated at this end.
  public let inverse: InverseKey<Destination>?

  /// A relationship whose inverse, if any, is stated at the other end.
  public init(_ name: String, onDelete deleteRule: Relationship.DeleteRule = .nullify) {
    relationship = Relationship(
      name, to: Destination.entityName, count: .toMany, deleteRule: deleteRule)
    inverse = nil
  }

  /// A relationship and its inverse.
  public init<Inverse: RelationshipKey>(
    _ name: String, inverse: any KeyPath<Destination, Inverse> & Sendable,
    onDelete deleteRule: Relationship.DeleteRule = .nullify
  ) where Inverse.Destination == Owner {
    relationship = Relationship(
      name, to: Destination.entityName, count: .toMany, deleteRule: deleteRule)
    self.inverse = InverseKey(inverse)
  }

  /// The relationship, its objects in an order of their own.
  public func ordered() -> Self { with { $0.isOrdered = true } }

  /// The relationship, which must lead to as many objects as given.
  public func count(_ range: ClosedRange<Int>) -> Self {
    with {
      $0.count = .init(minimum: range.lowerBound, maximum: range.upperBound)
      $0.isOptional = range.lowerBound == 0
    }
  }

  /// The relationship, which must lead to the given number of objects at least.
  public func count(_ range: PartialRangeFrom<Int>) -> Self {
    with {
      $0.count = .init(minimum: range.lowerBound, maximum: 0)
      $0.isOptional = range.lowerBound == 0
    }
  }
}
