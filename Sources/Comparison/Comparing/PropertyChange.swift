public import ObjectModel

/// A property that differs. If one side lacks the object, that side has no value.
public struct PropertyChange: Sendable {
  /// The name of the property on the new side. A part of a composite attribute has a path.
  public let name: String
  /// The values of both sides.
  public let content: Content
  /// The precision of an attribute's values, for their texts.
  package let precision: Attribute.Precision?

  /// The values of a property on both sides.
  public enum Content: Sendable {
    /// The values of an attribute.
    case value(BothSides<Value>)
    /// The objects that a to-one relationship refers to.
    case reference(BothSides<ComparedObject?>)
    /// The members of a to-many relationship.
    case members(MemberChange)
  }
}
