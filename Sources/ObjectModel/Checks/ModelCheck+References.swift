// Checks of references to entities and properties: constraints, indexes, configurations, requests.

extension ModelCheck {
  mutating func checkUniquenessConstraints(of position: Int) {
    for constraint in description.entities[position].uniquenessConstraints {
      checkColumns(constraint, of: position, "uniqueness constraint", isIndex: false)
    }
  }

  /// The columns that an index may name although no property has the name: the object itself and its entity.
  private static let ownColumns: Set<String> = ["self", "entity"]

  mutating func checkIndexes(of position: Int) {
    let entity = description.entities[position]
    for fetchIndex in entity.fetchIndexes {
      let properties = fetchIndex.elements.filter { $0.expression == nil }
      if let expression = fetchIndex.elements.first(where: { $0.expression != nil }) {
        // Core Data accepts such an index, and Quire's stores leave it out.
        report(
          .propertyNotIndexable, severity: .warning, entity: entity.name,
          property: fetchIndex.name,
          """
          The index "\(fetchIndex.name)" uses the expression \
          "\(expression.text.prefix(80))", so stores omit the index.
          """)
        if properties.isEmpty { continue }
      }
      checkColumns(
        properties.map(\.property), of: position, "index \"\(fetchIndex.name)\"", fetchIndex.name)
      for element in properties where element.kind == .fullText {
        checkWords(of: element.property, of: position, fetchIndex.name)
      }
    }
    for columns in entity.compoundIndexes {
      checkColumns(columns, of: position, "compound index")
    }
    // Core Data accepts two indexes with the same name.
    reportDuplicates(
      entity.fetchIndexes.map(\.name), "index", in: entity.name, severity: .warning)
  }

  /// Checks that stores can index all columns of a constraint or index. Such columns are stored attributes, to-one
  /// relationships, and attributes within composites (`address.city`).
  private mutating func checkColumns(
    _ columns: [String], of position: Int, _ kind: String, _ name: String? = nil,
    isIndex: Bool = true
  ) {
    let owner = description.entities[position].name
    if columns.isEmpty {
      report(.emptyList, entity: owner, property: name, "The \(kind) names no property.")
    }
    for column in columns where index.hasKnownAncestors[position] {
      let path = column.split(separator: ".").map(String.init)
      guard let place = path.first.flatMap({ index.property($0, of: position) }) else {
        if isIndex, Self.ownColumns.contains(column) {
          report(
            .propertyNotIndexable, severity: .warning, entity: owner, property: name ?? column,
            """
            The \(kind) names "\(column)", which is part of each object and not a property, so stores \
            omit the index.
            """)
          continue
        }
        report(
          .unknownProperty, entity: owner, property: name ?? column,
          "The \(kind) names the property \"\(column)\", which the entity does not have."
            + suggestProperty(column, of: position))
        continue
      }
      let property = index[place]
      if let obstacle = obstacle(property, path.dropFirst()) {
        // Core Data accepts an index on a to-many relationship, and leaves the index out of its stores.
        var isLeftOut = false
        if isIndex, path.count == 1, case .relationship(let relationship) = property {
          isLeftOut = relationship.isToMany && !relationship.isTransient
        }
        report(
          .propertyNotIndexable, severity: isLeftOut ? .warning : .error, entity: owner,
          property: name ?? column,
          "The \(kind) names \"\(column)\", \(obstacle). Stores cannot index it.")
      }
    }
  }

  /// Checks that a property whose words are indexed is a text.
  private mutating func checkWords(of column: String, of position: Int, _ name: String) {
    let path = column.split(separator: ".").map(String.init)
    // Other checks have reported a property that does not exist or can't be indexed.
    guard index.hasKnownAncestors[position],
      let place = path.first.flatMap({ index.property($0, of: position) }),
      obstacle(index[place], path.dropFirst()) == nil
    else { return }
    var kind = "a relationship"
    if case .attribute(var attribute) = index[place] {
      for part in path.dropFirst() { attribute = index.part(part, of: attribute) ?? attribute }
      if attribute.type == .string { return }
      kind = "an attribute of the type \(attribute.type.sourceName)"
    }
    report(
      .propertyNotIndexable, severity: .warning, entity: description.entities[position].name,
      property: name,
      """
      The index "\(name)" is for the words of "\(column)", \(kind). Only an attribute of the type String has words, so \
      stores omit the index.
      """)
  }

