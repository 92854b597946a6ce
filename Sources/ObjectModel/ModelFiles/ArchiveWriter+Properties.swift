import Foundation
import PropertyLists

// Attributes, relationships and fetched properties.

extension ArchiveWriter {
  /// Returns the class and the fields of a property.
  mutating func property(
    _ property: Property, of entity: PropertyList
  ) -> (ArchivedClass, [String: PropertyList]) {
    switch property {
    case .attribute(let attribute): self.attribute(attribute, of: entity, sharesElements: false)
    case .relationship(let relationship):
      (.relationshipDescription, self.relationship(relationship, of: entity))
    case .fetched(let fetched):
      (.fetchedPropertyDescription, self.fetchedProperty(fetched, of: entity))
    }
  }

  /// Returns the fields that all properties have. The bit set repeats the fields, and takes precedence in readers.
  private mutating func fields(
    _ property: Property, of entity: PropertyList, isReadOnly: Bool = false,
    isValidated: Bool = false, bits others: Int64 = 0, notes: [String: String] = [:]
  ) -> [String: PropertyList] {
    var fields: [String: PropertyList] = ["NSEntity": entity]
    var bits: Int64 = 1 | others
    fields["NSPropertyName"] = archive.text(property.name)
    fields["NSRenamingIdentifier"] = archive.text(property.renamingIdentifier ?? property.name)
    for (isSet, bit, field) in [
      (property.isOptional, 2, "NSIsOptional"), (isReadOnly, 4, "NSIsReadOnly"),
      (property.isTransient, 8, "NSIsTransient"),
    ] as [(Bool, Int64, String)] where isSet {
      bits |= bit
      fields[field] = .boolean(true)
    }
    if !isValidated { bits |= 0x10 | 0x20 }
    if property.userInfo.isEmpty {
      bits |= 0x40
    } else {
      fields["NSUserInfo"] = archive.dictionary(property.userInfo)
    }
    if let modifier = property.versionHashModifier {
      fields["NSVersionHashModifier"] = archive.text(modifier)
    } else {
      bits |= 0x80
    }
    fields["_P"] = .integer(bits)
    if !notes.isEmpty { fields[Self.notesField] = archive.dictionary(notes) }
    return fields
  }

  /// Returns the class and the fields of an attribute.
  ///
  /// - Parameter sharesElements: Whether a composite attribute shares the elements of its type instead of having
  ///   its own copies.
  mutating func attribute(
    _ attribute: Attribute, of entity: PropertyList, sharesElements: Bool
  ) -> (ArchivedClass, [String: PropertyList]) {
    var notes: [String: String] = [:]
    if attribute.type != .transformable { notes["valueClass"] = attribute.valueClassName }
    notes["composite"] = attribute.compositeName
    notes["filter"] = attribute.derivation?.filter
    if let derivation = attribute.derivation,
      derivation.form == nil || derivation.expression != derivation.normalizedExpression
    {
      notes["derivation"] = derivation.expression
    }
    var bits: Int64 = 0
    if attribute.options.contains(.isIndexedBySpotlight) { bits |= 0x100 }
    if attribute.options.contains(.isStoredInTruthFile) { bits |= 0x200 }
    if attribute.options.contains(.allowsCloudEncryption) { bits |= 0x800 }
    let (predicates, warnings) = validation(of: attribute, notes: &notes)
    var fields = self.fields(
      .attribute(attribute), of: entity, isReadOnly: attribute.derivation != nil,
      isValidated: !predicates.isEmpty, bits: bits, notes: notes)
    if !predicates.isEmpty {
      fields["NSValidationPredicates"] = archive.array(predicates)
      fields["NSValidationWarnings"] = archive.array(warnings)
    }
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = text(
      attribute.type == .transformable ? attribute.valueClassName : attribute.type.traits.className)
    fields["NSDefaultValue"] = value(attribute.defaultValue)
    fields["NSValueTransformerName"] = text(attribute.valueTransformerName)
    var flags: Int64 = 0
    if attribute.options.contains(.allowsExternalStorage) { flags |= 4 }
    if attribute.options.contains(.preservesValueOnDeletion) { flags |= 16 }
    fields["NSFlagsKey"] = .integer(flags)
    if attribute.options.contains(.isIndexed) { fields["NSIsIndexed"] = .boolean(true) }
    if attribute.options.contains(.isIndexedBySpotlight) {
      fields["NSIndexedBySpotlight"] = .boolean(true)
    }
    if let derivation = attribute.derivation {
      fields["NSDerivationExpression"] = self.derivation(derivation)
      fields["NSFilteringPredicate"] = predicate(derivation.filter)
      return (.derivedAttributeDescription, fields)
    }
    if let name = attribute.compositeName {
      fields["NSCompositeElements"] =
        sharesElements
        ? sharedElements(name)
        : model.composite(name).map { elements(of: $0) } ?? KeyedArchiveWriter.nothing
      return (.compositeAttributeDescription, fields)
    }
    return (.attributeDescription, fields)
  }

  private mutating func relationship(
    _ relationship: Relationship, of entity: PropertyList
  ) -> [String: PropertyList] {
    var notes: [String: String] = [:]
    let usualEntity = relationship.inverse == nil ? nil : relationship.destination
    if relationship.inverseEntity != usualEntity {
      notes["inverseEntity"] = relationship.inverseEntity ?? ""
    }
    var predicates: [PropertyList] = []
    var warnings: [PropertyList] = []
    add(relationship.validationPredicates, to: &predicates, &warnings, notes: &notes)
    var fields = self.fields(
      .relationship(relationship), of: entity, isValidated: !predicates.isEmpty,
      bits: relationship.isOrdered ? 0x400 : 0, notes: notes)
    if !predicates.isEmpty {
      fields["NSValidationPredicates"] = archive.array(predicates)
      fields["NSValidationWarnings"] = archive.array(warnings)
    }
    if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    fields["NSDestinationEntity"] = self.entity(relationship.destination)
    fields["_NSDestinationEntityName"] = archive.text(relationship.destination)
    fields["NSInverseRelationship"] = inverse(of: relationship)
    fields["_NSInverseRelationshipName"] = text(relationship.inverse)
    fields["NSMinCount"] = .integer(Int64(relationship.count.minimum))
    fields["NSMaxCount"] = .integer(Int64(relationship.count.maximum))
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    return fields
  }

  private mutating func fetchedProperty(
    _ property: FetchedProperty, of entity: PropertyList
  ) -> [String: PropertyList] {
    var fields = self.fields(.fetched(property), of: entity, isReadOnly: true)
    fields["NSFetchRequest"] = fetchRequest(property.request, of: property.name)
    fields["_NSFetchRequestEntityName"] = archive.text(property.request.entity)
    return fields
  }

  /// Returns a value as an archived object; nothing for no value and for a reference to a stored object.
  mutating func value(_ value: Value) -> PropertyList {
    switch value {
    case .null, .object: KeyedArchiveWriter.nothing
    case .boolean(let value): archive.add(.boolean(value))
    case .integer(let value): archive.add(.integer(value))
    case .float(let value): archive.add(.real(Double(value)))
    case .double(let value): archive.add(.real(value))
    case .decimal(let value): archive.decimal(value)
    case .string(let value): archive.text(value)
    case .date(let value): archive.date(value)
    case .uuid(let value): archive.uuid(value)
    case .uri(let value): archive.url(value)
    case .binary(let value): archive.add(.data(value))
    }
  }
}
