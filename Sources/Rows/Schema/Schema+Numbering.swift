import ObjectModel

/// The numbering of a model in one pass: first of entities and their columns, then of link tables, then of indexes.
struct Numbering {
  let model: Model
  let previous: Schema?
  /// The parts of the previous model that parts of this model continue; `nil` when the previous model is unknown.
  private let continuation: ModelContinuation?
  private(set) var layouts: [Layout] = []
  private(set) var relationshipNumbers: [String: [String: UInt16]] = [:]
  private(set) var linkTables: [LinkTable] = []
  private(set) var indexes: [IndexLayout] = []
  private(set) var highestEntity: UInt16
  private(set) var highestProperty: [UInt16: UInt16]
  /// The highest property number that any family of the previous schema has assigned.
  private let highestOfAll: UInt16
  /// The columns of each visited entity, by entity name. Subentities inherit them.
  private var columnsByEntity: [String: [LayoutColumn]] = [:]

  init(model: Model, previous: Schema?, of before: Model?) {
    self.model = model
    self.previous = previous
    // Most schemas belong to new stores or come unchanged from their file. Then there is nothing to compare.
    continuation =
      previous == nil ? nil : before.map { ModelContinuation(from: $0, to: model) }
    // New numbers exceed all numbers of every family, so that an entity may move to another family.
    highestOfAll = previous?.highestPropertyNumbers.values.max() ?? 0
    highestEntity = previous?.highestEntityNumber ?? 0
    highestProperty = previous?.highestPropertyNumbers ?? [:]
  }

  mutating func run() throws(SchemaError) {
    var families: [String: UInt16] = [:]
    for entity in model.entitiesDepthFirst {
      let number = try number(of: entity)
      let family = entity.superentity.flatMap { families[$0] } ?? number
      families[entity.name] = family
      try lay(out: entity, number: number, family: family)
    }
    layouts.sort { $0.entityNumber < $1.entityNumber }
    for layout in layouts { try numberLinks(of: model[layout.entity]!) }
    linkTables.sort { $0.layout.entityNumber < $1.layout.entityNumber }
    try numberIndexes()
  }

  private mutating func number(of entity: Entity) throws(SchemaError) -> UInt16 {
    if let known = before(entity) { return known.entityNumber }
    return try nextNumber()
  }

  /// Returns the next number for an entity, a link table or an index.
  mutating func nextNumber() throws(SchemaError) -> UInt16 {
    guard highestEntity < .max else {
      throw SchemaError(
        description: "A store can't have more than 65535 entities, link tables and indexes.")
    }
    highestEntity += 1
    return highestEntity
  }

  /// Returns the layout of the same entity in the previous schema.
  private func before(_ entity: Entity) -> Layout? {
    if let continuation {
      return continuation.entity(before: entity.name).flatMap { previous?[$0.name] }
    }
    if let old = entity.renamingIdentifier, let layout = previous?[old] { return layout }
    return previous?[entity.name]
  }

  private mutating func lay(
    out entity: Entity, number: UInt16, family: UInt16
  ) throws(SchemaError) {
    recordNumbers(of: entity, family: family)
    let inherited = entity.superentity
    var columns = inherited.flatMap { columnsByEntity[$0] } ?? []
    var others = inherited.flatMap { relationshipNumbers[$0] } ?? [:]
    let own = entity.declaredProperties.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    let continued = continuation?.properties(of: entity.name)
    for property in own {
      let before = names(before: property, continued)
      switch property {
      case .attribute(let attribute):
        try appendColumns(
          of: attribute, before: before, continuing: continued?.before[attribute.name],
          entity: entity, family: family, to: &columns)
      case .relationship(let relationship):
        if relationship.isToMany {
          others[relationship.name] = try numberOfRelationship(
            before: before, entity: entity, family: family, columns, others)
        } else {
          try append(
            relationship.name, before: before, kind: .reference,
            isOptional: relationship.isOptional,
            defaultValue: .null, entity: entity, family: family, to: &columns)
          if inverse(of: relationship)?.keepsOrder == true {
            try append(
              relationship.name + "#order", before: before.map { $0 + "#order" }, kind: .int64,
              isOptional: true, defaultValue: .null, entity: entity, family: family, to: &columns)
          }
        }
      case .fetched: break
      }
    }
    columns.sort { $0.name < $1.name }
    columnsByEntity[entity.name] = columns
    relationshipNumbers[entity.name] = others
    // New numbers are unique. A conflict is possible only among numbers of a damaged previous schema.
    guard let layout = Layout(checking: entity.name, entityNumber: number, columns: columns) else {
      throw SchemaError(
        description: "The numbers of the properties of '\(entity.name)' are not unique.")
    }
    layouts.append(layout)
  }

