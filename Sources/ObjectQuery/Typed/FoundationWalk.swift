import Foundation
import ObjectModel

/// A walk over the tree of one of Foundation's predicates.
///
/// The nodes of the tree are generic types without a common protocol that identifies them. So each node type with a
/// counterpart conforms to ``FoundationNode`` (FoundationWalk+Nodes.swift). The error for any other node type names
/// that type.
struct FoundationWalk {
  /// The expressions that variables stand for: the evaluated object, elements of collections, unwrapped values.
  var variables: [PredicateExpressions.VariableID: QueryExpression] = [:]
  private var elementCount = 0
  private var depth = 0

  /// The counterpart of a part of the tree.
  enum Result {
    case expression(QueryExpression)
    case predicate(QueryPredicate)
  }

  mutating func result(_ node: Any) throws(QueryError) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryLimits.depth else {
      throw QueryError(.tooLarge, "The predicate is deeper than \(QueryLimits.depth) levels.")
    }
    guard let node = node as? any FoundationNode else {
      throw QueryError(
        .notSupported,
        "#Predicate uses \(FoundationWalk.name(of: node)), which is not supported.")
    }
    return try node.result(&self)
  }

  mutating func predicate(_ node: Any) throws(QueryError) -> QueryPredicate {
    switch try result(node) {
    case .predicate(let predicate): return predicate
    case .expression(.conditional(let test, .constant(.boolean(true)), .constant(.boolean(false)))):
      return test
    case .expression(.constant(.boolean(let value))): return .constant(value)
    case .expression(let expression):
      return .comparison(.init(expression, .equal, .constant(.boolean(true))))
    }
  }

  mutating func expression(_ node: Any) throws(QueryError) -> QueryExpression {
    switch try result(node) {
    case .expression(let expression): return expression
    case .predicate(let predicate):
      return .conditional(predicate, .constant(.boolean(true)), .constant(.boolean(false)))
    }
  }

  /// Returns a new name for an element of a collection, and binds the variable to it.
  mutating func element(_ key: PredicateExpressions.VariableID) -> String {
    let name = "e\(elementCount)"
    elementCount += 1
    variables[key] = .variable(name)
    return name
  }

  /// Returns the elements of a collection that pass a test.
  mutating func subquery(
    _ collection: Any, _ key: PredicateExpressions.VariableID, _ test: Any, negated: Bool = false
  ) throws(QueryError) -> QueryExpression {
    let collection = try expression(collection)
    let name = element(key)
    let test = try predicate(test)
    return .subquery(collection, variable: name, negated ? !test : test)
  }

  // MARK: - Errors

  static func unknown(_ keyPath: AnyKeyPath, of type: Any.Type) -> QueryError {
    QueryError(
      .unknownProperty,
      "The path \(keyPath) is not in the property names of \(type).")
  }

  /// Returns the name of a node's type without its generic arguments.
  private static func name(of node: Any) -> String {
    let name = String(reflecting: type(of: node))
    return String(name.prefix { $0 != "<" }).split(separator: ".").last.map(String.init) ?? name
  }
}

/// A part of one of Foundation's predicates that has a counterpart here.
protocol FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result
}
