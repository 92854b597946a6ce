// Checks of sizes, inheritance and names, on which all later checks depend.

extension ModelCheck {
  mutating func checkNameLengths() {
    for entity in description.entities {
      checkLength(of: entity.name, "entity")
      for property in entity.declaredProperties { checkLength(of: property.name, "property") }
      for index in entity.fetchIndexes { checkLength(of: index.name, "index") }
    }
    for composite in description.composites {
      checkLength(of: composite.name, "composite type")
      for attribute in composite.attributes { checkLength(of: attribute.name, "attribute") }
    }
    for configuration in description.configurations {
      checkLength(of: configuration.name, "configuration")
    }
    for template in description.fetchRequestTemplates {
      checkLength(of: template.name, "fetch request template")
    }
  }

  private mutating func checkLength(of name: String, _ kind: String) {
    guard name.utf8.count > Model.greatestNameByteCount else { return }
    let start = String(name.prefix(40))
    report(
      .invalidName, entity: start,
      """
      The name of a part of kind \(kind) has \(name.utf8.count) bytes; \
      the limit is \(Model.greatestNameByteCount).
      """)
  }

  mutating func checkSizes() {
    if description.entities.count > Model.greatestEntityCount {
      report(
        .tooManyEntities,
        """
        The model has \(description.entities.count) entities; \
        the limit is \(Model.greatestEntityCount).
        """)
    }
    var counts = [Int](repeating: 0, count: description.entities.count)
    var inherited = 0
    for entity in index.parentsFirst {
      let above = index.parents[entity].map { counts[$0] } ?? 0
      counts[entity] = above + description.entities[entity].declaredProperties.count
      inherited += above
    }
    for (entity, count) in counts.enumerated() where count > Model.greatestPropertyCount {
      report(
        .tooManyProperties, entity: description.entities[entity].name,
        """
        The entity has \(count) properties, including inherited properties; \
        the limit is \(Model.greatestPropertyCount).
        """)
    }
    if inherited > Model.greatestInheritedPropertyCount {
      report(
        .tooManyInheritedProperties,
        """
        The entities of the model inherit \(inherited) properties in total; \
        the limit is \(Model.greatestInheritedPropertyCount).
        """)
    }
  }

  mutating func checkInheritance() {
    for entity in description.entities {
      guard let name = entity.superentity, index.entityByName[name] == nil else { continue }
      report(
        .unknownSuperentity, entity: entity.name,
        "The superentity \"\(name)\" is not in the model." + suggestEntity(name))
    }
    for cycle in index.cycles {
      let names = cycle.map { description.entities[$0].name }
      var path = names.prefix(8).joined(separator: " → ")
      path += names.count > 8 ? " → … (\(names.count) entities)" : " → \(names[0])"
      report(
        .cyclicInheritance, entity: names[0],
        "The inheritance is a cycle: \(path). One of these entities must have no superentity.")
    }
    for (position, depth) in index.depths.enumerated()
    where depth == Model.greatestInheritanceDepth + 1 {
      report(
        .inheritanceTooDeep, entity: description.entities[position].name,
        """
        The entity has more than \(Model.greatestInheritanceDepth) superentities in a chain, \
        which is the limit.
        """)
    }
  }

  mutating func checkEntityNames() {
    for entity in description.entities { checkName(entity.name, "entity", entity.name) }
    reportDuplicates(description.entities.map(\.name), "entity")
    reportCaseClashes(description.entities.map(\.name), "entity")
  }

  mutating func checkPropertyNames(of position: Int) {
    let entity = description.entities[position]
    for property in entity.declaredProperties {
      checkName(property.name, "property", entity.name, property.name)
    }
    reportDuplicates(entity.declaredProperties.map(\.name), "property", in: entity.name)
    reportCaseClashes(entity.declaredProperties.map(\.name), "property", in: entity.name)

    guard let parent = index.parents[position] else { return }
    for property in entity.declaredProperties {
      if let place = index.property(property.name, of: parent) {
        report(
          .redeclaredProperty, entity: entity.name, property: property.name,
          """
          The entity inherits a property "\(property.name)" \
          from "\(description.entities[place.entity].name)" and cannot declare another one.
          """)
      }
    }
  }

  /// Reports a name that is not an identifier: a letter or underscore, then letters, digits and underscores of any
  /// script. Predicates spell a reserved word as `#word`, so reserved words are valid names.
  mutating func checkName(
    _ name: String, _ kind: String, _ place: String?, _ property: String? = nil
  ) {
    guard !name.isIdentifier else { return }
    report(
      .invalidName, entity: place, property: property,
      name.isEmpty
        ? "The \(kind) has no name."
        : """
        "\(name)" is not a valid name for a part of kind \(kind): \
        a name is a letter or underscore, then letters, digits and underscores.
        """)
  }

  mutating func reportDuplicates(
    _ names: [String], _ kind: String, in entity: String? = nil,
    severity: ModelFault.Severity = .error
  ) {
    for name in repeated(names) {
      report(
        .duplicateName, severity: severity, entity: entity ?? name,
        property: entity == nil ? nil : name,
        "The name \"\(name)\" is used for more than one \(kind).")
    }
  }

  private mutating func reportCaseClashes(
    _ names: [String], _ kind: String, in entity: String? = nil
  ) {
    var spellings: [String: String] = [:]
    for name in names {
      let folded = name.lowercased()
      guard let first = spellings[folded] else {
        spellings[folded] = name
        continue
      }
      guard first != name else { continue }
      report(
        .namesDifferInCaseOnly, severity: .warning, entity: entity ?? name,
        property: entity == nil ? nil : name,
        """
        The names "\(first)" and "\(name)" differ only in case. \
        XML and SQLite stores do not distinguish them.
        """)
    }
  }

  /// Returns the names that occur more than once, each once.
  func repeated(_ names: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return names.filter {
      counts[$0, default: 0] += 1
      return counts[$0] == 2
    }
  }
}

extension String {
  /// Whether the text is a letter or underscore, followed by letters, digits, marks and underscores.
  fileprivate var isIdentifier: Bool {
    guard let first = unicodeScalars.first, first == "_" || first.properties.isXIDStart else {
      return false
    }
    return unicodeScalars.dropFirst().allSatisfy { $0.properties.isXIDContinue }
  }
}
