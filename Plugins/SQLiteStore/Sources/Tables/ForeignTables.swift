import ObjectModel

/// The tables of a database that another system made, with what a program must know before it writes there (spec §10.6.3).
struct ForeignTables {
  let tables: DatabaseTables
  let model: Model
  let log: ChangeLogTables?

  /// The reasons why a write would leave the database wrong for the system that made it.
  var reasonsAgainstWriting: [String] {
    var reasons = tables.triggers.filter { !isOfDerivedAttribute($0.name, $0.table) }.map {
      "the trigger \($0.name) on \($0.table) does what only Core Data knows"
    }
    if let name = [ChangeLogTables.transactions, ChangeLogTables.changes].first(where: {
      tables.columns[$0] != nil
    }), log?.internsTexts != true {
      reasons.append(
        "its history of changes (\(name)) has a form that is not known, and would miss the new changes"
      )
    }
    return reasons
  }

  /// Returns whether a trigger keeps a derived attribute up to date. Core Data names such a trigger
  /// `Z_DA_TABLE_Entity_attribute_…`. Quire computes the attribute itself, and runs no triggers.
  private func isOfDerivedAttribute(_ name: String, _ table: String) -> Bool {
    model.entities.contains { entity in
      entity.declaredAttributes.contains { attribute in
        attribute.derivation?.form != nil
          && name.hasPrefix("Z_DA_\(table)_\(entity.name)_\(attribute.name)_")
      }
    }
  }
}
