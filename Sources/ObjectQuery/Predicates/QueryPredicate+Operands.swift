package import ObjectModel

extension QueryPredicate {
  /// Returns the predicate with a predicate in place of each comparison.
  package func mapComparisons(
    _ body: (Comparison) throws -> QueryPredicate
  ) rethrows -> QueryPredicate {
    switch self {
    case .constant: self
    case .and(let parts): .and(try parts.map { try $0.mapComparisons(body) })
    case .or(let parts): .or(try parts.map { try $0.mapComparisons(body) })
    case .not(let part): .not(try part.mapComparisons(body))
    case .comparison(let comparison): try body(comparison)
    }
  }
}

extension QueryPredicate.Comparison {
  /// Returns the comparison with a new operand for each operand that is compared with an attribute. Each element of a
  /// list counts as an operand.
  ///
  /// - Parameters:
  ///   - entity: The entity of the objects.
  ///   - body: Returns the new operand.
  package func mapOperands(
    comparedWithAttributesOf entity: String, in model: Model,
    _ body: (_ operand: QueryExpression, _ attribute: Attribute) throws -> QueryExpression
  ) rethrows -> QueryPredicate.Comparison {
    func mapped(_ operand: QueryExpression, _ attribute: Attribute?) throws -> QueryExpression {
      guard let attribute else { return operand }
      guard case .aggregate(let parts) = operand else { return try body(operand, attribute) }
      return .aggregate(try parts.map { try mapped($0, attribute) })
    }
    var comparison = self
    comparison.left = try mapped(left, model.attribute(at: right, of: entity))
    comparison.right = try mapped(right, model.attribute(at: left, of: entity))
    return comparison
  }
}

extension Model {
  /// Returns the attribute at the end of a path; `nil` if the expression is not a path to an attribute.
  fileprivate func attribute(at expression: QueryExpression, of entity: String) -> Attribute? {
    guard case .keyPath(of: .evaluatedObject, let path) = expression else { return nil }
    return attribute(at: path, of: entity)
  }
}
