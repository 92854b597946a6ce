// SAFETY: A loaded column has a row for each row of its source, and an object's row is one of them. A source is read
// again after `realize()`, because `awakeFromFetch()` may give the object another source.

public import Foundation
public import ObjectModel
import Rows

// Reading attributes. The static type of the value selects one of the typed methods below, so that no value is boxed.
extension ManagedObject {
  @inlinable
  final func read<V: AttributeValue>(_ name: StaticString, _ hash: UInt64) -> V {
    if V.self == String.self { return string(hash, name) as! V }
    if V.self == Int.self { return fitting(integer(hash, name), name) as Int as! V }
    if V.self == Int64.self { return integer(hash, name) as! V }
    if V.self == Int32.self { return fitting(integer(hash, name), name) as Int32 as! V }
    if V.self == Int16.self { return fitting(integer(hash, name), name) as Int16 as! V }
    if V.self == Double.self { return double(hash, name) as! V }
    if V.self == Bool.self { return (integer(hash, name) != 0) as! V }
    if V.self == Date.self {
      return Date(timeIntervalSinceReferenceDate: double(hash, name)) as! V
    }
    return converted(hash, name)
  }
}

// The typed methods.
extension ManagedObject {
  /// Returns the property's code. Checks first that the object may be read here, and looks up its row if it is a fault.
  @inline(__always)
  final func code(_ hash: UInt64) -> PropertyCode {
    let isFault = unsafe sourceReference._withUnsafeGuaranteedRef { source in
      if !source.isCurrent { refusePlace() }
      return !state.contains(.realized) || source.isUnresolved
    }
    if isFault { realize() }
    return unsafe sourceReference._withUnsafeGuaranteedRef { $0.code(hash) }
  }

  @inline(never)
  final func refusePlace() { source.entity.place.check("\(self)") }

  /// Returns the column of a property if it can be read in place, which needs the column in memory. A column is loaded
  /// after many reads of objects of its block.
  @inline(__always)
  @unsafe private final func ready(
    _ hash: UInt64, _ isRight: (PropertyCode) -> Bool
  ) -> UnsafePointer<RawColumn>? {
    if state.intersection([.realized, .trackable]) != .realized { beginReading(hash) }
    return unsafe sourceReference._withUnsafeGuaranteedRef { source in
      guard source.isCurrent else { return nil }
      let code = source.code(hash)
      guard isRight(code) else { return nil }
      return unsafe source.loaded(Int(code.column))
    }
  }

  @inline(never)
  private final func beginReading(_ hash: UInt64) {
    if !source.isCurrent { refusePlace() }
    if !state.contains(.realized) { realize() }
    recordRead(hash)
  }

  @usableFromInline
  final func integer(_ hash: UInt64, _ name: StaticString) -> Int64 {
    if let raw = unsafe ready(hash, { $0.isWhole }) {
      return unsafe raw.pointee.isNull(Int(row)) ? 0 : raw.pointee.integer(Int(row))
    }
    return firstInteger(hash, name)
  }

  /// Returns a number as the integer type that the caller asks for. Stops the program if that type is too narrow.
  @inlinable @inline(__always)
  final func fitting<N: FixedWidthInteger>(_ number: Int64, _ name: StaticString) -> N {
    let narrow = N(truncatingIfNeeded: number)
    if Int64(truncatingIfNeeded: narrow) != number { refuse(.integer(number), name, N.self) }
    return narrow
  }

  @usableFromInline @inline(never)
  final func refuse(_ value: Value, _ name: StaticString, _ type: Any.Type) -> Never {
    misuse(
      "The attribute \"\(name)\" of \(self) has the value \(value.text), which is not a valid \(type)."
    )
  }

  @inline(never)
  private final func firstInteger(_ hash: UInt64, _ name: StaticString) -> Int64 {
    if let loose { return loose.value(hash, of: self).wholeNumber ?? 0 }
    let code = code(hash)
    guard code.isWhole else {
      return fallback(name, as: "a whole number or a boolean", \.wholeNumber) ?? 0
    }
    return source.value(Int(code.column), Int(row)).wholeNumber ?? 0
  }

  @usableFromInline
  final func double(_ hash: UInt64, _ name: StaticString) -> Double {
    if let raw = unsafe ready(hash, { $0.isReal }) {
      return unsafe raw.pointee.isNull(Int(row)) ? 0 : raw.pointee.double(Int(row))
    }
    return firstDouble(hash, name)
  }

