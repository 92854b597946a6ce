import ObjectModel
import ObjectQuery
import Rows

/// Evaluates the fetched properties of objects.
struct FetchedPropertyReader {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the objects that a fetched property of an object finds, in any store.
  func objects(of property: FetchedProperty, for object: ManagedObject) throws -> [ManagedObject] {
    var request = try QueryRequest(property.request)
    request.predicate = try request.predicate?.replacing("FETCH_SOURCE") { path in
      try value(of: object, at: path)
    }
    return try ObjectFetcher(workspace).fetch(request, as: ManagedObject.self)
  }

  /// Returns the value at the end of a path from an object. The object may be in another store than the found objects.
  private func value(of object: ManagedObject, at path: [String]) throws -> QueryExpression {
    if path.contains(where: { $0.hasPrefix("@") }) {
      var request = QueryRequest(
        object.entity.name,
        where: .comparison(.init(.evaluatedObject, .equal, .object(object.objectID))))
      request.propertiesToFetch = [FetchedValue("value", .keyPath(of: .evaluatedObject, path))]
      request.affectedStores = [object.source.entity.store.uuid]
      return .constant(try ObjectFetcher(workspace).fetchTable(request).rows.first?.first ?? .null)
    }
    var objects = [object]
    var isMany = false
    for (index, name) in path.enumerated() {
      let last = path[index...].joined(separator: ".")
      let graph = objects.first?.source.entity.graph
      if graph?[last]?.isAttribute ?? false {
        let values = objects.map { QueryExpression.constant($0[last]) }
        return isMany ? .aggregate(values) : values[0]
      }
      var next: [ManagedObject] = []
      for one in objects {
        workspace.realize(one)
        switch one.source.entity.graph[name]?.place {
        case .toOne: if let other = one.value(forKey: name) as? ManagedObject { next.append(other) }
        case .toMany(let toMany):
          isMany = true
          next += RelationshipReader(workspace).objects(of: one, toMany)
        default: throw ContextError.unknownProperty(last, of: one.source.entity.graph)
        }
      }
      objects = next
    }
    let found = objects.map { QueryExpression.object($0.objectID) }
    return isMany ? .aggregate(found) : found.first ?? .constant(.null)
  }
}
