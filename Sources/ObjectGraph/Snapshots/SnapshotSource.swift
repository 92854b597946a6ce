// SAFETY: A source of rows is used in the turn of the context that made it, as its object is.

public import ObjectModel

/// The values from which a snapshot is made: those of an object, of a row that is found, or of a decoder.
///
/// Code that `Entity(_:)` writes reads each property of the class from it.
public struct SnapshotSource {
  /// The object, or the cursor that stands at a row; `nil` if the values come from a decoder.
  @usableFromInline let object: ManagedObject?
  private let id: ObjectID?
  /// The relationships whose objects are read too.
  let paths: SnapshotPaths
  private let decoder: KeyedDecodingContainer<SnapshotKey>?

  init(_ object: ManagedObject, including paths: SnapshotPaths) {
    self.init(object, object.objectID, including: paths)
  }

  /// Reads an object, or a cursor at the row of the object with an identifier.
  init(_ object: ManagedObject, _ id: ObjectID, including paths: SnapshotPaths) {
    (self.object, self.id, self.paths, decoder) = (object, id, paths, nil)
  }

  init(_ decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: SnapshotKey.self)
    let uri = try container.decodeIfPresent(String.self, forKey: SnapshotKey("objectID"))
    let id = uri.flatMap(ObjectID.init(uri:))
    if let uri, id == nil {
      throw DecodingError.dataCorruptedError(
        forKey: SnapshotKey("objectID"), in: container,
        debugDescription: "\"\(uri)\" is not an identifier of an object.")
    }
    (object, self.id, paths, self.decoder) = (nil, id, SnapshotPaths(), container)
  }

  /// The identifier of the object; `nil` if a decoder has none.
  public var objectID: ObjectID? { id }

  // MARK: - Attributes

  /// Returns the value of an attribute.
  ///
  /// - Parameters:
  ///   - key: The name in Swift.
  ///   - name: The name in the model, with its hash.
  ///   - fallback: The value for a decoder without the key.
  @inlinable
  public func read<V: AttributeValue>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64,
    default fallback: @autoclosure () -> V? = nil
  ) throws -> V {
    if let object { return object.read(name, hash) }
    return try decoded(key, fallback)
  }

  @usableFromInline
  func decoded<V: AttributeValue>(_ key: StaticString, _ fallback: () -> V?) throws -> V {
    let key = SnapshotKey(key)
    guard let decoder, decoder.contains(key), try !decoder.decodeNil(forKey: key) else {
      if let value = decoder?.contains(key) == true ? nil : fallback() { return value }
      if let none = V(storedValue: .null) { return none }
      throw DecodingError.keyNotFound(
        key,
        .init(
          codingPath: decoder?.codingPath ?? [],
          debugDescription: "The property \"\(key.stringValue)\" must have a value."))
    }
    if let type = V.Bare.self as? any CodableValue.Type {
      return V(storedValue: try type.init(from: decoder.superDecoder(forKey: key)).storedValue)!
    }
    let value = try decoder.value(of: V.attributeType, key)
    guard let converted = V(storedValue: value) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: decoder, debugDescription: "\(value.text) is not a valid \(V.Bare.self).")
    }
    return converted
  }

  /// Returns the value of a derived attribute that no context has computed yet: none, or zero.
  public static func noValue<V: AttributeValue>() -> V {
    guard let value = V(storedValue: .null) ?? V(storedValue: V.attributeType.zero) else {
      misuse("\(V.self) is not a type for a derived attribute.")
    }
    return value
  }

  /// Returns the structure of a composite attribute.
  public func read<C: CompositeValue>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64, default fallback: C? = nil
  ) throws -> C {
    if let object { return C(composite: CompositeParts(object, name, hash)) }
    let key = SnapshotKey(key)
    if let fallback, decoder?.contains(key) != true { return fallback }
    let parts = PartValues()
    if let decoder, decoder.contains(key), try !decoder.decodeNil(forKey: key) {
      try parts.read(C.self, from: decoder.nestedContainer(keyedBy: SnapshotKey.self, forKey: key))
    } else {
      parts.setDefaults(C.self)
    }
    return C(composite: CompositeParts(parts))
  }

  /// Returns the values of all keys that stand for a number, a truth value or a text.
  func decodedValues() throws -> [String: Value] {
    guard let decoder else { return [:] }
    var values: [String: Value] = [:]
    for key in decoder.allKeys where key.stringValue != "objectID" {
      if let value = try? decoder.decode(Bool.self, forKey: key) {
        values[key.stringValue] = .boolean(value)
      } else if let number = try? decoder.decode(Int64.self, forKey: key) {
        values[key.stringValue] = .integer(number)
      } else if let number = try? decoder.decode(Double.self, forKey: key) {
        values[key.stringValue] = .double(number)
      } else if !(try decoder.decodeNil(forKey: key)) {
        values[key.stringValue] = .string(try decoder.decode(String.self, forKey: key))
      }
    }
    return values
  }

  /// Never called: the property of such a type does not compile. Without this method the compiler would report the type once
  /// more, in code that the program does not show.
  @_disfavoredOverload
  public func read<V>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64,
    default fallback: @autoclosure () -> V? = nil
  ) throws -> V { misuse("\"\(key)\" has a type that can't be stored.") }

  // MARK: - Relationships

  /// Returns the object that a relationship refers to.
  public func read<S: EntitySnapshot>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws -> RelatedSnapshot<S>? {
    guard let object else {
      return try decoder?.decodeIfPresent(RelatedSnapshot<S>.self, forKey: SnapshotKey(key))
    }
    let code = object.code(hash)
    guard code.form == .toOne || code.form == .plainToOne else {
      object.source.entity.graph.refuse(name.description, as: "a relationship to one object")
    }
    guard let key = object.reference(column: Int(code.column)) else { return nil }
    // Most fetches ask for no related object, and a look-up in a dictionary would hash the name for each row.
    guard !paths.names.isEmpty, let inner = paths.names[name.description] else {
      return RelatedSnapshot(ObjectID(store: object.source.entity.store.tag, key: key))
    }
    guard let other: S.ManagedClass = object.relatedObject(name, hash) else { return nil }
    return RelatedSnapshot(S(other, including: inner))
  }

  /// Returns the object that a required relationship refers to.
  public func read<S: EntitySnapshot>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws -> RelatedSnapshot<S> {
    if let related: RelatedSnapshot<S> = try read(key, name, hash) { return related }
    if let object {
      misuse(
        "The relationship \"\(name)\" of \(object) is not set, but its type is not optional. Declare it optional."
      )
    }
    throw DecodingError.keyNotFound(
      SnapshotKey(key),
      .init(
        codingPath: decoder?.codingPath ?? [],
        debugDescription: "The relationship \"\(key)\" must refer to an object."))
  }

  /// Returns the objects that a relationship refers to; `nil` if they were not asked for.
  public func read<S: EntitySnapshot>(
    _ key: StaticString, _ name: StaticString, _ hash: UInt64
  ) throws -> [S]? {
    guard let object else {
      return try decoder?.decodeIfPresent([S].self, forKey: SnapshotKey(key))
    }
    guard !paths.names.isEmpty, let inner = paths.names[name.description] else { return nil }
    let members: RelatedObjects<S.ManagedClass> = object.relatedObjects(name.description, hash)
    return members.map { S($0, including: inner) }
  }
}
