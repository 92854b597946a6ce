public import ObjectGraph
public import ObjectModel
public import ObjectQuery

/// A property in a predicate: a property of the tested object, or of an object that it is related to.
///
///     Trip.where { $0.start > .now && $0.stops.count >= 2 && $0.owner.name.begins(with: "A") }
///
/// A predicate compares fields with values and with one another. A field of a to-one relationship has the fields of its
/// destination. A field of a to-many relationship has members such as `any`, `all` and `count`.
@dynamicMemberLookup
public struct EntityField<Root, Value>: Sendable, Hashable {
  /// The names of the properties on the path from the object to the value.
  let pathElements: [String]

  init(_ pathElements: [String]) { self.pathElements = pathElements }

  /// The path as an expression.
  public var queryExpression: QueryExpression { .keyPath(of: .evaluatedObject, pathElements) }

  private func field<Object: ManagedObject, Next>(
    _ path: KeyPath<Object, Next>
  ) -> EntityField<Root, Next> {
    EntityField<Root, Next>(pathElements + [PropertyPaths.name(of: path, in: Object.self)])
  }

  /// A property of the object.
  public subscript<Next>(dynamicMember path: KeyPath<Value, Next>) -> EntityField<Root, Next>
  where Value: ManagedObject { field(path) }

  /// A property of the object that a relationship refers to. It has no value if the relationship refers to no object.
  public subscript<Object: ManagedObject, Next>(
    dynamicMember path: KeyPath<Object, Next>
  ) -> EntityField<Root, Next> where Value == Object? { field(path) }
}

extension EntityField where Value: CompositeValue {
  /// A part of a composite attribute.
  public subscript<Next>(dynamicMember path: KeyPath<Value, Next>) -> EntityField<Root, Next> {
    EntityField<Root, Next>(pathElements + [Value.propertyNames[path] ?? "\(path)"])
  }
}

extension EntityField: TypedExpression where Value: AttributeValue {}

// MARK: - One object

extension EntityField where Value: ManagedObject {
  /// Returns the condition that the relationship refers to an object.
  public static func == (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.equal, .object(right.objectID))
  }

  /// Returns the condition that the relationship does not refer to an object.
  public static func != (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.notEqual, .object(right.objectID))
  }
}

extension EntityField {
  /// Returns the condition that the relationship refers to an object, or for `nil` that it refers to no object.
  public static func == <Object: ManagedObject>(
    left: Self, right: Object?
  ) -> TypedPredicate<Root> where Value == Object? {
    left.compared(.equal, (right?.objectID).queryExpression)
  }

  /// Returns the condition that the relationship does not refer to an object, or for `nil` that it refers to any object.
  public static func != <Object: ManagedObject>(
    left: Self, right: Object?
  ) -> TypedPredicate<Root> where Value == Object? {
    left.compared(.notEqual, (right?.objectID).queryExpression)
  }

  private func compared(
    _ operation: QueryPredicate.Operator, _ right: QueryExpression
  ) -> TypedPredicate<Root> {
    TypedPredicate(.comparison(.init(queryExpression, operation, right)))
  }
}

// MARK: - Many objects

extension EntityField where Value: RelatedCollection {
  public var count: ComputedExpression<Root, Int> { collected("@count") }

  /// The condition that the relationship refers to no object.
  public var isEmpty: TypedPredicate<Root> { count == 0 }

  /// Returns the condition that at least one of the objects meets a condition.
  public func any(
    _ condition: (EntityField<Value.Element, Value.Element>) -> TypedPredicate<Value.Element>
  ) -> TypedPredicate<Root> { count(where: condition) > 0 }

  /// Returns the condition that every object meets a condition. It is true if there is no object.
  public func all(
    _ condition: (EntityField<Value.Element, Value.Element>) -> TypedPredicate<Value.Element>
  ) -> TypedPredicate<Root> { count { !condition($0) } == 0 }

  /// Returns the number of objects that meet a condition.
  public func count(
    where condition: (EntityField<Value.Element, Value.Element>) -> TypedPredicate<Value.Element>
  ) -> ComputedExpression<Root, Int> {
    ComputedExpression(
      queryExpression.count(
        where: condition(EntityField<Value.Element, Value.Element>([])).predicate))
  }

  /// Returns the condition that an object is one of the objects.
  public func contains(_ object: Value.Element) -> TypedPredicate<Root> {
    TypedPredicate(
      .comparison(
        .init(queryExpression, .equal, .object(object.objectID), modifier: .any)))
  }

  /// Returns the sum of an attribute of the objects; 0 if there is no object.
  public func sum<Next: AttributeValue>(
    of path: KeyPath<Value.Element, Next>
  ) -> ComputedExpression<Root, Next.Bare> where Next.Bare: NumericAttributeValue {
    collected("@sum", path)
  }

  /// Returns the mean of an attribute of the objects.
  public func average<Next: AttributeValue>(
    of path: KeyPath<Value.Element, Next>
  ) -> ComputedExpression<Root, Double?> where Next.Bare: NumericAttributeValue {
    collected("@avg", path)
  }

  /// Returns the least value of an attribute of the objects.
  public func min<Next: AttributeValue>(
    of path: KeyPath<Value.Element, Next>
  ) -> ComputedExpression<Root, Next.Bare?>
  where Next.Bare: Comparable, Next.Bare.Bare == Next.Bare { collected("@min", path) }

  /// Returns the greatest value of an attribute of the objects.
  public func max<Next: AttributeValue>(
    of path: KeyPath<Value.Element, Next>
  ) -> ComputedExpression<Root, Next.Bare?>
  where Next.Bare: Comparable, Next.Bare.Bare == Next.Bare { collected("@max", path) }

  private func collected<Result>(
    _ operation: String, _ path: PartialKeyPath<Value.Element>? = nil
  ) -> ComputedExpression<Root, Result> {
    let names = path.map { [PropertyPaths.name(of: $0, in: Value.Element.self)] } ?? []
    return ComputedExpression(
      .keyPath(of: .evaluatedObject, pathElements + [operation] + names))
  }
}
