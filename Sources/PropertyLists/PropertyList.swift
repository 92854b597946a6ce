public import Foundation

/// A property list: the values in which Apple's systems store metadata and archives.
public indirect enum PropertyList: Sendable, Hashable {
  case string(String)
  case integer(Int64)
  /// A whole number above the signed range.
  case unsigned(UInt64)
  case real(Double)
  case boolean(Bool)
  case date(Date)
  case data(Data)
  case array([PropertyList])
  case set([PropertyList])
  case dictionary([String: PropertyList])
  /// A reference to another object of a keyed archive.
  case uid(UInt64)
  case null
}

extension PropertyList {
  /// Returns the value of a name; `nil` if there is none, or this is not a dictionary.
  public subscript(name: String) -> PropertyList? {
    if case .dictionary(let values) = self { values[name] } else { nil }
  }

  /// The text; `nil` if this is not text.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The whole number, or 0 or 1 for a Boolean; `nil` if this is neither.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  /// The number; `nil` if this is not a number.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    default: nil
    }
  }

  /// The Boolean, or whether a whole number is not zero; `nil` if this is neither.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { integer.map { $0 != 0 } }
  }

  /// The bytes; `nil` if this is not data.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }

  /// The members of an array; `nil` if this is not an array.
  public var array: [PropertyList]? { if case .array(let values) = self { values } else { nil } }

  /// The members of a dictionary; `nil` if this is not a dictionary.
  public var dictionary: [String: PropertyList]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}

/// An error in the bytes of a property list or in an archive.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  public let code: Code
  /// The finding, the expectation and the place, as a sentence.
  public let description: String

  /// A kind of error, for programs to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a binary property list.
    public static let notBinary = Code(rawValue: "not-binary")
    public static let damaged = Code(rawValue: "damaged")
    /// The list is larger or deeper than the limits allow.
    public static let limit = Code(rawValue: "limit")
    /// The list is valid, but not a keyed archive with the expected contents.
    public static let notAnArchive = Code(rawValue: "not-an-archive")
  }

  /// Creates an error of the given kind.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
