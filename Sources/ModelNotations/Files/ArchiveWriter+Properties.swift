import Foundation
import ObjectModel
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
    _ property: Property, of entity: PropertyList, _ flags: Flags, isReadOnly: Bool = false,
    isValidated: Bool = false, notes: [String: String] = [:]
  ) -> [String: PropertyList] {
    var fields: [String: PropertyList] = ["NSEntity": entity]
    var bits: Int64 = 1 | flags.bits
    fields["NSPropertyName"] = archive.text(property.name)
    fields["NSRenamingIdentifier"] = archive.text(property.renamingIdentifier ?? property.name)
    for field in flags.fields { fields[field] = .boolean(true) }
    if isReadOnly {
      bits |= 4
      fields["NSIsReadOnly"] = .boolean(true)
    }
    if case .fetched = property {
      bits |= 8
      fields["NSIsTransient"] = .boolean(true)
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

  /// The flags that a part has: bits of its set, bits of its marks, and fields.
  private struct Flags {
    var bits: Int64 = 0
    var marks: Int64 = 0
    var fields: [String] = []

    init<Part>(_ facets: [ModelFacet<Part>], of part: Part) {
      for facet in facets where facet.flag(of: part) == true {
        switch facet.archive {
        case .bit(let mask, let field):
          bits |= mask
          if let field { fields.append(field) }
        case .mark(let mask): marks |= mask
        case .field(let name): fields.append(name)
        case nil: break
        }
      }
    }
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
    let flags = Flags(Attribute.facets, of: attribute)
    let (predicates, warnings) = validation(of: attribute, notes: &notes)
    var fields = self.fields(
      .attribute(attribute.withNotes), of: entity, flags, isReadOnly: attribute.derivation != nil,
      isValidated: !predicates.isEmpty, notes: notes)
    if !predicates.isEmpty {
      fields["NSValidationPredicates"] = archive.array(predicates)
      fields["NSValidationWarnings"] = archive.array(warnings)
    }
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = text(
      attribute.type == .transformable ? attribute.valueClassName : attribute.type.traits.className)
    fields["NSDefaultValue"] = value(attribute.defaultValue)
    for facet in Attribute.nameFacets {
      if case .field(let name)? = facet.archive { fields[name] = text(facet.text(of: attribute)) }
    }
    fields["NSFlagsKey"] = .integer(flags.marks)
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
      .relationship(relationship), of: entity, Flags(Relationship.facets, of: relationship),
      isValidated: !predicates.isEmpty, notes: notes)
    if !predicates.isEmpty {
      fields["NSValidationPredicates"] = archive.array(predicates)
      fields["NSValidationWarnings"] = archive.array(warnings)
    }
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
    var fields = self.fields(
      .fetched(property), of: entity, Flags(FetchedProperty.facets, of: property), isReadOnly: true)
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
