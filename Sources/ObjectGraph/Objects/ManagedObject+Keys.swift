public import ObjectModel
import Rows

// Access by names that are only known when the program runs.
extension ManagedObject {
  /// The value of an attribute, or what a relationship to one object leads to as ``ObjectModel/Value/object(_:)``.
  ///
  ///     trip["name"] = .string("Lisbon")
  ///
  /// - Precondition: The entity has such a property, and the value is of its type. Values that come from
  ///   outside go through ``setValues(_:)``, which throws instead.
  public final subscript(name: String) -> Value {
    get { storedValue(name) }
    set { setValue(newValue, forKey: name) }
  }

  /// The value of an attribute or of a relationship to one object, without the accessors of the class.
  ///
  /// No accessor of a class is ever called by its name, so this is the same as the subscript. Core Data has this word.
  ///
  /// - Precondition: The entity has such a property.
  public final func primitiveValue(forKey key: String) -> Value { self[key] }

  /// Sets the value of an attribute or of a relationship to one object, without the accessors of the class.
  ///
  /// - Precondition: The entity has such a property, and the value is of its type.
  public final func setPrimitiveValue(_ value: Value, forKey key: String) { self[key] = value }

  /// The value of a property: of an attribute as its type in Swift, of a relationship as an object, or as
  /// an array of objects; `nil` for no value.
  ///
  /// - Precondition: The entity has such a property.
  public final func value(forKey key: String) -> Any? { KeyAccess(self, key).value }

  /// Sets the value of an attribute.
  ///
  /// - Precondition: The entity has such an attribute, and the value is of its type.
  @inlinable
  public final func setValue<V: AttributeValue>(_ value: V, forKey key: String) {
    let hash = PropertyHash.of(key)
    if !write(value, hash) { setStored(value.storedValue, hash, key) }
  }

  /// Sets the value of an attribute, or of a relationship to one object.
  ///
  /// - Precondition: The entity has such a property, and the value is of its type.
  public final func setValue(_ value: Value, forKey key: String) {
    if let wrong = setValue(value, PropertyHash.of(key), key) { misuse("\(wrong)") }
  }

  /// Leads a relationship to other objects: one, or none, or many.
  ///
  /// - Precondition: The entity has such a relationship.
  public final func setObjects(_ objects: [ManagedObject], forKey key: String) {
    KeyAccess(self, key).set(objects)
  }

  /// Sets several values by name, all or none.
  ///
  /// - Throws: ``ContextError`` for the first name the entity does not have, or value that is not of its
  ///   property's type.
  public final func setValues(_ values: [String: Value]) throws {
    for (name, value) in values {
      if let wrong = source.entity.graph.refusal(of: value, for: name, in: self) { throw wrong }
    }
    for (name, value) in values {
      if let wrong = setValue(value, PropertyHash.of(name), name) { throw wrong }
    }
  }

  /// Prepares the object for a read of one property.
  final func touch(_ hash: UInt64) {
    touch()
    if state.contains(.trackable) { TrackedProperties.noteRead(self, hash) }
  }

  /// Checks that the object is used where it may be, and makes sure that it has values.
  final func touch() {
    let source = source
    if !source.isCurrent { refusePlace() }
    if !state.contains(.realized) || source.isUnresolved { realize() }
  }

  /// The value of an attribute or a reference as rows have it.
  private final func storedValue(_ key: String) -> Value {
    storedValue(PropertyHash.of(key)) { key }
  }

  /// The value of an attribute or a reference as rows have it.
  ///
  /// - Parameter name: Returns the name, which is needed for a value that is not in a row.
  final func storedValue(_ hash: UInt64, _ name: () -> String) -> Value {
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

extension ManagedObject {
  /// The values that were changed and not saved, by name; for an inserted object all that it has.
  public final func changedValues() -> [String: Value] { NamedValues(self).changed() }

  /// The values that were saved last, by name.
  ///
  /// - Parameter keys: The names wanted; all when it is `nil`.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    NamedValues(self).committed(keys)
  }

  /// Whether values were changed that will be saved.
  public final var hasPersistentChangedValues: Bool { !changedValues().isEmpty }
}
