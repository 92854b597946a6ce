public import Foundation

/// An object's place within its store: the number of its entity, and its own number among the entity's objects.
///
/// A key is packed into 64 bits with the entity on top (spec §3.2.2). So the keys of one entity are consecutive
/// integers, and a column of keys is small. Zero is not an object.
public struct ObjectKey: RawRepresentable, Sendable, Hashable, Comparable {
  /// The packed form: the entity number in the upper 16 bits, the object number in the lower 48.
  public let rawValue: UInt64

  /// Creates the key with the given packed form.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The highest possible number of an object.
  public static let highestNumber: UInt64 = (1 << 48) - 1

  /// Creates the key of object `number` of entity `entity`.
  ///
  /// - Precondition: `number` is at most ``highestNumber``.
  public init(entity: UInt16, number: UInt64) {
    precondition(number <= ObjectKey.highestNumber, "The number of an object must fit in 48 bits.")
    rawValue = UInt64(entity) << 48 | number
  }

  /// The number of the object's entity in its store. Numbers start at 1.
  public var entity: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 48) }

  /// The object's number among the objects of its entity. Numbers start at 1.
  public var number: UInt64 { rawValue & ObjectKey.highestNumber }

  /// Compares keys by entity, then by number.
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The short form of a store's UUID in object identifiers: its first eight bytes.
///
/// A coordinator rejects a second store with the same tag, and a second store with the same UUID. So a tag
/// identifies exactly one store of a coordinator.
public struct StoreTag: RawRepresentable, Sendable, Hashable {
  /// The first eight bytes of the UUID, the first byte on top.
  public let rawValue: UInt64

  /// Creates the tag with the given value.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates the tag of the store with the given UUID.
  public init(_ uuid: UUID) {
    let b = uuid.uuid
    rawValue = [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The identifier of one object, permanent from the object's creation.
///
///     let id = object.objectID
///     let text = id.uri               // x-quire://6fb9df54a60e4a15/3/p17
///     ObjectID(uri: text) == id       // true, also in another process
///
/// An identifier is a value of 16 bytes. An inserted object has its final identifier before it is first saved,
/// because the store reserves ranges of keys in advance. So identifiers never change.
public struct ObjectID: Sendable, Hashable {
  /// The tag of the object's store.
  public let store: StoreTag
  /// The object's entity and number within that store.
  public let key: ObjectKey

  /// Creates the identifier of the object with the given key in the given store.
  public init(store: StoreTag, key: ObjectKey) {
    self.store = store
    self.key = key
  }
}

extension ObjectID: Comparable {
  /// Compares identifiers by store, then by entity, then by number.
  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.store.rawValue, left.key.rawValue) < (right.store.rawValue, right.key.rawValue)
  }
}
