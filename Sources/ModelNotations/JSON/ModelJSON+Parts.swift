import JSONText
import ObjectModel

// The members of the JSON form of each part of a model, in the order in which they are written.

extension ModelJSON {
  /// The key for the data of the editor that a part has.
  private static let editorDataKey = "editorData"

  static let fields: [ModelJSONField<Model.Description>] = [
    .list("versionIdentifiers", \.versionIdentifiers, .text),
    .field(
      "entities", \.entities, .list(entity.recording { $1.record(part: $0.name) }),
      isRequired: true),
    .list("composites", \.composites, composite.recording { $1.record(part: $0.name) }),
    .list("configurations", \.configurations, configuration.recording { $1.record(part: $0.name) }),
    .list(
      "fetchRequestTemplates", \.fetchRequestTemplates,
      request.recording { $1.record(part: $0.name) }),
    .texts(editorDataKey, \.source.attributes),
    .list("editorDiagram", \.source.diagram, .texts),
  ]

  // MARK: - Entities

  static let entityFields: [ModelJSONField<Entity>] =
    [
      .field("name", \.name, .text, isRequired: true),
      .optional("className", \.className, .text),
    ] + Entity.basicFacets.jsonFields() + [.optional("superentity", \.superentity, .text)]
    + Entity.history.jsonFields() + entityMembers

  private static let entityMembers: [ModelJSONField<Entity>] = [
    properties("attributes", \.declaredAttributes, attribute) { .attribute($0) },
    properties("relationships", \.declaredRelationships, relationship) { .relationship($0) },
    properties(
      "fetchedProperties", \.declaredFetchedProperties, fetchedProperty, isWrittenIfEmpty: false
    ) { .fetched($0) },
    ModelJSONField("propertyOrder", write: order, read: readOrder),
    .list("uniquenessConstraints", \.uniquenessConstraints, .list(.text)),
    ModelJSONField("fetchIndexes") { entity in
      entity.fetchIndexes.isEmpty ? nil : .array(entity.fetchIndexes.map(index.write))
    } read: { json, entity, reading in
      reading.items(json) { item, reading in
        guard let one = index.read(item, &reading) else { return }
        entity.fetchIndexes.append(one)
        reading.record(member: one.name, of: entity.name)
      }
    },
    .list("compoundIndexes", \.compoundIndexes, .list(.text)),
    .texts(editorDataKey, \.source.attributes),
  ]

  private static let entity = ModelJSONForm.part(entityFields, Entity(""))

  /// Returns a member for the properties of one kind.
  private static func properties<Kind: Sendable>(
    _ key: String, _ declared: any KeyPath<Entity, [Kind]> & Sendable, _ form: ModelJSONForm<Kind>,
    isWrittenIfEmpty: Bool = true, _ property: @escaping @Sendable (Kind) -> Property
  ) -> ModelJSONField<Entity> {
    ModelJSONField(key) { entity in
      let properties = entity[keyPath: declared]
      return isWrittenIfEmpty || !properties.isEmpty ? .array(properties.map(form.write)) : nil
    } read: { json, entity, reading in
      reading.items(json) { item, reading in
        guard let one = form.read(item, &reading).map(property) else { return }
        entity.declaredProperties.append(one)
        reading.record(member: one.name, of: entity.name)
      }
    }
  }

  /// Returns the names of an entity's properties; `nil` if attributes come first, then relationships, and fetched
  /// properties last.
  @Sendable private static func order(of entity: Entity) -> JSON? {
    let names = entity.declaredProperties.map(\.name)
    let usual =
      entity.declaredAttributes.map(\.name) + entity.declaredRelationships.map(\.name)
      + entity.declaredFetchedProperties.map(\.name)
    return names == usual ? nil : .strings(names)
  }

