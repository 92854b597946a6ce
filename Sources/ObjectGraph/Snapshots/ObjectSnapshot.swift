public import ObjectModel

/// The values of an object by their names, for an entity without a class that has properties.
///
///     let people: [ObjectSnapshot] = try context.fetchSnapshots(FetchRequest("Person"))
///     let names = people.map { $0["name"] }
///
/// The parts of a composite attribute are named by their paths, such as `home.city`.
public struct ObjectSnapshot: EntitySnapshot {
  /// The class of all objects.
  public typealias ManagedClass = ManagedObject

  /// The identifier of the object; `nil` if the values come from elsewhere.
  public var objectID: ObjectID?
  /// The values of the attributes and the references by the names of the properties; properties without a value are left out.
  public var values: [String: Value]
  /// The objects of the relationships that were asked for, by the names of the relationships.
  public var related: [String: [ObjectSnapshot]] = [:]

  /// Makes a snapshot of values.
  public init(_ values: [String: Value] = [:], objectID: ObjectID? = nil) {
    (self.values, self.objectID) = (values, objectID)
  }

  /// The value of a property; `Value.null` if there is none.
  public subscript(name: String) -> Value {
    get { values[name] ?? .null }
    set { values[name] = newValue.isNull ? nil : newValue }
  }

  /// Reads all properties.
  public init(reading source: SnapshotSource) throws {
    objectID = source.objectID
    (values, related) = try source.everything()
  }

  /// Writes all properties.
  public func write(to target: inout SnapshotTarget) throws {
    try target.write(self)
  }
}

extension SnapshotSource {
  /// Returns all attributes and references, and the related objects that were asked for.
  fileprivate func everything() throws -> ([String: Value], [String: [ObjectSnapshot]]) {
    guard let object else { return (try decodedValues(), [:]) }
    var values: [String: Value] = [:]
    var related: [String: [ObjectSnapshot]] = [:]
    for property in object.source.entity.graph.properties {
      let name = property.name
      switch property.place {
      case .attribute, .toOne: values[name] = object[name]
      case .composite, .toMany, .transient, .transientRelationship, .fetched: break
      }
      guard let inner = paths.names[name], property.relationship != nil else { continue }
      let others = object.value(forKey: name)
      let list = others as? [ManagedObject] ?? [others as? ManagedObject].compactMap(\.self)
      related[name] = list.map { $0.snapshot(including: inner) }
    }
    return (values.filter { !$0.value.isNull }, related)
  }
}
