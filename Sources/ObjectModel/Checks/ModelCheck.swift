import TextMatching

/// A check that finds all errors of a description, in the order of its source.
///
/// The check never stops at the first fault, and reports no fault that only follows from another fault. For
/// example, no inherited name is called missing if the superentity is unknown. The time is proportional to the size
/// of the description, for any content.
struct ModelCheck {
  let description: Model.Description
  let index: ModelIndex
  private(set) var faults: [ModelFault] = []
  var suggestion = NameSuggestion()
  var configurationChecksLeft = 1_000_000

  init(_ description: Model.Description) {
    self.description = description
    index = ModelIndex(description)
    checkNameLengths()
    // Messages repeat names. If a name is too long, only that fault is reported.
    guard faults.isEmpty else { return }
    checkSizes()
    checkInheritance()
    checkEntityNames()
    for entity in description.entities.indices { checkEntity(entity) }
    checkComposites()
    checkConfigurations()
    checkTemplates()
  }

  private mutating func checkEntity(_ position: Int) {
    checkPropertyNames(of: position)
    for property in description.entities[position].declaredProperties {
      switch property {
      case .attribute(let attribute):
        checkAttribute(attribute, of: description.entities[position].name)
        checkDerivation(of: attribute, in: position)
      case .relationship(let relationship): checkRelationship(relationship, of: position)
      case .fetched(let fetched): checkFetchedProperty(fetched, of: position)
      }
    }
    checkUniquenessConstraints(of: position)
    checkIndexes(of: position)
  }

  mutating func report(
    _ code: ModelFault.Code,
    severity: ModelFault.Severity = .error,
    entity: String? = nil,
    property: String? = nil,
    _ message: String
  ) {
    faults.append(
      ModelFault(code, severity: severity, entity: entity, property: property, message: message))
  }
}

extension ModelCheck {
  /// Returns ` Did you mean "Stop"?` for the name of an entity.
  mutating func suggestEntity(_ name: String) -> String {
    suggestion.sentence(for: name, among: description.entities.lazy.map(\.name))
  }

  /// Returns ` Did you mean "name"?` for the name of a property, inherited or not.
  mutating func suggestProperty(_ name: String, of entity: Int) -> String {
    let (index, entities) = (index, description.entities)
    let names = index.ancestry(of: entity).lazy.flatMap {
      entities[$0].declaredProperties.lazy.map(\.name)
    }
    return suggestion.sentence(for: name, among: names)
  }
}
