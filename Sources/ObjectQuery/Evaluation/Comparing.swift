import Foundation
import ObjectModel

// What comparisons mean. Two rules hold for all of them:
// - A comparison with the constant null asks whether there is a value; any other comparison with a
//   null on either side is false, `!=` included, as it is in Core Data's stores.
// - What can't be compared is not equal and has no order.

extension BoundComparison {
  /// Returns whether two values compare so.
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
    case .beginsWith, .endsWith, .like, .matches:
      guard let left = left.text, let right = right.text else { return false }
      // A pattern that is different for each object; one that is none matches nothing.
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

  /// Whether the comparison asks whether there is a value.
  package var asksForNull: Bool {
    guard operation == .equal || operation == .notEqual else { return false }
    return left.constant?.isNull == true || right.constant?.isNull == true
  }
}

extension Operand {
  /// Whether a collection has an element, or a text has a part.
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

/// Whether two operands are equal. Nulls are the caller's to look for.
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

/// How two operands are ordered; `nil` when they have no order.
func order(_ left: Operand, _ right: Operand, _ options: TextOptions) -> Order? {
  guard case .value(let left) = left, case .value(let right) = right else { return nil }
  return order(left, right, options)
}

/// How two values are ordered; `nil` when they have no order.
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
  /// How two UUIDs are ordered, byte by byte.
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
