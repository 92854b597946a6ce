import ObjectModel
import Rows

/// Access to one property of an object by a name that is known at run time only.
struct KeyAccess {
  private let object: ManagedObject
  private let key: String
  private let hash: UInt64

  init(_ object: ManagedObject, _ key: String) {
    self.object = object
    self.key = key
    hash = PropertyHash.of(key)
  }

  private var graph: GraphEntity { object.source.entity.graph }
  private var workspace: Workspace? { object.source.entity.workspace }

  /// The value of the property; `nil` if it has none.
  ///
  /// An attribute gives a value of the type that the class declares, or else of the Swift type of the model's type. A
  /// relationship gives an object or an array of objects.
  var value: Any? {
    guard let property = graph[key] else { graph.refuse(key, as: "there") }
    if let loose = object.loose, let relationship = property.relationship {
      let others = loose.objects(hash)
      return relationship.isToMany ? others : others.first
    }
    switch property.place {
    case .attribute(let attribute, _), .transient(let attribute):
      let declared = PropertyPaths.valueType(of: key, in: type(of: object))
      return declared?.natural(object[key]) ?? object[key].natural(attribute.type)
    case .composite(_, let parts):
      var values: [String: Any] = [:]
      for part in parts { values[part] = object.value(forKey: key + "." + part) }
      return values
    case .toOne(let toOne):
      object.touch(hash)
      guard let workspace, let key = object.reference(column: toOne.column),
        let other = workspace.object(at: key, in: object.source.entity.store),
        workspace.isThere(other)
      else { return nil }
      return other
    case .toMany(let toMany):
      object.touch(hash)
      guard let workspace else { return [ManagedObject]() }
      return RelationshipReader(workspace).objects(of: object, toMany)
    case .transientRelationship(let relationship, _):
      object.touch(hash)
      let others = object.transientRelationship(hash)?.objects ?? []
      if relationship.isToMany { return others }
      return others.first
    case .fetched: return try? object.fetchedObjects(forKey: key)
    }
  }

  /// Replaces the members of a relationship.
  func set(_ others: [ManagedObject]) {
    object.touch()
    guard let property = graph[key], let relationship = property.relationship else {
      graph.refuse(key, as: "a relationship")
    }
    for other in others { object.requireDestination(other, of: key) }
    require(
      relationship.isToMany || others.count < 2,
      "The relationship \"\(key)\" refers to at most one object.")
    if relationship.isToMany {
      ToManyAccess(object, hash, key).set(others)
    } else {
      object.relate(to: others.first, hash, key)
    }
  }
}

/// The values of an object by the names of its properties.
struct NamedValues {
  private let object: ManagedObject

  init(_ object: ManagedObject) {
    self.object = object
    object.touch()
  }

  private var columns: [LayoutColumn] { object.source.entity.graph.layout.columns }

  /// Returns the unsaved values. For an inserted object these are all values that it has.
  func changed() -> [String: Value] {
    var values: [String: Value] = [:]
    if let loose = object.loose {
      for column in columns { values[column.name] = loose.given(PropertyHash.of(column.name)) }
      return values
    }
    let (columns, committed) = (columns, object.committedPlace)
    for (column, value) in object.source.pendingValues(Int(object.row))
    where !columns[column].name.contains("#") {
      if let committed, committed.source.value(column, committed.row) == value { continue }
      if committed == nil, value.isNull { continue }
      values[columns[column].name] = value
    }
    return values
  }

  /// Returns the values that were saved last.
  ///
  /// - Parameter keys: The names of the properties to return; `nil` for all properties.
  func committed(_ keys: [String]?) -> [String: Value] {
    guard object.loose == nil, let place = object.committedPlace else { return [:] }
    var values: [String: Value] = [:]
    for (index, column) in columns.enumerated() where !column.name.contains("#") {
      if let keys, !keys.contains(column.name) { continue }
      values[column.name] = place.source.value(index, place.row)
    }
    return values
  }
}

extension AttributeValue {
  /// Returns the value with a stored form, without an `Optional` around it, or `nil`.
  fileprivate static func natural(_ stored: Value) -> Any? { Bare(storedValue: stored) }
}

extension Value {
  /// Returns the value as the Swift type of an attribute type, or as the largest type of its kind; `nil` for no value.
  func natural(_ type: AttributeType? = nil) -> Any? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let number) where type == .int16: Int16(truncatingIfNeeded: number)
    case .integer(let number) where type == .int32: Int32(truncatingIfNeeded: number)
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
