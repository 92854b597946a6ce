import ModelNotations
import ObjectModel

/// The entities for surveyed files.
struct InferredEntities {
  private let surveys: [FileSurvey]
  private let references: [References.Reference]
  private let choices: InferenceChoices
  /// The names of each entity's properties so far.
  private var names: [Set<String>] = []
  /// The name of the property of each column, by file.
  private var properties: [[String]]

  init(
    _ surveys: [FileSurvey], _ references: [References.Reference], _ choices: InferenceChoices
  ) {
    self.choices = choices
    self.surveys = surveys
    self.references = references
    properties = surveys.map(\.properties)
  }

  private func reference(_ file: Int, _ column: Int) -> References.Reference? {
    references.first { $0.file == file && $0.column == column }
  }

  mutating func description() -> Model.Description {
    names = surveys.indices.map { file in
      // Relationships have names without `id`, unless another column has the name.
      var taken = Set(
        properties[file].indices.filter { reference(file, $0) == nil }.map { properties[file][$0] })
      for column in properties[file].indices {
        guard let reference = reference(file, column) else { continue }
        properties[file][column] = InferredNames.free(reference.name, among: taken)
        taken.insert(properties[file][column])
      }
      return taken
    }
    var entities = surveys.indices.map { file in entity(file) }
    addInverses(&entities)
    return Model.Description(entities: entities)
  }

  private func entity(_ file: Int) -> Entity {
    let survey = surveys[file]
    var entity = Entity(survey.entity, className: survey.entity)
    for (column, one) in survey.columns.enumerated() {
      let name = properties[file][column]
      guard let reference = reference(file, column) else {
        entity.declaredProperties.append(
          .attribute(
            Attribute(
              name, one.type, isOptional: !one.isRequired,
              validation: .init(precision: one.precision))))
        if one.hasLongTexts {
          entity.fetchIndexes.append(
            FetchIndex("\(name)Words", elements: [.init(name, kind: .fullText)]))
        }
        continue
      }
      entity.declaredProperties.append(
        .relationship(
          Relationship(
            name, to: surveys[reference.target].entity,
            count: reference.isToMany ? .toMany : .toOne,
            isOptional: reference.isToMany || !one.isRequired)))
    }
    // A chosen column is unique even if its values repeat. The import reports equal ones.
    let candidates = choices.unique == nil ? survey.keys : Array(survey.columns.indices)
    entity.uniquenessConstraints =
      candidates.filter { reference(file, $0) == nil && isUnique($0, file) }
      .map { [properties[file][$0]] }
    return entity
  }

  /// Whether a column with different values is meant to be unique: it has the name of a key, or other columns refer to it. The
  /// first names of a short list are different by chance.
  private func isUnique(_ column: Int, _ file: Int) -> Bool {
    if let unique = choices.unique {
      return !unique.isDisjoint(with: [
        surveys[file].columns[column].name, properties[file][column],
        "\(surveys[file].entity).\(properties[file][column])",
      ]) || references.contains { $0.target == file && $0.key == column }
    }
    return surveys[file].columns[column].isNamedKey
      || references.contains { $0.target == file && $0.key == column }
  }

  // MARK: - Inverses

  private mutating func addInverses(_ entities: inout [Entity]) {
    var paired: Set<References.Reference> = []
    for reference in references where !paired.contains(reference) {
      paired.insert(reference)
      if let other = counterpart(of: reference, paired) {
        // Each file contains one side of the relationship.
        paired.insert(other)
        update(&entities, reference) { $0.inverse = properties[other.file][other.column] }
        update(&entities, other) { $0.inverse = properties[reference.file][reference.column] }
        continue
      }
      let name = inverseName(of: reference)
      names[reference.target].insert(name)
      let property = properties[reference.file][reference.column]
      update(&entities, reference) { $0.inverse = name }
      let isRequired = !(relationship(entities, reference)?.isOptional ?? true)
      entities[reference.target].declaredProperties.append(
        .relationship(
          Relationship(
            name, to: surveys[reference.file].entity, inverse: property,
            inverseEntity: surveys[reference.file].entity, count: .toMany,
            // Keep a required object from being deleted by mistake.
            deleteRule: isRequired ? .deny : .nullify)))
    }
  }

  /// Returns the reference in the opposite direction, if there is exactly one between the two files.
  private func counterpart(
    of reference: References.Reference, _ paired: Set<References.Reference>
  ) -> References.Reference? {
    guard reference.key == nil, reference.file != reference.target else { return nil }
    let forward = references.filter {
      $0.file == reference.file && $0.target == reference.target && $0.key == nil
    }
    let backward = references.filter {
      $0.file == reference.target && $0.target == reference.file && $0.key == nil
    }
    guard forward.count == 1, backward.count == 1, !paired.contains(backward[0]) else { return nil }
    return backward[0]
  }

  private func inverseName(of reference: References.Reference) -> String {
    InferredNames.inverse(
      InferredNames.list(ofTable: surveys[reference.file].table),
      of: properties[reference.file][reference.column],
      isOnly: references.count { $0.file == reference.file && $0.target == reference.target } == 1,
      isOwn: reference.file == reference.target, among: names[reference.target])
  }

  private func relationship(
    _ entities: [Entity], _ reference: References.Reference
  ) -> Relationship? {
    guard
      case .relationship(let relationship) =
        entities[reference.file].declaredProperties[reference.column]
    else { return nil }
    return relationship
  }

  private func update(
    _ entities: inout [Entity], _ reference: References.Reference,
    _ body: (inout Relationship) -> Void
  ) {
    guard var relationship = relationship(entities, reference) else { return }
    body(&relationship)
    relationship.inverseEntity = relationship.destination
    entities[reference.file].declaredProperties[reference.column] = .relationship(relationship)
  }

  // MARK: - Columns

  /// Returns the meaning of a file's columns.
  func columns(of file: Int) -> [ImportColumn] {
    let key = references.first { $0.target == file && $0.key != nil }?.key
    return properties[file].enumerated().map { column, property in
      var prefix = ""
      if let reference = reference(file, column), reference.key != nil {
        prefix = self.prefix(of: reference.target)
      }
      return ImportColumn(
        property: property, prefix: prefix,
        keyPrefix: column == key ? self.prefix(of: file) : nil)
    }
  }

  private func prefix(of file: Int) -> String { surveys[file].entity + ":" }
}
