package import ObjectModel

/// The entities and properties that a request's results depend on.
package struct RequestScope: Sendable {
  /// Whether an object's own values alone determine if it is in the results, and its place.
  package private(set) var isLocal = true
  /// The names of the entities that can affect the results, including subentities; `nil` if any entity can.
  package private(set) var entities: Set<String>?

  private let model: Model

  /// Finds the dependencies of a request and of additional paths.
  package init(_ request: QueryRequest, paths: [String] = [], model: Model) {
    self.model = model
    entities = Set(model.family(of: request.entity).map(\.name))
    if let predicate = request.predicate { add(predicate, request.entity) }
    if let predicate = request.havingPredicate { add(predicate, request.entity) }
    for value in request.propertiesToFetch { add(value.expression, request.entity) }
    for key in request.sortKeys {
      if key.isRelevance(of: request.entity, in: model) {
        // The score depends on the texts of all objects, so the change of one text may move each object.
        isLocal = false
      } else {
        add(key.expression ?? .path(key.path), request.entity)
      }
    }
    // The names of fetched values add nothing to the expressions of these values.
    let names = Set(request.propertiesToFetch.map(\.name))
    for path in request.propertiesToGroupBy + paths {
      let isProperty = model.property(String(path.prefix { $0 != "." }), of: request.entity) != nil
      if isProperty || !names.contains(path) { add(.path(path), request.entity) }
    }
  }

  private mutating func add(_ predicate: QueryPredicate, _ entity: String) {
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      add(comparison.left, entity)
      add(comparison.right, entity)
    case .and(let parts), .or(let parts): for part in parts { add(part, entity) }
    case .not(let part): add(part, entity)
    }
  }

  private mutating func add(_ expression: QueryExpression, _ entity: String) {
    switch expression {
    case .constant, .object, .evaluatedObject: break
    case .keyPath(of: .evaluatedObject, let path): add(path, entity)
    case .aggregate(let parts), .function(_, let parts):
      for part in parts { add(part, entity) }
    case .call(let target, _, let arguments):
      add(target, entity)
      for argument in arguments { add(argument, entity) }
    case .conditional(let condition, let one, let other):
      add(condition, entity)
      add(one, entity)
      add(other, entity)
    case .cast(let part, _): add(part, entity)
    case .variable, .keyPath, .element, .set, .subquery, .fetch: addAnything()
    }
  }

  private mutating func addAnything() {
    isLocal = false
    entities = nil
  }

  private mutating func add(_ path: [String], _ start: String) {
    var entity = start
    for (index, name) in path.enumerated() {
      if name.hasPrefix("@") {
        isLocal = false
        continue
      }
      switch model.property(name, of: entity) {
      case .attribute: return
      case .relationship(let relationship):
        entity = relationship.destination
        if !relationship.isToMany, index == path.count - 1 { return }
        isLocal = false
        entities?.formUnion(model.family(of: entity).map(\.name))
      // A fetched property, or a name that is not a property of the entity, may refer to any object.
      case .fetched, nil: return addAnything()
      }
    }
  }
}
