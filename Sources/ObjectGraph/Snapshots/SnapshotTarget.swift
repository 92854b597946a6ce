public import ObjectModel

/// The place to which a snapshot writes its values: an encoder, an object of a context, or a list to be compared.
///
/// Code that `Entity(_:)` writes gives it each property of the class.
public struct SnapshotTarget {
  private enum Place {
    case encoder(KeyedEncodingContainer<SnapshotKey>)
    case object(ManagedObject, SnapshotUpsert)
    case list
    /// The values of the attributes by their names in the model.
    case values
  }

  private var place: Place
  private(set) var contents: [SnapshotContent] = []
  private(set) var values: [String: Value] = [:]

  init(_ encoder: any Encoder) { place = .encoder(encoder.container(keyedBy: SnapshotKey.self)) }
  init(_ object: ManagedObject, _ upsert: SnapshotUpsert) { place = .object(object, upsert) }
  init() { place = .list }

  private init(_ place: Place) { self.place = place }

  /// A target that gathers the values of attributes by their names.
  static var values: SnapshotTarget { SnapshotTarget(.values) }

  mutating func write(_ id: ObjectID?) throws {
    guard case .encoder(var container) = place, let id else { return }
    try container.encode(id, forKey: SnapshotKey("objectID"))
    place = .encoder(container)
  }

  /// Writes the value of an attribute.
  ///
  /// - Parameters:
  ///   - key: The name in Swift.
  ///   - name: The name in the model, with its hash.
  ///   - isDerived: Whether the context computes the value, so that no program can set it.
  public mutating func write<V: AttributeValue>(
    _ value: V, _ key: StaticString, _ name: StaticString, _ hash: UInt64, isDerived: Bool = false
  ) throws {
    switch place {
    case .encoder(var container):
      if let codable = value as? any CodableValue {
        try codable.encode(to: container.superEncoder(forKey: SnapshotKey(key)))
      } else {
        try container.write(value.storedValue, SnapshotKey(key))
      }
      place = .encoder(container)
    case .object(let object, _):
      if !isDerived, let error = object.setValue(value.storedValue, hash, name.description) {
        throw error
      }
    case .list: contents.append(.value(value.storedValue))
    case .values: values[name.description] = value.storedValue
    }
  }

  /// Never called: the property of such a type does not compile. Without this method the compiler would report the type once
  /// more, in code that the program does not show.
  @_disfavoredOverload
  public mutating func write<V>(
    _ value: V, _ key: StaticString, _ name: StaticString, _ hash: UInt64, isDerived: Bool = false
  ) throws { misuse("\"\(key)\" has a type that can't be stored.") }

  /// Writes the structure of a composite attribute.
  public mutating func write<C: CompositeValue>(
    _ value: C, _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws {
    if case .object(let object, _) = place {
      return value.write(to: CompositeParts(object, name, hash))
    }
    let parts = PartValues()
    value.write(to: CompositeParts(parts))
    switch place {
    case .encoder(var container):
      try parts.write(
        C.self, to: container.nestedContainer(keyedBy: SnapshotKey.self, forKey: SnapshotKey(key)))
      place = .encoder(container)
    case .list: contents.append(.related(parts.values))
    case .object, .values: break
    }
  }

  /// Writes the object that a relationship refers to.
  public mutating func write<S: EntitySnapshot>(
    _ related: RelatedSnapshot<S>?, _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws {
    switch place {
    case .encoder(var container):
      try container.encodeIfPresent(related, forKey: SnapshotKey(key))
      place = .encoder(container)
    case .object(let object, let upsert):
      object.relate(to: try related.map(upsert.object), hash, name.description)
    case .list: contents.append(.related(related))
    case .values: break
    }
  }

  /// Writes the object that a required relationship refers to.
  public mutating func write<S: EntitySnapshot>(
    _ related: RelatedSnapshot<S>, _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws {
    try write(Optional(related), key, name, hash)
  }

  /// Writes the objects that a relationship refers to. Without a list, the relationship stays as it is. A member that leaves the
  /// relationship, and that the model does not allow without it, is deleted.
  public mutating func write<S: EntitySnapshot>(
    _ list: [S]?, _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws {
    switch place {
    case .encoder(var container):
      try container.encodeIfPresent(list, forKey: SnapshotKey(key))
      place = .encoder(container)
    case .object(let object, let upsert):
      guard let list else { return }
      try upsert.set(list, of: object, name, hash)
    case .list: contents.append(.related(list))
    case .values: break
    }
  }

  /// Writes the values of an object without its own class, whose names the model alone knows.
  mutating func write(_ snapshot: ObjectSnapshot) throws {
    let sorted = snapshot.values.sorted { $0.key < $1.key }
    switch place {
    case .encoder(var container):
      for (name, value) in sorted {
        let key = SnapshotKey(stringValue: name)
        if case .object(let object) = value, let store = snapshot.objectID?.store {
          try container.encode(ObjectID(store: store, key: object), forKey: key)
        } else {
          try container.write(value, key)
        }
      }
      for (name, list) in snapshot.related {
        try container.encode(list, forKey: SnapshotKey(stringValue: name))
      }
      place = .encoder(container)
    case .object(let object, _): try object.setValues(snapshot.values)
    case .list:
      contents += sorted.map { .related([$0.key: $0.value]) }
      contents.append(.related(snapshot.related))
    case .values: values = snapshot.values
    }
  }
}
