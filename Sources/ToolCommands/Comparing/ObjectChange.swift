import ObjectModel

/// A difference between two stores: one object that was inserted, changed or deleted.
struct ObjectChange {
  enum Kind: String {
    case inserted
    case changed
    case deleted
  }

  let kind: Kind
  /// The entity's name on the new side, or its old name if the new side does not have it.
  let entity: String
  /// The object on the old side; `nil` if it was inserted.
  let old: ComparedObject?
  /// The object on the new side; `nil` if it was deleted.
  let new: ComparedObject?
  /// The differences of a changed object, or the values of an object that was inserted or deleted.
  let properties: [PropertyChange]

  /// The object on the new side, or on the old side if it was deleted.
  var object: ComparedObject { (new ?? old)! }
}

/// A property that differs. For an object that exists on one side only, the other side has no value.
struct PropertyChange {
  /// The name of the property on the new side. A part of a composite attribute has a path.
  let name: String
  let content: Content

  enum Content {
    /// The values of an attribute.
    case value(BothSides<Value>)
    /// The objects that a to-one relationship leads to.
    case reference(BothSides<ComparedObject?>)
    /// The members of a to-many relationship.
    case members(MemberChange)
  }
}

/// The difference between two lists of a to-many relationship.
struct MemberChange {
  /// The members of the new side that do not match a member of the old side.
  let added: [ComparedObject]
  /// The members of the old side that do not match a member of the new side.
  let removed: [ComparedObject]
  /// Whether the members of both sides are in another order. False for a relationship without an order.
  let isReordered: Bool
  /// All members of the new side, in their order; `nil` for a relationship without an order.
  let order: [ComparedObject]?
}

/// An object of one side.
struct ComparedObject {
  let entity: String
  let id: ObjectKey
  /// The values by which the object is matched; empty if it is matched by its identifier.
  let key: [KeyPart]

  /// A property of a key: a value, or the object that a to-one relationship leads to.
  struct KeyPart {
    let name: String
    let value: Value
    /// The object of a reference; `nil` for an attribute.
    let object: ComparedObject?

    init(name: String, value: Value) {
      (self.name, self.value) = (name, value)
      object = nil
    }

    init(name: String, object: ComparedObject) {
      self.name = name
      value = .object(object.id)
      self.object = object
    }
  }
}
