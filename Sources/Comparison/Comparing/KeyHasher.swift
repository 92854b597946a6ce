import Foundation
import ObjectModel

/// A hash of 128 bits, so large that different keys practically never share it.
struct KeyHasher {
  private var one = Hasher()
  private var other = Hasher()

  init() { other.combine(1) }

  /// Adds a value of an attribute. Equal texts of values of different types are equal keys, so that a key stays the
  /// same if its type changes, for example from Integer 16 to Integer 64.
  mutating func combine(_ value: Value) {
    let bytes: [UInt8] =
      switch value {
      case .string(let text), .uri(let text): Array(text.utf8)
      case .binary(let data): Array(data)
      // Zeros of both signs are one key, as in a uniqueness constraint.
      case .double(let number) where number == 0: Array(ValueText.exchange.text(.double(0)).utf8)
      case .float(let number) where number == 0: Array(ValueText.exchange.text(.float(0)).utf8)
      default: Array(ValueText.exchange.text(value).utf8)
      }
    one.combine(bytes)
    other.combine(bytes)
  }

  /// Adds the identity of the object that a reference refers to.
  mutating func combine(_ token: ObjectToken) {
    one.combine(token)
    other.combine(token)
  }

  var hash: UInt128 {
    UInt128(UInt64(bitPattern: Int64(one.finalize()))) << 64
      | UInt128(UInt64(bitPattern: Int64(other.finalize())))
  }
}
