public import Foundation

/// A property list: the values that Apple's systems keep metadata and archives in.
public indirect enum PropertyList: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A whole number above the signed range.
  case unsigned(UInt64)
  /// A floating-point number.
  case real(Double)
  /// Yes or no.
  case boolean(Bool)
  /// A moment.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in order.
  case array([PropertyList])
  /// Values without order.
  case set([PropertyList])
  /// Values by name.
  case dictionary([String: PropertyList])
  /// A reference to another object of a keyed archive.
  case uid(UInt64)
  /// Nothing.
  case null
}

extension PropertyList {
  /// The value under the given name of a dictionary.
  public subscript(name: String) -> PropertyList? {
    if case .dictionary(let values) = self { values[name] } else { nil }
  }

  /// The text, if it is one.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The whole number, if it is one; of a boolean 0 or 1.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  /// The number, if it is one.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    default: nil
    }
  }

  /// The boolean, if it is one, or a number that is not zero.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { integer.map { $0 != 0 } }
  }

  /// The bytes, if they are.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }

  /// The values, if they are in order.
  public var array: [PropertyList]? { if case .array(let values) = self { values } else { nil } }

  /// The values by name, if they are.
  public var dictionary: [String: PropertyList]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}

/// Why bytes are not a property list, or an archive not readable.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of damage it is.
  public let code: Code
  /// What was found and what was expected, and where.
  public let description: String

  /// A kind of damage, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a binary property list.
    public static let notBinary = Code(rawValue: "not-binary")
    /// The bytes contradict themselves.
    public static let damaged = Code(rawValue: "damaged")
    /// The list is larger or deeper than any real one.
    public static let limit = Code(rawValue: "limit")
    /// The list is sound but not a keyed archive of what was expected.
    public static let notAnArchive = Code(rawValue: "not-an-archive")
  }

  /// An error of the given kind.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
