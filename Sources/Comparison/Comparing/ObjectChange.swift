/// A difference between two stores: one object that was inserted, changed or deleted.
public struct ObjectChange: Sendable {
  /// The kind of a difference.
  public enum Kind: String, Sendable {
    /// Only the new side has it.
    case inserted
    /// Both sides have it, and it differs.
    case changed
    /// Only the old side has it.
    case deleted
  }

  /// Whether the object was inserted, changed or deleted.
  public let kind: Kind
  /// The name of the store in documents with several stores; `nil` if there is only one.
  public package(set) var store: String?
  /// The entity's name on the new side, or its old name if the new side does not have it.
  public let entity: String
  /// The object on the old side; `nil` if it was inserted.
  public let old: ComparedObject?
  /// The object on the new side; `nil` if it was deleted.
  public let new: ComparedObject?
  /// The differences of a changed object, or the values of an object that was inserted or deleted.
  public let properties: [PropertyChange]

  /// The object on the new side, or on the old side if it was deleted.
  public var object: ComparedObject { (new ?? old)! }
}
