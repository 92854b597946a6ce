import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery

/// The values in the predicate of a command line.
///
/// A person types every value as text. A value of a variable gets the type of the property that it is compared with.
/// A text that is compared with a date is a date in the words of `quire set`: `start > 'today'`, `start > '-7d'`.
struct PredicateValues {
  private let model: Model
  private let entity: String

  init(_ model: Model, of entity: String) {
    self.model = model
    self.entity = entity
  }

  /// Returns the predicate with values in place of variables, and with dates in place of the texts of dates.
  ///
  /// - Parameter values: The texts of the variables' values.
  /// - Throws: ``CommandError`` if a text is not a value of the property's type.
  func typed(
    _ predicate: QueryPredicate, _ values: [String: String] = [:]
  ) throws -> QueryPredicate {
    try predicate.mapComparisons { comparison in
      let typed = try comparison.mapOperands(comparedWithAttributesOf: entity, in: model) {
        operand, attribute in
        switch operand {
        case .variable(let name):
          guard let text = values[name] else { return operand }
          return .constant(try value(text, of: attribute))
        case .constant(.string(let text)) where attribute.type == .date:
          return .constant(try value(text, of: attribute))
        default: return operand
        }
      }
      let rest = Dictionary(uniqueKeysWithValues: values.map { ($0.key, guessed($0.value)) })
      return try QueryPredicate.comparison(typed).substituting(rest)
    }
  }

  private func value(_ text: String, of attribute: Attribute) throws -> Value {
    try Assignment("\(attribute.name)=\(text)").value(of: attribute, on: RealDisk())
  }

  /// Returns the value that a text most likely means, where no property gives it a type.
  private func guessed(_ text: String) -> any QueryArgument {
    if let number = Int64(text) { return number }
    if let number = Double(text) { return number }
    if text == "true" || text == "false" { return text == "true" }
    if let date = try? Assignment("value=\(text)").date(now: Date()) { return date }
    return text
  }
}