  /// Reserves the numbers that an entity brings along from another family, so that they are not assigned again.
  private mutating func recordNumbers(of entity: Entity, family: UInt16) {
    guard let continuation, let old = continuation.entity(before: entity.name),
      let root = continuation.old.root(of: old.name).flatMap({ previous?[$0.name] }),
      root.entityNumber != family, let highest = previous?.highestPropertyNumbers[root.entityNumber]
    else { return }
    highestProperty[family] = max(highestProperty[family, default: 0], highest)
  }

  private func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse else { return nil }
    let property = model.properties(of: relationship.destination).first { $0.name == name }
    if case .relationship(let inverse)? = property { return inverse }
    return nil
  }

  /// Returns the names that a property may have had in the previous schema, the likeliest first.
  private func names(
    before property: Property, _ continued: ModelContinuation.Properties?
  ) -> [String] {
    if let continued { return continued.before[property.name].map { [$0.name] } ?? [] }
    return (property.renamingIdentifier.map { [$0] } ?? []) + [property.name]
  }

  /// Appends one column, or one column for each part of a composite attribute.
  ///
  /// - Parameters:
  ///   - before: The names that the attribute may have had.
  ///   - old: The property that the attribute continues, if that is known.
  private mutating func appendColumns(
    of attribute: Attribute, before: [String], continuing old: Property?, entity: Entity,
    family: UInt16, to columns: inout [LayoutColumn]
  ) throws(SchemaError) {
    let continued = continuedPaths(of: attribute, old)
    for way in model.storedParts(of: attribute) {
      guard let part = way.last, let kind = ColumnKind(part.type) else { continue }
      let path = way.map(\.name).joined(separator: ".")
      let known =
        way.count == 1
        ? before : continued.map { $0[path].map { [$0] } ?? [] } ?? paths(of: way, before: before)
      try append(
        path, before: known, kind: kind, isOptional: part.isOptional,
        defaultValue: part.defaultValue, entity: entity, family: family, to: &columns)
    }
  }

  /// Returns the old paths of the parts of a composite attribute by their new paths; `nil` when the previous model is
  /// unknown.
  private func continuedPaths(of attribute: Attribute, _ old: Property?) -> [String: String]? {
    guard let continuation else { return nil }
    guard attribute.type == .composite, case .attribute(let old)? = old else { return [:] }
    var paths: [String: String] = [:]
    for part in continuation.parts(of: attribute, continuing: old).parts {
      paths[part.path.joined(separator: ".")] = part.before?.path.joined(separator: ".")
    }
    return paths
  }

  /// Returns the paths that a part of a composite attribute may have had, the likeliest first.
  private func paths(of way: [Attribute], before: [String]) -> [String] {
    way.dropFirst().reduce(before) { paths, part in
      let names = (part.renamingIdentifier.map { [$0] } ?? []) + [part.name]
      return paths.flatMap { path in names.map { "\(path).\($0)" } }
    }
  }

  private mutating func append(
    _ name: String, before: [String], kind: ColumnKind, isOptional: Bool, defaultValue: Value,
    entity: Entity, family: UInt16, to columns: inout [LayoutColumn]
  ) throws(SchemaError) {
    guard name.utf8.count <= Int(UInt16.max) else {
      throw SchemaError(
        description:
          "A part of a composite attribute of '\(entity.name)' lies so deep that its path has \(name.utf8.count) bytes. The limit is \(UInt16.max) bytes (spec §4.8)."
      )
    }
    let layout = self.before(entity)
    let known = before.lazy.compactMap { layout?.index(of: $0) }.first
      .flatMap { layout?.columns[$0] }
    let number: UInt16
    var defaultValue = defaultValue
    if let known, known.kind.widens(to: kind),
      !columns.contains(where: { $0.number == known.number })
    {
      number = known.number
      // Rows written before the column existed keep their default. A new default applies only to new objects.
      if known.kind == kind { defaultValue = known.defaultValue }
    } else {
      number = try nextProperty(in: family)
    }
    columns.append(
      LayoutColumn(
        number: number, name: name, kind: kind, isOptional: isOptional, defaultValue: defaultValue))
  }

  private mutating func numberOfRelationship(
    before: [String], entity: Entity, family: UInt16, _ columns: [LayoutColumn],
    _ others: [String: UInt16]
  ) throws(SchemaError) -> UInt16 {
    let known = self.before(entity).flatMap { previous?.relationshipNumbers[$0.entity] }
    if let number = before.lazy.compactMap({ known?[$0] }).first, !others.values.contains(number),
      !columns.contains(where: { $0.number == number })
    {
      return number
    }
    return try nextProperty(in: family)
  }

  private mutating func nextProperty(in family: UInt16) throws(SchemaError) -> UInt16 {
    let next = max(highestProperty[family, default: 0], highestOfAll)
    guard next < LayoutColumn.Number.highestProperty else {
      throw SchemaError(
        description: "A family of entities can't have more than 61439 stored properties.")
    }
    highestProperty[family] = next + 1
    return next + 1
  }
}

// MARK: - Links and indexes

