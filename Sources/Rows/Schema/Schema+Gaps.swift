public import ObjectModel

extension Schema {
  /// Returns a sentence about the first part of a model that the schema lacks; `nil` if the schema lacks none.
  ///
  /// A store that reads model and schema from a file checks them so before it returns them. Later code expects an
  /// entity of the schema for each entity of the model.
  public func gap(against model: Model) -> String? {
    let wanted: Schema
    // A schema with all parts of the model does not change when it evolves to the model.
    do { wanted = try Schema(model, evolving: self, of: model) } catch { return "\(error)" }
    for layout in wanted.layouts {
      guard let found = self[layout.entity] else {
        return "The schema lacks the entity '\(layout.entity)'."
      }
      for column in layout.columns {
        guard let index = found.index(of: column.name) else {
          return "The schema lacks the property '\(layout.entity).\(column.name)'."
        }
        guard found.columns[index].kind == column.kind else {
          return "The property '\(layout.entity).\(column.name)' has the kind "
            + "\(found.columns[index].kind) instead of \(column.kind)."
        }
      }
      let numbers = relationshipNumbers[layout.entity] ?? [:]
      for name in (wanted.relationshipNumbers[layout.entity] ?? [:]).keys.sorted()
      where numbers[name] == nil {
        return "The schema lacks the relationship '\(layout.entity).\(name)'."
      }
    }
    for table in wanted.linkTables where !linkTables.contains(table) {
      return "The schema lacks the links '\(table.layout.entity)'."
    }
    return nil
  }
}
