import ObjectModel
import ObjectQuery
import Rows

/// Checks a written mapping against its models, and completes it with inferred parts.
struct MappingCompletion {
  private let source: Model
  private let destination: Model
  private let continuation: ModelContinuation

  init(_ source: Model, _ destination: Model) {
    (self.source, self.destination) = (source, destination)
    continuation = ModelContinuation(from: source, to: destination)
  }

  /// Returns the written mappings, with inferred mappings for the entities that they omit.
  func complete(_ written: [EntityMapping]) throws(MigrationError) -> [EntityMapping] {
    var names: Set<String> = []
    for mapping in written {
      guard names.insert(mapping.name).inserted else {
        throw wrong("Two mappings have the name \"\(mapping.name)\". Rename one of them.")
      }
    }
    var mappings: [EntityMapping] = []
    for mapping in written { mappings.append(try checked(mapping)) }
    let taken = Set(written.compactMap(\.sourceEntity))
    let made = Set(written.compactMap(\.destinationEntity))
    for entity in destination.entities where !entity.isAbstract && !made.contains(entity.name) {
      let before = continuation.entity(before: entity.name).flatMap { $0.isAbstract ? nil : $0 }
      if let before, !taken.contains(before.name) {
        var mapping = EntityMapping(.transform, from: before.name, to: entity.name)
        if source.versionHash(of: before.name) == destination.versionHash(of: entity.name) {
          mapping.kind = .copy
        }
        mapping.name = unused(mapping.name, names)
        names.insert(mapping.name)
        mappings.append(try completed(mapping))
      } else {
        mappings.append(EntityMapping(.add, to: entity.name))
      }
    }
    for entity in source.entities
    where !entity.isAbstract && !taken.contains(entity.name)
      && !mappings.contains(where: { $0.sourceEntity == entity.name })
    {
      guard continuation.entity(after: entity.name) == nil else {
        // The entity's successor is already made from another entity.
        throw wrong(
          """
          No mapping takes the objects of "\(entity.name)". Map the objects, or remove them with \
          "remove \(entity.name)".
          """)
      }
      mappings.append(EntityMapping(.remove, from: entity.name))
    }
    return mappings
  }

  private func unused(_ name: String, _ names: Set<String>) -> String {
    var name = name
    while names.contains(name) { name += "_" }
    return name
  }

  // MARK: - One entity

  private func checked(_ mapping: EntityMapping) throws(MigrationError) -> EntityMapping {
    let what = "The mapping \"\(mapping.name)\""
    if let name = mapping.sourceEntity, source[name] == nil {
      throw unknown(name, in: source, "the older model", what)
    }
    if let name = mapping.destinationEntity {
      guard let entity = destination[name] else {
        throw unknown(name, in: destination, "the newer model", what)
      }
      guard !entity.isAbstract else {
        throw wrong("\(what) creates objects of \"\(name)\", which is an abstract entity.")
      }
    }
    switch mapping.kind {
    case .add, .remove:
      let isAdd = mapping.kind == .add
      guard (mapping.sourceEntity == nil) == isAdd,
        (mapping.destinationEntity != nil) == isAdd, mapping.properties.isEmpty
      else {
        throw wrong(
          """
          \(what) only \(isAdd ? "adds" : "removes") an entity, so it must name only a \
          \(isAdd ? "destination" : "source") and no properties.
          """)
      }
      return mapping
    case .copy, .transform:
      guard mapping.sourceEntity != nil, mapping.destinationEntity != nil else {
        throw wrong("\(what) needs a source and a destination.")
      }
      return try completed(mapping)
    case .custom:
      guard mapping.policyName != nil || mapping.sourceEntity != nil else {
        throw wrong("\(what) needs a source or a policy, from which it creates objects.")
      }
      return try completed(mapping)
    }
  }

