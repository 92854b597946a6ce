import ObjectModel
import Synchronization

/// The entity that a class with `Entity(_:)` declares.
public struct EntityDeclaration {
  let entity: Entity
  /// The class of the superentity.
  let superclass: ManagedObject.Type?
  /// All properties; inherited properties come first.
  let properties: [EntityProperty]

  /// Makes the declaration of the entity of a class.
  ///
  /// - Parameters:
  ///   - properties: All properties; inherited properties come first.
  ///   - unique: Sets of properties. No two objects have the same values of all properties of a set.
  ///   - indexes: Sets of properties. Stores keep an index for each set.
  ///   - words: Texts. Stores keep an index of the words of each text.
  ///   - inverses: Pairs of relationships of the class that are inverse to one another.
  public init<Object: ManagedObject>(
    _ type: Object.Type, named name: String, inheriting superclass: ManagedObject.Type? = nil,
    properties: [EntityProperty], unique: [[PartialKeyPath<Object>]] = [],
    indexes: [[PartialKeyPath<Object>]] = [], words: [PartialKeyPath<Object>] = [],
    inverses: [[PartialKeyPath<Object>]] = [], options: [EntityOption] = []
  ) {
    let inheritedCount = superclass?.entityDeclaration?.properties.count ?? 0
    let own = properties.dropFirst(inheritedCount)
    func names(_ paths: [PartialKeyPath<Object>]) -> [String] {
      // If a key path leads to no property, its name is the path's description. The initializer of the model refuses
      // that name.
      paths.map { path in
        properties.first { $0.path == path }?.property.name ?? "\(path)"
      }
    }
    var entity = Entity(
      name, className: nameOfType(type), superentity: superclass?.entityName,
      properties: own.map(\.property))
    entity.uniquenessConstraints =
      own.filter(\.isUnique).map { [$0.property.name] } + unique.map(names)
    entity.fetchIndexes = indexes.map(names).map { names in
      FetchIndex("by_" + names.joined(separator: "_"), elements: names.map { .init($0) })
    }
    entity.fetchIndexes += names(words).map { name in
      FetchIndex("words_of_" + name, elements: [.init(name, kind: .fullText)])
    }
    for pair in inverses.map(names) {
      for (property, inverse) in [(pair[0], pair[1]), (pair[1], pair[0])] {
        let isOwn = own.contains { $0.property.name == inverse }
        let owner =
          isOwn ? name : PropertyPaths.owner(of: inverse, in: superclass ?? type).entityName
        entity.setInverse(of: property, to: inverse, owner)
      }
    }
    for option in options { option.apply(&entity) }
    self.entity = entity
    self.superclass = superclass
    self.properties = properties
  }

  /// The properties that the class itself declares.
  var ownProperties: ArraySlice<EntityProperty> {
    properties.suffix(entity.declaredProperties.count)
  }
}

extension Entity {
  /// Sets the inverse of a relationship of the entity.
  fileprivate mutating func setInverse(of name: String, to inverse: String, _ owner: String) {
    guard let place = declaredProperties.firstIndex(where: { $0.name == name }),
      case .relationship(var relationship) = declaredProperties[place]
    else { return }
    relationship.inverse = inverse
    relationship.inverseEntity = owner
    declaredProperties[place] = .relationship(relationship)
  }
}

/// A cache of the names of properties by their key paths, for each class.
package enum PropertyPaths {
  /// Key paths never change, so threads may share them.
  private struct Names: @unchecked Sendable {
    let byPath: [AnyKeyPath: String]
    let types: [String: any AttributeValue.Type]
  }

  private static let known = Mutex<[ObjectIdentifier: Names]>([:])

  /// Returns the names of the properties of a class by their key paths.
  static func names(of type: ManagedObject.Type) -> [AnyKeyPath: String] { all(of: type).byPath }

  /// Returns the type that a class declares for an attribute; `nil` if it declares none.
  static func valueType(
    of name: String, in type: ManagedObject.Type
  ) -> (any AttributeValue.Type)? { all(of: type).types[name] }

  private static func all(of type: ManagedObject.Type) -> Names {
    let identifier = ObjectIdentifier(type)
    if let names = known.withLock({ $0[identifier] }) { return names }
    let properties = type.entityDeclaration?.properties ?? []
    let paths = properties.compactMap { property in
      property.path.map { ($0, property.property.name) }
    }
    let types = paths.compactMap { path, name in
      (Swift.type(of: path).valueType as? any AttributeValue.Type).map { (name, $0) }
    }
    let names = Names(
      byPath: Dictionary(paths, uniquingKeysWith: { $1 }),
      types: Dictionary(types, uniquingKeysWith: { $1 }))
    known.withLock { $0[identifier] = names }
    return names
  }

  /// Returns the name of the property that a key path leads to, or the path's description if it leads to no property. A
  /// request with that text is refused when it is bound to the model.
  package static func name(of path: AnyKeyPath, in type: ManagedObject.Type) -> String {
    type.propertyNames[path] ?? "\(path)"
  }

  /// Returns the class that declares a property: the given class, or one of its superclasses.
  static func owner(of name: String, in type: ManagedObject.Type) -> ManagedObject.Type {
    var owner = type
    while let declaration = owner.entityDeclaration, let superclass = declaration.superclass,
      !declaration.ownProperties.contains(where: { $0.property.name == name })
    {
      owner = superclass
    }
    return owner
  }
}