extension Numbering {
  /// Assigns numbers to the link tables of the relationships that an entity declares.
  private mutating func numberLinks(of entity: Entity) throws(SchemaError) {
    for property in entity.declaredProperties.sorted(by: { $0.name < $1.name }) {
      guard case .relationship(let relationship) = property, relationship.isToMany,
        !relationship.isTransient, let forward = end(relationship.name, of: entity)
      else { continue }
      let inverse = model.inverse(of: relationship)
      // An inverse that is to-one is a column of the destination, and this relationship follows from that column.
      if let inverse, !inverse.isToMany { continue }
      let backward = inverse.flatMap { inverse in
        declaring(inverse.name, from: relationship.destination).flatMap {
          end(inverse.name, of: $0)
        }
      }
      if linkTables.contains(where: { $0.backward == forward || $0.forward == forward }) {
        continue
      }
      let (isOrdered, isBackOrdered) = (relationship.keepsOrder, inverse?.keepsOrder ?? false)
      let known = previous?.linkTables.first {
        $0.forward.isSame(as: forward) || ($0.backward?.isSame(as: forward) ?? false)
      }
      // A table keeps its order columns. Their numbers are fixed, so if they were dropped and added again, old
      // places could reappear in some rows. A table also keeps its direction, even if the walk meets the other
      // relationship first.
      let isTurned = known.map { !$0.forward.isSame(as: forward) } ?? false
      let number: UInt16
      if let known { number = known.layout.entityNumber } else { number = try nextNumber() }
      linkTables.append(
        LinkTable(
          name: "\(entity.name).\(relationship.name)", number: number,
          forward: isTurned ? backward ?? forward : forward,
          backward: isTurned ? forward : backward,
          isTargetOrdered: (isTurned ? isBackOrdered : isOrdered)
            || known?.layout.index(ofNumber: LinkTable.Column.targetOrder) != nil,
          isSourceOrdered: (isTurned ? isOrdered : isBackOrdered)
            || known?.layout.index(ofNumber: LinkTable.Column.sourceOrder) != nil))
    }
  }

  private func declaring(_ property: String, from entity: String) -> Entity? {
    var next = model[entity]
    while let entity = next {
      if entity.declaredProperties.contains(where: { $0.name == property }) { return entity }
      next = entity.superentity.flatMap { model[$0] }
    }
    return nil
  }

  private func end(_ relationship: String, of entity: Entity) -> LinkTable.End? {
    guard let number = relationshipNumbers[entity.name]?[relationship] else { return nil }
    let family = Set(model.family(of: entity.name).map(\.name))
    return LinkTable.End(
      entities: layouts.filter { family.contains($0.entity) }.map(\.entityNumber),
      relationship: number)
  }

  private mutating func numberIndexes() throws(SchemaError) {
    for layout in layouts {
      guard var entity = model[layout.entity], !entity.isAbstract else { continue }
      var references: [[String]] = []
      for case .relationship(let relationship) in model.properties(of: layout.entity)
      where !relationship.isToMany && inverse(of: relationship)?.isToMany == true {
        let name = relationship.name
        references.append(
          layout.index(of: name + "#order") == nil ? [name] : [name, name + "#order"])
      }
      var others: [[String]] = []
      var texts: [String] = []
      while true {
        for index in entity.fetchIndexes {
          if index.isPlain { others.append(index.elements.map(\.property)) }
          texts += index.wordedTexts
        }
        others += entity.uniquenessConstraints
        guard let parent = entity.superentity.flatMap({ model[$0] }) else { break }
        entity = parent
      }
      try number(IndexLayout.wanted(layout, references, others), of: layout)
      try number(IndexLayout.wanted(layout, texts), of: layout, isOfWords: true)
    }
    for table in linkTables {
      let layout = table.layout
      let wanted = [["source", "target#order"], ["target", "source#order"]].map { names in
        names.filter { layout.index(of: $0) != nil }
      }
      try number(IndexLayout.wanted(layout, wanted, []), of: layout)
    }
    indexes.sort { $0.number < $1.number }
  }

  private mutating func number(
    _ wanted: [[LayoutColumn]], of layout: Layout, isOfWords: Bool = false
  ) throws(SchemaError) {
    for columns in wanted {
      let known = previous?.indexes.first {
        $0.entityNumber == layout.entityNumber && $0.isOfWords == isOfWords
          && $0.columns.map(\.number) == columns.map(\.number)
      }
      let number: UInt16
      if let known { number = known.number } else { number = try nextNumber() }
      indexes.append(
        IndexLayout(
          number: number, entityNumber: layout.entityNumber, columns: columns,
          isOfWords: isOfWords))
    }
  }
}

extension LinkTable.End {
  /// Returns whether another schema has the same relationship, perhaps of more or fewer entities.
  fileprivate func isSame(as other: LinkTable.End) -> Bool {
    relationship == other.relationship && entities.contains { other.entities.contains($0) }
  }
}
