/// A Swift type that describes an entity: its stored properties are the entity's properties.
///
///     struct Trip: EntityType {
///       let name = Attribute<String>("name").length(1...80)
///       let start = Attribute<Date?>("start")
///       let kind = Attribute<Kind>("kind", default: .leisure)
///       let stops = ToMany<Stop>("stops", inverse: \.trip, onDelete: .cascade).ordered()
///       let unique = Unique(\.name, \.start)
///     }
///
///     struct Stop: EntityType {
///       let place = Attribute<String>("place", default: "")
///       let trip = ToOne<Trip>("trip")
///     }
///
///     enum Kind: String, AttributeValue { case leisure, work }
///
///     let model = try Model {
///       Trip.self
///       Stop.self
///     }
///
/// The compiler checks what it can: a default is of the attribute's type, bounds are for types that
/// have an order, `Date?` makes an optional attribute and `Date` a required one, a destination is an
/// entity type, and an inverse is a relationship that leads back. The rest is checked when the
/// ``Model`` is made.
///
/// An inverse is stated at one end and holds for both. State it where objects are owned; the other
/// end needs only to be there. (Were it stated at both, neither's type could be told before the
/// other's.) A relationship that is its own inverse gives its type first:
///
///     let friends: ToMany<Person> = ToMany("friends", inverse: \.friends)
///
/// The names in quotes are those that documents keep. They need not be the names in Swift, which may
/// change without a migration.
///
/// The type's own members, in turn, are paths for predicates and sort keys: `Trip.start > now`,
/// `Stop.trip.name`.
@dynamicMemberLookup
public protocol EntityType: Sendable {
  /// The entity's name. That of the Swift type, unless this says otherwise.
  static var entityName: String { get }

  /// Adds to the entity what its properties do not say: whether it is abstract, its renaming
  /// identifier, its notes.
  ///
  ///     static func describe(_ entity: inout Entity) { entity.isAbstract = true }
  static func describe(_ entity: inout Entity)

  /// The description of the entity's properties. A structure whose properties all have values has
  /// this by itself; a public one must write `public init() {}`.
  init()
}

extension EntityType {
  /// An attribute of this entity. Hides ``ObjectModel/Attribute``, which is not needed here.
  public typealias Attribute<Value: AttributeValue> = AttributeKey<Self, Value>
  /// A relationship of this entity that leads to one object at most.
  public typealias ToOne<Destination: EntityType> = ToOneKey<Self, Destination>
  /// A relationship of this entity that leads to any number of objects.
  public typealias ToMany<Destination: EntityType> = ToManyKey<Self, Destination>
  /// What a request finds when an object of this entity is asked for it.
  public typealias Fetched<Destination: EntityType> = FetchedKey<Self, Destination>
  /// Properties of this entity whose values, taken together, no two objects share.
  public typealias Unique = UniqueKeys<Self>
  /// Properties of this entity that stores keep an index over.
  public typealias Index = IndexKeys<Self>

  /// The entity's name: that of the Swift type.
  public static var entityName: String { String(describing: Self.self) }

  /// Adds nothing.
  public static func describe(_ entity: inout Entity) {}
}

/// A Swift type that describes an entity which inherits from another.
///
///     struct Cruise: SubentityType {
///       typealias Superentity = Trip
///       let ship = Attribute<String>("ship", default: "")
///     }
///
/// Inherited properties are reached as its own are: `\Cruise.name`.
@dynamicMemberLookup
public protocol SubentityType: EntityType {
  /// The type of the entity it inherits from.
  associatedtype Superentity: EntityType
}

extension SubentityType {
  /// An inherited property.
  public subscript<Key>(dynamicMember path: KeyPath<Superentity, Key>) -> Key {
    Superentity()[keyPath: path]
  }

  fileprivate static var superentityName: String { Superentity.entityName }
}

extension EntityType {
  /// The entity that this type describes.
  ///
  /// Finds the properties by reflection, in the order of their declaration. Inverses that are stated
  /// at the other end are not in it; ``Model/init(strict:_:)`` adds them.
  public static var entity: Entity {
    var entity = Entity(entityName)
    entity.superentity = (Self.self as? any SubentityType.Type)?.superentityName
    for child in Mirror(reflecting: Self()).children {
      (child.value as? any EntityPart)?.add(to: &entity)
    }
    describe(&entity)
    return entity
  }
}

/// What a stored property of an ``EntityType`` may be: a key, a constraint or an index.
public protocol EntityPart: Sendable {
  /// Adds the part to its entity.
  func add(to entity: inout Entity)
}
