import JSONText
import ObjectModel

extension Wording {
  /// Returns the model as JSON. Absent parts are left out.
  static func json(_ model: Model) -> JSON {
    let description = model.description
    return .object([
      "versionIdentifiers": list(description.versionIdentifiers),
      "entities": .array(model.entities.map { json($0, of: model) }),
      "composites": list(description.composites) {
        .object(["name": .string($0.name), "attributes": .array($0.attributes.map { json($0) })])
      },
      "configurations": list(description.configurations) {
        .object(["name": .string($0.name), "entities": .strings($0.entities)])
      },
      "fetchRequestTemplates": list(description.fetchRequestTemplates) { json($0) },
    ])
  }

  private static func json(_ entity: Entity, of model: Model) -> JSON {
    .object([
      "name": .string(entity.name),
      "className": entity.className.map(JSON.string),
      "isAbstract": .boolean(entity.isAbstract),
      "superentity": entity.superentity.map(JSON.string),
      "renamingIdentifier": entity.renamingIdentifier.map(JSON.string),
      "versionHashModifier": entity.versionHashModifier.map(JSON.string),
      "userInfo": json(entity.userInfo),
      "attributes": .array(entity.declaredAttributes.map { json($0) }),
      "relationships": .array(entity.declaredRelationships.map { json($0) }),
      "fetchedProperties": list(entity.declaredFetchedProperties) { property in
        .object([
          "name": .string(property.name), "isOptional": .boolean(property.isOptional),
          "request": json(property.request),
          "renamingIdentifier": property.renamingIdentifier.map(JSON.string),
          "userInfo": json(property.userInfo),
        ])
      },
      "uniquenessConstraints": list(entity.uniquenessConstraints, JSON.strings),
      "fetchIndexes": list(entity.fetchIndexes) { json($0) },
      "compoundIndexes": list(entity.compoundIndexes, JSON.strings),
    ])
  }

  private static func json(_ attribute: Attribute) -> JSON {
    .object([
      "name": .string(attribute.name),
      "type": .string(attribute.type.sourceName),
      "isOptional": .boolean(attribute.isOptional),
      "isTransient": .boolean(attribute.isTransient),
      "default": attribute.defaultValue.isNull ? nil : json(attribute.defaultValue),
      "minimum": attribute.validation.minimum.isNull ? nil : json(attribute.validation.minimum),
      "maximum": attribute.validation.maximum.isNull ? nil : json(attribute.validation.maximum),
      "pattern": attribute.validation.pattern.map(JSON.string),
      "validationPredicates": list(attribute.validation.predicates, json),
      "derivation": attribute.derivation.map { .string($0.expression) },
      "derivationFilter": attribute.derivation?.filter.map(JSON.string),
      "composite": attribute.compositeName.map(JSON.string),
      "valueTransformer": attribute.valueTransformerName.map(JSON.string),
      "valueClass": attribute.valueClassName.map(JSON.string),
      "options": list(optionNames.filter { attribute.options.contains($0.option) }.map(\.name)),
      "renamingIdentifier": attribute.renamingIdentifier.map(JSON.string),
      "versionHashModifier": attribute.versionHashModifier.map(JSON.string),
      "userInfo": json(attribute.userInfo),
    ])
  }

  private static func json(_ predicate: ValidationPredicate) -> JSON {
    .object([
      "predicate": .string(predicate.predicate),
      "message": predicate.message.map(JSON.string),
      "code": predicate.code.map(JSON.number),
    ])
  }

  private static func json(_ relationship: Relationship) -> JSON {
    .object([
      "name": .string(relationship.name),
      "destination": .string(relationship.destination),
      "inverse": relationship.inverse.map(JSON.string),
      "isToMany": .boolean(relationship.isToMany),
      "minimumCount": .number(relationship.count.minimum),
      "maximumCount": .number(relationship.count.maximum),
      "isOrdered": .boolean(relationship.isOrdered),
      "deleteRule": .string(word(for: relationship.deleteRule)),
      "isOptional": .boolean(relationship.isOptional),
      "isTransient": .boolean(relationship.isTransient),
      "validationPredicates": list(relationship.validationPredicates, json),
      "renamingIdentifier": relationship.renamingIdentifier.map(JSON.string),
      "versionHashModifier": relationship.versionHashModifier.map(JSON.string),
      "userInfo": json(relationship.userInfo),
    ])
  }

  private static func json(_ request: FetchRequestTemplate) -> JSON {
    .object([
      "name": .string(request.name),
      "entity": .string(request.entity),
      "predicate": request.predicate.map(JSON.string),
      "sortKeys": list(request.sortKeys) {
        .object(["keyPath": .string($0.keyPath), "isAscending": .boolean($0.isAscending)])
      },
      "resultType": .string("\(request.resultType)"),
      "fetchLimit": request.fetchLimit == 0 ? nil : .number(request.fetchLimit),
      "fetchOffset": request.fetchOffset == 0 ? nil : .number(request.fetchOffset),
      "fetchBatchSize": request.fetchBatchSize == 0 ? nil : .number(request.fetchBatchSize),
      "flags": .strings(flagNames.filter { request.flags.contains($0.flag) }.map(\.name)),
    ])
  }

  private static func json(_ index: FetchIndex) -> JSON {
    .object([
      "name": .string(index.name),
      "elements": .array(
        index.elements.map {
          .object([
            "property": .string($0.property),
            "expression": $0.expression.map(JSON.string), "kind": .string("\($0.kind)"),
            "isAscending": .boolean($0.isAscending),
          ])
        }),
      "partialPredicate": index.partialPredicate.map(JSON.string),
    ])
  }

  private static func json(_ userInfo: [String: String]) -> JSON? {
    if userInfo.isEmpty { return nil }
    return .members(
      userInfo.sorted { $0.key < $1.key }.map {
        JSON.Member(name: $0.key, value: .string($0.value))
      })
  }

  /// Returns the values as an array; `nil` if there are none.
  private static func list<Item>(_ items: [Item], _ json: (Item) -> JSON) -> JSON? {
    items.isEmpty ? nil : .array(items.map(json))
  }

  private static func list(_ items: [String]) -> JSON? { list(items, JSON.string) }

  private static let optionNames: [(option: Attribute.Options, name: String)] = [
    (.allowsExternalStorage, "allowsExternalStorage"),
    (.preservesValueOnDeletion, "preservesValueOnDeletion"),
    (.isIndexed, "isIndexed"),
    (.isIndexedBySpotlight, "isIndexedBySpotlight"),
    (.isStoredInTruthFile, "isStoredInTruthFile"),
    (.allowsCloudEncryption, "allowsCloudEncryption"),
  ]

  private static let flagNames: [(flag: FetchRequestTemplate.Flags, name: String)] = [
    (.includesSubentities, "includesSubentities"),
    (.includesPropertyValues, "includesPropertyValues"),
    (.includesPendingChanges, "includesPendingChanges"),
    (.returnsObjectsAsFaults, "returnsObjectsAsFaults"),
    (.returnsDistinctResults, "returnsDistinctResults"),
  ]
}
