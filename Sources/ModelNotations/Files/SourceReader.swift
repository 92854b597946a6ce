import ObjectModel
import XMLEvents

/// A reader of the elements of a `contents` file. Data without a counterpart in a part of the model go into the
/// part's `SourceDetails`.
struct SourceReader {
  let path: String

  private func fault(_ element: XMLTree, _ message: String) -> ModelFileError {
    ModelFileError(.damaged, path: path, place: element.place, message: message)
  }

  /// The XML attributes of one element. The reader takes them one by one, and the remaining attributes are kept.
  private struct Fields {
    let reader: SourceReader
    let element: XMLTree
    private var rest: [String: String]

    init(_ element: XMLTree, _ reader: SourceReader) {
      self.element = element
      self.reader = reader
      rest = element.attributes
    }

    mutating func text(_ name: String) -> String? { rest.removeValue(forKey: name) }

    mutating func required(_ name: String) throws(ModelFileError) -> String {
      guard let text = text(name) else {
        throw reader.fault(element, "<\(element.name)> has no '\(name)'.")
      }
      return text
    }

    mutating func flag(_ name: String) throws(ModelFileError) -> Bool {
      guard let text = text(name) else { return false }
      switch text.uppercased() {
      case "YES", "TRUE", "1": return true
      case "NO", "FALSE", "0": return false
      default:
        throw reader.fault(element, "'\(name)' must be YES or NO, not '\(text)'.")
      }
    }

    mutating func number(_ name: String) throws(ModelFileError) -> Int? {
      guard let text = text(name) else { return nil }
      guard let number = Int(text) else {
        throw reader.fault(element, "'\(name)' must be a whole number, not '\(text)'.")
      }
      return number
    }

    /// Returns the value at one place of an attribute. The text is kept too, if it is not a value of the type or would
    /// be written differently.
    mutating func value(_ place: SourceText.Place, _ type: AttributeType) -> Value {
      let type = place.type(for: type)
      let name = type == .date && rest[place.dateName] != nil ? place.dateName : place.textName
      guard let text = rest[name] else { return .null }
      guard let value = ValueText.modelSource.value(text, of: type) else { return .null }
      let usualName = type == .date ? place.dateName : place.textName
      if name == usualName, ValueText.modelSource.text(value) == text { rest[name] = nil }
      return value
    }

    mutating func read<Part>(
      _ facets: [ModelFacet<Part>], into part: inout Part
    ) throws(ModelFileError) {
      for facet in facets {
        guard let name = facet.source else { continue }
        switch facet.content {
        case .flag: facet.set(try flag(name), in: &part)
        case .text: facet.set(text(name), in: &part)
        // Apple's sources do not contain such a facet.
        case .number, .notes: break
        }
      }
    }

    var details: SourceDetails { SourceDetails(attributes: rest) }
  }

  func model(_ root: XMLTree) throws(ModelFileError) -> Model.Description {
    guard root.name == "model" else {
      throw ModelFileError(
        .unknownFormat, path: path, place: root.place,
        message: "The root element of a model must be <model>, not <\(root.name)>.")
    }
    var fields = Fields(root, self)
    var description = Model.Description()
    if let type = root.attributes["type"], type == SourceText.modelType { _ = fields.text("type") }
    if root.attributes["documentVersion"] == SourceText.documentVersion {
      _ = fields.text("documentVersion")
    }
    if let identifier = fields.text("userDefinedModelVersionIdentifier"), !identifier.isEmpty {
      description.versionIdentifiers = [identifier]
    }
    description.source = fields.details
    for child in root.children {
      switch child.name {
      case "entity": description.entities.append(try entity(child))
      case "composite": description.composites.append(try composite(child))
      case "fetchRequest": description.fetchRequestTemplates.append(try fetchRequest(child))
      case "configuration": description.configurations.append(try configuration(child))
      case "elements": description.source.diagram = child.children.map(\.attributes)
      default: throw unknown(child, in: root)
      }
    }
    return description
  }

  private func unknown(_ child: XMLTree, in parent: XMLTree) -> ModelFileError {
    fault(child, "<\(parent.name)> can't contain <\(child.name)>.")
  }

  /// Throws if an element that must be empty contains another element (spec §2.6.1).
  private func requireEmpty(_ element: XMLTree) throws(ModelFileError) {
    if let child = element.children.first { throw unknown(child, in: element) }
  }

