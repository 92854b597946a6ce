public import ObjectModel

/// The kind of a column's values, with a number that is part of the block format (spec §3.3.2).
///
/// A block names the kind of each column, so a block can be read without a layout.
public enum ColumnKind: UInt8, Sendable, Hashable, CaseIterable {
  case boolean = 1
  /// A signed integer of 16 bits.
  case int16 = 2
  /// A signed integer of 32 bits.
  case int32 = 3
  /// A signed integer of 64 bits.
  case int64 = 4
  /// A floating-point number of 32 bits.
  case float = 5
  /// A floating-point number of 64 bits.
  case double = 6
  /// Seconds since 2001-01-01 00:00 UTC, as a floating-point number of 64 bits.
  case date = 7
  case decimal = 8
  case string = 9
  case uri = 10
  case binary = 11
  /// A UUID of 16 bytes.
  case uuid = 12
  /// The key of another object of the same store.
  case reference = 13
}

extension ColumnKind {
  /// Creates the kind of column for attributes of the given type; `nil` for types without their own column.
  public init?(_ type: AttributeType) {
    // Types without a column have no content, or objects, which only relationships refer to.
    let traits = type.traits
    let kind = ColumnKind.allCases.first { kind in
      kind.content == traits.content && kind != .reference
        && (traits.range ?? kind.integerRange) == kind.integerRange
    }
    guard let kind else { return nil }
    self = kind
  }

  /// The kind of values that a column contains.
  package var content: Value.Kind {
    switch self {
    case .boolean: .boolean
    case .int16, .int32, .int64: .integer
    case .float: .float
    case .double: .double
    case .date: .date
    case .decimal: .decimal
    case .string: .string
    case .uri: .uri
    case .binary: .binary
    case .uuid: .uuid
    case .reference: .object
    }
  }

  /// Whether values are whole numbers, or booleans, which are the numbers 0 and 1.
  package var isWhole: Bool { family == .integers && self != .reference }

  /// The form in which values of a kind are laid out before they are encoded.
  package enum Family {
    /// 64-bit integers: whole numbers, booleans, references.
    case integers
    /// 64-bit patterns of floating-point numbers.
    case reals
    /// Byte strings: text, bytes, decimals in canonical form, UUIDs.
    case bytes
  }

  package var family: Family {
    switch self {
    case .boolean, .int16, .int32, .int64, .reference: .integers
    case .float, .double, .date: .reals
    case .decimal, .string, .uri, .binary, .uuid: .bytes
    }
  }

  /// Whether values are text that must be valid UTF-8.
  package var isText: Bool { self == .string || self == .uri }

  /// The integers that a column of this kind may contain.
  package var integerRange: ClosedRange<Int64> {
    switch self {
    case .boolean: 0...1
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    default: Int64.min...Int64.max
    }
  }

  /// Returns whether every value of this kind is also a value of `other`, so that rows written as this kind can be
  /// read as `other`.
  ///
  /// A kind that widens in two steps widens in one: the rows of a block keep their kind while a model changes twice.
  public func widens(to other: ColumnKind) -> Bool {
    if self == other { return true }
    return switch (content, other.content) {
    case (.boolean, .integer), (.boolean, .float), (.boolean, .double), (.boolean, .decimal): true
    case (.integer, .integer):
      other.integerRange.lowerBound <= integerRange.lowerBound
        && integerRange.upperBound <= other.integerRange.upperBound
    // A number of 32 bits has 24 bits of digits, and one of 64 bits has 53.
    case (.integer, .float): integerRange.upperBound <= 1 << 24
    case (.integer, .double): integerRange.upperBound <= 1 << 53
    case (.integer, .decimal), (.float, .double): true
    case (.uri, .string), (.string, .binary), (.uri, .binary), (.uuid, .binary): true
    default: false
    }
  }
}
