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
    predicate.mapComparisons { comparison in
      .comparison(
        comparison.mapOperands(comparedWithAttributesOf: entity, in: model) { operand, attribute in
          guard case .constant(.string(let text)) = operand,
            attribute.type == .date || attribute.type == .uuid,
            let value = ValueText.exchange.value(text, of: attribute.type)
          else { return operand }
          return .constant(value)
        })
    }
  }
}
