import ObjectModel
package import Rows

extension ComparedStore {
  /// Returns the changes of all rows from this side to another side with the same model, in the schema of this side; `nil` if the sides
  /// number their entities in different ways.
  ///
  /// Objects are the same by their identifiers, and links by their ends. The sides need not have their columns in the same places, as two
  /// stores that came to one model by different versions. Derived values are left out. Reads all rows.
  ///
  /// - Parameter firstLink: Returns the first of some numbers that no link of a table has, for new links.
  package func rowChanges(
    to other: ComparedStore, firstLink: (_ table: UInt16, _ count: Int) throws -> UInt64
  ) throws -> Layer? {
    let builder = LayerBuilder(schema)
    let others = PatchEntity.all(other)
    for entity in PatchEntity.all(self) {
      guard
        let next = others.first(where: { ($0.name, $0.isLinks) == (entity.name, entity.isLinks) }),
        entity.isLinks || next.layout.entityNumber == entity.layout.entityNumber
      else { return nil }
      let columns = entity.properties.compactMap { property in
        next.properties.first { $0.name == property.name }.map {
          (property.column, next.layout.columns[$0.column])
        }
      }
      let (before, after) = (try rows(of: entity), try other.rows(of: next))
      for (name, row) in before where after[name] == nil {
        builder.remove(row.key, basis: try row.row.version)
      }
      let added = after.filter { before[$0.key] == nil }.sorted { $0.value.key < $1.value.key }
      var number = 0 as UInt64
      if entity.isLinks, !added.isEmpty {
        number = try firstLink(entity.layout.entityNumber, added.count)
      }
      for (_, row) in added {
        let key =
          entity.isLinks
          ? ObjectKey(entity: entity.layout.entityNumber, number: number) : row.key
        number += 1
        builder.insert(key)
        for (column, source) in columns {
          builder.set(try row.row.value(source), column: column, of: key)
        }
      }
      for (name, row) in after {
        guard let known = before[name] else { continue }
        for (column, source) in columns where !entity.isLinks || column > 1 {
          let (old, new) = (
            try known.row.value(entity.layout.columns[column]), try row.row.value(source)
          )
          if !new.isIdentical(to: old) {
            builder.set(new, column: column, of: known.key, basis: try known.row.version)
          }
        }
      }
    }
    return builder.freeze()
  }

  /// Returns the rows of an entity by their keys, or the rows of links by their ends.
  private func rows(
    of entity: PatchEntity
  ) throws -> [[ObjectKey]: (key: ObjectKey, row: ViewRow)] {
    var rows: [[ObjectKey]: (ObjectKey, ViewRow)] = [:]
    for number in try view.keys(ofEntity: entity.layout.entityNumber) {
      let key = ObjectKey(entity: entity.layout.entityNumber, number: number)
      guard let row = try view.row(of: key) else { continue }
      guard entity.isLinks else {
        rows[[key]] = (key, row)
        continue
      }
      let ends = try entity.layout.columns.prefix(2).compactMap { column in
        if case .object(let end) = try row.value(column) { end } else { nil }
      }
      rows[entity.isSymmetric ? ends.sorted() : ends] = (key, row)
    }
    return rows
  }
}
