public import ObjectModel
public import ObjectQuery

/// A property of an entity, as a class with `Entity(_:)` declares it.
public struct EntityProperty {
  /// The key path of the property; `nil` for a fetched property, which no key path can lead to.
  let path: AnyKeyPath?
  /// The property without its inverse. The inverse is set when all classes are known.
  let property: Property
  var destination: ManagedObject.Type?
  var inverse: AnyKeyPath?
  var isUnique = false
  /// The Swift type of a composite attribute.
  var composite: (any CompositeValue.Type)?
  /// The reasons why options do not fit the attribute.
  var problems: [String] = []
}

// MARK: - Attributes

extension EntityProperty {
  public static func property<Root: ManagedObject, Value: AttributeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value? = nil,
    unique: Bool = false, _ options: AttributeOption...
  ) -> EntityProperty {
    attribute(name, path, default: value, options, isUnique: unique)
  }

  /// Declares an attribute in memory only.
  public static func transient<Root: ManagedObject, Value: AttributeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value? = nil,
    _ options: AttributeOption...
  ) -> EntityProperty {
    attribute(name, path, default: value, options) { $0.isTransient = true }
  }

  /// Declares an attribute that is derived from other properties.
  public static func derived<Root: ManagedObject, Value: AttributeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, _ expression: String,
    where filter: String? = nil, _ options: AttributeOption...
  ) -> EntityProperty {
    attribute(name, path, default: nil, options) {
      $0.derivation = .init(expression, filter: filter)
    }
  }

  public static func property<Root: ManagedObject, Value: CompositeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, _ options: AttributeOption...
  ) -> EntityProperty {
    EntityProperty(
      path: path, property: .attribute(.composite(name, Value.self, options)),
      composite: Value.self)
  }

  private static func attribute<Root: ManagedObject, Value: AttributeValue>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value?,
    _ options: [AttributeOption], isUnique: Bool = false,
    _ change: (inout Attribute) -> Void = { _ in }
  ) -> EntityProperty {
    var attribute = Attribute.plain(name, default: value, options)
    change(&attribute)
    return EntityProperty(
      path: path, property: .attribute(attribute), isUnique: isUnique,
      problems: options.compactMap { $0.problem(with: attribute) })
  }
}

// MARK: - Wrong properties

// A type that can't be stored has an error in the accessor of its property, so it needs no second error here.
extension EntityProperty {
  /// Never called: a property of this type does not compile.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, Value>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value? = nil,
    unique: Bool = false, _ options: AttributeOption...
  ) -> EntityProperty { misuse("The property \"\(name)\" has a type that can't be stored.") }

  /// Never called: a property of this type does not compile.
  @_disfavoredOverload
  public static func transient<Root: ManagedObject, Value>(
    _ name: String, _ path: KeyPath<Root, Value>, default value: Value? = nil,
    _ options: AttributeOption...
  ) -> EntityProperty { misuse("The property \"\(name)\" has a type that can't be stored.") }
}

// MARK: - Fetched properties

extension EntityProperty {
  /// Declares a fetched property.
  ///
  /// - Parameter type: A function that is never called. The type of its parameter is the type of the property.
  public static func fetched<Object: ManagedObject>(
    _ name: String, _ type: ([Object]) -> Void, where predicate: String? = nil,
    sortedBy sortKeys: [SortKey] = [], limit: Int = 0
  ) -> EntityProperty {
    let template = FetchRequestTemplate(
      name, entity: Object.entityName, predicate: predicate,
      sortKeys: sortKeys.map { key in
        guard let key = FetchRequestTemplate.SortKey(key) else {
          misuse(
            "The fetched property \"\(name)\" has a sort key that a model can't express: \(key).")
        }
        return key
      }, fetchLimit: limit)
    return EntityProperty(
      path: nil, property: .fetched(FetchedProperty(name, request: template)),
      destination: Object.self)
  }
}

// MARK: - Relationships

extension EntityProperty {
  /// Declares a relationship that refers to one object.
  public static func property<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination>
  ) -> EntityProperty { relationship(name, path) }

  /// Declares a relationship that refers to one object at most.
  public static func property<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination?>
  ) -> EntityProperty { relationship(name, path) }

  /// Declares a relationship that refers to one object.
  public static func relationship<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination>,
    _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil,
    ordered: Bool = false, minimum: Int = 0, maximum: Int = 0, optional: Bool? = nil,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) -> EntityProperty {
    relationship(
      name, path, to: Destination.self, inverse,
      Relationship(
        name, to: Destination.entityName,
        count: .init(minimum: optional == true ? minimum : 1, maximum: 1), deleteRule: rule,
        isOptional: optional ?? false, renamingIdentifier: originalName,
        versionHashModifier: hashModifier))
  }

  /// Declares a relationship that refers to one object at most.
  public static func relationship<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination?>,
    _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil,
    ordered: Bool = false, minimum: Int = 0, maximum: Int = 0, optional: Bool? = nil,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) -> EntityProperty {
    relationship(
      name, path, to: Destination.self, inverse,
      Relationship(
        name, to: Destination.entityName, count: .init(minimum: minimum, maximum: 1),
        deleteRule: rule, isOptional: optional ?? (minimum == 0), renamingIdentifier: originalName,
        versionHashModifier: hashModifier))
  }

  /// Declares a relationship that refers to many objects.
  public static func relationship<Root: ManagedObject, Many: RelatedCollection>(
    _ name: String, _ path: KeyPath<Root, Many>,
    _ rule: Relationship.DeleteRule = .nullify, inverse: AnyKeyPath? = nil,
    ordered: Bool = false, minimum: Int = 0, maximum: Int = 0, optional: Bool? = nil,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) -> EntityProperty {
    relationship(
      name, path, to: Many.Element.self, inverse,
      Relationship(
        name, to: Many.Element.entityName, count: .init(minimum: minimum, maximum: maximum),
        isOrdered: ordered, deleteRule: rule, isOptional: optional ?? (minimum == 0),
        renamingIdentifier: originalName, versionHashModifier: hashModifier))
  }

  /// Declares a relationship in memory only that refers to one object.
  public static func transient<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination>
  ) -> EntityProperty { relationship(name, path).inMemory }

  /// Declares a relationship in memory only that refers to one object at most.
  public static func transient<Root: ManagedObject, Destination: ManagedObject>(
    _ name: String, _ path: KeyPath<Root, Destination?>
  ) -> EntityProperty { relationship(name, path).inMemory }

  /// Declares a relationship in memory only that refers to many objects.
  public static func transient<Root: ManagedObject, Many: RelatedCollection>(
    _ name: String, _ path: KeyPath<Root, Many>
  ) -> EntityProperty { relationship(name, path).inMemory }

  /// This relationship in memory only. Another property stays as it is.
  public var inMemory: EntityProperty {
    guard case .relationship(var relationship) = property else { return self }
    relationship.isTransient = true
    return EntityProperty(
      path: path, property: .relationship(relationship), destination: destination,
      inverse: inverse)
  }

  private static func relationship(
    _ name: String, _ path: AnyKeyPath, to destination: ManagedObject.Type,
    _ inverse: AnyKeyPath?, _ relationship: Relationship
  ) -> EntityProperty {
    EntityProperty(
      path: path, property: .relationship(relationship), destination: destination,
      inverse: inverse)
  }
}

/// A collection of the objects that a relationship refers to, which is ``RelatedObjects``. A key path of a relationship
/// has such a value.
public protocol RelatedCollection: Sequence where Element: ManagedObject {}

extension RelatedObjects: RelatedCollection {}
