import ObjectModel
import XMLEvents

/// A writer of the elements of a `contents` file, with XML attributes in the order of Apple's editor.
struct SourceWriter {
  private var writer = XMLWriter()

  /// The XML attributes of one element: the attributes that are set here, and the attributes kept from the source.
  private struct Fields {
    private var texts: [String: String]

    init(_ source: SourceDetails = SourceDetails()) { texts = source.attributes }

    subscript(name: String) -> String? {
      get { texts[name] }
      set { if let newValue { texts[name] = newValue } }
    }

    mutating func flag(_ name: String, _ value: Bool) { if value { texts[name] = "YES" } }

    mutating func set<Part>(_ facets: [ModelFacet<Part>], of part: Part) {
      for facet in facets {
        guard let name = facet.source else { continue }
        if let value = facet.flag(of: part) { flag(name, value) }
        self[name] = facet.text(of: part)
      }
    }

    mutating func number(_ name: String, _ value: Int, unless usual: Int = 0) {
      if value != usual { texts[name] = String(value) }
    }

    /// Sets a value of an attribute. The spelling of the source is kept if it still means the same value.
    mutating func value(_ place: SourceText.Place, _ value: Value, _ type: AttributeType) {
      let type = place.type(for: type)
      for name in [place.dateName, place.textName] {
        guard let kept = texts[name] else { continue }
        let keptValue = ValueText.modelSource.value(kept, of: type)
        if keptValue ?? .null == value { return }
        // Older editors wrote a date also as text, beside the number. Only the number matters.
        if type == .date && keptValue == nil { continue }
        texts[name] = nil
      }
      guard !value.isNull else { return }
      self[type == .date ? place.dateName : place.textName] = ValueText.modelSource.text(value)
    }

