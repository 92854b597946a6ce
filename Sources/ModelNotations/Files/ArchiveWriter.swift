import ObjectModel
import PropertyLists

/// A writer of a model as the objects of a keyed archive, in the form of Apple's model compiler: each entity has
/// only its declared properties.
///
/// Facts that the archive's own fields cannot express go into a field of Quire's, ``notesField``, on the object
/// that they belong to. Decoders skip unknown fields. The notes are
/// - on the model, `order`: `kept` if the parts lie in the model's own order;
/// - on attributes, `composite`: the name of the composite type; `valueClass`: a class that does not follow from
///   the type; `derivation`: the expression, if its spelling differs from the structure's; `filter`: the text of
///   the filtering predicate;
/// - on relationships, `inverseEntity`, if it is not the destination, and empty if it is missing;
/// - on fetch requests, `predicate`: the text; `name`, if it does not follow from the fetched property; `flags`, if
///   the result type hides some;
/// - on fetch indexes, `predicate`, and on their elements, `expression`.
///
/// The model also has a field `QuireComposites`: for each composite type a list of its attributes.
struct ArchiveWriter {
  /// The field for Quire's notes: texts by name.
  static let notesField = "QuireNotes"

  let model: Model
  var archive: KeyedArchiveWriter
  private let root: PropertyList
  /// The archived object of each entity.
  private let entities: [PropertyList]
  /// The archived objects of each entity's own properties.
  private let properties: [[PropertyList]]
  /// The archived list of attributes of each composite type.
  private var composites: [Int: PropertyList] = [:]

  init(_ model: Model) {
    var archive = KeyedArchiveWriter()
    root = archive.reserve()
    entities = model.entities.map { _ in archive.reserve() }
    properties = model.entities.map { $0.declaredProperties.map { _ in archive.reserve() } }
    self.model = model
    self.archive = archive
  }

  mutating func bytes() -> [UInt8] {
    let description = model.description
    for composite in model.compositesPartsFirst {
      composites[composite] = elements(of: description.composites[composite])
    }
    for position in description.entities.indices { fillEntity(position) }
    var fields: [String: PropertyList] = [:]
    fields["NSEntities"] = archive.dictionary(
      zip(description.entities, entities).map { ($0.name, $1) }, as: .mutableDictionary)
    let identifiers = description.versionIdentifiers
    fields["NSVersionIdentifiers"] = archive.array(
      (identifiers.isEmpty ? [""] : identifiers).map { archive.text($0) }, as: .set)
    fields["NSFetchRequestTemplates"] =
      description.fetchRequestTemplates.isEmpty
      ? KeyedArchiveWriter.nothing
      : archive.dictionary(
        description.fetchRequestTemplates.map { ($0.name, fetchRequest($0)) },
        as: .mutableDictionary)
    if !description.configurations.isEmpty {
      fields["NSConfigurations"] = archive.dictionary(
        description.configurations.map { configuration in
          (configuration.name, archive.array(configuration.entities.map { entity($0) }, as: .set))
        }, as: .mutableDictionary)
    }
    if !description.composites.isEmpty {
      fields["QuireComposites"] = archive.dictionary(
        description.composites.enumerated().map { ($1.name, composites[$0]!) })
    }
    fields[Self.notesField] = archive.dictionary(["order": "kept"])
    archive.fill(root, .managedObjectModel, fields)
    return archive.bytes(root: root)
  }

  /// Returns the archived object of the entity with the given name.
  func entity(_ name: String) -> PropertyList {
    model.position(of: name).map { entities[$0] } ?? KeyedArchiveWriter.nothing
  }

  /// Returns an archived text, or nothing.
  mutating func text(_ text: String?) -> PropertyList {
    text.map { archive.text($0) } ?? KeyedArchiveWriter.nothing
  }