  /// Moves the properties of an entity to the order of their names.
  @Sendable private static func readOrder(
    _ json: JSON, _ entity: inout Entity, _ reading: inout ModelJSONReading
  ) {
    let names = entity.declaredProperties.map(\.name)
    var rest = Dictionary(
      entity.declaredProperties.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
    // The check of the model reports properties with the same name.
    let isUnique = rest.count == names.count
    var ordered: [Property] = []
    reading.items(json) { item, reading in
      guard let name = ModelJSONForm<String>.text.read(item, &reading) else { return }
      if let property = rest.removeValue(forKey: name) {
        ordered.append(property)
      } else if names.contains(name) {
        if isUnique { reading.report("The property \"\(name)\" occurs twice.") }
      } else if reading.faultCount == 0 {
        // After a fault, the property may be missing only because it could not be read.
        reading.report(unknown: "property", name, among: names)
      }
    }
    guard isUnique, reading.faultCount == 0 else { return }
    if let missing = names.first(where: { rest[$0] != nil }) {
      return reading.report("The property \"\(missing)\" is missing.")
    }
    entity.declaredProperties = ordered
  }

  private static let index = ModelJSONForm.part(indexFields, FetchIndex("", elements: []))

  static let indexFields: [ModelJSONField<FetchIndex>] = [
    .field("name", \.name, .text, isRequired: true),
    .field("elements", \.elements, .list(.part(indexElementFields, FetchIndex.Element("")))),
    .optional("partialPredicate", \.partialPredicate, .text),
  ]

  static let indexElementFields: [ModelJSONField<FetchIndex.Element>] = [
    .field("property", \.property, .text, isRequired: true),
    .optional("expression", \.expression, .text),
    .field(
      "kind", \.kind,
      .word("kind of index", [("binary", .binary), ("rTree", .rTree), ("fullText", .fullText)])),
    .field("isAscending", \.isAscending, .flag),
    .texts(editorDataKey, \.source.attributes),
  ]

  // MARK: - Attributes

  static let attributeFields: [ModelJSONField<Attribute>] =
    [
      .field("name", \.name, .text, isRequired: true),
      .field("type", \.type, type, isRequired: true),
    ] + Attribute.basicFacets.jsonFields() + attributeMembers + Attribute.nameFacets.jsonFields()
    + [
      .field("options", \.options, .words("option", options), isWritten: { !$0.isEmpty })
    ] + Attribute.history.jsonFields() + [.texts(editorDataKey, \.source.attributes)]

  private static let attributeMembers: [ModelJSONField<Attribute>] =
    [
      value("default", \.defaultValue) { $0.type },
      // The type of a default value, if an attribute without a type has a value that JSON does not distinguish.
      ModelJSONField("defaultType") { attribute in
        guard attribute.type == .undefined else { return nil }
        return ModelJSONValue.type(of: attribute.defaultValue).map(type.write)
      } read: { json, attribute, reading in
        guard let type = type.read(json, &reading) else { return }
        guard attribute.type == .undefined, !attribute.defaultValue.isNull else {
          return reading.report(
            "Only a default value of an attribute with the type \"Undefined\" has a type of its own."
          )
        }
        let natural = ValueText.modelJSON.json(attribute.defaultValue)
        if let value = ModelJSONValue.read(natural, of: type, &reading) {
          attribute.defaultValue = value
        }
      },
      // The bounds of text are numbers of characters.
      value("minimum", \.validation.minimum) { $0.type == .string ? .int64 : $0.type },
      value("maximum", \.validation.maximum) { $0.type == .string ? .int64 : $0.type },
      .optional("pattern", \.validation.pattern, .text),
      .list("validationPredicates", \.validation.predicates, predicate),
    ] + Attribute.precisionFacets.jsonFields() + [
      ModelJSONField("derivation") { attribute in
        attribute.derivation.map { .string($0.expression) }
      } read: { json, attribute, reading in
        attribute.derivation = ModelJSONForm<String>.text.read(json, &reading).map { .init($0) }
      },
      ModelJSONField("derivationFilter") { attribute in
        attribute.derivation?.filter.map(JSON.string)
      } read: { json, attribute, reading in
        guard attribute.derivation != nil else {
          return reading.report("Only an attribute with a \"derivation\" has a filter.")
        }
        attribute.derivation?.filter = ModelJSONForm<String>.text.read(json, &reading)
      },
      .optional("composite", \.compositeName, .text),
    ]

  private static let attribute = ModelJSONForm.part(
    attributeFields, Attribute("", .undefined, isOptional: false))

  /// The type of an attribute.
  private static let type = ModelJSONForm.word(
    "type", AttributeType.allCases.map { ($0.sourceName, $0) }
  ) { word in
    // The types of the text form, and of other systems.
    let name = ModelTextType.otherNames[word.lowercased()] ?? word
    return ModelTextType.type(name)?.sourceName
  }

  private static let options: [(word: String, value: Attribute.Options)] =
    Attribute.optionFacets.compactMap { facet in
      var attribute = Attribute("", .undefined)
      facet.set(true, in: &attribute)
      return facet.option.map { ($0.json, attribute.options) }
    }

  /// Returns a member for a value of an attribute.
  private static func value(
    _ key: String, _ property: any WritableKeyPath<Attribute, Value> & Sendable,
    _ type: @escaping @Sendable (Attribute) -> AttributeType
  ) -> ModelJSONField<Attribute> {
    ModelJSONField(key) { attribute in
      let value = attribute[keyPath: property]
      return value.isNull ? nil : ValueText.modelJSON.json(value, attribute.validation.precision)
    } read: { json, attribute, reading in
      if let value = ModelJSONValue.read(json, of: type(attribute), &reading) {
        attribute[keyPath: property] = value
      }
    }
  }

  private static let predicate = ModelJSONForm.part(predicateFields, ValidationPredicate(""))

  static let predicateFields: [ModelJSONField<ValidationPredicate>] = [
    .field("predicate", \.predicate, .text, isRequired: true),
    .optional("message", \.message, .text),
    .optional("code", \.code, .number),
  ]

  // MARK: - Relationships and fetched properties

  static let relationshipFields: [ModelJSONField<Relationship>] =
    relationshipMembers + [Relationship.orderFacet].jsonFields()
    + [.field("deleteRule", \.deleteRule, .word("delete rule", deleteRules))]
    + Relationship.basicFacets.jsonFields()
    + [.list("validationPredicates", \.validationPredicates, predicate)]
    + Relationship.history.jsonFields() + [.texts(editorDataKey, \.source.attributes)]

  private static let relationshipMembers: [ModelJSONField<Relationship>] = [
    .field("name", \.name, .text, isRequired: true),
    .field("destination", \.destination, .text, isRequired: true),
    .optional("inverse", \.inverse, .text),
    .optional("inverseEntity", \.inverseEntity, .text),
    ModelJSONField("isToMany") { relationship in
      .boolean(relationship.isToMany)
    } read: { json, relationship, reading in
      if let isToMany = ModelJSONForm<Bool>.flag.read(json, &reading) {
        relationship.count = isToMany ? .toMany : .toOne
      }
    },
    .field("minimumCount", \.count.minimum, .number),
    .field("maximumCount", \.count.maximum, .number),
  ]

  private static let relationship = ModelJSONForm.part(
    relationshipFields, Relationship("", to: "", isOptional: false)
  ) { json, relationship, reading in
    guard case .boolean(let isToMany)? = json["isToMany"], isToMany != relationship.isToMany
    else { return }
    reading.at(.member("isToMany")) { reading in
      reading.report(
        "The value contradicts \"maximumCount\": exactly a maximum of 1 is to-one.")
    }
  }

  private static let deleteRules: [(word: String, value: Relationship.DeleteRule)] = [
    ("nullify", .nullify), ("cascade", .cascade), ("deny", .deny), ("no action", .noAction),
  ]

  static let fetchedPropertyFields: [ModelJSONField<FetchedProperty>] =
    [.field("name", \.name, .text, isRequired: true)]
    + FetchedProperty.basicFacets.jsonFields()
    + [.field("request", \.request, request, isRequired: true)]
    + FetchedProperty.history.jsonFields() + [.texts(editorDataKey, \.source.attributes)]

  private static let fetchedProperty = ModelJSONForm.part(
    fetchedPropertyFields,
    FetchedProperty("", request: FetchRequestTemplate("", entity: ""), isOptional: false))

  // MARK: - Other parts

  static let requestFields: [ModelJSONField<FetchRequestTemplate>] = [
    .field("name", \.name, .text, isRequired: true),
    .field("entity", \.entity, .text, isRequired: true),
    .optional("predicate", \.predicate, .text),
    .list("sortKeys", \.sortKeys, .part(sortKeyFields, FetchRequestTemplate.SortKey(""))),
    .field("resultType", \.resultType, .word("type of result", resultTypes)),
    .count("fetchLimit", \.fetchLimit),
    .count("fetchOffset", \.fetchOffset),
    .count("fetchBatchSize", \.fetchBatchSize),
    .field("flags", \.flags, .words("flag", flags)),
    .texts(editorDataKey, \.source.attributes),
  ]

  private static let request = ModelJSONForm.part(
    requestFields, FetchRequestTemplate("", entity: ""))

  static let sortKeyFields: [ModelJSONField<FetchRequestTemplate.SortKey>] = [
    .field("keyPath", \.keyPath, .text, isRequired: true),
    .field("isAscending", \.isAscending, .flag),
    .optional("selector", \.selector, .text),
  ]

  private static let resultTypes: [(word: String, value: FetchRequestTemplate.ResultType)] = [
    ("objects", .objects), ("identifiers", .identifiers), ("dictionaries", .dictionaries),
    ("count", .count),
  ]

  private static let flags: [(word: String, value: FetchRequestTemplate.Flags)] = [
    ("includesSubentities", .includesSubentities),
    ("includesPropertyValues", .includesPropertyValues),
    ("includesPendingChanges", .includesPendingChanges),
    ("returnsObjectsAsFaults", .returnsObjectsAsFaults),
    ("returnsDistinctResults", .returnsDistinctResults),
  ]

  static let compositeFields: [ModelJSONField<CompositeType>] = [
    .field("name", \.name, .text, isRequired: true),
    ModelJSONField("attributes") { composite in
      .array(composite.attributes.map(attribute.write))
    } read: { json, composite, reading in
      reading.items(json) { item, reading in
        guard let one = attribute.read(item, &reading) else { return }
        composite.attributes.append(one)
        reading.record(member: one.name, of: composite.name)
      }
    },
    .texts(editorDataKey, \.source.attributes),
  ]

  private static let composite = ModelJSONForm.part(
    compositeFields, CompositeType("", attributes: []))

  static let configurationFields: [ModelJSONField<Configuration>] = [
    .field("name", \.name, .text, isRequired: true),
    .field("entities", \.entities, .list(.text)),
  ]

  private static let configuration = ModelJSONForm.part(
    configurationFields, Configuration("", entities: []))
}

extension ModelJSONForm where Content: Sendable {
  /// Returns the same form with an action after each value that was read.
  fileprivate func recording(
    _ record: @escaping @Sendable (Content, inout ModelJSONReading) -> Void
  ) -> ModelJSONForm {
    ModelJSONForm(
      write: write,
      read: { json, reading in
        let value = read(json, &reading)
        if let value { record(value, &reading) }
        return value
      })
  }
}

extension Array {
  /// Returns a member for each facet that has a name in the JSON form.
  fileprivate func jsonFields<Part>() -> [ModelJSONField<Part>] where Element == ModelFacet<Part> {
    compactMap { facet in
      guard let json = facet.json else { return nil }
      return switch facet.content {
      // The version hash covers the flags that every object has. Others are rare, and are written only if they are set.
      case .flag(let path):
        .field(json, path, .flag, isWritten: { $0 || facet.isHashed })
      case .number(let path, _): .optional(json, path, .number)
      case .text(let path, _, _): .optional(json, path, .text)
      case .notes(let path): .texts(json, path)
      }
    }
  }
}
