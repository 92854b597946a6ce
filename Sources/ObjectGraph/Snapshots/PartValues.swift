import ObjectModel

/// The values of a composite attribute apart from an object, by the paths of their parts.
final class PartValues {
  var values: [String: Value] = [:]

  /// Gives each part of a type its default value.
  func setDefaults(_ type: any CompositeValue.Type, at path: String = "") {
    for part in type.compositeParts {
      let name = path + part.attribute.name
      if let inner = part.type {
        setDefaults(inner, at: name + ".")
      } else {
        values[name] = part.attribute.defaultValue
      }
    }
  }

  /// Decodes the parts of a type. A part that is missing has its default value.
  func read(
    _ type: any CompositeValue.Type, from container: KeyedDecodingContainer<SnapshotKey>,
    at path: String = ""
  ) throws {
    setDefaults(type, at: path)
    for part in type.compositeParts {
      let key = SnapshotKey(stringValue: part.attribute.name)
      guard container.contains(key), try !container.decodeNil(forKey: key) else { continue }
      if let inner = part.type {
        try read(
          inner, from: container.nestedContainer(keyedBy: SnapshotKey.self, forKey: key),
          at: path + key.stringValue + ".")
      } else {
        values[path + key.stringValue] = try container.value(of: part.attribute.type, key)
      }
    }
  }

  /// Encodes the parts of a type.
  func write(
    _ type: any CompositeValue.Type, to container: KeyedEncodingContainer<SnapshotKey>,
    at path: String = ""
  ) throws {
    var container = container
    for part in type.compositeParts {
      let key = SnapshotKey(stringValue: part.attribute.name)
      if let inner = part.type {
        try write(
          inner, to: container.nestedContainer(keyedBy: SnapshotKey.self, forKey: key),
          at: path + key.stringValue + ".")
      } else if let value = values[path + key.stringValue] {
        try container.write(value, key)
      }
    }
  }
}
