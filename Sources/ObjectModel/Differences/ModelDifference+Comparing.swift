extension ModelDifference {
  public init(from old: Model, to new: Model) {
    var comparison = ModelComparison(from: old, to: new)
    comparison.compare()
    changes = comparison.changes
  }

  private init(_ changes: [Change]) { self.changes = changes }

  /// Returns the changes for which `isIncluded` returns `true`.
  package func filter(_ isIncluded: (Change) -> Bool) -> ModelDifference {
    ModelDifference(changes.filter(isIncluded))
  }
}

/// A comparison of two models part by part, which collects the differences.
struct ModelComparison {
  private let old: Model
  private let new: Model
  private(set) var changes: [ModelDifference.Change] = []
  /// The new names of renamed entities, by their old names.
  private var entityRenames: [String: String] = [:]
  /// The new names of renamed properties, by the old names of their entities.
  private var propertyRenames: [String: [String: String]] = [:]
  /// The composite types that stored attributes use in both models.
  private let usedComposites: Set<String>

  init(from old: Model, to new: Model) {
    self.old = old
    self.new = new
    usedComposites = old.usedComposites.intersection(new.usedComposites)
  }

  mutating func compare() {
    let match = RenamingMatch(
      old: old.entities.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) },
      new: new.entities.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    let pairs = new.entities.indices.map { (new.entities[$0], match.oldPositions[$0]) }
      .map { (new: $0, old: $1.map { old.entities[$0] }) }
    for (new, old) in pairs {
      if let old { recordRenames(from: old, to: new) }
    }

    let removed = match.removed.map { (name: old.entities[$0].name, pair: nil as Int?) }
    let kept = pairs.indices.map { (name: pairs[$0].new.name, pair: $0 as Int?) }
    for (name, pair) in (removed + kept).sorted(by: { $0.name.precedesInHashes($1.name) }) {
      guard let pair else {
        record(.entity(name), .removed, isSeen: true)
        continue
      }
      if let old = pairs[pair].old {
        compare(old, pairs[pair].new)
      } else {
        record(.entity(name), .added, isSeen: true)
      }
    }
    compareComposites()
    compareOtherParts()
  }

  private mutating func record(
    _ subject: ModelDifference.Subject, _ action: ModelDifference.Action, isSeen: Bool
  ) {
    changes.append(.init(subject: subject, action: action, isSeenByHashes: isSeen))
  }

  /// Records each facet in which two parts differ.
  private mutating func compare(
    _ old: Facets, _ new: Facets, _ subject: ModelDifference.Subject,
    except skipped: Set<ModelDifference.Facet> = [], isInHashes: Bool = true
  ) {
    for (before, after) in zip(old.values, new.values)
    where before.identity != after.identity && !skipped.contains(after.facet) {
      let isHashed = old.hashed.contains(after.facet) && new.hashed.contains(after.facet)
      record(
        subject, .changed(after.facet, from: before.text, to: after.text),
        isSeen: isInHashes && isHashed)
    }
  }
}

// MARK: - Entities and their properties

