private import Foundation
import ObjectModel

/// A writer of the statements of a model's text.
struct ModelTextWriter {
  private(set) var statements: [ModelTextStatement] = []
  private var tokens: [ModelTextToken] = []

  mutating func write(_ description: Model.Description) {
    if !description.versionIdentifiers.isEmpty {
      word("model")
      list(description.versionIdentifiers, separator: ",") { $0.text($1) }
      end()
    }
    for entity in description.entities { write(entity) }
    for composite in description.composites {
      word("composite")
      name(composite.name)
      end()
      for attribute in composite.attributes { write(attribute) }
    }
    for configuration in description.configurations {
      word("configuration")
      name(configuration.name)
      if !configuration.entities.isEmpty { symbol(":") }
      names(configuration.entities)
      end()
    }
    for request in description.fetchRequestTemplates {
      word("request")
      name(request.name)
      symbol(":")
      name(request.entity)
      clauses(of: request)
      end()
    }
    writeEditorData(description)
  }

  // MARK: - Tokens

  private mutating func word(_ word: String) { tokens.append(ModelTextToken(kind: .name(word))) }

  /// Writes a name, in quotation marks if it needs them.
  private mutating func name(_ name: String) {
    tokens.append(
      ModelTextToken(kind: ModelTextToken.isPlain(name) ? .name(name) : .string(name)))
  }

  private mutating func text(_ text: String) { tokens.append(ModelTextToken(kind: .string(text))) }

  private mutating func symbol(_ symbol: String) {
    tokens.append(ModelTextToken(kind: .symbol(symbol)))
  }

  private mutating func number(_ digits: String) {
    tokens.append(ModelTextToken(kind: .number(digits)))
  }

  /// Begins a clause, with a comma before it.
  private mutating func clause(_ word: String) {
    symbol(",")
    self.word(word)
  }

  /// Writes items with a symbol between them.
  private mutating func list<Item>(
    _ items: some Sequence<Item>, separator: String,
    _ write: (inout ModelTextWriter, Item) -> Void
  ) {
    for (position, item) in items.enumerated() {
      if position > 0 { symbol(separator) }
      write(&self, item)
    }
  }

  private mutating func names(_ names: [String]) {
    list(names, separator: ",") { $0.name($1) }
  }

  private mutating func end() {
    statements.append(ModelTextStatement(tokens: tokens))
    tokens = []
  }

  // MARK: - Entities

  private mutating func write(_ entity: Entity) {
    word("entity")
    name(entity.name)
    if let parent = entity.superentity {
      symbol(":")
      name(parent)
    }
    write(Entity.basicFacets, of: entity)
    if let className = entity.className {
      if className != entity.name {
        clause("class")
        name(className)
      }
    } else {
      clause("no")
      word("class")
    }
    write(Entity.history, of: entity)
    end()
    for property in entity.declaredProperties {
      switch property {
      case .attribute(let attribute): write(attribute)
      case .relationship(let relationship): write(relationship)
      case .fetched(let fetched): write(fetched)
      }
    }
    for constraint in entity.uniquenessConstraints { list("unique", constraint) }
    for index in entity.fetchIndexes { write(index) }
    for index in entity.compoundIndexes { list("compound", index) }
  }

  private mutating func list(_ word: String, _ names: [String]) {
    self.word(word)
    self.names(names)
    end()
  }

  private mutating func write(_ index: FetchIndex) {
    word("index")
    name(index.name)
    var isFirst = true
    func separate(_ writer: inout ModelTextWriter) {
      writer.symbol(isFirst ? ":" : ",")
      isFirst = false
    }
    for (position, element) in index.elements.enumerated() {
      separate(&self)
      if let expression = element.expression {
        word("expression")
        text(expression)
        let before = FetchIndex(index.name, elements: Array(index.elements[..<position]))
        if element.property != FetchIndex.expressionName(in: before) {
          word("named")
          name(element.property)
        }
      } else {
        name(element.property)
      }
      switch element.kind {
      case .binary: break
      case .rTree:
        word("as")
        word("ranges")
      case .fullText:
        word("as")
        word("words")
      }
      if !element.isAscending { word("descending") }
    }
    if let predicate = index.partialPredicate {
      separate(&self)
      word("where")
      text(predicate)
    }
    end()
  }

