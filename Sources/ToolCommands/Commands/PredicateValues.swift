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
  /// - Throws: ``CommandError`` if a text is no value of the property's type.
  func typed(
    _ predicate: QueryPredicate, _ values: [String: String] = [:]
  ) throws -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(try parts.map { try typed($0, values) })
    case .or(let parts): return .or(try parts.map { try typed($0, values) })
    case .not(let part): return .not(try typed(part, values))
    case .comparison(var comparison):
      let (left, right) = (comparison.left, comparison.right)
      comparison.left = try typed(left, comparedWith: right, values)
      comparison.right = try typed(right, comparedWith: left, values)
      let rest = Dictionary(uniqueKeysWithValues: values.map { ($0.key, guessed($0.value)) })
      return try QueryPredicate.comparison(comparison).substituting(rest)
    }
  }

  private func typed(
    _ expression: QueryExpression, comparedWith other: QueryExpression, _ values: [String: String]
  ) throws -> QueryExpression {
    guard let attribute = attribute(at: other) else { return expression }
    switch expression {
    case .variable(let name):
      guard let text = values[name] else { return expression }
      return .constant(try value(text, of: attribute))
    case .constant(.string(let text)) where attribute.type == .date:
      return .constant(try value(text, of: attribute))
    case .aggregate(let parts):
      return .aggregate(try parts.map { try typed($0, comparedWith: other, values) })
    default: return expression
    }
  }

  private func value(_ text: String, of attribute: Attribute) throws -> Value {
    try Assignment("\(attribute.name)=\(text)").value(of: attribute, on: RealDisk())
  }

  /// Returns the attribute at the end of a path; `nil` if the expression is no path to an attribute.
  private func attribute(at expression: QueryExpression) -> Attribute? {
    guard case .keyPath(of: .evaluatedObject, let path) = expression else { return nil }
    var entity = entity
    for (index, name) in path.enumerated() {
      switch model.property(name, of: entity) {
      case .relationship(let relationship): entity = relationship.destination
      case .attribute(let attribute): return model.part(at: path[(index + 1)...], of: attribute)
      default: return nil
      }
    }
    return nil
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
