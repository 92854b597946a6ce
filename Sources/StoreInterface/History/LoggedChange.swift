public import ObjectModel

/// A change of one object in the log of a store.
public struct LoggedChange: Sendable, Hashable {
  /// The kind of a change to an object.
  public enum Kind: String, Sendable, Hashable {
    case insert
    case update
    case delete
  }

  public var object: ObjectKey
  /// The kind of the change.
  public var kind: Kind
  /// The names of the changed properties, sorted. They are only known of an update. Where the log doesn't say which of
  /// several relationships changed, all of them are named.
  public var properties: [String]
  /// The last values of a deleted object, by name: the attributes that the model preserves.
  public var tombstone: [String: Value]

  /// Creates the description of a change.
  public init(
    _ kind: Kind, _ object: ObjectKey, properties: [String] = [], tombstone: [String: Value] = [:]
  ) {
    self.kind = kind
    self.object = object
    self.properties = properties
    self.tombstone = tombstone
  }
}
