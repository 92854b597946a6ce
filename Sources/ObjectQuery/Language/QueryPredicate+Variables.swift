import ObjectModel

extension QueryPredicate {
  /// The names of the variables that need values, without the variables that subqueries define.
  public var variables: Set<String> {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.free
  }

  /// A name that no variable in the predicate uses.
  var freeVariable: String {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return (0...).lazy.map { $0 == 0 ? "x" : "x\($0)" }.first { !walker.names.contains($0) }!
  }

  /// Returns the predicate with another object in place of the evaluated object.
  func rooted(at root: QueryExpression) -> QueryPredicate {
    var walker = VariableWalker(root: root)
    return walker.walk(self)
  }

  /// Returns the predicate with values in place of a variable and of the paths that begin at the variable.
  ///
  /// - Parameter value: Returns the value at the end of a path. An empty path means the variable's own value.
  /// - Throws: The errors of `value`.
  package func replacing(
    _ variable: String, by value: ([String]) throws -> QueryExpression
  ) throws -> QueryPredicate {
    // All paths are collected first, so that `value` is called once for each path, and not during a walk.
    var walker = VariableWalker()
    walker.replaced = variable
    _ = walker.walk(self)
    for path in walker.paths { walker.pathValues[path] = try value(path) }
    return walker.walk(self)
  }

  /// Returns the predicate with values in place of variables.
  ///
  ///     let named = try template.substituting(["NAME": "Ada"])
  ///
  /// - Throws: ``QueryError`` if `values` lacks a variable.
  public func substituting(
    _ values: [String: (any QueryArgument)?]
  ) throws(QueryError) -> QueryPredicate {
    var walker = VariableWalker(values.mapValues { $0?.queryExpression ?? .null })
    let result = walker.walk(self)
    try walker.refuseMissing()
    return result
  }
}

extension QueryExpression {
  /// The names of the variables that need values, without the variables that subqueries define.
  public var variables: Set<String> {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.free
  }

  /// Returns the expression with values in place of variables.
  ///
  /// - Throws: ``QueryError`` if `values` lacks a variable.
  public func substituting(
    _ values: [String: (any QueryArgument)?]
  ) throws(QueryError) -> QueryExpression {
    var walker = VariableWalker(values.mapValues { $0?.queryExpression ?? .null })
    let result = walker.walk(self)
    try walker.refuseMissing()
    return result
  }

  /// Returns the expression with values in place of a variable and of the paths that begin at the variable.
  ///
  /// - Parameter value: Returns the value at the end of a path. An empty path means the variable's own value.
  /// - Throws: The errors of `value`.
  package func replacing(
    _ variable: String, by value: ([String]) throws -> QueryExpression
  ) throws -> QueryExpression {
    // The expression is put into a predicate, so that the same walk can be used.
    let predicate = QueryPredicate.comparison(.init(self, .equal, .null))
    guard
      case .comparison(let comparison) = try predicate.replacing(variable, by: value)
    else { return self }
    return comparison.left
  }

  /// The number of nesting levels of expressions and predicates.
  var depth: Int {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.greatestDepth
  }
}

extension QueryPredicate {
  /// Returns the predicate with the name of a time zone in each function of dates that lacks one.
  package func inTimeZone(_ zone: String) -> QueryPredicate {
    var walker = VariableWalker()
    walker.change = { $0.namingZone(zone) }
    return walker.walk(self)
  }
}

extension QueryExpression {
  /// Returns the expression with the name of a time zone in each function of dates that lacks one.
  package func inTimeZone(_ zone: String) -> QueryExpression {
    var walker = VariableWalker()
    walker.change = { $0.namingZone(zone) }
    return walker.walk(self)
  }

  /// Returns the expression with decimal numbers in place of floating-point constants, so that `price * 1.1` is exact for a
  /// decimal price.
  package var withDecimalConstants: QueryExpression {
    var walker = VariableWalker()
    walker.change = { part in
      guard case .constant(.double(let number)) = part, number.isFinite,
        let decimal = Operand.value(.double(number)).cast(to: .decimal, store: nil)?.single
      else { return part }
      return .constant(decimal)
    }
    return walker.walk(self)
  }

