package import ObjectModel
package import Rows

/// The check of a schema against its model (spec §3.2.1, §4.6.3).
package struct SchemaCheck {
  let schema: Schema
  let model: Model
  let place: Place
  let findings: Findings

  package init(_ schema: Schema, _ model: Model, _ place: Place, _ findings: Findings) {
    self.schema = schema
    self.model = model
    self.place = place
    self.findings = findings
  }

  package func run() {
    // Evolving a complete schema to its own model does not change the schema.
    guard let expected = try? Schema(model, evolving: schema, of: model) else { return }
    for layout in schema.layouts where model[layout.entity] == nil {
      findings.add(
        .schemaEntities, at(layout.entity), "The schema has the entity, but the model does not.")
    }
    for layout in expected.layouts {
      guard let found = schema[layout.entity] else {
        findings.add(
          .schemaEntities, at(layout.entity), "The model has the entity, but the schema does not.")
        continue
      }
      compare(found, layout)
    }
    for (entity, numbers) in expected.relationshipNumbers {
      for (name, _) in numbers where schema.relationshipNumbers[entity]?[name] == nil {
        if schema[entity] != nil {
          findings.add(
            .schemaColumns, at(entity, name), "The schema has no number for the property.")
        }
      }
    }
    checkLinks(expected)
    checkNumbers()
  }

  private func at(_ entity: String, _ property: String? = nil) -> Place {
    var place = place
    place.entity = entity
    place.property = property
    return place
  }

  private func compare(_ found: Layout, _ expected: Layout) {
    for column in expected.columns {
      guard let index = found.index(of: column.name) else {
        findings.add(
          .schemaColumns, at(found.entity, column.name),
          "The schema has no column for the property.")
        continue
      }
      let known = found.columns[index]
      if known.kind != column.kind || known.isOptional != column.isOptional
        || known.defaultValue != column.defaultValue
      {
        findings.add(
          .schemaColumns, at(found.entity, column.name),
          "The schema has kind \(known.kind), optional \(known.isOptional), default "
            + "\(known.defaultValue.text); the model has kind \(column.kind), optional "
            + "\(column.isOptional), default \(column.defaultValue.text).")
      }
    }
    for column in found.columns where expected.index(of: column.name) == nil {
      findings.add(
        .schemaColumns, at(found.entity, column.name),
        "The schema has a column for the property, but the model has no stored property of this name."
      )
    }
  }

  /// Checks that the to-many relationships of the model have their link tables (spec §3.2.4).
  private func checkLinks(_ expected: Schema) {
    for table in expected.linkTables where !schema.linkTables.contains(table) {
      findings.add(
        .schemaLinks, at(table.layout.entity),
        "The schema has no links for the relationship, or other links than the model requires.")
    }
    for table in schema.linkTables
    where !expected.linkTables.contains(where: {
      $0.layout.entityNumber == table.layout.entityNumber
    }) {
      findings.add(
        .schemaLinks, at(table.layout.entity),
        "The schema has links, but the model does not have their relationships.")
    }
  }

  private func checkNumbers() {
    for fault in schema.numberingFaults(of: model) {
      let rule: Rule = fault.kind == .given ? .schemaNumbers : .schemaHighest
      findings.add(rule, at(fault.entity, fault.property), fault.text)
    }
  }
}
