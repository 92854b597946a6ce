// SAFETY: Bytes are copied from spans and values of plain integers while both are valid.

/// Values in the binary form of PostgreSQL: for each value its length and its bytes, in network order.
///
/// Rows of `COPY` and elements of arrays have the same form, so both are written with this type.
public struct BinaryValues: Sendable {
  /// The bytes that were written.
  public private(set) var bytes: [UInt8] = []
  /// Whether a value is NULL.
  public private(set) var hasNull = false

  public init() {}

  public var byteCount: Int { bytes.count }

  /// Removes all values and keeps the memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    hasNull = false
  }

  /// Begins a row of `COPY` with the given number of values.
  public mutating func beginRow(_ count: Int) { word(Int16(truncatingIfNeeded: count)) }

  public mutating func appendNull() {
    word(Int32(-1))
    hasNull = true
  }

  /// Appends an integer of the given type: 16, 32 or 64 bits.
  public mutating func append<T: FixedWidthInteger>(_ number: T) {
    word(Int32(truncatingIfNeeded: MemoryLayout<T>.size))
    word(number)
  }

  public mutating func append(_ flag: Bool) {
    word(Int32(1))
    bytes.append(flag ? 1 : 0)
  }

  /// Appends a floating-point number of 64 bits.
  public mutating func append(_ number: Double) { append(number.bitPattern) }

  /// Appends a floating-point number of 32 bits.
  public mutating func append(_ number: Float) { append(number.bitPattern) }

  public mutating func append(_ value: RawSpan) {
    word(Int32(clamping: value.byteCount))
    unsafe value.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  public mutating func append(_ value: [UInt8]) {
    word(Int32(clamping: value.count))
    bytes.append(contentsOf: value)
  }

  /// Appends a decimal number; "not a number" if `nil`.
  public mutating func append(_ number: PostgreSQLNumeric?) {
    let start = bytes.count
    word(Int32(0))
    PostgreSQLNumeric.write(number, into: &self)
    let count = UInt32(bytes.count - start - 4)
    for index in 0..<4 {
      bytes[start + index] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * index))
    }
  }

  /// Appends an integer without its length.
  mutating func word<T: FixedWidthInteger>(_ number: T) {
    var ordered = number.bigEndian
    unsafe withUnsafeBytes(of: &ordered) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends values of another sequence.
  mutating func append(contentsOf other: BinaryValues) { bytes.append(contentsOf: other.bytes) }
}

/// The value of a statement's parameter, in binary form.
public struct PostgreSQLParameter: Sendable, Equatable {
  let type: UInt32
  /// The bytes; `nil` for NULL.
  let bytes: [UInt8]?

  /// Creates NULL of a type.
  public init(nullOf type: PostgreSQLType) { (self.type, bytes) = (type.number, nil) }

  /// Creates a parameter of bytes in the binary form of a type.
  public init(_ type: PostgreSQLType, bytes: [UInt8]) {
    (self.type, self.bytes) = (type.number, bytes)
  }

  public init(_ number: Int64) { self.init(.int64, bytes: number.orderedBytes) }

  public init(_ number: Double) { self.init(.double, bytes: number.bitPattern.orderedBytes) }

  public init(_ text: String) { self.init(.text, bytes: Array(text.utf8)) }

  /// Creates a `numeric`; "not a number" if `nil`.
  public init(_ number: PostgreSQLNumeric?) {
    var values = BinaryValues()
    PostgreSQLNumeric.write(number, into: &values)
    self.init(.numeric, bytes: values.bytes)
  }

  /// Creates an array of values.
  ///
  /// - Parameters:
  ///   - values: The values, each of the type.
  ///   - count: The number of values.
  public init(_ values: BinaryValues, count: Int, of type: PostgreSQLType) {
    var array = BinaryValues()
    array.word(Int32(count == 0 ? 0 : 1))
    array.word(Int32(values.hasNull ? 1 : 0))
    array.word(type.number)
    if count > 0 {
      array.word(Int32(clamping: count))
      array.word(Int32(1))
    }
    array.append(contentsOf: values)
    self.type = type.arrayNumber
    bytes = array.bytes
  }

  /// Creates an array of `bigint`.
  public init(_ numbers: some Collection<Int64>) {
    var values = BinaryValues()
    for number in numbers { values.append(number) }
    self.init(values, count: numbers.count, of: .int64)
  }
}

extension FixedWidthInteger {
  /// The bytes in network order.
  fileprivate var orderedBytes: [UInt8] {
    var values = BinaryValues()
    values.word(self)
    return values.bytes
  }
}
