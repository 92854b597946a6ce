/// A fetched property: what a request finds when it is asked for.
///
///     let reviews = Fetched<Review>("reviews", where: "trip == $FETCH_SOURCE.name")
public struct FetchedKey<Owner: EntityType, Destination: EntityType>: PropertyKey {
  /// The property as the model holds it.
  public let property: FetchedProperty

  /// The objects of an entity for which a predicate holds. It may use `$FETCH_SOURCE`, the object
  /// that is asked.
  public init(
    _ name: String, where predicate: String? = nil,
    sortedBy sortKeys: [FetchRequestTemplate.SortKey] = []
  ) {
    property = FetchedProperty(
      name,
      request: FetchRequestTemplate(
        name, entity: Destination.entityName, predicate: predicate, sortKeys: sortKeys))
  }

  /// The property's name in the model.
  public var name: String { property.name }

  /// Adds the property to its entity.
  public func add(to entity: inout Entity) { entity.declaredProperties.append(.fetched(property)) }
}