  /// Writes the clauses of the facets that a part has.
  private mutating func write<Part>(_ facets: [ModelFacet<Part>], of part: Part) {
    for facet in facets {
      guard let word = facet.clause else { continue }
      switch facet.content {
      case .flag(let path): if part[keyPath: path] { clause(word) }
      case .text(let path, _, let isName):
        guard let value = part[keyPath: path] else { continue }
        clause(word)
        if isName { name(value) } else { text(value) }
      case .number(let path, _):
        guard let value = part[keyPath: path] else { continue }
        clause(word)
        number("\(value)")
      case .notes(let path):
        for (key, value) in part[keyPath: path].sorted(by: { $0.key < $1.key }) {
          clause(word)
          name(key)
          text(value)
        }
      }
    }
  }

  // MARK: - Properties

  private mutating func begin(_ property: String) {
    name(property)
    symbol(":")
  }

  private mutating func write(_ attribute: Attribute) {
    begin(attribute.name)
    if let composite = attribute.compositeName {
      word("composite")
      name(composite)
    } else {
      word(ModelText.typeName(of: attribute))
    }
    if attribute.isOptional { symbol("?") }
    if !attribute.defaultValue.isNull {
      symbol("=")
      value(attribute.defaultValue, attribute.validation.precision)
    }
    write(attribute.validation, of: attribute.type)
    if let derivation = attribute.derivation {
      clause("derived")
      text(derivation.expression)
      if let filter = derivation.filter {
        word("where")
        text(filter)
      }
    }
    write(Attribute.facets, of: attribute)
    end()
  }

  private mutating func write(_ validation: Attribute.Validation, of type: AttributeType) {
    if type == .string {
      if !validation.minimum.isNull || !validation.maximum.isNull {
        clause("length")
        value(validation.minimum)
        symbol("...")
        value(validation.maximum)
      }
    } else {
      for (word, bound) in [("min", validation.minimum), ("max", validation.maximum)]
      where !bound.isNull {
        clause(word)
        value(bound, validation.precision)
      }
    }
    if let pattern = validation.pattern {
      clause("matches")
      text(pattern)
    }
    write(validation.predicates)
  }

  private mutating func write(_ predicates: [ValidationPredicate]) {
    for predicate in predicates {
      clause("check")
      text(predicate.predicate)
      if let message = predicate.message {
        word("message")
        text(message)
      }
      if let code = predicate.code {
        word("code")
        number("\(code)")
      }
    }
  }

