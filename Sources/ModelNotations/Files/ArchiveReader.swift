import Foundation
import ObjectModel
import PropertyLists

/// A reader of the objects of an archived model.
///
/// Archives from ``ArchiveWriter`` have notes on their objects, for facts that Core Data's own fields cannot
/// express.
struct ArchiveReader {
  let path: String
  private let root: ArchivedObject
  /// Whether the archive contains the parts of the model in the model's own order. Apple's archiver keeps no order;
  /// then the parts are sorted.
  private let keepsOrder: Bool
  private var composites = ArchivedComposites()

  init(_ root: ArchivedObject, path: String) {
    self.root = root
    self.path = path
    keepsOrder = Self.notes(root)["order"] == "kept"
    for (name, entity) in members(root["NSEntities"]) {
      for (_, property) in members(entity["NSProperties"])
      where Self.notes(property)["composite"] == nil {
        composites.add(property, of: name)
      }
    }
  }

  static func notes(_ archived: ArchivedObject) -> [String: String] {
    (archived[ArchiveWriter.notesField]?.dictionary ?? [:]).compactMapValues(\.string)
  }

  /// Returns the members of a dictionary, in the model's order or sorted by key.
  private func members(_ archived: ArchivedObject?) -> [(String, ArchivedObject)] {
    if keepsOrder { return archived?.members ?? [] }
    return (archived?.dictionary ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private func inOrder(_ names: [String]) -> [String] { keepsOrder ? names : names.sorted() }

  private func fault(_ place: String, _ message: String) -> ModelFileError {
    ModelFileError(.damaged, path: path, place: place, message: message)
  }

  func model() throws(ModelFileError) -> Model.Description {
    guard root.classNames.contains("NSManagedObjectModel"), root["NSEntities"]?.members != nil
    else {
      throw ModelFileError(
        .unknownFormat, path: path,
        message: "The archive contains \(root.className ?? "no object"), not a model.")
    }
    var description = Model.Description()
    let identifiers = root["NSVersionIdentifiers"]?.array?.compactMap(\.string) ?? []
    description.versionIdentifiers = inOrder(identifiers.filter { !$0.isEmpty })
    for (name, archived) in members(root["NSEntities"]) {
      description.entities.append(try entity(name, archived))
    }
    for (name, archived) in members(root["NSFetchRequestTemplates"]) {
      description.fetchRequestTemplates.append(try fetchRequest(name, archived))
    }
    for (name, archived) in members(root["NSConfigurations"]) {
      let members = archived.array ?? archived["NSEntities"]?.array ?? []
      description.configurations.append(
        Configuration(name, entities: inOrder(members.compactMap { $0["NSEntityName"]?.string })))
    }
    let noted = members(root["QuireComposites"]).map { ($0, $1.array ?? []) }
    for (name, elements) in noted + composites.types {
      var composite = CompositeType(name, attributes: [])
      for element in elements {
        let attributeName = element["NSPropertyName"]?.string ?? ""
        composite.attributes.append(try attribute(attributeName, element, of: name))
      }
      description.composites.append(composite)
    }
    return description
  }

  private func entity(
    _ name: String, _ archived: ArchivedObject
  ) throws(ModelFileError) -> Entity {
    var entity = Entity(name)
    entity.className = archived["NSClassNameForEntity"]?.string
    entity.superentity = archived["NSSuperentity"]?["NSEntityName"]?.string
    read(Entity.facets, archived, named: name, into: &entity)
    for (propertyName, property) in members(archived["NSProperties"]) {
      // The flattened form also lists inherited properties with an entity, as copies or as proxies.
      if property["NSUnderlyingProperty"] != nil { continue }
      if isInherited(propertyName, by: archived) { continue }
      entity.declaredProperties.append(try self.property(propertyName, property, of: name))
    }
    for tuple in archived["NSUniqueTuples"]?.array ?? [] {
      let names = tuple.array?.compactMap { $0.string ?? $0["NSPropertyName"]?.string } ?? []
      if !names.isEmpty { entity.uniquenessConstraints.append(names) }
    }
    for tuple in archived["NSCompoundIndexes"]?.array ?? [] {
      let names = tuple.array?.compactMap { $0.string ?? $0["NSPropertyName"]?.string } ?? []
      if !names.isEmpty { entity.compoundIndexes.append(names) }
    }
    for index in archived["NSFetchIndexDescriptions"]?.array ?? [] {
      entity.fetchIndexes.append(try fetchIndex(index, of: name, archived))
    }
    return entity
  }

  /// Returns whether one of the entity's superentities has a property with the name.
  private func isInherited(_ name: String, by archived: ArchivedObject) -> Bool {
    var seen: Set<Int> = []
    var next = archived["NSSuperentity"]
    while let one = next, let index = one.index, seen.insert(index).inserted {
      if one["NSProperties"]?.dictionary?[name] != nil { return true }
      next = one["NSSuperentity"]
    }
    return false
  }

  /// Reads the facets of a part, and its renaming identifier and user info, which archives store in special forms.
  private func read<Part: ModelPart>(
    _ facets: [ModelFacet<Part>], _ archived: ArchivedObject, named name: String,
    into part: inout Part
  ) {
    read(facets, archived, into: &part)
    part.renamingIdentifier =
      archived["NSRenamingIdentifier"]?.string.flatMap { $0 == name ? nil : $0 }
    part.userInfo =
      (archived["NSUserInfo"]?.dictionary ?? [:]).compactMapValues { $0.string ?? $0.summary }
  }

  private func read<Part>(
    _ facets: [ModelFacet<Part>], _ archived: ArchivedObject, into part: inout Part
  ) {
    let bits = Bits(archived)
    let marks = archived["NSFlagsKey"]?.integer ?? 0
    for facet in facets {
      switch facet.archive {
      case .bit(let mask, let field): facet.set(bits.flag(mask, or: field), in: &part)
      case .mark(let mask): facet.set(marks & mask != 0, in: &part)
      case .field(let name):
        facet.set(archived[name]?.boolean ?? false, in: &part)
        facet.set(archived[name]?.string, in: &part)
      case nil: break
      }
    }
  }

  /// The bit set of a property, which is more reliable than the separate fields.
  private struct Bits {
    private let bits: Int64?
    private let archived: ArchivedObject

    init(_ archived: ArchivedObject) {
      self.archived = archived
      let bits = archived["_P"]?.integer ?? 0
      self.bits = bits == 0 ? nil : bits
    }

    func flag(_ mask: Int64, or field: String?) -> Bool {
      if let bits { return bits & mask != 0 }
      return field.flatMap { archived[$0]?.boolean } ?? false
    }
  }

  private func property(
    _ name: String, _ archived: ArchivedObject, of entity: String
  ) throws(ModelFileError) -> Property {
    let classes = archived.classNames
    if classes.contains("NSRelationshipDescription") {
      return .relationship(try relationship(name, archived, of: entity))
    }
    if classes.contains("NSFetchedPropertyDescription") {
      guard let request = archived["NSFetchRequest"] else {
        throw fault("\(entity).\(name)", "A fetched property has no fetch request.")
      }
      var property = FetchedProperty(name, request: try fetchRequest("", request, archived))
      read(FetchedProperty.facets, archived, named: name, into: &property)
      return .fetched(property)
    }
    guard classes.contains("NSAttributeDescription") else {
      throw fault(
        "\(entity).\(name)", "The class '\(classes.first ?? "none")' of a property is unknown.")
    }
    return .attribute(try attribute(name, archived, of: entity))
  }

  private func attribute(
    _ name: String, _ archived: ArchivedObject, of entity: String
  ) throws(ModelFileError) -> Attribute {
    let number = archived["NSAttributeType"]?.integer ?? 0
    guard let type = Int32(exactly: number).flatMap({ AttributeType(rawValue: $0) }) else {
      throw fault("\(entity).\(name)", "The attribute type \(number) is unknown.")
    }
    var attribute = Attribute(name, type)
    read(Attribute.facets, archived, named: name, into: &attribute)
    let notes = Self.notes(archived)
    attribute.valueClassName =
      type == .transformable
      ? archived["NSAttributeValueClassName"]?.string : notes["valueClass"]
    if let value = archived["NSDefaultValue"] { attribute.defaultValue = self.value(value, type) }
    let expression =
      notes["derivation"]
      ?? archived["NSDerivationExpression"].map { ArchivedPredicate.derivation($0) }
    if let expression {
      let filter = archived["NSFilteringPredicate"].map { ArchivedPredicate.text($0) }
      attribute.derivation = Attribute.Derivation(expression, filter: notes["filter"] ?? filter)
    }
    attribute.compositeName = notes["composite"] ?? composites.name(of: archived)
    attribute.validation = validation(archived, of: type)
    attribute.takeNotes()
    return attribute
  }

  func value(_ archived: ArchivedObject, _ type: AttributeType) -> Value {
    switch type.traits.content {
    case .boolean: archived.boolean.map { .boolean($0) } ?? .null
    case .integer:
      (archived.integer ?? archived.real.flatMap { Int64(exactly: $0) }).map { .integer($0) }
        ?? .null
    case .float: archived.real.map { .float(Float($0)) } ?? .null
    case .double: archived.real.map { .double($0) } ?? .null
    case .decimal:
      (archived.decimal ?? archived.integer.map { Decimal($0) } ?? archived.real.map { Decimal($0) })
        .map { .decimal($0) } ?? .null
    case .string: archived.string.map { .string($0) } ?? .null
    case .date: archived.date.map { .date($0) } ?? .null
    case .uuid:
      (archived.uuid ?? archived.string.flatMap { UUID(spelled: $0) }).map { .uuid($0) } ?? .null
    case .uri: (archived.url ?? archived.string).map { .uri($0) } ?? .null
    case .binary: archived.data.map { .binary($0) } ?? .null
    case nil where type == .undefined: self.value(archived)
    case .object, nil: .null
    }
  }

  /// Returns the value of an attribute without a type, by the kind of the archived object.
  private func value(_ archived: ArchivedObject) -> Value {
    switch archived.value {
    case .boolean(let value)?: .boolean(value)
    case .integer(let value)?: .integer(value)
    case .real(let value)?: .double(value)
    case .data(let value)?: .binary(value)
    default:
      archived.string.map { .string($0) } ?? archived.date.map { .date($0) }
        ?? archived.uuid.map { .uuid($0) } ?? archived.url.map { .uri($0) }
        ?? archived.decimal.map { .decimal($0) } ?? .null
    }
  }

  private func relationship(
    _ name: String, _ archived: ArchivedObject, of entity: String
  ) throws(ModelFileError) -> Relationship {
    let destination =
      archived["_NSDestinationEntityName"]?.string
      ?? archived["NSDestinationEntity"]?["NSEntityName"]?.string
    guard let destination else {
      throw fault("\(entity).\(name)", "The relationship has no destination entity.")
    }
    var relationship = Relationship(name, to: destination)
    read(Relationship.facets, archived, named: name, into: &relationship)
    relationship.inverse =
      archived["_NSInverseRelationshipName"]?.string
      ?? archived["NSInverseRelationship"]?["NSPropertyName"]?.string
    relationship.inverseEntity = relationship.inverse == nil ? nil : destination
    if let entity = Self.notes(archived)["inverseEntity"] {
      relationship.inverseEntity = entity.isEmpty ? nil : entity
    }
    relationship.count = Relationship.Count(
      minimum: Int(archived["NSMinCount"]?.integer ?? 0),
      maximum: Int(archived["NSMaxCount"]?.integer ?? 0))
    let rule = archived["NSDeleteRule"]?.integer ?? 1
    guard let known = Int(exactly: rule).flatMap({ Relationship.DeleteRule(rawValue: $0) }) else {
      throw fault("\(entity).\(name)", "The delete rule \(rule) is unknown.")
    }
    relationship.deleteRule = known
    relationship.validationPredicates = validationPredicates(archived)
    return relationship
  }

  private func fetchIndex(
    _ archived: ArchivedObject, of entity: String, _ owner: ArchivedObject
  ) throws(ModelFileError) -> FetchIndex {
    guard let name = archived["NSIndexName"]?.string else {
      throw fault(entity, "A fetch index has no name.")
    }
    var index = FetchIndex(name, elements: [])
    index.partialPredicate = predicate(archived, "NSPartialIndexPredicate")
    for element in archived["NSIndexElements"]?.array ?? [] {
      let property =
        element["NSPropertyName"]?.string ?? element["NSProperty"]?["NSPropertyName"]?.string
      guard let property else {
        throw fault("\(entity), index \(name)", "An element of the index has no property.")
      }
      let kind = Int(element["NSFetchIndexElementType"]?.integer ?? 0)
      index.elements.append(
        FetchIndex.Element(
          property, expression: expression(of: element, property, owner),
          kind: FetchIndex.Element.Kind(rawValue: kind) ?? .binary,
          isAscending: element["NSAscending"]?.boolean ?? true))
    }
    return index
  }

  /// Returns the expression of an index's element. It is `nil` for a property, and empty if the archive has only
  /// the name.
  private func expression(
    of element: ArchivedObject, _ name: String, _ entity: ArchivedObject
  ) -> String? {
    if let noted = Self.notes(element)["expression"] { return noted }
    if let expression = element["NSProperty"]?["NSExpression"] {
      return ArchivedPredicate.expression(expression)
    }
    let isNumbered =
      name.hasPrefix("expression") && name.count > 10
      && name.dropFirst(10).allSatisfy { $0.isASCII && $0.isNumber }
    let isProperty =
      entity["NSProperties"]?.dictionary?[name] != nil || isInherited(name, by: entity)
    return isNumbered && !isProperty ? "" : nil
  }

  private func fetchRequest(
    _ name: String, _ archived: ArchivedObject, _ property: ArchivedObject? = nil
  ) throws(ModelFileError) -> FetchRequestTemplate {
    let entity =
      archived["NSEntity"]?["NSEntityName"]?.string ?? archived["_NSFetchRequestEntityName"]?.string
      ?? property?["_NSFetchRequestEntityName"]?.string
    guard let entity else { throw fault(name, "A fetch request has no entity.") }
    var request = FetchRequestTemplate(name, entity: entity)
    let notes = Self.notes(archived)
    if name.isEmpty, let owner = property?["NSPropertyName"]?.string {
      request.name = notes["name"] ?? Self.requestName(of: owner)
    }
    request.predicate = predicate(archived, "NSPredicate")
    let result = Int(archived["NSResultType"]?.integer ?? 0)
    request.resultType = FetchRequestTemplate.ResultType(rawValue: result) ?? .objects
    request.fetchLimit = Int(archived["NSFetchLimit"]?.integer ?? 0)
    request.fetchOffset = Int(archived["NSFetchOffset"]?.integer ?? 0)
    request.fetchBatchSize = Int(archived["NSBatchSize"]?.integer ?? 0)
    if archived["NSHasFetchRequestFlags"]?.boolean == true {
      request.flags = Self.flags(
        archived["NSFetchRequestFlags"]?.integer ?? 0, of: request.resultType)
    }
    if let flags = notes["flags"].flatMap({ Int($0) }) { request.flags = .init(rawValue: flags) }
    for key in archived["NSSortDescriptors"]?.array ?? [] {
      guard let path = key["NSKey"]?.string else { continue }
      request.sortKeys.append(
        FetchRequestTemplate.SortKey(
          path, isAscending: key["NSAscending"]?.boolean ?? true,
          selector: key["NSSelector"]?.string.flatMap { $0 == "compare:" ? nil : $0 }))
    }
    return request
  }

  /// Returns the text of the predicate in a field: the noted text, or else the text of the archived structure.
  private func predicate(_ archived: ArchivedObject, _ field: String) -> String? {
    Self.notes(archived)["predicate"] ?? archived[field].map { ArchivedPredicate.text($0) }
  }

  /// Returns the editor's own name for the request of a fetched property.
  static func requestName(of property: String) -> String { property + "QueryRequest" }
}

// Conversions between the flags of fetch requests and their bits in archives.
extension ArchiveReader {
  /// Returns the flags of a request. For identifiers and for dictionaries, one flag is ignored by fetches, so
  /// it is always returned as set, which is its default.
  static func flags(
    _ bits: Int64, of type: FetchRequestTemplate.ResultType
  ) -> FetchRequestTemplate.Flags {
    var flags: FetchRequestTemplate.Flags = []
    for (bit, flag) in flagBits where bits & bit != 0 { flags.insert(flag) }
    if let flag = impliedFlag(of: type) { flags.insert(flag) }
    return flags
  }

  /// Returns the bits of flags in archives.
  static func bits(
    _ flags: FetchRequestTemplate.Flags, of type: FetchRequestTemplate.ResultType
  ) -> Int64 {
    let implied = impliedFlag(of: type)
    return flagBits.reduce(0) { flags.contains($1.1) && $1.1 != implied ? $0 | $1.0 : $0 }
  }

  private static let flagBits: [(Int64, FetchRequestTemplate.Flags)] = [
    (1, .returnsDistinctResults), (2, .includesSubentities), (4, .includesPropertyValues),
    (8, .includesPendingChanges), (16, .returnsObjectsAsFaults),
  ]

  private static func impliedFlag(
    of type: FetchRequestTemplate.ResultType
  ) -> FetchRequestTemplate.Flags? {
    switch type {
    case .identifiers: .includesPropertyValues
    case .dictionaries: .returnsObjectsAsFaults
    case .objects, .count: nil
    }
  }
}
