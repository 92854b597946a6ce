public import ObjectModel
import Rows

// Access by names that are known at run time only.
extension ManagedObject {
  /// The value of an attribute, or the object of a to-one relationship as `Value.object(_:)`.
  ///
  ///     trip["name"] = .string("Lisbon")
  ///
  /// - Precondition: The entity has a property with this name, and the value is of the property's type. For values from
  ///   outside use ``setValues(_:)``, which throws instead.
  public final subscript(name: String) -> Value {
    get { storedValue(name) }
    set { setValue(newValue, forKey: name) }
  }

  /// Returns the value of an attribute or of a to-one relationship, without the accessors of the class.
  ///
  /// No accessor of a class is ever called by its name, so this method does the same as the subscript. Core Data has a
  /// method of this name.
  ///
  /// - Precondition: The entity has a property with this name.
  public final func primitiveValue(forKey key: String) -> Value { self[key] }

  /// Sets the value of an attribute or of a to-one relationship, without the accessors of the class.
  ///
  /// - Precondition: The entity has a property with this name, and the value is of the property's type.
  public final func setPrimitiveValue(_ value: Value, forKey key: String) { self[key] = value }

  /// Returns the value of a property; `nil` if it has none.
  ///
  /// An attribute gives a value of the type that the class declares for it: `trip.value(forKey: "kind") as? Trip.Kind`.
  /// Without a class it gives the Swift type of the model's type: `Int16`, `Int32`, `Int`, `Float`, `Double`, `Decimal`,
  /// `Bool`, `String` (also for a URI), `Date`, `UUID` or `Data`. A relationship gives an object or an array of objects.
  ///
  /// - Precondition: The entity has a property with this name.
  public final func value(forKey key: String) -> Any? { KeyAccess(self, key).value }

  /// Sets the value of an attribute.
  ///
  /// - Precondition: The entity has an attribute with this name, and the value is of the attribute's type. The texts and
  ///   bytes of one object have at most 512 MiB together.
  @inlinable
  public final func setValue<V: AttributeValue>(_ value: V, forKey key: String) {
    let hash = PropertyHash.of(key)
    if !write(value, hash) { setStored(value.storedValue, hash, key) }
  }

  /// Sets the value of an attribute or of a to-one relationship.
  ///
  /// - Precondition: The entity has a property with this name, and the value is of the property's type. The texts and
  ///   bytes of one object have at most 512 MiB together.
  public final func setValue(_ value: Value, forKey key: String) {
    if let wrong = setValue(value, PropertyHash.of(key), key) { misuse("\(wrong)") }
  }

  /// Replaces the members of a relationship. A to-one relationship takes at most one object.
  ///
  /// - Precondition: The entity has a relationship with this name.
  public final func setObjects(_ objects: [ManagedObject], forKey key: String) {
    KeyAccess(self, key).set(objects)
  }

  /// Sets the values of several properties by name: all of them, or none.
  ///
  /// - Throws: ``ContextError`` for the first name that the entity does not have, or the first value that is not of its
  ///   property's type or does not fit into the object.
  public final func setValues(_ values: [String: Value]) throws {
    try ValueSetter(object: self).set(values)
  }

  /// Sets a value that many objects get.
  ///
  /// - Throws: ``ContextError`` if the entity does not have the property, or the value is not of its type.
  package final func set(_ shared: SharedValue) throws {
    if let wrong = setValue(shared.value, shared.hash, shared.name) { throw wrong }
  }

  /// The number of the object's entity in the store.
  package final var entityNumber: UInt16 { key.entity }

  /// Prepares the object for a read of one property.
  final func touch(_ hash: UInt64) {
    touch()
    recordRead(hash)
  }

  /// Checks that the object is used where its context is, and looks up its row if it is a fault.
  final func touch() {
    let source = source
    if !source.isCurrent { refusePlace() }
    if !state.contains(.realized) || source.isUnresolved { realize() }
  }

  /// Returns the value of an attribute or a reference as rows store it.
  private final func storedValue(_ key: String) -> Value {
    storedValue(PropertyHash.of(key)) { key }
  }

  /// Returns the value of an attribute or a reference as rows store it.
  ///
  /// - Parameters:
  ///   - hash: The hash of the name.
  ///   - name: Returns the name of the property, which only a transient property needs.
  final func storedValue(_ hash: UInt64, _ name: () -> String) -> Value {
    if let loose { return loose.value(hash, of: self) }
    touch(hash)
    let code = source.entity.graph.code(hash)
    return code.column >= 0
      ? source.value(Int(code.column), Int(row)) : otherValue(name(), code)
  }

  /// Returns the objects that a fetched property finds.
  ///
  /// - Precondition: The entity has such a fetched property.
  /// - Throws: `QueryError` if the request does not fit the model; `StoreError` if a store is damaged.
  public final func fetchedObjects(forKey name: String) throws -> [ManagedObject] {
    touch(PropertyHash.of(name))
    let graph = source.entity.graph
    guard case .fetched(let property)? = graph[name]?.place else {
      graph.refuse(name, as: "a fetched property")
    }
    guard let workspace = source.entity.workspace else { return [] }
    return try FetchedPropertyReader(workspace).objects(of: property, for: self)
  }
}

/// A value for the same property of many objects. The name of the property is hashed once.
package struct SharedValue: Sendable {
  let value: Value
  let name: String
  let hash: UInt64

  package init(_ value: Value, forKey name: String) {
    self.value = value
    self.name = name
    hash = PropertyHash.of(name)
  }
}

extension ManagedObject {
  /// Returns the unsaved values by name. For an inserted object these are all values that it has.
  public final func changedValues() -> [String: Value] { NamedValues(self).changed() }

  /// Returns the values that were saved last, by name.
  ///
  /// - Parameter keys: The names of the properties to return; `nil` for all properties.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    NamedValues(self).committed(keys)
  }

  /// Whether the object has unsaved values that a save will write.
  public final var hasPersistentChangedValues: Bool { !changedValues().isEmpty }
}

/// Sets several values of an object: all of them, or none.
private struct ValueSetter {
  let object: ManagedObject

  func set(_ values: [String: Value]) throws {
    // A single value is checked when it is set.
    for (name, value) in values where values.count > 1 {
      if let wrong = object.source.entity.graph.refusal(of: value, for: name, in: object) {
        throw wrong
      }
    }
    // From here on only a large value can be refused, for lack of room. Smaller values may make this room, so they come
    // first.
    let hasLarge =
      values.count > 1
      && values.values.contains { $0.byteStringByteCount > Draft.fittingByteCount }
    let ordered =
      hasLarge
      ? values.sorted { $0.value.byteStringByteCount < $1.value.byteStringByteCount }
      : Array(values)
    var former: [(key: String, value: Value)] = []
    for (name, value) in ordered {
      let old = hasLarge ? object[name] : .null
      if let wrong = object.setValue(value, PropertyHash.of(name), name) {
        for (name, value) in former.reversed() { object.setValue(value, forKey: name) }
        throw wrong
      }
      if hasLarge { former.append((name, old)) }
    }
  }
}