    /// Returns the XML attributes: known names in the given order, then all remaining names.
    func inOrder(_ names: [String]) -> [(String, String)] {
      var seen: Set<String> = []
      let known = names.compactMap { name in
        seen.insert(name).inserted ? texts[name].map { (name, $0) } : nil
      }
      let others = texts.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }
      return known + others.map { ($0.key, $0.value) }
    }
  }

  mutating func model(_ model: Model.Description) throws -> [UInt8] {
    var fields = Fields(model.source)
    if fields["type"] == nil { fields["type"] = SourceText.modelType }
    if fields["documentVersion"] == nil { fields["documentVersion"] = SourceText.documentVersion }
    fields["userDefinedModelVersionIdentifier"] = model.versionIdentifiers.joined(separator: ",")
    writer.declaration(isStandalone: true)
    // Editors before 2016 wrote the author's identifier first.
    let tools = fields["lastSavedToolsVersion"].flatMap { Double($0) } ?? .infinity
    try writer.start("model", fields.inOrder(tools < 11_000 ? Order.oldModel : Order.model))
    for entity in model.entities { try write(entity) }
    for composite in model.composites {
      var fields = Fields(composite.source)
      fields["name"] = composite.name
      try writer.start("composite", fields.inOrder(["name"]))
      for attribute in composite.attributes { try write(attribute) }
      writer.end()
    }
    for request in model.fetchRequestTemplates { try write(request) }
    for configuration in model.configurations {
      try writer.start("configuration", [("name", configuration.name)])
      for entity in configuration.entities {
        try writer.element("memberEntity", [("name", entity)])
      }
      writer.end()
    }
    if !model.source.diagram.isEmpty {
      try writer.start("elements")
      for box in model.source.diagram {
        let fields = Fields(SourceDetails(attributes: box))
        try writer.element("element", fields.inOrder(Order.element))
      }
      writer.end()
    }
    writer.end()
    return writer.finish()
  }

  private mutating func write(_ entity: Entity) throws {
    var fields = Fields(entity.source)
    fields["name"] = entity.name
    fields["representedClassName"] = entity.className
    fields["parentEntity"] = entity.superentity
    fields.set(Entity.facets, of: entity)
    try writer.start("entity", fields.inOrder(Order.entity))
    for property in entity.declaredProperties {
      switch property {
      case .attribute(let attribute): try write(attribute)
      case .relationship(let relationship): try write(relationship)
      case .fetched(let property): try write(property)
      }
    }
    for index in entity.fetchIndexes { try write(index) }
    try write(entity.compoundIndexes, "compoundIndexes", "compoundIndex", "index")
    try write(
      entity.uniquenessConstraints, "uniquenessConstraints", "uniquenessConstraint", "constraint")
    try write(userInfo: entity.userInfo)
    writer.end()
  }

  private mutating func write(_ attribute: Attribute) throws {
    var fields = Fields(attribute.source)
    fields["name"] = attribute.name
    fields.set(Attribute.facets, of: attribute)
    if attribute.type != .undefined { fields["attributeType"] = attribute.type.sourceName }
    fields["composite"] = attribute.compositeName
    fields.flag("derived", attribute.derivation != nil)
    fields["derivationExpression"] = attribute.derivation?.expression
    fields["derivationFilter"] = attribute.derivation?.filter
    fields.value(.minimum, attribute.validation.minimum, attribute.type)
    fields.value(.maximum, attribute.validation.maximum, attribute.type)
    fields["regularExpressionString"] = attribute.validation.pattern
    fields.value(.standard, attribute.defaultValue, attribute.type)
    try writer.start("attribute", fields.inOrder(Order.attribute))
    try write(attribute.validation.predicates)
    try write(userInfo: attribute.withNotes.userInfo)
    writer.end()
  }

  private mutating func write(_ relationship: Relationship) throws {
    var fields = Fields(relationship.source)
    fields["name"] = relationship.name
    fields.set(Relationship.facets, of: relationship)
    fields.flag("toMany", relationship.isToMany)
    fields.number("minCount", relationship.count.minimum)
    fields.number("maxCount", relationship.count.maximum)
    fields["deletionRule"] = SourceText.deleteRules.first { $0.1 == relationship.deleteRule }?.0
    if !relationship.destination.isEmpty {
      fields["destinationEntity"] = relationship.destination
    }
    fields["inverseName"] = relationship.inverse
    fields["inverseEntity"] = relationship.inverseEntity
    try writer.start("relationship", fields.inOrder(Order.relationship))
    try write(relationship.validationPredicates)
    try write(userInfo: relationship.userInfo)
    writer.end()
  }

  private mutating func write(_ predicates: [ValidationPredicate]) throws {
    // The editor can't create such predicates, but compiled models contain them, and a document keeps them.
    for predicate in predicates {
      var fields = Fields()
      fields["predicate"] = predicate.predicate
      fields["message"] = predicate.message
      fields["code"] = predicate.code.map { String($0) }
      try writer.element(
        "validationPredicate", fields.inOrder(["predicate", "message", "code"]))
    }
  }

  private mutating func write(_ property: FetchedProperty) throws {
    var fields = Fields(property.source)
    fields["name"] = property.name
    fields.set(FetchedProperty.facets, of: property)
    try writer.start("fetchedProperty", fields.inOrder(["name", "optional", "syncable"]))
    try write(property.request)
    try write(userInfo: property.userInfo)
    writer.end()
  }

  private mutating func write(_ request: FetchRequestTemplate) throws {
    var fields = Fields(request.source)
    fields["name"] = request.name
    fields["entity"] = request.entity
    fields["predicateString"] = request.predicate
    fields.number("resultType", request.resultType.rawValue)
    fields.number("fetchLimit", request.fetchLimit)
    fields.number("fetchOffset", request.fetchOffset)
    fields.number("fetchBatchSize", request.fetchBatchSize)
    for (name, flag) in SourceText.requestFlags {
      let isSet = request.flags.contains(flag)
      if isSet != FetchRequestTemplate.Flags.usual.contains(flag) || fields[name] != nil {
        fields[name] = isSet ? "YES" : "NO"
      }
    }
    try writer.start("fetchRequest", fields.inOrder(Order.fetchRequest))
    // The editor can't create sort keys, but compiled models contain them, and a document keeps them.
    for key in request.sortKeys {
      var fields = Fields()
      fields["keyPath"] = key.keyPath
      fields.flag("descending", !key.isAscending)
      fields["selector"] = key.selector
      try writer.element("sortKey", fields.inOrder(["keyPath", "descending", "selector"]))
    }
    writer.end()
  }

  private mutating func write(_ index: FetchIndex) throws {
    var fields = Fields()
    fields["name"] = index.name
    fields["partialIndexPredicate"] = index.partialPredicate
    try writer.start("fetchIndex", fields.inOrder(["name"]))
    for (position, element) in index.elements.enumerated() {
      var fields = Fields(element.source)
      fields["expression"] = element.expression
      // The name of an expression is written if it differs from the name that a reader would assign.
      let usual = FetchIndex.expressionName(
        in: FetchIndex(index.name, elements: Array(index.elements[..<position])))
      if element.expression == nil || element.property != usual {
        fields["property"] = element.property
      }
      fields["type"] = SourceText.indexKinds.first { $0.1 == element.kind }!.0
      fields["order"] = element.isAscending ? "ascending" : "descending"
      try writer.element(
        "fetchIndexElement",
        fields.inOrder(["property", "expression", "expressionType", "type", "order"]))
    }
    writer.end()
  }

  private mutating func write(
    _ lists: [[String]], _ outer: String, _ middle: String, _ inner: String
  ) throws {
    guard !lists.isEmpty else { return }
    try writer.start(outer)
    for list in lists {
      try writer.start(middle)
      for name in list { try writer.element(inner, [("value", name)]) }
      writer.end()
    }
    writer.end()
  }

  private mutating func write(userInfo: [String: String]) throws {
    guard !userInfo.isEmpty else { return }
    try writer.start("userInfo")
    let keys = userInfo.keys.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    for key in keys { try writer.element("entry", [("key", key), ("value", userInfo[key]!)]) }
    writer.end()
  }

  /// The order of XML attributes in files of the editor.
  private enum Order {
    static let model = [
      "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
      "minimumToolsVersion", "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
      "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion",
    ]
    static let oldModel = ["name", "userDefinedModelVersionIdentifier"] + model
    static let entity = [
      "name", "representedClassName", "isAbstract", "parentEntity", "elementID",
      "versionHashModifier", "syncable", "codeGenerationType",
    ]
    static let attribute = [
      "name", "optional", "transient", "attributeType", "composite", "derived",
      "derivationExpression", "derivationFilter", "minDateTimeInterval", "minValueString",
      "maxDateTimeInterval",
      "maxValueString", "defaultDateTimeInterval", "defaultValueString",
      "regularExpressionString", "allowsExternalBinaryDataStorage", "allowsCloudEncryption",
      "spotlightIndexingEnabled", "storedInTruthFile", "usesScalarValueType",
      "preserveAfterDeletion", "valueTransformerName", "customClassName", "versionHashModifier",
      "elementID", "indexed", "syncable",
    ]
    static let relationship = [
      "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule", "ordered",
      "destinationEntity", "inverseName", "inverseEntity", "versionHashModifier", "elementID",
      "indexed", "syncable",
    ]
    static let fetchRequest = [
      "name", "entity", "predicateString", "fetchLimit", "fetchOffset",
      "fetchBatchSize", "includeSubentities", "includePropertyValues", "includesPendingChanges",
      "returnObjectsAsFaults", "returnDistinctResults", "resultType",
    ]
    static let element = ["name", "positionX", "positionY", "width", "height"]
  }
}