extension ModelComparison {
  private static func match(_ old: [Property], _ new: [Property]) -> RenamingMatch {
    RenamingMatch(
      old: old.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) },
      new: new.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
  }

  private mutating func recordRenames(from old: Entity, to new: Entity) {
    if old.name != new.name { entityRenames[old.name] = new.name }
    let match = Self.match(old.declaredProperties, new.declaredProperties)
    for (index, position) in match.oldPositions.enumerated() {
      guard let before = position.map({ old.declaredProperties[$0].name }) else { continue }
      let after = new.declaredProperties[index].name
      if before != after { propertyRenames[old.name, default: [:]][before] = after }
    }
  }

  /// Returns the new name of a property that an entity of the old model declares or inherits.
  private func renamed(_ property: String, of entity: String) -> String {
    guard !propertyRenames.isEmpty, let position = old.position(of: entity),
      let place = old.storage.index.property(property, of: position)
    else { return property }
    return propertyRenames[old.entities[place.entity].name]?[property] ?? property
  }

  /// Returns the new names of an entity's properties. A name may be a path into a composite.
  private func renamed(_ columns: [String], of entity: String) -> [String] {
    columns.map { column in
      let name = column.prefix { $0 != "." }
      return renamed(String(name), of: entity) + column.dropFirst(name.count)
    }
  }

  /// Returns an entity of the old model as if all renamings were already applied.
  private func translated(_ entity: Entity) -> Entity {
    var translated = entity
    translated.superentity = entity.superentity.map { entityRenames[$0] ?? $0 }
    translated.uniquenessConstraints = entity.uniquenessConstraints.map {
      renamed($0, of: entity.name)
    }
    translated.compoundIndexes = entity.compoundIndexes.map { renamed($0, of: entity.name) }
    for index in entity.fetchIndexes.indices {
      for element in entity.fetchIndexes[index].elements.indices
      where entity.fetchIndexes[index].elements[element].expression == nil {
        let name = entity.fetchIndexes[index].elements[element].property
        translated.fetchIndexes[index].elements[element].property =
          renamed([name], of: entity.name)[0]
      }
    }
    return translated
  }

  private func translated(_ property: Property) -> Property {
    switch property {
    case .relationship(var relationship):
      relationship.inverse = relationship.inverse.map {
        renamed($0, of: relationship.destination)
      }
      relationship.destination = renamed(entity: relationship.destination)
      return .relationship(relationship)
    case .fetched(var fetched):
      fetched.request.entity = renamed(entity: fetched.request.entity)
      return .fetched(fetched)
    case .attribute:
      return property
    }
  }

  private func renamed(entity: String) -> String { entityRenames[entity] ?? entity }

  private mutating func compare(_ old: Entity, _ new: Entity) {
    let subject = ModelDifference.Subject.entity(new.name)
    if old.name != new.name { record(subject, .renamed(from: old.name), isSeen: true) }
    let translated = translated(old)
    compare(
      Facets(translated), Facets(new), subject,
      except: skipped(old.name, old.renamingIdentifier, new.name, new.renamingIdentifier))
    compareProperties(old, new)
    compareConstraints(translated.uniquenessConstraints, new.uniquenessConstraints, of: new.name)
    compareByName(
      translated.fetchIndexes.numbered.map { ($0.name, Facets($0.index)) },
      new.fetchIndexes.numbered.map { ($0.name, Facets($0.index)) }
    ) { .fetchIndex($0, of: new.name) }
  }

  /// Returns the facets to ignore: the renaming identifier, if a change of the identifier only follows from the
  /// renaming.
  private func skipped(
    _ oldName: String, _ old: String?, _ newName: String, _ new: String?
  ) -> Set<ModelDifference.Facet> {
    oldName != newName || (old ?? oldName) == (new ?? newName) ? [.renamingIdentifier] : []
  }

  private mutating func compareProperties(_ old: Entity, _ new: Entity) {
    let match = Self.match(old.declaredProperties, new.declaredProperties)
    let removed = match.removed.map {
      (property: old.declaredProperties[$0], old: nil as Int?, isNew: false)
    }
    let kept = new.declaredProperties.indices.map {
      (property: new.declaredProperties[$0], old: match.oldPositions[$0], isNew: true)
    }
    for (property, position, isNew) in (removed + kept).sorted(by: {
      $0.property.name.precedesInHashes($1.property.name)
    }) {
      let subject = ModelDifference.Subject.property(property.name, of: new.name)
      if !isNew {
        record(subject, .removed, isSeen: !property.isTransient)
      } else if let position {
        compare(old.declaredProperties[position], property, old, new)
      } else {
        record(subject, .added, isSeen: !property.isTransient)
      }
    }
  }

  private mutating func compare(
    _ before: Property, _ after: Property, _ oldEntity: Entity, _ newEntity: Entity
  ) {
    let subject = ModelDifference.Subject.property(after.name, of: newEntity.name)
    let isStored = !before.isTransient && !after.isTransient
    if before.name != after.name {
      // A derived attribute's name is in no hash, but the name decides the order of the hashes.
      let isNamed = !before.isDerived && !after.isDerived
      let isSeen =
        isNamed || old.versionHash(of: oldEntity.name) != new.versionHash(of: newEntity.name)
      record(subject, .renamed(from: before.name), isSeen: isStored && isSeen)
    }
    guard before.kind == after.kind else {
      record(
        subject, .changed(.kind, from: before.kind, to: after.kind),
        isSeen: !before.isTransient || !after.isTransient)
      return
    }
    var skipped = skipped(
      before.name, before.renamingIdentifier, after.name, after.renamingIdentifier)
    if case .attribute(let old) = before, case .attribute(let new) = after,
      old.compositeName != new.compositeName
    {
      skipped.insert(.compositeType)
      let isSeen =
        isStored
        && self.old.versionHash(of: old.name, in: oldEntity.name)
          != self.new.versionHash(of: new.name, in: newEntity.name)
      record(
        subject,
        .changed(
          .compositeType, from: old.compositeName ?? "none", to: new.compositeName ?? "none"),
        isSeen: isSeen)
    }
    var facets = Facets(translated(before))
    if hashedInverse(of: before, in: old, oldEntity).map({
      renamed($0, of: before.destination ?? "")
    }) == hashedInverse(of: after, in: new, newEntity) {
      facets.ignoreInHashes(.inverse)
    }
    compare(facets, Facets(after), subject, except: skipped)
  }

  /// Returns the name of the inverse that a relationship's hash covers; `nil` for a relationship without an
  /// inverse, or one that is its own inverse.
  private func hashedInverse(
    of property: Property, in model: Model, _ entity: Entity
  ) -> String? {
    guard case .relationship(let relationship) = property,
      let position = model.position(of: entity.name),
      !model.storage.index.isOwnInverse(property, of: position)
    else { return nil }
    return relationship.inverse
  }

  private mutating func compareConstraints(
    _ old: [[String]], _ new: [[String]], of entity: String
  ) {
    let (known, kept) = (Set(old), Set(new))
    let isSeen = old.hashedTexts != new.hashedTexts
    for columns in old where !kept.contains(columns) {
      record(.uniquenessConstraint(columns, of: entity), .removed, isSeen: isSeen)
    }
    for columns in new where !known.contains(columns) {
      record(.uniquenessConstraint(columns, of: entity), .added, isSeen: isSeen)
    }
    let (before, after) = (old.filter(kept.contains), new.filter(known.contains))
    if before != after {
      record(
        .entity(entity),
        .changed(.constraintOrder, from: before.inWords, to: after.inWords),
        isSeen: before.hashedTexts != after.hashedTexts)
    }
  }
}

