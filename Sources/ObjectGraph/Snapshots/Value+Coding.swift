import Foundation
import ObjectModel

// Values in the form that a coder gives to the types of Swift and Foundation, so that its strategies for dates and bytes apply.

extension KeyedEncodingContainer<SnapshotKey> {
  /// Encodes a value. No value gives no key.
  mutating func write(_ value: Value, _ key: SnapshotKey) throws {
    switch value {
    case .null: break
    case .boolean(let value): try encode(value, forKey: key)
    case .integer(let number): try encode(number, forKey: key)
    case .float(let number): try encode(number, forKey: key)
    case .double(let number): try encode(number, forKey: key)
    case .decimal(let number): try encode(number, forKey: key)
    case .string(let text), .uri(let text): try encode(text, forKey: key)
    case .date(let date): try encode(date, forKey: key)
    case .uuid(let uuid): try encode(uuid, forKey: key)
    case .binary(let bytes): try encode(bytes, forKey: key)
    case .object(let object): try encode(object.rawValue, forKey: key)
    }
  }
}

extension KeyedDecodingContainer<SnapshotKey> {
  /// Decodes a value of an attribute type.
  func value(of type: AttributeType, _ key: SnapshotKey) throws -> Value {
    switch type.traits.content {
    case .boolean: .boolean(try decode(Bool.self, forKey: key))
    case .integer: .integer(try decode(Int64.self, forKey: key))
    case .float: .float(try decode(Float.self, forKey: key))
    case .double: .double(try decode(Double.self, forKey: key))
    case .decimal: .decimal(try decode(Decimal.self, forKey: key))
    case .string: .string(try decode(String.self, forKey: key))
    case .uri: .uri(try decode(String.self, forKey: key))
    case .date: .date(try decode(Date.self, forKey: key))
    case .uuid: .uuid(try decode(UUID.self, forKey: key))
    case .binary: .binary(try decode(Data.self, forKey: key))
    case .object, nil: .null
    }
  }
}
