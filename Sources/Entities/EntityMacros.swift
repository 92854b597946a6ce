public import ObjectGraph
public import ObjectModel
public import ObjectQuery

// The macros that declare entities in classes. `docs/typed-classes.md` shows how to use them.

/// Makes an entity from a class of managed objects: each stored property of the class becomes a property of the entity.
///
///     @Entity final class Trip: ManagedObject {
///       var name: String = "Untitled"
///       var start: Date?
///       @Unique var code: String
///       @Relationship(.cascade, inverse: \Stop.trip, ordered: true) var stops: RelatedObjects<Stop>
///     }
///
/// The entity has the name of the class. A property of an optional type may have no value. A constant initial value is
/// the default of the property. An initial value that differs from object to object, such as `UUID()`, is set when an
/// object is inserted. A class may inherit from another class with `@Entity`.
///
/// The class also gets a structure `Snapshot`, the values of an object apart from its context: `EntitySnapshot` says when to use it. A
/// class with the option `withoutSnapshot` has room for a type of this name.
@attached(
  member, names: named(entityName), named(entityProperties), named(entityDeclaration),
  named(setInitialValues), named(Snapshot), named(SnapshotElement),
  named(SnapshotMember), named(snapshot)
)
@attached(memberAttribute)
public macro Entity(_ options: EntityOption...) =
  #externalMacro(module: "EntityMacros", type: "EntityMacro")

/// Makes an entity with a given name from a class of managed objects.
///
///     @Entity("Journey") final class Trip: ManagedObject { ... }
@attached(
  member, names: named(entityName), named(entityProperties), named(entityDeclaration),
  named(setInitialValues), named(Snapshot), named(SnapshotElement),
  named(SnapshotMember), named(snapshot)
)
@attached(memberAttribute)
public macro Entity(_ name: String, _ options: EntityOption...) =
  #externalMacro(module: "EntityMacros", type: "EntityMacro")

/// Reads and writes a property of an entity in the rows of the object's context. ``Entity(_:)`` adds this macro.
@attached(accessor)
public macro StoredProperty() =
  #externalMacro(module: "EntityMacros", type: "StoredPropertyMacro")

/// States the options of an attribute that its type can't express: the valid values, and the form of storage.
///
///     @Attribute(.range(0...365)) var days: Int = 1
///     @Attribute(.length(1...100), .matches("[A-Z].*")) var name: String
@attached(peer)
public macro Attribute(_ options: AttributeOption...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Declares an attribute with different names in the model and in Swift.
///
///     @Attribute("description") var text: String
@attached(peer)
public macro Attribute(_ name: String, _ options: AttributeOption...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Requires that no two objects have the same value of an attribute.
@attached(peer)
public macro Unique() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Requires that no two objects have the same values of several properties. Write it in the body of the class:
/// `#Unique<Trip>([\.name, \.start])`.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ properties: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes stores keep an index over properties, so that a fetch does not read every row. Write it in the body of the
/// class: `#Index<Trip>([\.start], [\.name, \.start])`.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ properties: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes stores keep an index of the words of each text, for conditions with `matches(text:)`. Write it in the body of the
/// class: `#Index<Note>(words: \.title, \.body)`.
///
/// Use it for notes and other long texts. For names and codes, `#Index` with lists of properties finds whole texts and
/// their beginnings.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(words texts: PartialKeyPath<Object>...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes two relationships of one class the inverses of one another: `#Inverse<Folder>(\.parent, \.children)`.
///
/// Write it in the body of the class, because an attribute of a property can't name properties of the class itself.
@freestanding(declaration)
public macro Inverse<Object: ManagedObject>(
  _ property: PartialKeyPath<Object>, _ inverse: PartialKeyPath<Object>
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Keeps a property in memory only.
///
///     @Entity final class Table: ManagedObject {
///       @Transient var isSelected: Bool = false
///       @Transient @Relationship(inverse: \Guest.table) var guests: RelatedObjects<Guest>
///     }
///     @Entity final class Guest: ManagedObject {
///       @Transient var table: Table?
///     }
///
/// A transient relationship may refer to objects of any store. A change of one end changes the inverse, if the inverse
/// is transient too. A deleted object is removed from the relationship; no other delete rule applies.
@attached(peer)
public macro Transient() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Excludes a variable of the class from the entity. Contexts do not track changes of the variable.
@attached(peer)
public macro Ignored() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes the context compute an attribute from other properties when it saves: `@Derived("stops.@count")`.
///
/// - Parameter filter: The predicate that objects must meet to be counted; `nil` for all objects.
@attached(peer)
public macro Derived(_ expression: String, where filter: String? = nil) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Fetches objects each time that the property is read. The read may throw: `try animal.neighbours`.
///
///     @Fetched(where: "enclosure == $FETCH_SOURCE.enclosure") var neighbours: [Animal]
///
/// - Parameters:
///   - predicate: The condition, in which `$FETCH_SOURCE` is the object that has the property; `nil` for all objects.
///   - sortKeys: The order.
///   - limit: The greatest number of objects; 0 for any number.
@attached(peer)
public macro Fetched(
  where predicate: String? = nil, sortedBy sortKeys: [SortKey] = [], limit: Int = 0
) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes a composite type from a structure: each stored property becomes a part.
///
///     @Composite struct Address {
///       var street: String?
///       var city: String = ""
///     }
@attached(
  extension, conformances: CompositeValue, names: named(compositeParts), named(init(composite:)),
  named(write(to:))
)
public macro Composite() = #externalMacro(module: "EntityMacros", type: "CompositeMacro")

/// Declares a relationship with different names in the model and in Swift.
///
///     @Relationship("self", inverse: \Stop.trip) var stops: RelatedObjects<Stop>
///
/// Its other parameters are the same as in
/// ``Relationship(_:inverse:ordered:minimum:maximum:optional:originalName:hashModifier:)``.
@attached(peer)
public macro Relationship(
  _ name: String, _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil,
  ordered: Bool = false, minimum: Int = 0, maximum: Int = 0,
  optional: Bool? = nil, originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Declares a relationship to one object, or to many objects.
///
/// - Parameters:
///   - rule: The delete rule: the effect on the related objects when this object is deleted.
///   - inverse: The inverse relationship. State it at one end only. At the other end, write `@Relationship` without an
///     inverse if that end is to-many, and no attribute at all if that end is to-one.
///   - ordered: Whether the objects are in their own order.
///   - minimum: The least number of objects.
///   - maximum: The greatest number of objects; 0 for any number.
///   - optional: Whether the relationship may be empty; `nil` to infer this from the type or from `minimum`.
///   - originalName: The name in the previous version of the model, for migration.
///   - hashModifier: A text in the version hash, to change the hash when nothing else does.
@attached(peer)
public macro Relationship(
  _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil, ordered: Bool = false,
  minimum: Int = 0, maximum: Int = 0,
  optional: Bool? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Declares a relationship with its delete rule after a label, as SwiftData does.
///
///     @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: RelatedObjects<Stop>
///
/// Its other parameters are the same as in
/// ``Relationship(_:inverse:ordered:minimum:maximum:optional:originalName:hashModifier:)``.
@attached(peer)
public macro Relationship(
  deleteRule: Relationship.DeleteRule, inverse: AnyKeyPath? = nil, ordered: Bool = false,
  minimum: Int = 0, maximum: Int = 0,
  optional: Bool? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")
