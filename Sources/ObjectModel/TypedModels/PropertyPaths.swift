// Paths from an entity to its values and to those of objects it is related to: `Trip.start`,
// `Stop.trip.name`, `Trip.stops`. They are found by dynamic member look-up of the entity's own
// properties, so the compiler knows their types, and know nothing but names: what they are good for is
// said where predicates and sort keys are made of them (ObjectQuery).

/// A path from objects of one entity to the values of an attribute: `Trip.start`, `Stop.trip.name`.
public struct AttributePath<Root: EntityType, Value: AttributeValue>: Sendable, Hashable {
  /// The names on the path.
  package let pathElements: [String]

  package init(_ pathElements: [String]) { self.pathElements = pathElements }
}

/// A path from objects of one entity to one related object: `Stop.trip`. It goes on: `Stop.trip.name`.
@dynamicMemberLookup
public struct ToOnePath<Root: EntityType, Destination: EntityType>: Sendable, Hashable {
  // The name must not hide a property of an entity; nor must that of any other member.
  /// The names on the path.
  package let pathElements: [String]

  package init(_ pathElements: [String]) { self.pathElements = pathElements }

  /// The path to an attribute of the related object.
  public subscript<Owner, Value>(
    dynamicMember key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> AttributePath<Root, Value> {
    AttributePath(pathElements + [Destination()[keyPath: key].name])
  }

  /// The path to what the related object is related to.
  public subscript<Owner, Next>(
    dynamicMember key: KeyPath<Destination, ToOneKey<Owner, Next>>
  ) -> ToOnePath<Root, Next> {
    ToOnePath<Root, Next>(pathElements + [Destination()[keyPath: key].name])
  }

  /// The path to what the related object is related to.
  public subscript<Owner, Next>(
    dynamicMember key: KeyPath<Destination, ToManyKey<Owner, Next>>
  ) -> ToManyPath<Root, Next> {
    ToManyPath<Root, Next>(pathElements + [Destination()[keyPath: key].name])
  }
}

/// A path from objects of one entity to any number of related objects: `Trip.stops`.
public struct ToManyPath<Root: EntityType, Destination: EntityType>: Sendable, Hashable {
  /// The names on the path.
  package let pathElements: [String]

  package init(_ pathElements: [String]) { self.pathElements = pathElements }
}

extension EntityType {
  /// The path to one of the entity's attributes, its own or an inherited one.
  public static subscript<Owner, Value>(
    dynamicMember key: KeyPath<Self, AttributeKey<Owner, Value>>
  ) -> AttributePath<Self, Value> {
    AttributePath([Self()[keyPath: key].name])
  }

  /// The path to the object that one of the entity's relationships leads to.
  public static subscript<Owner, Destination>(
    dynamicMember key: KeyPath<Self, ToOneKey<Owner, Destination>>
  ) -> ToOnePath<Self, Destination> {
    ToOnePath([Self()[keyPath: key].name])
  }

  /// The path to the objects that one of the entity's relationships leads to.
  public static subscript<Owner, Destination>(
    dynamicMember key: KeyPath<Self, ToManyKey<Owner, Destination>>
  ) -> ToManyPath<Self, Destination> {
    ToManyPath([Self()[keyPath: key].name])
  }
}
