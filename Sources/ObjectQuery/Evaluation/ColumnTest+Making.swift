import Foundation
import ObjectModel
import Rows

extension ColumnTest {
  /// Returns the test of a column that is equivalent to a comparison with a constant on its right; `nil` if the
  /// comparison must be evaluated row by row.
  static func of(_ kind: ColumnKind, _ comparison: BoundComparison) -> ColumnTest? {
    guard let right = comparison.right.constant else { return nil }
    if comparison.asksForNull { return .isNull(comparison.operation == .equal) }
    switch comparison.operation {
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      guard let value = right.single else { return nil }
      return compare(kind, comparison.operation, value, comparison)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2, let low = bounds[0].single,
        let high = bounds[1].single
      else { return nil }
      return between(kind, low, high)
    case .in:
      guard case .list(let items) = right else { return nil }
      return among(kind, items.compactMap(\.single), of: items.count, comparison.options)
    case .contains, .beginsWith, .endsWith, .like, .matches, .text:
      guard kind.isText, let pattern = comparison.pattern else { return nil }
      return .text(pattern)
    }
  }

  private static func compare(
    _ kind: ColumnKind, _ operation: QueryPredicate.Operator, _ value: Value,
    _ comparison: BoundComparison
  ) -> ColumnTest? {
    switch kind.content {
    case .boolean, .integer:
      guard let number = Number(value) else { return nil }
      return integers(operation, number)
    case .float, .double:
      guard let number = Number(value), let real = number.exactDouble else { return nil }
      return reals(operation, real)
    case .date:
      guard case .date(let date) = value else { return nil }
      return reals(operation, date.timeIntervalSinceReferenceDate)
    case .string, .uri: return comparison.pattern.map { .text($0) }
    case .object:
      guard case .object(let key) = value else { return nil }
      return integers(operation, .integer(Int64(bitPattern: key.rawValue)))
    case .uuid:
      guard case .uuid(let uuid) = value else { return nil }
      return bytes(operation, uuid.bytes)
    case .binary:
      guard case .binary(let data) = value else { return nil }
      return bytes(operation, [UInt8](data))
    case .decimal: return nil
    }
  }

  private static func bytes(
    _ operation: QueryPredicate.Operator, _ bytes: [UInt8]
  ) -> ColumnTest? {
    switch operation {
    case .equal: .bytes(bytes, inverted: false)
    case .notEqual: .bytes(bytes, inverted: true)
    default: nil
    }
  }

  /// Returns a test that every whole number passes, or that every whole number fails.
  private static func everything(_ flag: Bool) -> ColumnTest {
    .integers(Int64.min...Int64.max, inverted: !flag)
  }

  private static func integers(
    _ operation: QueryPredicate.Operator, _ number: Number
  ) -> ColumnTest? {
    // The greatest whole number that is not above the number, and whether both are equal.
    let floor: Int64
    let isExact: Bool
    switch number {
    case .integer(let whole): (floor, isExact) = (whole, true)
    case .double(let real):
      if real.isNaN { return everything(operation == .notEqual) }
      if real >= 0x1p63 {
        return everything([.notEqual, .lessThan, .lessThanOrEqual].contains(operation))
      }
      if real < -0x1p63 {
        return everything([.notEqual, .greaterThan, .greaterThanOrEqual].contains(operation))
      }
      floor = Int64(real.rounded(.down))
      isExact = real == real.rounded(.down)
    case .decimal: return nil
    }
    switch operation {
    case .equal: return isExact ? .integers(floor...floor, inverted: false) : everything(false)
    case .notEqual: return isExact ? .integers(floor...floor, inverted: true) : everything(true)
    case .lessThanOrEqual: return .integers(Int64.min...floor, inverted: false)
    case .lessThan:
      if !isExact { return .integers(Int64.min...floor, inverted: false) }
      return .integers(floor...Int64.max, inverted: true)
    case .greaterThan: return .integers(Int64.min...floor, inverted: true)
    case .greaterThanOrEqual:
      if !isExact { return .integers(Int64.min...floor, inverted: true) }
      return .integers(floor...Int64.max, inverted: false)
    default: return nil
    }
  }

