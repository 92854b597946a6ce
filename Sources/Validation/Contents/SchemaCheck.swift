import ObjectModel
import Rows

/// The check of a schema against the model it numbers (spec §3.2.1, §4.6.3).
struct SchemaCheck {
  let schema: Schema
  let model: Model
  let place: Place
  let findings: Findings

  init(_ schema: Schema, _ model: Model, _ place: Place, _ findings: Findings) {
    self.schema = schema
    self.model = model
    self.place = place
    self.findings = findings
  }

  /// Checks everything.
  func run() {
    // A schema that has all that the model needs is not changed by evolving it to the model.
    guard let expected = try? Schema(model, evolving: schema, of: model) else { return }
    let before = findings.errorCount
    for layout in schema.layouts where model[layout.entity] == nil {
      findings.add(.schemaEntities, at(layout.entity), "The model has no such entity.")
    }
    for layout in expected.layouts {
      guard let found = schema[layout.entity] else {
        findings.add(.schemaEntities, at(layout.entity), "The schema has no such entity.")
        continue
      }
      compare(found, layout)
      checkNumbers(found)
    }
    for (entity, numbers) in expected.relationshipNumbers {
      for (name, _) in numbers where schema.relationshipNumbers[entity]?[name] == nil {
        if schema[entity] != nil {
          findings.add(.schemaColumns, at(entity, name), "The schema has no number for it.")
        }
      }
    }
    checkLinks(expected)
    // Numbers that are wrong make the highest wrong too.
    if findings.errorCount == before { checkHighest() }
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
          .schemaColumns, at(found.entity, column.name), "The schema has no column for it.")
        continue
      }
      let known = found.columns[index]
      if known.kind != column.kind || known.isOptional != column.isOptional
        || known.defaultValue != column.defaultValue
      {
        findings.add(
          .schemaColumns, at(found.entity, column.name),
          "The schema has kind \(known.kind), optional \(known.isOptional), default "
            + "\(known.defaultValue.text); the model kind \(column.kind), \(column.isOptional), "
            + "\(column.defaultValue.text).")
      }
    }
    for column in found.columns where expected.index(of: column.name) == nil {
      findings.add(
        .schemaColumns, at(found.entity, column.name),
        "The schema has a column for it, and the model no such stored property.")
    }
  }

  /// Checks that what leads to many on both sides has its links (spec §3.2.4).
  private func checkLinks(_ expected: Schema) {
    for table in expected.linkTables where !schema.linkTables.contains(table) {
      findings.add(
        .schemaLinks, at(table.layout.entity), "The schema has no such links, or others.")
    }
    for table in schema.linkTables
    where !expected.linkTables.contains(where: {
      $0.layout.entityNumber == table.layout.entityNumber
    }) {
      findings.add(.schemaLinks, at(table.layout.entity), "The model has no such relationships.")
    }
  }

  /// The properties of an entity, each with its number.
  private func numbers(_ layout: Layout) -> [(name: String, number: UInt16)] {
    layout.columns.map { ($0.name, $0.number) }
      + (schema.relationshipNumbers[layout.entity] ?? [:]).map { ($0.key, $0.value) }
  }

  private func checkNumbers(_ layout: Layout) {
    let own = numbers(layout)
    var names: [UInt16: String] = [:]
    for (name, number) in own {
      if let other = names.updateValue(name, forKey: number), other != name {
        findings.add(
          .schemaNumbers, at(layout.entity, name), "It has the number \(number), as '\(other)' has."
        )
      }
    }
    guard let parent = model[layout.entity]?.superentity, let above = schema[parent] else { return }
    let byName = Dictionary(own.map { ($0.name, $0.number) }) { one, _ in one }
    for (name, number) in numbers(above) {
      if let here = byName[name], here != number {
        findings.add(
          .schemaNumbers, at(layout.entity, name),
          "It has the number \(here), and \(number) in '\(parent)', which it is inherited from.")
      }
    }
  }

  private func checkHighest() {
    var highest: [UInt16: UInt16] = [:]
    for layout in schema.layouts {
      guard let root = model.root(of: layout.entity).flatMap({ schema[$0.name] }) else { continue }
      let most = numbers(layout).map(\.number).max() ?? 0
      highest[root.entityNumber] = max(highest[root.entityNumber] ?? 0, most)
    }
    for (root, most) in highest.sorted(by: { $0.key < $1.key })
    where most > schema.highestPropertyNumbers[root] ?? 0 {
      findings.add(
        .schemaHighest, at(schema[root]?.entity ?? "\(root)"),
        "\(schema.highestPropertyNumbers[root] ?? 0) is said to be the highest number of its family, "
          + "and \(most) is given.")
    }
  }
}
