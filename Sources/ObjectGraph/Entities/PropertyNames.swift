public import ObjectModel

/// The name of an attribute and the type of its values, which objects are asked with.
///
///     static let age = AttributeName<Int32>("age")
///     person[Person.age] += 1
///
/// Holds a number made of the name, so that finding the property compares no texts. A part of a
/// composite attribute is `address.street`.
public struct AttributeName<Value: AttributeValue>: Sendable {
  /// The attribute's name.
  public let name: StaticString
  @usableFromInline let hash: UInt64

  /// The attribute of the given name.
  @inlinable public init(_ name: StaticString) {
    self.name = name
    hash = PropertyHash.of(name)
  }

  /// - Parameter hash: The hash of the name, which the caller has computed.
  @inlinable init(_ name: StaticString, hash: UInt64) {
    self.name = name
    self.hash = hash
  }
}

/// The name of a relationship to one object, and the class of that object.
public struct ToOneName<Destination: ManagedObject>: Sendable {
  /// The relationship's name.
  public let name: StaticString
  @usableFromInline let hash: UInt64

  /// The relationship of the given name.
  @inlinable public init(_ name: StaticString) {
    self.name = name
    hash = PropertyHash.of(name)
  }

  /// - Parameter hash: The hash of the name, which the caller has computed.
  @inlinable init(_ name: StaticString, hash: UInt64) {
    self.name = name
    self.hash = hash
  }
}

/// The name of a relationship to any number of objects, ordered or not, and their class.
public struct ToManyName<Destination: ManagedObject>: Sendable {
  /// The relationship's name.
  public let name: StaticString
  @usableFromInline let hash: UInt64

  /// The relationship of the given name.
  @inlinable public init(_ name: StaticString) {
    self.name = name
    hash = PropertyHash.of(name)
  }

  /// - Parameter hash: The hash of the name, which the caller has computed.
  @inlinable init(_ name: StaticString, hash: UInt64) {
    self.name = name
    self.hash = hash
  }
}

/// The name of a fetched property, and the class of the objects it finds.
public struct FetchedName<Destination: ManagedObject>: Sendable {
  /// The property's name.
  public let name: StaticString

  /// The fetched property of the given name.
  @inlinable public init(_ name: StaticString) { self.name = name }
}

/// The number that stands for a property's name: FNV-1a of its UTF-8.
@usableFromInline
enum PropertyHash {
  @usableFromInline static let basis: UInt64 = 0xcbf2_9ce4_8422_2325

  @inlinable @inline(__always)
  static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  @inlinable
  static func of(_ name: StaticString) -> UInt64 {
    name.withUTF8Buffer { bytes in
      var hash = basis
      // SAFETY: The index is below the buffer's count.
      for index in 0..<bytes.count { hash = unsafe step(hash, bytes[index]) }
      return hash
    }
  }

  @inlinable
  static func of(_ name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { bytes in
      var hash = basis
      // SAFETY: The index is below the buffer's count.
      for index in 0..<bytes.count { hash = unsafe step(hash, bytes[index]) }
      return hash
    }
  }
}