  /// Returns the function with a time zone, if it is a function of dates without one.
  fileprivate func namingZone(_ zone: String) -> QueryExpression {
    guard case .function(let function, let arguments) = self,
      let place = function.traits.zonePlace, arguments.count == place
    else { return self }
    return .function(function, arguments + [.constant(.string(zone))])
  }
}

/// Walks a tree, substitutes the values of variables, and records the variables without a value.
private struct VariableWalker {
  private let values: [String: QueryExpression]
  /// The expression that replaces the evaluated object; `nil` if the object stays.
  private var root: QueryExpression?
  /// Changes each part after the parts below it.
  fileprivate var change: ((QueryExpression) -> QueryExpression)?
  /// A variable whose paths are recorded in a first walk and replaced in a second.
  fileprivate var replaced: String?
  fileprivate private(set) var paths: Set<[String]> = []
  fileprivate var pathValues: [[String]: QueryExpression] = [:]
  private(set) var free: Set<String> = []
  /// The names of all variables.
  private(set) var names: Set<String> = []
  private var bound: [String] = []
  private var depth = 0
  private(set) var greatestDepth = 0

  init(_ values: [String: QueryExpression] = [:], root: QueryExpression? = nil) {
    self.values = values
    self.root = root
  }

  func refuseMissing() throws(QueryError) {
    guard let name = free.min() else { return }
    throw QueryError(.missingVariable, "The variable \"$\(name)\" has no value.")
  }

  mutating func walk(_ predicate: QueryPredicate) -> QueryPredicate {
    depth += 1
    greatestDepth = max(greatestDepth, depth)
    defer { depth -= 1 }
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(parts.map { walk($0) })
    case .or(let parts): return .or(parts.map { walk($0) })
    case .not(let part): return .not(walk(part))
    case .comparison(var comparison):
      comparison.left = walk(comparison.left)
      comparison.right = walk(comparison.right)
      return .comparison(comparison)
    }
  }

  mutating func walk(_ expression: QueryExpression) -> QueryExpression {
    let walked = walkOnce(expression)
    return change.map { $0(walked) } ?? walked
  }

  private mutating func walkOnce(_ expression: QueryExpression) -> QueryExpression {
    depth += 1
    greatestDepth = max(greatestDepth, depth)
    defer { depth -= 1 }
    switch expression {
    case .constant, .object: return expression
    case .evaluatedObject: return root ?? expression
    case .variable(let name):
      names.insert(name)
      if bound.contains(name) { return expression }
      if name == replaced {
        paths.insert([])
        return pathValues[[]] ?? expression
      }
      if let value = values[name] { return value }
      free.insert(name)
      return expression
    case .aggregate(let parts): return .aggregate(parts.map { walk($0) })
    case .keyPath(of: .variable(let name), let path)
    where name == replaced && !bound.contains(name):
      paths.insert(path)
      return pathValues[path] ?? expression
    case .keyPath(of: let base, let path): return .keyPath(of: walk(base), path)
    case .function(let function, let arguments):
      return .function(function, arguments.map { walk($0) })
    case .call(let target, let name, let arguments):
      return .call(walk(target), name, arguments.map { walk($0) })
    case .element(of: let collection, .at(let place)):
      return .element(of: walk(collection), .at(walk(place)))
    case .element(of: let collection, let index): return .element(of: walk(collection), index)
    case .set(let operation, let left, let right):
      return .set(operation, walk(left), walk(right))
    case .subquery(let collection, variable: let name, let predicate):
      let collection = walk(collection)
      names.insert(name)
      bound.append(name)
      defer { bound.removeLast() }
      return .subquery(collection, variable: name, walk(predicate))
    case .conditional(let predicate, let then, let otherwise):
      return .conditional(walk(predicate), walk(then), walk(otherwise))
    case .cast(let value, let type): return .cast(walk(value), type)
    case .fetch(let entity, let predicate, let countOnly):
      // Inside a fetch, the evaluated object is one of the fetched entity.
      let outside = root
      root = nil
      defer { root = outside }
      return .fetch(entity: entity, walk(predicate), countOnly: countOnly)
    }
  }
}

extension QueryExpression {
  /// Returns the number of objects of a relationship that meet a predicate.
  package func count(where predicate: QueryPredicate) -> QueryExpression {
    let name = predicate.freeVariable
    return .keyPath(
      of: .subquery(self, variable: name, predicate.rooted(at: .variable(name))), ["@count"])
  }
}