  /// Returns a mapping with a value for every property of the new entity.
  private func completed(_ mapping: EntityMapping) throws(MigrationError) -> EntityMapping {
    guard let entity = mapping.destinationEntity else { return mapping }
    var mapping = mapping
    let properties = destination.properties(of: entity)
    for written in mapping.properties {
      let name = String(written.name.prefix { $0 != "." })
      guard let property = properties.first(where: { $0.name == name }) else {
        throw wrong(
          """
          The mapping "\(mapping.name)" gives a value to "\(written.name)", but "\(entity)" \
          does not have this property. It has \(properties.map { "\"\($0.name)\"" }.joined(separator: ", ")).
          """)
      }
      if case .fetched = property {
        throw wrong(
          "The fetched property \"\(written.name)\" of \"\(entity)\" can't be given a value.")
      }
      if case .attribute(let attribute) = property, attribute.type == .composite,
        written.name == name
      {
        throw wrong(
          """
          The composite attribute "\(name)" of "\(entity)" can't be given a value as a whole: give its \
          parts values, such as "\(name).part".
          """)
      }
      if case .attribute(let attribute) = property, attribute.derivation != nil {
        throw wrong(
          "The attribute \"\(written.name)\" of \"\(entity)\" is derived, so it can't be given a value."
        )
      }
    }
    guard let from = mapping.sourceEntity, !mapping.isExact else { return mapping }
    let known = Set(mapping.properties.map(\.name))
    for property in properties where !property.isTransient && !known.contains(property.name) {
      guard let before = self.before(property, from, entity) else { continue }
      mapping.properties += try carried(property, before, mapping)
    }
    return mapping
  }

  /// Returns the property of a source entity that a destination property continues, or that has the same name.
  private func before(_ property: Property, _ from: String, _ entity: String) -> Property? {
    let old: Property?
    if continuation.entity(before: entity)?.name == from {
      old = continuation.properties(of: entity).before[property.name]
    } else {
      old =
        property.renamingIdentifier.flatMap { source.property($0, of: from) }
        ?? source.property(property.name, of: from)
    }
    return old.flatMap { $0.isTransient ? nil : $0 }
  }

  /// Returns the inferred values of a property that the mapping omits.
  private func carried(
    _ property: Property, _ before: Property, _ mapping: EntityMapping
  ) throws(MigrationError) -> [PropertyMapping] {
    let path = QueryExpression.keyPath(of: .variable("source"), [before.name])
    switch (property, before) {
    case (.attribute(let attribute), .attribute(let old)):
      if attribute.derivation != nil { return [] }
      if attribute.type == .composite { return parts(attribute, old) }
      guard old.type.mayBecome(attribute.type) else {
        // A policy gives the value.
        if mapping.policyName != nil { return [] }
        throw unsaid(
          attribute.name, mapping,
          "was of type \(old.type.sourceName) and is of type \(attribute.type.sourceName)")
      }
      return [PropertyMapping(attribute.name, path)]
    case (.relationship(let relationship), .relationship(let old)):
      guard relationship.isToMany || !old.isToMany else {
        if mapping.policyName != nil { return [] }
        throw unsaid(relationship.name, mapping, "was to-many and is to-one")
      }
      return [PropertyMapping(relationship.name, path)]
    default: return []
    }
  }

  private func parts(_ attribute: Attribute, _ old: Attribute) -> [PropertyMapping] {
    continuation.parts(of: attribute, continuing: old).parts.compactMap { part in
      guard part.attribute.type != .composite, let before = part.before else { return nil }
      return PropertyMapping(
        part.path.joined(separator: "."), .keyPath(of: .variable("source"), before.path))
    }
  }

  // MARK: - Messages

  private func wrong(_ message: String) -> MigrationError { MigrationError(.badMapping, message) }

  private func unsaid(
    _ property: String, _ mapping: EntityMapping, _ reason: String
  ) -> MigrationError {
    MigrationError(
      .notInferable, "The mapping \"\(mapping.name)\" must give a value to \"\(property)\":",
      problems: [MigrationProblem(mapping.destinationEntity ?? "", property, reason)])
  }

  private func unknown(
    _ name: String, in model: Model, _ where: String, _ what: String
  ) -> MigrationError {
    wrong(
      """
      \(what) names "\(name)", which is not an entity of \(`where`). The model has \
      \(model.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")).
      """)
  }
}

extension AttributeType {
  /// Whether every value of this type is a value of another type.
  func widens(to other: AttributeType) -> Bool {
    guard let kind = ColumnKind(self), let wider = ColumnKind(other) else { return false }
    return kind.widens(to: wider)
  }
}
