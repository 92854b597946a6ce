// SAFETY: A loaded column has a row for each row of its source, and an object's row is one of them.

public import Foundation
public import ObjectModel
import Rows

// Reading by typed names. What the compiler knows of the type decides which of the plain methods below is
// called, so that nothing is boxed on the way.
extension ManagedObject {
  /// The value of an attribute.
  ///
  ///     let age = person[Person.age]
  ///
  /// A required attribute that was given no value yet reads as its type's zero: no text, 0, false.
  ///
  /// - Precondition: The object is used where its context is, and its entity has such an attribute.
  @inlinable
  public final subscript<V: AttributeValue>(name: AttributeName<V>) -> V {
    get {
      if V.self == String.self { return string(name.hash, name.name) as! V }
      if V.self == Int.self { return Int(integer(name.hash, name.name)) as! V }
      if V.self == Int64.self { return integer(name.hash, name.name) as! V }
      if V.self == Int32.self {
        return Int32(truncatingIfNeeded: integer(name.hash, name.name)) as! V
      }
      if V.self == Int16.self {
        return Int16(truncatingIfNeeded: integer(name.hash, name.name)) as! V
      }
      if V.self == Double.self { return double(name.hash, name.name) as! V }
      if V.self == Bool.self { return (integer(name.hash, name.name) != 0) as! V }
      if V.self == Date.self {
        return Date(timeIntervalSinceReferenceDate: double(name.hash, name.name)) as! V
      }
      return converted(name.hash, name.name)
    }
    set {
      if V.self == String.self { return setString(newValue as! String, name.hash, name.name) }
      if V.self == Int.self { return setInteger(Int64(newValue as! Int), name.hash, name.name) }
      if V.self == Int64.self { return setInteger(newValue as! Int64, name.hash, name.name) }
      if V.self == Int32.self {
        return setInteger(Int64(newValue as! Int32), name.hash, name.name)
      }
      if V.self == Int16.self {
        return setInteger(Int64(newValue as! Int16), name.hash, name.name)
      }
      if V.self == Double.self { return setDouble(newValue as! Double, name.hash, name.name) }
      if V.self == Bool.self {
        return setInteger(newValue as! Bool ? 1 : 0, name.hash, name.name)
      }
      if V.self == Date.self {
        return setDouble(
          (newValue as! Date).timeIntervalSinceReferenceDate, name.hash, name.name)
      }
      setStored(newValue.storedValue, name.hash, name.name)
    }
  }
}

// The plain methods.
extension ManagedObject {
  /// The property's code, once it is clear that the object may be read here.
  @inline(__always)
  final func code(_ source: RowSource, _ hash: UInt64, _ name: StaticString) -> PropertyCode {
    if !source.place.isCurrent { refusePlace(source) }
    if unsafe !state.contains(.realized) || source.isUnresolved { realize() }
    return source.entity.graph.code(hash)
  }

  @inline(never)
  final func refusePlace(_ source: RowSource) { source.place.check("\(self)") }

  @usableFromInline
  final func integer(_ hash: UInt64, _ name: StaticString) -> Int64 {
    let code = code(source, hash, name)
    guard code.form == .attribute || code.form == .derived, code.kind.family == .integers else {
      return fallback(name, as: "a whole number or a boolean") { value in
        switch value {
        case .integer(let number): number
        case .boolean(let value): value ? 1 : 0
        case .null: 0
        default: nil
        }
      }
    }
    let source = source
    if let raw = unsafe source.loaded(Int(code.column)) {
      return unsafe raw.pointee.isNull(Int(row)) ? 0 : raw.pointee.integer(Int(row))
    }
    switch unsafe source.value(Int(code.column), Int(row)) {
    case .integer(let number): return number
    case .boolean(let value): return value ? 1 : 0
    default: return 0
    }
  }

  @usableFromInline
  final func double(_ hash: UInt64, _ name: StaticString) -> Double {
    let code = code(source, hash, name)
    guard code.form == .attribute || code.form == .derived, code.kind.family == .reals else {
      return fallback(name, as: "a floating-point number or a date") { value in
        switch value {
        case .double(let number): number
        case .float(let number): Double(number)
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .null: 0
        default: nil
        }
      }
    }
    let source = source
    if let raw = unsafe source.loaded(Int(code.column)) {
      return unsafe raw.pointee.isNull(Int(row)) ? 0 : raw.pointee.double(Int(row))
    }
    switch unsafe source.value(Int(code.column), Int(row)) {
    case .double(let number): return number
    case .float(let number): return Double(number)
    case .date(let date): return date.timeIntervalSinceReferenceDate
    default: return 0
    }
  }

  @usableFromInline
  final func string(_ hash: UInt64, _ name: StaticString) -> String {
    let code = code(source, hash, name)
    guard code.form == .attribute || code.form == .derived, code.kind.isText else {
      return fallback(name, as: "text") { value in
        switch value {
        case .string(let text), .uri(let text): text
        case .null: ""
        default: nil
        }
      }
    }
    let source = source
    if let raw = unsafe source.loaded(Int(code.column)) {
      return unsafe raw.pointee.isNull(Int(row))
        ? "" : String(decoding: raw.pointee.bytes(Int(row)), as: UTF8.self)
    }
    switch unsafe source.value(Int(code.column), Int(row)) {
    case .string(let text), .uri(let text): return text
    default: return ""
    }
  }

  /// A value of any other type.
  @usableFromInline
  final func converted<V: AttributeValue>(_ hash: UInt64, _ name: StaticString) -> V {
    let code = code(source, hash, name)
    let value =
      unsafe code.column >= 0
      ? source.value(Int(code.column), Int(row)) : otherValue(name.description, code)
    if let converted = V(storedValue: value) { return converted }
    if value.isNull, let zero = V(storedValue: V.attributeType.zero) { return zero }
    preconditionFailure(
      """
      The attribute "\(name)" of \(self) has the value \(value.text), which is no \(V.self).
      """)
  }

  /// What a property without a column of the right kind has, such as a transient one.
  private final func fallback<R>(
    _ name: StaticString, as use: String, _ convert: (Value) -> R?
  ) -> R {
    let graph = source.entity.graph
    let code = graph.code(PropertyHash.of(name))
    if code.form == .other, let result = convert(otherValue(name.description, code)) {
      return result
    }
    graph.refuse(name.description, as: use)
  }

  /// The value of an attribute without a column.
  final func otherValue(_ name: String, _ code: PropertyCode) -> Value {
    let graph = source.entity.graph
    guard code.form != .none, case .transient = graph.properties[Int(code.property)].place else {
      graph.refuse(name, as: "an attribute")
    }
    return unsafe source.entity.context?.transientValue(of: self, Int(code.property)) ?? .null
  }

  /// Makes sure that the object leads to values, before the first of them is read.
  @inline(never)
  final func realize() {
    guard let context = unsafe source.entity.context else { return }
    context.realize(self)
  }
}

extension AttributeType {
  /// What stands for a value that a required attribute does not have yet.
  fileprivate var zero: Value {
    switch self {
    case .int16, .int32, .int64: .integer(0)
    case .decimal: .decimal(0)
    case .double: .double(0)
    case .float: .float(0)
    case .string: .string("")
    case .boolean: .boolean(false)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .binary, .transformable: .binary(Data())
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .uri: .uri("")
    case .undefined, .objectID, .composite: .null
    }
  }
}
