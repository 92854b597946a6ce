import ObjectModel

extension Wording {
  /// Returns the model as text, one entity after another, with the properties in columns.
  static func text(_ model: Model, on stream: Console.Stream) -> String {
    var sections = model.entities.map { text($0, on: stream) }
    let description = model.description
    sections += description.composites.map { composite in
      var table = Table()
      for attribute in composite.attributes { add(.attribute(attribute), to: &table) }
      return heading("composite", composite.name, [], on: stream) + table.text(indent: 2)
    }
    var others = Table()
    for configuration in description.configurations {
      others.add(
        "configuration", configuration.name, configuration.entities.joined(separator: ", "))
    }
    for request in description.fetchRequestTemplates {
      let details = ["fetches \(request.entity)"] + details(of: request)
      others.add("fetch request", request.name, details.joined(separator: ", "))
    }
    if !others.rows.isEmpty { sections.append(others.text()) }
    return sections.joined(separator: "\n")
  }

  private static func text(_ entity: Entity, on stream: Console.Stream) -> String {
    var marks: [String] = []
    if let parent = entity.superentity { marks.append("a \(parent)") }
    if entity.isAbstract { marks.append("abstract") }
    if let className = entity.className, className != entity.name {
      marks.append("class \(className)")
    }
    marks += history(
      renamingIdentifier: entity.renamingIdentifier == entity.name
        ? nil : entity.renamingIdentifier,
      versionHashModifier: entity.versionHashModifier)
    marks += notes(entity.userInfo)

    var properties = Table()
    for property in entity.declaredProperties { add(property, to: &properties) }
    var rules = Table()
    for constraint in entity.uniquenessConstraints {
      rules.add("unique", constraint.joined(separator: ", "))
    }
    for index in entity.fetchIndexes {
      let filter = index.partialPredicate.map { ", where \($0)" } ?? ""
      rules.add("index", "\(index.name) over \(elements(of: index))\(filter)")
    }
    for index in entity.compoundIndexes {
      rules.add("index", "over \(index.joined(separator: ", "))")
    }
    return heading("entity", entity.name, marks, on: stream) + properties.text(indent: 2)
      + rules.text(indent: 2)
  }

  private static func heading(
    _ kind: String, _ name: String, _ marks: [String], on stream: Console.Stream
  ) -> String {
    let marks = marks.map { ", \(oneLine($0))" }.joined()
    return stream.styled("\(kind) \(oneLine(name))", .heading) + marks + "\n"
  }

  private static func add(_ property: Property, to table: inout Table) {
    table.add(
      property.name, type(of: property),
      (property.isOptional ? "optional" : "required"),
      (mentionsTransient(property) ? ["transient"] + details(of: property) : details(of: property))
        .joined(separator: ", "))
  }

  /// Returns whether the text mentions that a property is transient. Fetched properties are always transient, so
  /// their text does not mention it.
  private static func mentionsTransient(_ property: Property) -> Bool {
    if case .fetched = property { false } else { property.isTransient }
  }

  private static func elements(of index: FetchIndex) -> String {
    index.elements.map { element in
      let kind =
        switch element.kind {
        case .binary: ""
        case .rTree: " as ranges"
        case .fullText: " as words"
        }
      return element.text + kind + (element.isAscending ? "" : " descending")
    }.joined(separator: ", ")
  }
}
