/// The treatment of parts without a value.
enum MissingValues {
  /// A constant part without a value is an error.
  case refused
  /// A constant part without a value is bound, and every comparison with it is false. Expressions of mappings need
  /// this, because the values of an object in them may be missing.
  case allowed
  /// As `refused`, but a variable without a value is accepted and may have any value. Nothing is evaluated.
  case openVariables
}

extension Binder {
  /// Throws the error for a constant part without a value, except the constant NULL.
  func refuseMissingValue(of bound: BoundExpression) throws(QueryError) {
    guard refusesMissingValues else { return }
    let reason = bound.missingValueReason.map { ": " + $0 } ?? ""
    throw QueryError(
      .missingValue,
      "This constant part has no value\(reason). To find objects without a value, compare with NULL."
    )
  }
}

extension QueryExpression {
  /// Whether the expression is a constant, such as NULL, or a variable, whose value may be NULL.
  var isNullOrVariable: Bool {
    switch self {
    case .constant, .variable: true
    default: false
    }
  }
}

extension BoundExpression {
  /// The reason why the value of a constant part is missing; `nil` if the part itself shows the reason.
  fileprivate var missingValueReason: String? {
    switch self {
    case .function(let function, let arguments):
      if arguments.contains(where: { $0.constant?.isNull == true }) {
        return "it computes with NULL"
      }
      return function.traits.missingReason
    case .cast(let value, let type):
      guard value.constant?.isNull == false else { return "it casts NULL" }
      return "the value can't be cast to \(type.rawValue)"
    case .element(let collection, let index):
      let count = collection.constant?.items.count ?? 0
      guard case .at(let place) = index, let number = place.constant?.number?.integer, count > 0
      else { return count == 0 ? "the collection is empty" : nil }
      return "the collection has \(count) elements, counted from 0, but no element \(number)"
    case .path: return "the collection has no values"
    case .call(_, let method, _): return "\"\(method.rawValue)\" returns no value here"
    default: return nil
    }
  }
}
