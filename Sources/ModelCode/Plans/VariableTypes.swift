import ObjectModel
import ObjectQuery

/// The types of a predicate's variables. A variable has the type of the property that it is compared with.
///
/// A variable that is compared with several types, or with an expression of unknown type, may have any type.
struct VariableTypes {
  private(set) var types: [String: VariableType] = [:]
  private let model: Model
  private let entity: String

  init(of predicate: QueryPredicate, asked entity: String, _ model: Model) {
    self.model = model
    self.entity = entity
    walk(predicate)
    // If a variable also occurs within a larger expression, the type of that side does not determine the variable's
    // type.
    for name in predicate.variables where occurrences[name] != comparisons[name] {
      types[name] = .any
    }
  }

  /// The number of comparisons with the variable alone on one side, by variable.
  private var comparisons: [String: Int] = [:]
  /// The number of all occurrences, by variable.
  private var occurrences: [String: Int] = [:]

  private mutating func walk(_ predicate: QueryPredicate) {
    switch predicate {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { walk(part) }
    case .not(let part): walk(part)
    case .comparison(let comparison):
      for side in [comparison.left, comparison.right] {
        for name in side.variables { occurrences[name, default: 0] += 1 }
      }
      compare(comparison)
    }
  }

  private mutating func compare(_ comparison: QueryPredicate.Comparison) {
    if case .variable(let name) = comparison.right {
      record(name, type(against: comparison.left, comparison.operation))
    } else if case .variable(let name) = comparison.left {
      record(name, type(of: comparison.right, swapped: comparison.operation))
    }
  }

  private mutating func record(_ name: String, _ type: VariableType) {
    comparisons[name, default: 0] += 1
    types[name] = types[name].map { Self.common($0, type) } ?? type
  }

  /// Returns the type for a variable that is compared with both. If one type is optional and the other is not, the
  /// result is not optional.
  private static func common(_ one: VariableType, _ other: VariableType) -> VariableType {
    if one == other { return one }
    if case .value(let type, _) = one, case .value(type, _) = other {
      return .value(type, isOptional: false)
    }
    return .any
  }

  /// Returns the type of the variable on the right of an operator.
  private func type(
    against left: QueryExpression, _ operation: QueryPredicate.Operator
  ) -> VariableType {
    let isEquality = operation == .equal || operation == .notEqual
    switch (end(of: left), operation) {
    case (.attribute(let type, let isOptional), .equal),
      (.attribute(let type, let isOptional), .notEqual):
      return .value(type, isOptional: isOptional)
    case (.attribute(let type, _), .between): return .range(type)
    case (.attribute(let type, _), .in): return .values(type)
    case (.attribute(let type, _), .lessThan), (.attribute(let type, _), .lessThanOrEqual),
      (.attribute(let type, _), .greaterThan), (.attribute(let type, _), .greaterThanOrEqual):
      return .value(type, isOptional: false)
    case (.attribute(.string, _), _): return .value(.string, isOptional: false)
    case (.object(let entity), _) where isEquality: return .object(entity)
    case (.object(let entity), .contains): return .object(entity)
    case (.object(let entity), .in): return .objects(entity)
    case (.number, .lessThan), (.number, .lessThanOrEqual), (.number, .greaterThan),
      (.number, .greaterThanOrEqual), (.number, .equal), (.number, .notEqual):
      return .number
    default: return .any
    }
  }

  /// Returns the type of the variable on the left of an operator.
  private func type(
    of right: QueryExpression, swapped operation: QueryPredicate.Operator
  ) -> VariableType {
    switch operation {
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return type(against: right, operation)
    case .in:
      switch end(of: right) {
      case .object(let entity): return .object(entity)
      case .attribute(.string, _): return .value(.string, isOptional: false)
      default: return .any
      }
    default: return .any
    }
  }

  /// The end of a key path.
  private enum End {
    case attribute(AttributeType, isOptional: Bool)
    case object(String)
    case number
    case unknown
  }

  private func end(of expression: QueryExpression) -> End {
    switch expression {
    case .evaluatedObject: return .object(entity)
    case .keyPath(of: .evaluatedObject, let path): return end(of: path)
    case .keyPath(of: _, let path) where path.last == "@count": return .number
    case .function(.count, _), .function(.length, _): return .number
    default: return .unknown
    }
  }

  private func end(of path: [String]) -> End {
    if path.last == "@count" { return .number }
    var end = End.object(entity)
    var parts: CompositeType?
    for (index, name) in path.enumerated() {
      let attribute: Attribute
      if let composite = parts {
        guard let part = composite.attributes.first(where: { $0.name == name }) else {
          return .unknown
        }
        attribute = part
      } else {
        guard case .object(let owner) = end, let property = model.property(name, of: owner) else {
          return .unknown
        }
        switch property {
        case .relationship(let relationship):
          end = .object(relationship.destination)
          continue
        case .fetched(let fetched):
          end = .object(fetched.request.entity)
          continue
        case .attribute(let found): attribute = found
        }
      }
      parts = model.composite(of: attribute)
      switch attribute.type {
      case .composite: end = .unknown
      case .transformable, .undefined, .objectID: return .unknown
      default: end = .attribute(attribute.type, isOptional: attribute.isOptional)
      }
      if parts == nil, index < path.count - 1 { return .unknown }
    }
    return end
  }
}