  @inline(never)
  private final func firstDouble(_ hash: UInt64, _ name: StaticString) -> Double {
    if let loose { return loose.value(hash, of: self).realNumber ?? 0 }
    let code = code(hash)
    guard code.isReal else {
      return fallback(name, as: "a floating-point number or a date", \.realNumber) ?? 0
    }
    return source.value(Int(code.column), Int(row)).realNumber ?? 0
  }

  @usableFromInline
  final func string(_ hash: UInt64, _ name: StaticString) -> String {
    if let raw = unsafe ready(hash, { $0.isText }) {
      if unsafe raw.pointee.isNull(Int(row)) { return "" }
      return unsafe sourceReference._withUnsafeGuaranteedRef { unsafe $0.text(Int(row), of: raw) }
    }
    return firstString(hash, name)
  }

  @inline(never)
  private final func firstString(_ hash: UInt64, _ name: StaticString) -> String {
    if let loose { return loose.value(hash, of: self).characters ?? "" }
    let code = code(hash)
    guard code.isText else { return fallback(name, as: "text", \.characters) ?? "" }
    return source.value(Int(code.column), Int(row)).characters ?? ""
  }

  /// Returns a value of any other type.
  @usableFromInline
  final func converted<V: AttributeValue>(_ hash: UInt64, _ name: StaticString) -> V {
    converted(hash) { name.description }
  }

  /// Returns a value of any type.
  ///
  /// - Parameter name: Returns the name of the attribute.
  final func converted<V: AttributeValue>(_ hash: UInt64, name: () -> String) -> V {
    let value = storedValue(hash, name)
    if let converted = V(storedValue: value) { return converted }
    // A file may have any text for a URI. Text that is not a URL must not end the program that reads it.
    var isNone = value.isNull
    if case .uri = value { isNone = URL(storedValue: value) == nil }
    if isNone, let none = V(storedValue: .null) ?? V(storedValue: V.attributeType.zero) {
      return none
    }
    misuse(
      "The attribute \"\(name())\" of \(self) has the value \(value.text), which is not a valid \(V.self)."
    )
  }

  /// Returns the value of a property that has no column of the right kind, such as a transient property.
  private final func fallback<R>(
    _ name: StaticString, as use: String, _ convert: (Value) -> R?
  ) -> R? {
    let graph = source.entity.graph
    let code = graph.code(PropertyHash.of(name))
    if code.form == .other {
      let value = otherValue(name.description, code)
      if value.isNull { return nil }
      if let result = convert(value) { return result }
    }
    graph.refuse(name.description, as: use)
  }

  /// Returns the value of an attribute without a column.
  final func otherValue(_ name: String, _ code: PropertyCode) -> Value {
    let graph = source.entity.graph
    guard code.form != .none,
      case .transient(let attribute) = graph.properties[Int(code.property)].place
    else { graph.refuse(name, as: "an attribute") }
    if case .value(let value) = source.entity.workspace?.transientValue(
      of: self, Int(code.property))
    {
      return value
    }
    return attribute.defaultValue
  }

  /// Makes sure that the object has its row, before its first value is read.
  @inline(never)
  final func realize() {
    let isUnresolved = unsafe sourceReference._withUnsafeGuaranteedRef { $0.isUnresolved }
    guard isUnresolved, let workspace = source.entity.workspace else {
      // The object has its row already, or its context is gone and no row can be looked up. Then any thread may read the
      // object, so a read must not change its state.
      if !state.contains(.realized), source.isCurrent { awake() }
      return
    }
    workspace.realize(self)
  }

  final func awake() {
    state.formUnion([.realized, .awaking])
    awakeFromFetch()
    state.remove(.awaking)
    // The hook may have turned the object into a fault again. The access that called the hook needs a row, and does not
    // call the hook twice.
    let isUnresolved = unsafe sourceReference._withUnsafeGuaranteedRef { $0.isUnresolved }
    if isUnresolved { source.entity.workspace?.lookUp(self) }
  }
}

extension AttributeType {
  /// The value that a read returns for a required attribute without a value.
  var zero: Value {
    switch traits.content {
    case .integer: .integer(0)
    case .decimal: .decimal(0)
    case .double: .double(0)
    case .float: .float(0)
    case .string: .string("")
    case .boolean: .boolean(false)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .binary: .binary(Data())
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .uri: .uri("about:blank")
    case .object, nil: .null
    }
  }
}

extension Value {
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  /// The floating-point number, or the seconds of the date.
  var realNumber: Double? {
    switch self {
    case .double(let number): number
    case .float(let number): Double(number)
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  fileprivate var characters: String? {
    switch self {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }
}
