import Foundation
import ObjectModel

// The meaning of comparisons. Two rules hold for all of them:
// - A comparison with the constant null tests whether there is a value. Any other comparison with a null on either
//   side is false, also `!=`, as in Core Data's stores.
// - Values that cannot be compared are neither equal nor ordered.

extension BoundComparison {
  /// Returns whether the comparison is true for two values.
  ///
  /// - Throws: ``QueryError`` if a regular expression takes too many steps.
  package func holds(_ left: Operand, _ right: Operand) throws -> Bool {
    if asksForNull {
      let isNull = left.isNull && right.isNull
      return operation == .equal ? isNull : !isNull
    }
    if let pattern {
      guard let text = left.text else { return false }
      return try pattern.holds(text)
    }
    switch operation {
    case .in: return right.includes(left, options)
    case .contains: return left.includes(right, options)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2 else { return false }
      guard let low = order(left, bounds[0], options), let high = order(left, bounds[1], options)
      else { return false }
      return low != .less && high != .greater
    case .beginsWith, .endsWith, .like, .matches, .text:
      guard let left = left.text, let right = right.text else { return false }
      // The pattern is different for each object. An invalid pattern matches nothing.
      guard let pattern = try? TextPattern(right, operation, options) else { return false }
      return try pattern.holds(left)
    case .equal:
      if left.isNull || right.isNull { return false }
      return same(left, right, options)
    case .notEqual:
      if left.isNull || right.isNull { return false }
      return !same(left, right, options)
    case .lessThan: return order(left, right, options) == .less
    case .greaterThan: return order(left, right, options) == .greater
    case .lessThanOrEqual:
      return order(left, right, options).map { $0 != .greater } ?? false
    case .greaterThanOrEqual:
      return order(left, right, options).map { $0 != .less } ?? false
    }
  }

  /// Whether the comparison tests whether there is a value.
  package var asksForNull: Bool {
    guard operation == .equal || operation == .notEqual else { return false }
    return left.constant?.isNull == true || right.constant?.isNull == true
  }
}

extension Operand {
  /// Returns whether a collection contains an element, or a text contains a part.
  fileprivate func includes(_ part: Operand, _ options: TextOptions) -> Bool {
    if part.isNull { return false }
    switch self {
    case .list(let items): return items.contains { !$0.isNull && same($0, part, options) }
    case .value:
      guard let text, let part = part.text else { return false }
      return (try? TextPattern(part, .contains, options).holds(text)) ?? false
    }
  }
}

/// Returns whether two operands are equal. The caller must check for nulls.
func same(_ left: Operand, _ right: Operand, _ options: TextOptions) -> Bool {
  switch (left, right) {
  case (.value(let left), .value(let right)):
    switch (left, right) {
    case (.binary(let left), .binary(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, .null): true
    default: order(left, right, options) == .same
    }
  case (.list(let left), .list(let right)):
    left.count == right.count && zip(left, right).allSatisfy { same($0, $1, options) }
  default: false
  }
}

/// Returns the order of two operands, or `nil` if they can't be compared.
func order(_ left: Operand, _ right: Operand, _ options: TextOptions) -> Order? {
  guard case .value(let left) = left, case .value(let right) = right else { return nil }
  return order(left, right, options)
}

/// Returns the order of two values, or `nil` if they can't be compared.
func order(_ left: Value, _ right: Value, _ options: TextOptions) -> Order? {
  if let one = Number(left), let other = Number(right) { return Number.order(one, other) }
  switch (left, right) {
  case (.string(let left), .string(let right)), (.string(let left), .uri(let right)),
    (.uri(let left), .string(let right)), (.uri(let left), .uri(let right)):
    return orderOfTexts(left, right, options)
  case (.date(let left), .date(let right)):
    let (left, right) = (
      left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate
    )
    return left.isNaN || right.isNaN ? nil : Order(left, right)
  case (.uuid(let left), .uuid(let right)): return left.order(right)
  case (.binary(let left), .binary(let right)):
    return left == right ? .same : left.lexicographicallyPrecedes(right) ? .less : .greater
  default: return nil
  }
}

extension UUID {
  /// Returns the order of two UUIDs, byte by byte.
  func order(_ other: UUID) -> Order {
    let (left, right) = (halves, other.halves)
    return left.0 == right.0 ? Order(left.1, right.1) : Order(left.0, right.0)
  }

  private var halves: (UInt64, UInt64) {
    let b = uuid
    func join(_ bytes: UInt8...) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return (
      join(b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7),
      join(b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15)
    )
  }
}
