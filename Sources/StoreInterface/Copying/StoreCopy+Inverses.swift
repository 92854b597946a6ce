import ObjectModel
import Rows

extension StoreCopy {
  /// Adds missing references to one-to-one relationships. In some databases of applications, an object refers to a second
  /// object, but the inverse of the second object is empty. In the copy both sides must agree.
  ///
  /// If several objects refer to one object, its inverse stays empty, because nothing in the source decides which of
  /// them it should refer to.
  ///
  /// - Returns: The number of added references.
  func fillInverses(_ origins: inout [RowOrigin]) throws -> Int {
    let model = try source.model
    var count = 0
    for index in origins.indices where !origins[index].isLinks {
      let layout = origins[index].source
      for column in origins[index].columns where column.source.kind == .reference {
        guard
          case .relationship(let relationship)? = model.property(
            column.source.name, of: layout.entity),
          let inverse = model.inverse(of: relationship), !inverse.isToMany
        else { continue }
        var missing = try owners(of: inverse, of: relationship.destination, to: layout, in: model)
        guard !missing.isEmpty else { continue }
        var values: [UInt64: ObjectKey?] = [:]
        try forEachReference(column.source, of: layout) { number, reference in
          guard let owner = missing.removeValue(forKey: number) else { return }
          if reference == nil, let owner { values[number] = owner }
        }
        guard !values.isEmpty else { continue }
        origins[index].references.append((column.target, values))
        count += values.count
      }
    }
    return count
  }

  /// Returns the objects that refer to the rows of a layout by a relationship; `nil` for a row to which several refer.
  private func owners(
    of relationship: Relationship, of entity: String, to layout: Layout, in model: Model
  ) throws -> [UInt64: ObjectKey?] {
    var owners: [UInt64: ObjectKey?] = [:]
    for member in model.family(of: entity) {
      guard let other = source.schema[member.name], let index = other.index(of: relationship.name)
      else { continue }
      try forEachReference(other.columns[index], of: other) { number, reference in
        guard let reference, reference.entity == layout.entityNumber else { return }
        let owner = ObjectKey(entity: other.entityNumber, number: number)
        owners[reference.number] = owners[reference.number] == nil ? owner : .some(nil)
      }
    }
    return owners
  }

  private func forEachReference(
    _ column: LayoutColumn, of layout: Layout, _ body: (UInt64, ObjectKey?) -> Void
  ) throws {
    for batch in try source.view.batches(of: layout) {
      let keys = try batch.block.keys
      let found = try batch.block.column(column)
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        body(UInt64(bitPattern: keys.integer(at: row)), found?.reference(at: row))
      }
    }
  }
}
