public import ObjectModel

// MARK: - To-one

extension ToOnePath {
  private func compared(
    _ operation: QueryPredicate.Operator, _ right: QueryExpression
  ) -> TypedPredicate<Root> {
    TypedPredicate(
      .comparison(.init(.keyPath(of: .evaluatedObject, pathElements), operation, right)))
  }

  /// Whether the related object is the given one; with `nil`, whether there is none.
  public static func == (left: Self, right: ObjectID?) -> TypedPredicate<Root> {
    left.compared(.equal, right.queryExpression)
  }

  /// Whether the related object is another than the given one, and not missing; with `nil`, whether
  /// there is one.
  public static func != (left: Self, right: ObjectID?) -> TypedPredicate<Root> {
    left.compared(.notEqual, right.queryExpression)
  }
}

// MARK: - To-many

extension ToManyPath {
  /// Any one of the related objects: `Trip.stops.any.place == "Lisbon"`. Never true when there is
  /// none.
  public var any: RelatedElements<Root, Destination> { RelatedElements(pathElements, .any) }

  /// Every one of the related objects: `Trip.stops.all.nights > 1`. True when there is none.
  public var all: RelatedElements<Root, Destination> { RelatedElements(pathElements, .all) }

  /// How many there are.
  public var count: ComputedExpression<Root, Int> { collected("@count") }

  /// Whether there is none.
  public var isEmpty: TypedPredicate<Root> { count == 0 }

  /// Whether one of the related objects meets a condition.
  ///
  ///     Trip.stops.contains { $0.place == "Lisbon" && $0.nights > 2 }
  public func contains(
    where condition: (Destination.Type) -> TypedPredicate<Destination>
  ) -> TypedPredicate<Root> { count(where: condition) > 0 }

  /// How many of the related objects meet a condition.
  public func count(
    where condition: (Destination.Type) -> TypedPredicate<Destination>
  ) -> ComputedExpression<Root, Int> {
    ComputedExpression(
      QueryExpression.keyPath(of: .evaluatedObject, pathElements)
        .count(where: condition(Destination.self).predicate))
  }

  /// The sum of the related objects' values; 0 of none.
  public func sum<Owner, Value: AttributeValue>(
    of key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> ComputedExpression<Root, Value.Bare> where Value.Bare: NumericAttributeValue {
    collected("@sum", key)
  }

  /// The mean of the related objects' values.
  public func average<Owner, Value: AttributeValue>(
    of key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> ComputedExpression<Root, Double?> where Value.Bare: NumericAttributeValue {
    collected("@avg", key)
  }

  /// The least of the related objects' values.
  public func min<Owner, Value: AttributeValue>(
    of key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> ComputedExpression<Root, Value.Bare?>
  where Value.Bare: Comparable, Value.Bare.Bare == Value.Bare { collected("@min", key) }

  /// The greatest of the related objects' values.
  public func max<Owner, Value: AttributeValue>(
    of key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> ComputedExpression<Root, Value.Bare?>
  where Value.Bare: Comparable, Value.Bare.Bare == Value.Bare { collected("@max", key) }

  private func collected<Value>(_ operation: String) -> ComputedExpression<Root, Value> {
    ComputedExpression(.keyPath(of: .evaluatedObject, pathElements + [operation]))
  }

  private func collected<Owner, Of, Value>(
    _ operation: String, _ key: KeyPath<Destination, AttributeKey<Owner, Of>>
  ) -> ComputedExpression<Root, Value> {
    ComputedExpression(
      .keyPath(
        of: .evaluatedObject, pathElements + [operation, Destination()[keyPath: key].name]))
  }
}

/// Any, or every one, of the objects that a relationship leads to. What is said of it is said of each.
@dynamicMemberLookup
public struct RelatedElements<Root: EntityType, Destination: EntityType>: Sendable, Hashable {
  private let pathElements: [String]
  private let modifier: QueryPredicate.Modifier

  init(_ pathElements: [String], _ modifier: QueryPredicate.Modifier) {
    self.pathElements = pathElements
    self.modifier = modifier
  }

  /// The values of an attribute of the related objects.
  public subscript<Owner, Value>(
    dynamicMember key: KeyPath<Destination, AttributeKey<Owner, Value>>
  ) -> QuantifiedPath<Root, Value> {
    QuantifiedPath(pathElements + [Destination()[keyPath: key].name], modifier)
  }

  /// What the related objects are related to.
  public subscript<Owner, Next>(
    dynamicMember key: KeyPath<Destination, ToOneKey<Owner, Next>>
  ) -> RelatedElements<Root, Next> {
    RelatedElements<Root, Next>(pathElements + [Destination()[keyPath: key].name], modifier)
  }

  /// Whether the given object is any, or every one, of the related ones.
  public static func == (left: Self, right: ObjectID) -> TypedPredicate<Root> {
    TypedPredicate(
      .comparison(
        .init(
          .keyPath(of: .evaluatedObject, left.pathElements), .equal, .object(right),
          modifier: left.modifier)))
  }
}

/// The values of an attribute of any, or of every one, of some related objects.
public struct QuantifiedPath<Root: EntityType, Value: AttributeValue>: TypedExpression, Hashable {
  /// The path as a tree.
  public let queryExpression: QueryExpression
  /// Which of the values must compare as asked.
  public let quantifier: QueryPredicate.Modifier

  init(_ pathElements: [String], _ quantifier: QueryPredicate.Modifier) {
    queryExpression = .keyPath(of: .evaluatedObject, pathElements)
    self.quantifier = quantifier
  }
}

extension QueryExpression {
  /// Returns the number of objects of a relationship that meet a predicate.
  package func count(where predicate: QueryPredicate) -> QueryExpression {
    let name = predicate.freeVariable
    return .keyPath(
      of: .subquery(self, variable: name, predicate.rooted(at: .variable(name))), ["@count"])
  }
}
