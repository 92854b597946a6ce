extension QueryPredicate {
  /// The names of the variables that need values, without those that subqueries bring themselves.
  public var variables: Set<String> {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.free
  }

  /// A name that no variable in the predicate has.
  var freeVariable: String {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return (0...).lazy.map { $0 == 0 ? "x" : "x\($0)" }.first { !walker.names.contains($0) }!
  }

  /// The predicate, asked of another object than the one it is asked of.
  func rooted(at root: QueryExpression) -> QueryPredicate {
    var walker = VariableWalker(root: root)
    return walker.walk(self)
  }

  /// The predicate with values in the place of a variable, and of the paths from it.
  ///
  /// - Parameter value: What is at the end of a path; an empty one is the variable's own value.
  /// - Throws: What `value` throws.
  package func replacing(
    _ variable: String, by value: ([String]) throws -> QueryExpression
  ) throws -> QueryPredicate {
    // The paths are found first, so that what each has is asked for once, and not in the middle of a walk.
    var walker = VariableWalker()
    walker.replaced = variable
    _ = walker.walk(self)
    for path in walker.paths { walker.pathValues[path] = try value(path) }
    return walker.walk(self)
  }

  /// The predicate with values in the place of variables.
  ///
  ///     let named = try template.substituting(["NAME": "Ada"])
  ///
  /// - Throws: ``QueryError`` when a variable has no value among those given.
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
  /// The names of the variables that need values, without those that subqueries bring themselves.
  public var variables: Set<String> {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.free
  }

  /// The expression with values in the place of variables.
  ///
  /// - Throws: ``QueryError`` when a variable has no value among those given.
  public func substituting(
    _ values: [String: (any QueryArgument)?]
  ) throws(QueryError) -> QueryExpression {
    var walker = VariableWalker(values.mapValues { $0?.queryExpression ?? .null })
    let result = walker.walk(self)
    try walker.refuseMissing()
    return result
  }

  /// The expression with values in the place of a variable, and of the paths from it.
  ///
  /// - Parameter value: What is at the end of a path; an empty one is the variable's own value.
  /// - Throws: What `value` throws.
  package func replacing(
    _ variable: String, by value: ([String]) throws -> QueryExpression
  ) throws -> QueryExpression {
    // A predicate that holds the expression is walked like any other.
    let predicate = QueryPredicate.comparison(.init(self, .equal, .null))
    guard
      case .comparison(let comparison) = try predicate.replacing(variable, by: value)
    else { return self }
    return comparison.left
  }

  /// How many levels of expressions and predicates lie in one another.
  var depth: Int {
    var walker = VariableWalker()
    _ = walker.walk(self)
    return walker.greatestDepth
  }
}

/// Walks a tree, puts values in the place of variables, and notes those that have none.
private struct VariableWalker {
  private let values: [String: QueryExpression]
  /// What stands in the place of the object that is asked.
  private var root: QueryExpression?
  /// A variable whose paths are noted, and then replaced as a whole.
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
      // In there, objects of the other entity are asked.
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