// MARK: - The model's other parts

extension ModelComparison {
  private mutating func compareComposites() {
    compareByName(
      old.description.composites.map { ($0.name, Facets()) },
      new.description.composites.map { ($0.name, Facets()) }
    ) { .compositeType($0) }
    for after in new.description.composites.sorted(by: { $0.name.precedesInHashes($1.name) }) {
      guard let before = old.composite(after.name) else { continue }
      compareAttributes(of: before, after)
    }
  }

  private mutating func compareAttributes(of old: CompositeType, _ new: CompositeType) {
    let isUsed = usedComposites.contains(new.name)
    let match = Self.match(
      old.attributes.map(Property.attribute), new.attributes.map(Property.attribute))
    for attribute in match.removed.map({ old.attributes[$0] }) {
      record(
        .compositeAttribute(attribute.name, of: new.name), .removed,
        isSeen: isUsed && !attribute.isTransient)
    }
    for (attribute, position) in zip(new.attributes, match.oldPositions) {
      let subject = ModelDifference.Subject.compositeAttribute(attribute.name, of: new.name)
      guard let before = position.map({ old.attributes[$0] }) else {
        record(subject, .added, isSeen: isUsed && !attribute.isTransient)
        continue
      }
      let isStored = !before.isTransient && !attribute.isTransient
      if before.name != attribute.name {
        record(subject, .renamed(from: before.name), isSeen: isUsed && isStored)
      }
      compare(
        Facets(before), Facets(attribute), subject,
        except: skipped(
          before.name, before.renamingIdentifier, attribute.name, attribute.renamingIdentifier),
        isInHashes: isUsed)
    }
  }

  private mutating func compareOtherParts() {
    let (old, new) = (old.description, new.description)
    let configurations = old.configurations.map { configuration in
      Configuration(
        configuration.name, entities: configuration.entities.map { renamed(entity: $0) })
    }
    compareByName(
      configurations.map { ($0.name, Facets($0)) },
      new.configurations.map { ($0.name, Facets($0)) }
    ) { .configuration($0) }
    let templates = old.fetchRequestTemplates.map { template in
      var template = template
      template.entity = renamed(entity: template.entity)
      return template
    }
    compareByName(
      templates.map { ($0.name, Facets($0)) },
      new.fetchRequestTemplates.map { ($0.name, Facets($0)) }
    ) { .template($0) }
    compare(Facets(old), Facets(new), .model)
  }

  /// Compares parts by name, because they have neither renaming identifiers nor hashes.
  private mutating func compareByName(
    _ old: [(name: String, facets: Facets)], _ new: [(name: String, facets: Facets)],
    _ subject: (String) -> ModelDifference.Subject
  ) {
    let before = Dictionary(
      old.map { ($0.name, $0.facets) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(
      new.map { ($0.name, $0.facets) }, uniquingKeysWith: { first, _ in first })
    for name in Set(before.keys).union(after.keys).sorted(by: { $0.precedesInHashes($1) }) {
      switch (before[name], after[name]) {
      case (let before?, let after?): compare(before, after, subject(name))
      case (nil, _): record(subject(name), .added, isSeen: false)
      case (_, nil): record(subject(name), .removed, isSeen: false)
      }
    }
  }
}

extension [FetchIndex] {
  /// The indexes by name. If several indexes have one name, the second and later names get a number.
  fileprivate var numbered: [(name: String, index: FetchIndex)] {
    var counts: [String: Int] = [:]
    return map { index in
      counts[index.name, default: 0] += 1
      let count = counts[index.name]!
      return (count == 1 ? index.name : "\(index.name) (\(count))", index)
    }
  }
}

extension Property {
  /// The name of the entity that a relationship refers to; `nil` for other properties.
  fileprivate var destination: String? {
    if case .relationship(let relationship) = self { relationship.destination } else { nil }
  }

  fileprivate var isDerived: Bool {
    if case .attribute(let attribute) = self { attribute.derivation != nil } else { false }
  }
}

extension Model {
  /// The composite types of stored attributes of entities, used directly or through other types.
  fileprivate var usedComposites: Set<String> {
    func used(_ attributes: [Attribute]) -> [String] {
      attributes.filter { !$0.isTransient && $0.derivation == nil }.compactMap(\.compositeName)
    }
    var found: Set<String> = []
    var waiting = entities.flatMap { used($0.declaredAttributes) }
    while let name = waiting.popLast() {
      guard found.insert(name).inserted else { continue }
      waiting += composite(name).map { used($0.attributes) } ?? []
    }
    return found
  }
}
