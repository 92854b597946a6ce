import TextMatching

extension Model {
  /// Returns one model with the parts of several models.
  ///
  ///     let model = try Model.merging([base, extensions])
  ///
  /// An entity, composite type or fetch request template in several models must be equal in all of them.
  /// Configurations with the same name are joined.
  ///
  /// - Throws: ``ModelError`` with a fault for each part that differs. The fault states the difference.
  public static func merging(_ models: [Model]) throws(ModelError) -> Model {
    var merged = Description()
    var faults: [ModelFault] = []
    for model in models {
      let description = model.description
      faults += merge(description.entities, into: &merged.entities, "entity", name: \.name) {
        Facets.differences($0, $1)
      }
      faults += merge(
        description.composites, into: &merged.composites, "composite type", name: \.name
      ) { Facets.differences($0, $1) }
      faults += merge(
        description.fetchRequestTemplates, into: &merged.fetchRequestTemplates,
        "fetch request template", name: \.name
      ) { Facets.differences($0, $1) }
      for configuration in description.configurations {
        merged.add(configuration)
      }
      for identifier in description.versionIdentifiers
      where !merged.versionIdentifiers.contains(identifier) {
        merged.versionIdentifiers.append(identifier)
      }
      merged.source.diagram += description.source.diagram
      merged.source.attributes.merge(description.source.attributes) { first, _ in first }
    }
    guard faults.isEmpty else { throw ModelError(faults: faults) }
    return try Model(merged)
  }

  /// Returns the part of the model in one configuration, as an independent model.
  ///
  /// The superentities of the configuration's entities are included. Unstored parts that refer to excluded entities
  /// are left out: fetched properties, templates and transient relationships.
  ///
  /// - Throws: ``ModelError`` if the configuration does not exist, or if relationships lead out of it.
  public func subset(configuration name: String) throws(ModelError) -> Model {
    guard let configuration = description.configurations.first(where: { $0.name == name }) else {
      var suggestion = NameSuggestion()
      let hint = suggestion.sentence(for: name, among: description.configurations.map(\.name))
      throw ModelError(
        ModelFault(
          .unknownConfiguration, entity: name,
          message: "The model has no configuration \"\(name)\"." + hint))
    }
    let members = Set(
      configuration.entities.compactMap { position(of: $0) }
        .flatMap { Array(storage.index.ancestry(of: $0)) })
    let names = Set(members.map { entities[$0].name })
    var subset = description
    subset.entities = members.sorted().map { position in
      var entity = entities[position]
      entity.declaredProperties.removeAll { property in
        switch property {
        case .fetched(let fetched): !names.contains(fetched.request.entity)
        case .relationship(let one): one.isTransient && !names.contains(one.destination)
        case .attribute: false
        }
      }
      return entity
    }
    subset.fetchRequestTemplates.removeAll { !names.contains($0.entity) }
    subset.configurations = [configuration]

    let leaving = subset.entities.flatMap { entity in
      entity.declaredRelationships.filter { !names.contains($0.destination) }.map { relationship in
        ModelFault(
          .leavesConfiguration, entity: entity.name, property: relationship.name,
          message: """
            The relationship refers to "\(relationship.destination)", \
            which is not in the configuration "\(name)".
            """)
      }
    }
    guard leaving.isEmpty else { throw ModelError(faults: leaving) }
    return try Model(subset)
  }
}

extension Model.Description {
  /// Adds a configuration, or adds its members to the configuration with the same name.
  fileprivate mutating func add(_ configuration: Configuration) {
    guard let same = configurations.firstIndex(where: { $0.name == configuration.name }) else {
      configurations.append(configuration)
      return
    }
    let known = Set(configurations[same].entities)
    configurations[same].entities += configuration.entities.filter { !known.contains($0) }
  }
}

extension Model {
  /// Adds the parts that are not in `merged` yet. Reports the differences of each part that is in `merged` and
  /// differs.
  private static func merge<Part>(
    _ parts: [Part], into merged: inout [Part], _ kind: String, name: (Part) -> String,
    differences: (Part, Part) -> [String]
  ) -> [ModelFault] {
    let known = Dictionary(
      merged.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    var faults: [ModelFault] = []
    for part in parts {
      guard let first = known[name(part)] else {
        merged.append(part)
        continue
      }
      let differences = differences(first, part)
      if !differences.isEmpty {
        faults.append(
          ModelFault(
            .conflictingParts, entity: name(part),
            message: """
              Two of the models have different parts of kind \(kind) with this name: \
              \(differences.joined(separator: "; ")).
              """))
      }
    }
    return faults
  }
}