  private mutating func value(_ value: Value, _ precision: Attribute.Precision? = nil) {
    switch value {
    case .null, .object: break
    case .boolean(let flag): word(flag ? "true" : "false")
    case .integer(let number): self.number("\(number)")
    case .float, .double, .decimal:
      // Numbers without digits, "inf" and "nan", are written as text.
      let digits = ValueText.modelText.text(value, precision)
      let isDigits = digits.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || "+-.e".utf8.contains(byte)
      }
      if isDigits { number(digits) } else { text(digits) }
    case .string, .uri, .uuid, .binary, .date: text(ValueText.modelText.text(value, precision))
    }
  }

  private mutating func write(_ relationship: Relationship) {
    begin(relationship.name)
    if relationship.isToMany {
      symbol("[")
      name(relationship.destination)
      symbol("]")
      if !relationship.isOptional { clause("required") }
    } else {
      // An entity with the name of a type is written in quotation marks.
      if ModelTextType.type(relationship.destination) != nil {
        text(relationship.destination)
      } else {
        name(relationship.destination)
      }
      if relationship.isOptional { symbol("?") }
    }
    if let inverse = relationship.inverse {
      clause("inverse")
      if let entity = relationship.inverseEntity, entity != relationship.destination {
        name(entity)
        symbol(".")
      }
      name(inverse)
    }
    write([Relationship.orderFacet], of: relationship)
    let usual: Relationship.Count = relationship.isToMany ? .toMany : .toOne
    if relationship.count != usual {
      clause("count")
      number("\(relationship.count.minimum)")
      symbol("...")
      if relationship.count.maximum != 0 { number("\(relationship.count.maximum)") }
    }
    if relationship.deleteRule != .nullify {
      clause("delete")
      word(ModelTextWords.deleteRules.first { $0.rule == relationship.deleteRule }!.word)
    }
    write(Relationship.basicFacets, of: relationship)
    write(relationship.validationPredicates)
    write(Relationship.history, of: relationship)
    end()
  }

  private mutating func write(_ property: FetchedProperty) {
    begin(property.name)
    word("fetch")
    name(property.request.entity)
    if !property.isOptional { clause("required") }
    if property.request.name != ModelTextWords.requestName {
      clause("named")
      name(property.request.name)
    }
    clauses(of: property.request)
    write(FetchedProperty.history, of: property)
    end()
  }

  private mutating func clauses(of request: FetchRequestTemplate) {
    if let predicate = request.predicate {
      clause("where")
      text(predicate)
    }
    for key in request.sortKeys {
      clause("sort")
      if !key.isAscending { symbol("-") }
      keyPath(key.keyPath)
      if let selector = key.selector {
        word("by")
        name(selector)
      }
    }
    if request.resultType != .objects {
      clause("gives")
      word(ModelTextWords.results.first { $0.type == request.resultType }!.word)
    }
    for (word, count) in [
      ("offset", request.fetchOffset), ("limit", request.fetchLimit),
      ("batch", request.fetchBatchSize),
    ] where count != 0 {
      clause(word)
      number("\(count)")
    }
    for (word, flag) in ModelTextWords.usualFlags where !request.flags.contains(flag) {
      clause("without")
      self.word(word)
    }
    if request.flags.contains(.returnsDistinctResults) { clause("distinct") }
  }

  private mutating func keyPath(_ path: String) {
    let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy(ModelTextToken.isPlain) else { return text(path) }
    list(parts, separator: ".") { $0.name($1) }
  }

  // MARK: - Data of the editor

  private mutating func writeEditorData(_ description: Model.Description) {
    for datum in ModelTextEditorData.data(of: description) {
      word("editor")
      // Without quotation marks the statement would be the one of a box.
      if datum.name == "box" { text(datum.name) } else { name(datum.name) }
      text(datum.value)
      if datum.targets != [.model] {
        symbol(":")
        list(datum.targets, separator: ",") { $0.write($1, in: description) }
      }
      end()
    }
    for box in description.source.diagram where !box.isEmpty {
      word("editor")
      word("box")
      list(box.sorted { $0.key < $1.key }, separator: ",") { writer, datum in
        writer.name(datum.key)
        writer.text(datum.value)
      }
      end()
    }
  }

  private mutating func write(
    _ target: ModelTextEditorData.Target, in description: Model.Description
  ) {
    switch target {
    case .model: break
    case .entity(let entity): targetName(description.entities[entity].name)
    case .property(let entity, let property), .fetchedRequest(let entity, let property):
      targetName(description.entities[entity].name)
      symbol(".")
      name(description.entities[entity].declaredProperties[property].name)
      if case .fetchedRequest = target { word("request") }
    case .indexElement(let entity, let index, let element):
      targetName(description.entities[entity].name)
      word("index")
      number("\(index + 1)")
      word("element")
      number("\(element + 1)")
    case .composite(let composite):
      word("composite")
      name(description.composites[composite].name)
    case .compositeAttribute(let composite, let attribute):
      word("composite")
      name(description.composites[composite].name)
      symbol(".")
      name(description.composites[composite].attributes[attribute].name)
    case .request(let request):
      word("request")
      name(description.fetchRequestTemplates[request].name)
    }
  }

  /// Writes the name of an entity, in quotation marks if it is a keyword here.
  private mutating func targetName(_ name: String) {
    if ["request", "composite"].contains(name) { text(name) } else { self.name(name) }
  }
}
