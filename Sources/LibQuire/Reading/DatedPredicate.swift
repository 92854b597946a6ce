import Foundation
import ObjectModel
import ObjectQuery

/// A predicate in which a text that is compared with a date or a UUID is one: `start > "2026-05-01"`.
struct DatedPredicate {
  private let model: Model
  private let entity: String

  init(_ model: Model, of entity: String) {
    self.model = model
    self.entity = entity
  }

  /// Returns the predicate with values in place of texts.
  func typed(_ predicate: QueryPredicate) -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(parts.map { typed($0) })
    case .or(let parts): return .or(parts.map { typed($0) })
    case .not(let part): return .not(typed(part))
    case .comparison(var comparison):
      let (left, right) = (comparison.left, comparison.right)
      comparison.left = typed(left, comparedWith: right)
      comparison.right = typed(right, comparedWith: left)
      return .comparison(comparison)
    }
  }

  private func typed(
    _ expression: QueryExpression, comparedWith other: QueryExpression
  ) -> QueryExpression {
    guard let type = type(at: other) else { return expression }
    switch expression {
    case .constant(.string(let text)):
      guard let value = ValueText.exchange.value(text, of: type) else { return expression }
      return .constant(value)
    case .aggregate(let parts):
      return .aggregate(parts.map { typed($0, comparedWith: other) })
    default: return expression
    }
  }

  /// Returns the type of the dates or UUIDs at the end of a path; `nil` for everything else.
  private func type(at expression: QueryExpression) -> AttributeType? {
    guard case .keyPath(of: .evaluatedObject, let path) = expression else { return nil }
    var entity = entity
    for (index, name) in path.enumerated() {
      switch model.property(name, of: entity) {
      case .relationship(let relationship): entity = relationship.destination
      case .attribute(let attribute):
        let type = model.part(at: path[(index + 1)...], of: attribute)?.type
        return type == .date || type == .uuid ? type : nil
      default: return nil
      }
    }
    return nil
  }
}
