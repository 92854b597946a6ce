import PropertyLists

/// Writes a model as the objects of a keyed archive, in the form that Apple's model compiler gives
/// it: each entity with its own properties only.
///
/// What the archive's own fields can't say goes into a field of ours, ``notesField``, on the object
/// that it belongs to; decoders pass over fields they do not ask for. The notes are
/// - on the model, `order`: `kept` where the parts lie in the model's own order;
/// - on attributes, `composite`: the name of the composite type; `valueClass`: a class that the type
///   does not ask for; `derivation`: the expression, where it is spelled otherwise than the structure
///   would be; `filter`: the text of the filtering predicate;
/// - on relationships, `inverseEntity`, where it is not the destination, and empty where there is none;
/// - on fetch requests, `predicate`: the text; `name`, where it does not follow from the fetched
///   property; `flags`, where the result type hides some;
/// - on fetch indexes, `predicate`, and on their elements, `expression`.
///
/// The model has a field `QuireComposites` besides: for each composite type a list of its attributes.
struct ArchiveWriter {
  /// The field of our own: texts by name.
  static let notesField = "QuireNotes"

  let model: Model
  var archive: KeyedArchiveWriter
  private let root: PropertyList
  /// For each entity its object.
  private let entities: [PropertyList]
  /// For each entity the objects of its own properties.
  private let properties: [[PropertyList]]
  /// For each composite type its attributes, as a list.
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
    for composite in model.storage.index.compositesPartsFirst {
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

  /// The object of the entity of the given name.
  func entity(_ name: String) -> PropertyList {
    model.position(of: name).map { entities[$0] } ?? KeyedArchiveWriter.nothing
  }

  /// A text, or nothing.
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
    // The compiler has this field beside the next one also when it is empty.
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

  /// The attributes of a composite type. Those of a type within a type are shared by all that name it,
  /// for copies of copies could be without number.
  mutating func elements(of composite: CompositeType) -> PropertyList {
    let elements = composite.attributes.map { attribute in
      let (archivedClass, fields) = self.attribute(
        attribute, of: KeyedArchiveWriter.nothing, sharesElements: true)
      return archive.add(archivedClass, fields)
    }
    return archive.array(elements)
  }

  /// The list of the attributes of the composite type of the given name.
  func sharedElements(_ name: String) -> PropertyList {
    model.storage.index.compositeByName[name].flatMap { composites[$0] }
      ?? KeyedArchiveWriter.nothing
  }

  /// The object of the relationship that leads back.
  func inverse(of relationship: Relationship) -> PropertyList {
    guard let name = relationship.inverse,
      let destination = model.position(of: relationship.destination),
      let place = model.storage.index.property(name, of: destination)
    else { return KeyedArchiveWriter.nothing }
    return properties[place.entity][place.property]
  }
}

// The classes of Core Data that archived models are made of.
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