  private static func reals(_ operation: QueryPredicate.Operator, _ real: Double) -> ColumnTest? {
    if real.isNaN { return nil }
    switch operation {
    case .equal: return .reals(real...real, inverted: false)
    case .notEqual: return .reals(real...real, inverted: true)
    case .lessThanOrEqual: return .reals(-Double.infinity...real, inverted: false)
    case .greaterThanOrEqual: return .reals(real...Double.infinity, inverted: false)
    case .lessThan:
      if real == -.infinity { return nil }
      return .reals(-Double.infinity...real.nextDown, inverted: false)
    case .greaterThan:
      if real == .infinity { return nil }
      return .reals(real.nextUp...Double.infinity, inverted: false)
    default: return nil
    }
  }

  private static func between(_ kind: ColumnKind, _ low: Value, _ high: Value) -> ColumnTest? {
    switch kind.content {
    case .boolean, .integer:
      guard let low = Number(low), let high = Number(high),
        let from = low.ceiling, let to = high.floor
      else { return nil }
      return from <= to ? .integers(from...to, inverted: false) : everything(false)
    case .float, .double:
      guard let low = Number(low)?.exactDouble, let high = Number(high)?.exactDouble,
        low <= high
      else { return nil }
      return .reals(low...high, inverted: false)
    case .date:
      guard case .date(let low) = low, case .date(let high) = high else { return nil }
      // Compare the dates as numbers, because invalid dates can't be ordered.
      let (first, last) = (
        low.timeIntervalSinceReferenceDate, high.timeIntervalSinceReferenceDate
      )
      return first <= last ? .reals(first...last, inverted: false) : nil
    default: return nil
    }
  }

  private static func among(
    _ kind: ColumnKind, _ values: [Value], of count: Int, _ options: TextOptions
  ) -> ColumnTest? {
    guard values.count == count else { return nil }
    let values = values.filter { !$0.isNull }
    switch kind.content {
    case .boolean, .integer:
      let numbers = values.compactMap { Number($0) }
      guard numbers.count == values.count else { return nil }
      var wholes: [Int64] = []
      for number in numbers {
        switch number {
        case .integer(let whole): wholes.append(whole)
        case .double(let real): if let whole = Int64(exactly: real) { wholes.append(whole) }
        case .decimal: return nil
        }
      }
      return .integerSet(wholes.sorted())
    case .object:
      let keys = values.compactMap { value -> Int64? in
        if case .object(let key) = value { Int64(bitPattern: key.rawValue) } else { nil }
      }
      return keys.count == values.count ? .integerSet(keys.sorted()) : nil
    case .string, .uri:
      guard options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
      else { return nil }
      let texts = values.compactMap { Operand.value($0).text.map { Array($0.utf8) } }
      guard texts.count == values.count else { return nil }
      return .textSet(texts.sorted { $0.lexicographicallyPrecedes($1) })
    default: return nil
    }
  }
}

extension Number {
  /// The floating-point number that has the same order relative to all numbers; `nil` if rounding would change it.
  fileprivate var exactDouble: Double? {
    switch self {
    case .integer(let whole): Double(exactly: whole)
    case .double(let real): real.isNaN ? nil : real
    // A decimal and a floating-point number are compared as floating-point numbers.
    case .decimal(let number): number.isNaN ? nil : number.nearestDouble
    }
  }

  /// The greatest whole number that is not above the number; `nil` if 64 bits cannot represent it.
  fileprivate var floor: Int64? {
    switch self {
    case .integer(let whole): whole
    case .double(let real): Int64(exactly: real.rounded(.down))
    case .decimal: nil
    }
  }

  /// The least whole number that is not below the number; `nil` if 64 bits cannot represent it.
  fileprivate var ceiling: Int64? {
    switch self {
    case .integer(let whole): whole
    case .double(let real): Int64(exactly: real.rounded(.up))
    case .decimal: nil
    }
  }
}

extension UUID {
  /// The sixteen bytes of the UUID.
  var bytes: [UInt8] {
    let b = uuid
    return [
      b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
    ]
  }
}
