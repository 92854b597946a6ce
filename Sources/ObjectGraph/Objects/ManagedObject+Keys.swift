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
  public final func value(forKey key: String) -> Any? {
    let graph = source.entity.graph
    guard let property = graph[key] else { graph.refuse(key, as: "there") }
    switch property.place {
    case .attribute, .transient: return storedValue(key).natural
    case .composite(_, let parts):
      var values: [String: Any] = [:]
      for part in parts { values[part] = value(forKey: key + "." + part) }
      return values
    case .toOne(let toOne):
      touch(PropertyHash.of(key))
      guard let workspace = source.entity.workspace, let other = reference(column: toOne.column),
        let object = workspace.object(at: other, in: source.entity.store), workspace.isThere(object)
      else { return nil }
      return object
    case .toMany(let toMany):
      touch(PropertyHash.of(key))
      return relatedObjects(toMany)
    case .transientRelationship(let relationship):
      touch(PropertyHash.of(key))
      let objects = transientRelationship(PropertyHash.of(key))?.objects ?? []
      if relationship.isToMany { return objects }
      return objects.first
    case .fetched: return try? fetchedObjects(forKey: key)
    }
  }

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
    touch()
    let graph = source.entity.graph
    switch graph[key]?.place {
    case .toOne(let toOne):
      for object in objects { requireDestination(object, of: key) }
      require(objects.count < 2, "The relationship \"\(key)\" leads to one object at most.")
      if let workspace = source.entity.workspace {
        setting(PropertyHash.of(key)) {
          ReferenceWriter(workspace).set(toOne, of: self, to: objects.first)
        }
      }
    case .toMany(let toMany):
      for object in objects { requireDestination(object, of: key) }
      if let workspace = source.entity.workspace {
        setting(PropertyHash.of(key)) {
          RelationshipWriter(workspace).set(toMany, of: self, to: objects)
        }
      }
    case .transientRelationship(let relationship):
      for object in objects { requireDestination(object, of: key) }
      require(
        relationship.isToMany || objects.count < 2,
        "The relationship \"\(key)\" leads to one object at most.")
      transientRelationship(PropertyHash.of(key))?.set(objects)
    default: graph.refuse(key, as: "a relationship")
    }
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
  private final func touch(_ hash: UInt64) {
    touch()
    if state.contains(.trackable) { noteRead(hash) }
  }

  /// Checks that the object is used where it may be, and makes sure that it has values.
  private final func touch() {
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
  public final func changedValues() -> [String: Value] {
    touch()
    let columns = source.entity.graph.layout.columns
    var values: [String: Value] = [:]
    let committed = committedPlace
    for (column, value) in source.pendingValues(Int(row)) where !columns[column].name.contains("#")
    {
      if let committed, committed.source.value(column, committed.row) == value { continue }
      if committed == nil, value.isNull { continue }
      values[columns[column].name] = value
    }
    return values
  }

  /// The values that were saved last, by name.
  ///
  /// - Parameter keys: The names wanted; all when it is `nil`.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    touch()
    guard let place = committedPlace else { return [:] }
    let columns = source.entity.graph.layout.columns
    var values: [String: Value] = [:]
    for (index, column) in columns.enumerated() where !column.name.contains("#") {
      if let keys, !keys.contains(column.name) { continue }
      values[column.name] = place.source.value(index, place.row)
    }
    return values
  }

  /// Whether values were changed that will be saved.
  public final var hasPersistentChangedValues: Bool { !changedValues().isEmpty }
}

extension Value {
  /// The value as the type in Swift that it is of; `nil` for no value.
  var natural: Any? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let number): Int(number)
    case .float(let number): number
    case .double(let number): number
    case .decimal(let number): number
    case .string(let text): text
    case .date(let date): date
    case .uuid(let uuid): uuid
    case .uri(let text): text
    case .binary(let data): data
    case .object(let key): key
    }
  }
}
