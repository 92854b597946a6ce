import ObjectModel
import ObjectQuery
import Rows

/// Resolves many objects at once, before the program uses them.
struct Prefetcher {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Reads the values and the related objects that a request prefetches for the objects it finds.
  func read(_ objects: [ManagedObject], for request: QueryRequest) throws {
    if !request.returnsObjectsAsFaults { for object in objects { workspace.realize(object) } }
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
    }
  }

  /// Resolves the objects along some paths, all objects of a step together.
  private func prefetch(_ paths: [String], of objects: [ManagedObject]) throws {
    for path in paths {
      var current = objects
      for name in path.split(separator: ".").map(String.init) {
        var next: [ManagedObject] = []
        var seen: Set<ManagedObject> = []
        // Prefetching reads rows and asks for no value, so every object stays a fault until the program reads it.
        for object in current where workspace.exists(object) {
          switch object.source.entity.graph[name]?.place {
          case .toOne(let toOne):
            if let key = object.reference(column: toOne.column),
              let state = workspace.state(of: object),
              let other = workspace.object(at: key, in: state), seen.insert(other).inserted
            {
              next.append(other)
            }
          case .toMany(let toMany):
            for other in RelationshipReader(workspace).objects(of: object, toMany)
            where seen.insert(other).inserted {
              next.append(other)
            }
          default: break
          }
        }
        try locate(next)
        current = next
      }
    }
  }

  /// Resolves the unresolved objects, block by block.
  func locate(_ objects: [ManagedObject]) throws {
    var open: [ObjectIdentifier: (entity: EntityState, objects: [ManagedObject])] = [:]
    for object in objects where object.source.isUnresolved {
      let entity = object.source.entity
      open[ObjectIdentifier(entity), default: (entity, [])].objects.append(object)
    }
    for (entity, objects) in open.values {
      guard let state = workspace.drafts.state(of: entity.store) else { continue }
      let found = try View(state.tables).rows(
        of: objects.map(\.key.number), entity.graph.layout)
      for place in found.rows {
        workspace.recordFound(objects[place.key])
        objects[place.key].point(
          to: entity.source(of: found.blocks[place.block]), row: place.row)
      }
    }
  }
}