  private func entity(_ element: XMLTree) throws(ModelFileError) -> Entity {
    var fields = Fields(element, self)
    var entity = Entity(try fields.required("name"))
    entity.className = fields.text("representedClassName")
    entity.superentity = fields.text("parentEntity")
    try fields.read(Entity.facets, into: &entity)
    entity.source = fields.details
    for child in element.children {
      switch child.name {
      case "attribute": entity.declaredProperties.append(.attribute(try attribute(child)))
      case "relationship": entity.declaredProperties.append(.relationship(try relationship(child)))
      case "fetchedProperty": entity.declaredProperties.append(.fetched(try fetchedProperty(child)))
      case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child))
      case "compoundIndexes":
        entity.compoundIndexes += try lists(child, "compoundIndex", of: "index")
      case "uniquenessConstraints":
        entity.uniquenessConstraints += try lists(
          child, "uniquenessConstraint", of: "constraint")
      case "userInfo": entity.userInfo = try userInfo(child)
      default: throw unknown(child, in: element)
      }
    }
    return entity
  }

  private func attribute(_ element: XMLTree) throws(ModelFileError) -> Attribute {
    var fields = Fields(element, self)
    let name = try fields.required("name")
    var type = AttributeType.undefined
    if let text = fields.text("attributeType") {
      guard let known = AttributeType(sourceName: text) else {
        throw fault(element, "Attribute '\(name)' has the type '\(text)', which is unknown.")
      }
      type = known
    }
    var attribute = Attribute(name, type)
    try fields.read(Attribute.facets, into: &attribute)
    attribute.compositeName = fields.text("composite")
    let isDerived = try fields.flag("derived")
    if let expression = fields.text("derivationExpression") {
      attribute.derivation = Attribute.Derivation(
        expression, filter: fields.text("derivationFilter"))
    } else if isDerived {
      throw fault(element, "Derived attribute '\(name)' has no 'derivationExpression'.")
    }
    attribute.validation.minimum = fields.value(.minimum, type)
    attribute.validation.maximum = fields.value(.maximum, type)
    attribute.validation.pattern = fields.text("regularExpressionString")
    // Earlier versions of Quire wrote all predicates of an attribute as one predicate.
    if let predicate = fields.text("validationPredicates") {
      attribute.validation.predicates.append(ValidationPredicate(predicate))
    }
    attribute.defaultValue = fields.value(.standard, type)
    attribute.source = fields.details
    for child in element.children {
      switch child.name {
      case "validationPredicate":
        attribute.validation.predicates.append(try validationPredicate(child))
      case "userInfo": attribute.userInfo = try userInfo(child)
      default: throw unknown(child, in: element)
      }
    }
    attribute.takeNotes()
    return attribute
  }

  private func relationship(_ element: XMLTree) throws(ModelFileError) -> Relationship {
    var fields = Fields(element, self)
    let name = try fields.required("name")
    var relationship = Relationship(name, to: fields.text("destinationEntity") ?? "")
    relationship.inverse = fields.text("inverseName")
    relationship.inverseEntity = fields.text("inverseEntity")
    try fields.read(Relationship.facets, into: &relationship)
    let isToMany = try fields.flag("toMany")
    relationship.count = Relationship.Count(
      minimum: try fields.number("minCount") ?? 0,
      maximum: try fields.number("maxCount") ?? (isToMany ? 0 : 1))
    if let rule = fields.text("deletionRule") {
      guard let known = SourceText.deleteRules.first(where: { $0.0 == rule }) else {
        throw fault(
          element, "Relationship '\(name)' has the deletion rule '\(rule)', which is unknown.")
      }
      relationship.deleteRule = known.1
    }
    relationship.source = fields.details
    for child in element.children {
      switch child.name {
      case "validationPredicate":
        relationship.validationPredicates.append(try validationPredicate(child))
      case "userInfo": relationship.userInfo = try userInfo(child)
      default: throw unknown(child, in: element)
      }
    }
    return relationship
  }

  private func validationPredicate(
    _ element: XMLTree
  ) throws(ModelFileError) -> ValidationPredicate {
    try requireEmpty(element)
    var fields = Fields(element, self)
    return ValidationPredicate(
      try fields.required("predicate"), message: fields.text("message"),
      code: try fields.number("code"))
  }

  private func fetchedProperty(_ element: XMLTree) throws(ModelFileError) -> FetchedProperty {
    var fields = Fields(element, self)
    let name = try fields.required("name")
    var request: FetchRequestTemplate?
    var notes: [String: String] = [:]
    for child in element.children {
      switch child.name {
      case "fetchRequest": request = try fetchRequest(child)
      case "userInfo": notes = try userInfo(child)
      default: throw unknown(child, in: element)
      }
    }
    guard let request else {
      throw fault(element, "Fetched property '\(name)' has no <fetchRequest>.")
    }
    var property = FetchedProperty(name, request: request, userInfo: notes)
    try fields.read(FetchedProperty.facets, into: &property)
    property.source = fields.details
    return property
  }

  private func fetchRequest(_ element: XMLTree) throws(ModelFileError) -> FetchRequestTemplate {
    var fields = Fields(element, self)
    var request = FetchRequestTemplate(
      try fields.required("name"), entity: try fields.required("entity"))
    request.predicate = fields.text("predicateString")
    let result = try fields.number("resultType") ?? 0
    guard let type = FetchRequestTemplate.ResultType(rawValue: result) else {
      throw fault(
        element, "Fetch request '\(request.name)' has the result type \(result), which is unknown.")
    }
    request.resultType = type
    request.fetchLimit = try fields.number("fetchLimit") ?? 0
    request.fetchOffset = try fields.number("fetchOffset") ?? 0
    request.fetchBatchSize = try fields.number("fetchBatchSize") ?? 0
    // An absent flag has Core Data's default, independently of the flags that are present.
    for (name, flag) in SourceText.requestFlags where element.attributes[name] != nil {
      var others = fields
      let isSet = try others.flag(name)
      if isSet { request.flags.insert(flag) } else { request.flags.remove(flag) }
      // An explicit default value stays in the details, so that it is written again.
      if isSet != FetchRequestTemplate.Flags.usual.contains(flag) { fields = others }
    }
    for child in element.children {
      guard child.name == "sortKey" else { throw unknown(child, in: element) }
      try requireEmpty(child)
      var fields = Fields(child, self)
      request.sortKeys.append(
        FetchRequestTemplate.SortKey(
          try fields.required("keyPath"), isAscending: try !fields.flag("descending"),
          selector: fields.text("selector")))
    }
    request.source = fields.details
    return request
  }

  private func fetchIndex(_ element: XMLTree) throws(ModelFileError) -> FetchIndex {
    var fields = Fields(element, self)
    var index = FetchIndex(try fields.required("name"), elements: [])
    index.partialPredicate = fields.text("partialIndexPredicate")
    for child in element.children {
      guard child.name == "fetchIndexElement" else { throw unknown(child, in: element) }
      try requireEmpty(child)
      var fields = Fields(child, self)
      // An element over an expression has the expression in place of a property.
      let expression = fields.text("expression")
      let property =
        fields.text("property") ?? expression.map { _ in FetchIndex.expressionName(in: index) }
      guard let property else {
        throw fault(child, "<fetchIndexElement> has no 'property' and no 'expression'.")
      }
      let kind = fields.text("type") ?? "Binary"
      guard let known = SourceText.indexKinds.first(where: { $0.0 == kind }) else {
        throw fault(child, "The index type '\(kind)' is unknown.")
      }
      index.elements.append(
        FetchIndex.Element(
          property, expression: expression, kind: known.1,
          isAscending: fields.text("order") != "descending", source: fields.details))
    }
    return index
  }

  private func composite(_ element: XMLTree) throws(ModelFileError) -> CompositeType {
    var fields = Fields(element, self)
    var composite = CompositeType(try fields.required("name"), attributes: [])
    composite.source = fields.details
    for child in element.children {
      guard child.name == "attribute" else { throw unknown(child, in: element) }
      composite.attributes.append(try attribute(child))
    }
    return composite
  }

  private func configuration(_ element: XMLTree) throws(ModelFileError) -> Configuration {
    var fields = Fields(element, self)
    var configuration = Configuration(try fields.required("name"), entities: [])
    for child in element.children {
      guard child.name == "memberEntity" else { throw unknown(child, in: element) }
      try requireEmpty(child)
      var fields = Fields(child, self)
      configuration.entities.append(try fields.required("name"))
    }
    return configuration
  }

  /// Returns lists of names: `<outer><inner value="…"/>…</outer>…`.
  private func lists(
    _ element: XMLTree, _ outer: String, of inner: String
  ) throws(ModelFileError) -> [[String]] {
    var lists: [[String]] = []
    for list in element.children {
      guard list.name == outer else { throw unknown(list, in: element) }
      var names: [String] = []
      for child in list.children {
        guard child.name == inner else { throw unknown(child, in: list) }
        try requireEmpty(child)
        var fields = Fields(child, self)
        names.append(try fields.required("value"))
      }
      lists.append(names)
    }
    return lists
  }

  private func userInfo(_ element: XMLTree) throws(ModelFileError) -> [String: String] {
    var notes: [String: String] = [:]
    for child in element.children {
      guard child.name == "entry" else { throw unknown(child, in: element) }
      try requireEmpty(child)
      var fields = Fields(child, self)
      notes[try fields.required("key")] = fields.text("value") ?? ""
    }
    return notes
  }
}
