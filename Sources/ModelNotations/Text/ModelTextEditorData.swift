import ObjectModel

/// The data of Apple's model editor in a model's text: attributes of the XML that do not affect the model, and the
/// boxes of the diagram.
///
/// ```text
/// editor syncable "YES": Stop, Trip
/// editor usesScalarValueType "NO": Trip.start
/// editor box name "Trip", positionX "-63"
/// ```
enum ModelTextEditorData {
  /// A part of a model that may have data of the editor.
  enum Target: Hashable {
    case model
    case entity(Int)
    case property(Int, Int)
    /// The request of a fetched property.
    case fetchedRequest(Int, Int)
    case indexElement(Int, Int, Int)
    case composite(Int)
    case compositeAttribute(Int, Int)
    case request(Int)
  }

  // MARK: - Reading

  /// Reads a statement, and adds its data to a description that contains all parts.
  static func read(
    _ cursor: inout ModelTextCursor, into description: inout Model.Description
  ) throws(ModelTextFault) {
    cursor.skip()
    if cursor.next == .name("box"), let next = cursor.afterNext, case .name = next {
      cursor.skip()
      var box: [String: String] = [:]
      repeat {
        box[try cursor.name("the name of a datum")] = try cursor.string("the value")
      } while cursor.accept(",")
      try cursor.expectEnd()
      description.source.diagram.append(box)
      return
    }
    let name = try cursor.name("the name of a datum")
    let value = try cursor.string("the value")
    guard cursor.accept(":") else {
      try cursor.expectEnd()
      description.source.attributes[name] = value
      return
    }
    repeat {
      let target = try target(&cursor, in: description)
      update(target, in: &description) { $0.attributes[name] = value }
    } while cursor.accept(",")
    try cursor.expectEnd()
  }

  private static func target(
    _ cursor: inout ModelTextCursor, in description: Model.Description
  ) throws(ModelTextFault) -> Target {
    let place = cursor.place
    func find(
      _ name: String, _ kind: String, in names: some Sequence<String>
    ) throws(ModelTextFault) -> Int {
      if let index = names.enumerated().first(where: { $0.element == name }) { return index.offset }
      throw ModelTextFault(place, "The model has no \(kind) \"\(name)\".")
    }
    if cursor.next == .name("request"), cursor.afterNext != nil, cursor.afterNext != .symbol(",") {
      cursor.skip()
      let name = try cursor.name("the name of a fetch request")
      return .request(
        try find(
          name, "fetch request", in: description.fetchRequestTemplates.lazy.map(\.name)))
    }
    if cursor.next == .name("composite"), cursor.afterNext != nil,
      cursor.afterNext != .symbol(","), cursor.afterNext != .symbol(".")
    {
      cursor.skip()
      let name = try cursor.name("the name of a composite type")
      let composite = try find(
        name, "composite type", in: description.composites.lazy.map(\.name))
      guard cursor.accept(".") else { return .composite(composite) }
      let attribute = try cursor.name("the name of an attribute")
      return .compositeAttribute(
        composite,
        try find(
          attribute, "attribute",
          in: description.composites[composite].attributes.lazy.map(\.name)))
    }
    let name = try cursor.name("the name of an entity")
    let entity = try find(name, "entity", in: description.entities.lazy.map(\.name))
    if cursor.acceptWord("index") {
      let index = try cursor.integer("the number of the index")
      guard cursor.acceptWord("element") else { throw cursor.fault(expecting: "'element'") }
      let element = try cursor.integer("the number of the element")
      let indexes = description.entities[entity].fetchIndexes
      guard indexes.indices.contains(index - 1),
        indexes[index - 1].elements.indices.contains(element - 1)
      else { throw ModelTextFault(place, "The entity \"\(name)\" has no such index element.") }
      return .indexElement(entity, index - 1, element - 1)
    }
    guard cursor.accept(".") else { return .entity(entity) }
    let propertyName = try cursor.name("the name of a property")
    let property = try find(
      propertyName, "property",
      in: description.entities[entity].declaredProperties.lazy.map(\.name))
    guard cursor.acceptWord("request") else { return .property(entity, property) }
    guard case .fetched = description.entities[entity].declaredProperties[property] else {
      throw ModelTextFault(place, "The property \"\(propertyName)\" has no request.")
    }
    return .fetchedRequest(entity, property)
  }

  private static func update(
    _ target: Target, in description: inout Model.Description,
    _ body: (inout SourceDetails) -> Void
  ) {
    switch target {
    case .model: body(&description.source)
    case .entity(let entity): body(&description.entities[entity].source)
    case .property(let entity, let property):
      switch description.entities[entity].declaredProperties[property] {
      case .attribute(var attribute):
        body(&attribute.source)
        description.entities[entity].declaredProperties[property] = .attribute(attribute)
      case .relationship(var relationship):
        body(&relationship.source)
        description.entities[entity].declaredProperties[property] = .relationship(relationship)
      case .fetched(var fetched):
        body(&fetched.source)
        description.entities[entity].declaredProperties[property] = .fetched(fetched)
      }
    case .fetchedRequest(let entity, let property):
      guard case .fetched(var fetched) = description.entities[entity].declaredProperties[property]
      else { return }
      body(&fetched.request.source)
      description.entities[entity].declaredProperties[property] = .fetched(fetched)
    case .indexElement(let entity, let index, let element):
      body(&description.entities[entity].fetchIndexes[index].elements[element].source)
    case .composite(let composite): body(&description.composites[composite].source)
    case .compositeAttribute(let composite, let attribute):
      body(&description.composites[composite].attributes[attribute].source)
    case .request(let request): body(&description.fetchRequestTemplates[request].source)
    }
  }

  // MARK: - Collecting

  /// One datum of the editor, and the parts that have it.
  struct Datum {
    var name: String
    var value: String
    var targets: [Target]
  }

  /// Returns the data of the parts of a model, each datum with all its parts.
  static func data(of description: Model.Description) -> [Datum] {
    var data: [Datum] = []
    var positions: [[String]: Int] = [:]
    func add(_ details: SourceDetails, _ target: Target) {
      for (name, value) in details.attributes.sorted(by: { $0.key < $1.key }) {
        // Data of the model are written without a target, so keep them apart from equal data of other parts.
        let key = target == .model ? [name, value, ""] : [name, value]
        if let position = positions[key] {
          data[position].targets.append(target)
        } else {
          positions[key] = data.count
          data.append(Datum(name: name, value: value, targets: [target]))
        }
      }
    }
    add(description.source, .model)
    for (entity, parts) in description.entities.enumerated() {
      add(parts.source, .entity(entity))
      for (index, property) in parts.declaredProperties.enumerated() {
        switch property {
        case .attribute(let attribute): add(attribute.source, .property(entity, index))
        case .relationship(let relationship): add(relationship.source, .property(entity, index))
        case .fetched(let fetched):
          add(fetched.source, .property(entity, index))
          add(fetched.request.source, .fetchedRequest(entity, index))
        }
      }
      for (index, fetchIndex) in parts.fetchIndexes.enumerated() {
        for (element, part) in fetchIndex.elements.enumerated() {
          add(part.source, .indexElement(entity, index, element))
        }
      }
    }
    for (composite, parts) in description.composites.enumerated() {
      add(parts.source, .composite(composite))
      for (index, attribute) in parts.attributes.enumerated() {
        add(attribute.source, .compositeAttribute(composite, index))
      }
    }
    for (index, request) in description.fetchRequestTemplates.enumerated() {
      add(request.source, .request(index))
    }
    return data
  }
}
