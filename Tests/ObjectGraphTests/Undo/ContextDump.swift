import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// The whole content of a context: the values of each object, and the objects of its relationships.
struct ContextDump: Equatable, CustomStringConvertible {
  var lines: [String] = []

  /// - Parameter derived: Whether derived values are included.
  init(_ context: ManagedObjectContext, derived: Bool = false) throws {
    for entity in context.coordinator.model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        var parts = ["\(object.objectID)"]
        for property in context.coordinator.model.properties(of: entity.name) {
          switch property {
          case .attribute(let attribute):
            if attribute.derivation != nil, !derived { continue }
            parts.append("\(attribute.name)=\(object[attribute.name])")
          case .relationship(let relationship):
            let value = object.value(forKey: relationship.name)
            let ends = (value as? [ManagedObject]) ?? (value as? ManagedObject).map { [$0] } ?? []
            parts.append("\(relationship.name)->\(ends.map(\.objectID))")
          case .fetched: continue
          }
        }
        lines.append(parts.joined(separator: " "))
      }
    }
    lines.sort()
  }

  var description: String { lines.joined(separator: "\n") }

  /// Returns the lines that are in only one of two dumps, for messages.
  func difference(from other: ContextDump) -> String {
    let (mine, theirs) = (Set(lines), Set(other.lines))
    return mine.subtracting(theirs).sorted().map { "  + \($0)\n" }.joined()
      + theirs.subtracting(mine).sorted().map { "  - \($0)\n" }.joined()
  }
}
