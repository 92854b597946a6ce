package import ObjectModel
import Rows
package import SQLTranslation

extension TableMap {
  /// Calls `body` for each index: on references, on the entities of a table, on the fetch indexes and unique properties of
  /// the model, and on links.
  ///
  /// No index is unique. A context resolves uniqueness conflicts before a save, and within one save a row may take another
  /// row's value. A copy of an invalid store contains equal values, and two processes may save the same link at once.
  ///
  /// - Parameters:
  ///   - entityColumns: The columns of an index on entities.
  ///   - body: Called with the table, the columns and their directions, and the name of a fetch index or of unique
  ///     properties.
  package func forEachIndex(
    of model: Model, entityColumns: [String],
    _ body: (_ table: String, _ columns: [(name: String, isAscending: Bool?)], _ name: String?)
      -> Void
  ) {
    func add(_ table: String, _ names: [String]) { body(table, names.map { ($0, nil) }, nil) }
    for family in families {
      for column in family.columns where column.column.kind == .reference {
        add(family.table, [column.name])
      }
      if family.hasSubentities { add(family.table, entityColumns) }
    }
    for entity in model.entities {
      guard let place = entities.values.first(where: { $0.layout.entity == entity.name })
      else { continue }
      func add(_ parts: [(property: String, isAscending: Bool?)], _ name: String) {
        let columns = parts.compactMap { part in
          place.column(of: part.property).map { ($0.name, part.isAscending) }
        }
        guard columns.count == parts.count, !columns.isEmpty else { return }
        body(place.table, columns, "\(entity.name)_\(name)")
      }
      for index in entity.fetchIndexes where index.isPlain {
        add(index.elements.map { ($0.property, $0.isAscending) }, index.name)
      }
      for names in entity.uniquenessConstraints {
        add(names.map { ($0, nil) }, "UNIQUE_\(names.joined(separator: "_"))")
      }
    }
    for link in sortedLinks where link.isColumn {
      add(link.table, [link.source])
      // Updates and removals find links by their keys.
      add(link.table, [link.key])
    }
    for link in sortedLinks where !link.isColumn {
      add(link.table, [link.source, link.target])
      add(link.table, [link.target, link.source])
    }
  }
}