  private mutating func fillEntity(_ position: Int) {
    let entity = model.entities[position]
    var fields: [String: PropertyList] = ["NSManagedObjectModel": root]
    fields["NSEntityName"] = archive.text(entity.name)
    fields["NSClassNameForEntity"] = text(entity.className)
    fields["NSRenamingIdentifier"] = archive.text(entity.renamingIdentifier ?? entity.name)
    fields["NSVersionHashModifier"] = text(entity.versionHashModifier)
    fields["NSSuperentity"] =
      entity.superentity.map { self.entity($0) } ?? KeyedArchiveWriter.nothing
    fields["NSSubentities"] = archive.dictionary(
      model.subentities(of: entity.name).map { ($0.name, self.entity($0.name)) },
      as: .mutableDictionary)
    fields["NSUserInfo"] = archive.dictionary(entity.userInfo)
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    fields["NSProperties"] = archive.dictionary(
      zip(entity.declaredProperties, properties[position]).map { ($0.name, $1) },
      as: .mutableDictionary)
    for (property, reference) in zip(entity.declaredProperties, properties[position]) {
      let (archivedClass, fields) = self.property(property, of: entities[position])
      archive.fill(reference, archivedClass, fields)
    }
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = tuples(entity.uniquenessConstraints)
    }
    // The compiler writes this field together with the next field, even if this field is empty.
    if !entity.compoundIndexes.isEmpty || !entity.fetchIndexes.isEmpty {
      fields["NSCompoundIndexes"] = tuples(entity.compoundIndexes)
    }
    if !entity.fetchIndexes.isEmpty {
      let indexes = entity.fetchIndexes.map { fetchIndex($0, of: entities[position]) }
      fields["NSFetchIndexDescriptions"] = archive.array(indexes, as: .mutableArray)
    }
    archive.fill(entities[position], .entityDescription, fields)
  }

  private mutating func tuples(_ tuples: [[String]]) -> PropertyList {
    archive.array(
      tuples.map { tuple in archive.array(tuple.map { archive.text($0) }, as: .mutableArray) },
      as: .mutableArray)
  }

  /// Returns the archived attributes of a composite type. All users of a nested type share its attributes, because
  /// copies of copies could grow without limit.
  mutating func elements(of composite: CompositeType) -> PropertyList {
    let elements = composite.attributes.map { attribute in
      let (archivedClass, fields) = self.attribute(
        attribute, of: KeyedArchiveWriter.nothing, sharesElements: true)
      return archive.add(archivedClass, fields)
    }
    return archive.array(elements)
  }

  /// Returns the archived list of the attributes of the composite type with the given name.
  func sharedElements(_ name: String) -> PropertyList {
    model.position(ofComposite: name).flatMap { composites[$0] }
      ?? KeyedArchiveWriter.nothing
  }

  /// Returns the archived object of the inverse relationship.
  func inverse(of relationship: Relationship) -> PropertyList {
    guard let name = relationship.inverse,
      let place = model.declaration(of: name, in: relationship.destination)
    else { return KeyedArchiveWriter.nothing }
    return properties[place.entity][place.property]
  }
}

// The Core Data classes of archived models.
extension ArchivedClass {
  static let managedObjectModel = ArchivedClass("NSManagedObjectModel")
  static let entityDescription = ArchivedClass("NSEntityDescription")
  static let attributeDescription = ArchivedClass(
    "NSAttributeDescription", "NSPropertyDescription")
  static let derivedAttributeDescription = ArchivedClass(
    "NSDerivedAttributeDescription", "NSAttributeDescription", "NSPropertyDescription")
  static let compositeAttributeDescription = ArchivedClass(
    "NSCompositeAttributeDescription", "NSAttributeDescription", "NSPropertyDescription")
  static let relationshipDescription = ArchivedClass(
    "NSRelationshipDescription", "NSPropertyDescription")
  static let fetchedPropertyDescription = ArchivedClass(
    "NSFetchedPropertyDescription", "NSPropertyDescription")
  static let fetchRequest = ArchivedClass("NSFetchRequest", "NSPersistentStoreRequest")
  static let sortDescriptor = ArchivedClass("NSSortDescriptor")
  static let fetchIndexDescription = ArchivedClass("NSFetchIndexDescription")
  static let fetchIndexElementDescription = ArchivedClass("NSFetchIndexElementDescription")
}