  /// Returns the obstacle to indexing a property, or the part at the end of a path, as the middle of a sentence;
  /// `nil` if it can be indexed.
  private func obstacle(_ property: Property, _ path: ArraySlice<String>) -> String? {
    switch property {
    case .fetched:
      return "which is not stored"
    case .relationship(let relationship):
      if relationship.isTransient { return "which is not stored" }
      if relationship.isToMany { return "a to-many relationship" }
      return path.isEmpty ? nil : "a path through a relationship"
    case .attribute(var attribute):
      for name in path {
        guard let part = index.part(name, of: attribute) else {
          return "but the attribute has no part \"\(name)\""
        }
        attribute = part
      }
      return attribute.isTransient ? "which is not stored" : nil
    }
  }

  mutating func checkConfigurations() {
    reportDuplicates(description.configurations.map(\.name), "configuration")
    for configuration in description.configurations {
      if configuration.name.isEmpty { checkName("", "configuration", nil) }
      let members = Set(configuration.entities)
      for name in configuration.entities where index.entityByName[name] == nil {
        report(
          .unknownEntity, entity: configuration.name,
          "The configuration names the entity \"\(name)\", which is not in the model."
            + suggestEntity(name))
      }
      for name in repeated(configuration.entities) {
        report(
          .duplicateName, entity: configuration.name,
          "The configuration names the entity \"\(name)\" more than once.")
      }
      checkRelationshipsStay(within: members, of: configuration)
    }
  }

  private mutating func checkRelationshipsStay(
    within members: Set<String>, of configuration: Configuration
  ) {
    for entity in members.sorted().compactMap({ index.entityByName[$0] }) {
      // Many configurations may contain one entity with many relationships, so the number of checks is limited.
      // Creating a store for a configuration checks again.
      configurationChecksLeft -= description.entities[entity].declaredProperties.count
      guard configurationChecksLeft > 0 else { return }
      for relationship in description.entities[entity].declaredRelationships
      where !relationship.isTransient && !members.contains(relationship.destination)
        && index.entityByName[relationship.destination] != nil
      {
        report(
          .leavesConfiguration, severity: .warning, entity: configuration.name,
          """
          The relationship "\(description.entities[entity].name).\(relationship.name)" refers to \
          "\(relationship.destination)", which is not in the configuration. A relationship cannot \
          refer to objects in another store; use a fetched property instead.
          """)
      }
    }
  }

  mutating func checkTemplates() {
    reportDuplicates(description.fetchRequestTemplates.map(\.name), "fetch request template")
    for template in description.fetchRequestTemplates {
      if template.name.isEmpty { checkName("", "fetch request template", nil) }
      checkRequest(template, "template", template.name, nil)
    }
  }

  mutating func checkFetchedProperty(_ property: FetchedProperty, of position: Int) {
    let owner = description.entities[position].name
    checkRequest(property.request, "fetched property", owner, property.name)
  }

  private mutating func checkRequest(
    _ request: FetchRequestTemplate, _ kind: String, _ owner: String, _ property: String?
  ) {
    if index.entityByName[request.entity] == nil {
      report(
        .unknownEntity, entity: owner, property: property,
        "The \(kind) fetches the entity \"\(request.entity)\", which is not in the model."
          + suggestEntity(request.entity))
    }
    if min(request.fetchLimit, request.fetchOffset, request.fetchBatchSize) < 0 {
      report(
        .negativeLimit, entity: owner, property: property,
        """
        The limit \(request.fetchLimit), the offset \(request.fetchOffset) and the batch size \
        \(request.fetchBatchSize) of the \(kind) must not be negative.
        """)
    }
  }
}
