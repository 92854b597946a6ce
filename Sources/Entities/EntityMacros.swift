public import ObjectGraph
public import ObjectModel
public import ObjectQuery

// The macros with which classes declare entities. `docs/typed-classes.md` shows them in use.

/// Makes an entity of a class of managed objects: each stored property of the class becomes a property of the entity.
///
///     @Entity final class Trip: ManagedObject {
///       var name: String = "Untitled"
///       var start: Date?
///       @Unique var code: String
///       @Relationship(.cascade, inverse: \Stop.trip, ordered: true) var stops: [Stop]
///     }
///
/// The entity has the name of the class. A property whose type is optional may have no value. An initial value is the
/// default of the property; one that differs from object to object, such as `UUID()`, is set when an object is inserted.
/// A class may inherit from another class with `@Entity`.
@attached(
  member, names: named(entityName), named(entityProperties), named(entityDeclaration),
  named(setInitialValues)
)
@attached(memberAttribute)
public macro Entity(_ options: EntityOption...) =
  #externalMacro(module: "EntityMacros", type: "EntityMacro")

/// Makes an entity with a name of its own of a class of managed objects.
///
///     @Entity("Journey") final class Trip: ManagedObject { ... }
@attached(
  member, names: named(entityName), named(entityProperties), named(entityDeclaration),
  named(setInitialValues)
)
@attached(memberAttribute)
public macro Entity(_ name: String, _ options: EntityOption...) =
  #externalMacro(module: "EntityMacros", type: "EntityMacro")

/// Reads and writes a property of an entity in the rows of the object's context. ``Entity(_:)`` adds this macro.
@attached(accessor)
public macro StoredProperty() =
  #externalMacro(module: "EntityMacros", type: "StoredPropertyMacro")

/// States what the type of an attribute does not tell: which values are valid, and how they are stored.
///
///     @Attribute(.range(0...365)) var days: Int = 1
///     @Attribute(.length(1...100), .matches("[A-Z].*")) var name: String
@attached(peer)
public macro Attribute(_ options: AttributeOption...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Declares an attribute whose name in the model is not the name in Swift.
///
///     @Attribute("description") var text: String
@attached(peer)
public macro Attribute(_ name: String, _ options: AttributeOption...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Lets no two objects have the same value of an attribute.
@attached(peer)
public macro Unique() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Lets no two objects have the same values of several properties. Stands in the body of the class:
/// `#Unique<Trip>([\.name, \.start])`.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ properties: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Has stores keep an index over properties, so that a fetch need not look at every row. Stands in the body of the class:
/// `#Index<Trip>([\.start], [\.name, \.start])`.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ properties: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Makes two relationships of one class the inverses of one another. Stands in the body of the class, since an attribute of a
/// property can't name properties of the class itself: `#Inverse<Folder>(\.parent, \.children)`.
@freestanding(declaration)
public macro Inverse<Object: ManagedObject>(
  _ property: PartialKeyPath<Object>, _ inverse: PartialKeyPath<Object>
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Keeps a property in memory only.
///
///     @Entity final class Table: ManagedObject {
///       @Transient var isSelected: Bool = false
///       @Transient @Relationship(inverse: \Guest.table) var guests: [Guest]
///     }
///     @Entity final class Guest: ManagedObject {
///       @Transient var table: Table?
///     }
///
/// A relationship in memory may lead to objects of any store. It keeps its inverse in agreement, if that is in memory too.
/// A deleted object leaves it; no other delete rule applies.
@attached(peer)
public macro Transient() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Leaves an ordinary variable of the class as it is: the entity does not have it, and no context knows of its changes.
@attached(peer)
public macro Ignored() = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Has the context compute an attribute from other properties when it saves: `@Derived("stops.@count")`.
///
/// - Parameter filter: The predicate of the objects that count; `nil` for all objects.
@attached(peer)
public macro Derived(_ expression: String, where filter: String? = nil) =
  #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Finds objects anew each time that the property is read, which may throw: `try animal.neighbours`.
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

/// Makes a type of composite attributes of a structure: each stored property becomes a part.
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

/// Declares a relationship whose name in the model is not the name in Swift.
///
///     @Relationship("self", inverse: \Stop.trip) var stops: [Stop]
///
/// The other parameters are those of ``Relationship(_:inverse:ordered:minimum:maximum:optional:originalName:hashModifier:)``.
@attached(peer)
public macro Relationship(
  _ name: String, _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil,
  ordered: Bool = false, minimum: Int = 0, maximum: Int = 0,
  optional: Bool? = nil, originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")

/// Declares a relationship to one object, or to many.
///
/// - Parameters:
///   - rule: The consequence for the other objects when this object is deleted.
///   - inverse: The inverse relationship. State the inverse at one end. At the other end, write `@Relationship` without
///     an inverse if that end leads to many objects, and no attribute if it leads to one.
///   - ordered: Whether the objects are in an order of their own.
///   - minimum: The least number of objects.
///   - maximum: The greatest number of objects; 0 for any number.
///   - optional: Whether the model admits no object; `nil` if that follows from the type or from `minimum`.
///   - originalName: The name in the version of the model before, for migration.
///   - hashModifier: A text that changes the version hash when nothing else does.
@attached(peer)
public macro Relationship(
  _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil, ordered: Bool = false,
  minimum: Int = 0, maximum: Int = 0,
  optional: Bool? = nil, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "EntityMacros", type: "MarkerMacro")
