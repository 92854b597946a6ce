public import ObjectModel

/// An object of one side of a comparison.
public struct ComparedObject: Sendable {
  /// The name of the object's entity on its side.
  public let entity: String
  /// The number of the entity and of the object, which are unique in a store.
  public let id: ObjectKey
  /// The values by which the object is matched; empty if it is matched by its identifier.
  public let key: [KeyPart]

  /// A property of a key: a value, or the object that a to-one relationship refers to.
  public struct KeyPart: Sendable {
    /// The name of the property on the new side.
    public let name: String
    /// The value. A reference has the object's identifier.
    public let value: Value
    /// The object of a reference; `nil` for an attribute.
    package let object: ComparedObject?
    /// The precision of an attribute's value, for its text.
    package let precision: Attribute.Precision?

    init(name: String, value: Value, precision: Attribute.Precision? = nil) {
      (self.name, self.value, self.precision) = (name, value, precision)
      object = nil
    }

    init(name: String, object: ComparedObject) {
      self.name = name
      value = .object(object.id)
      self.object = object
      precision = nil
    }
  }
}
