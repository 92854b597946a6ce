import ObjectModel
import TextMatching

/// A reader of the statements of a model's text.
///
/// A fault in a statement does not end the reading: the reader reports the faults of all statements together.
struct ModelTextReader {
  /// The words that begin a part of a model.
  static let headers: Set<String> = [
    "model", "entity", "composite", "configuration", "request", "editor",
  ]

  /// The part that the next members belong to.
  private enum Owner {
    case none
    case entity(Int)
    case composite(Int)
  }

  private(set) var description = Model.Description()
  private var owner = Owner.none
  private var faults: [ModelTextFault] = []
  /// The statements of the editor's data. They may name any part, so they are read last.
  private var editorStatements: [ModelTextStatement] = []
  /// The places of entities and of other parts, by name.
  private var partPlaces: [String: ModelTextFault.Place] = [:]
  /// The places of properties and indexes, by the name of their part and their own name.
  private var memberPlaces: [[String]: ModelTextFault.Place] = [:]
  /// The places of destinations of relationships, for the check that the entities exist.
  private var destinations: [(name: String, place: ModelTextFault.Place?)] = []
  private var suggestion = NameSuggestion()

  /// Returns the statements of a text.
  ///
  /// - Throws: ``ModelFileError`` with the first place that contains no token.
  static func statements(
    _ bytes: [UInt8], path: String
  ) throws(ModelFileError) -> [ModelTextStatement] {
    do { return try ModelTextScanner.statements(bytes) } catch {
      throw ModelTextFault.error(.damaged, [error], path: path)
    }
  }

  /// Reads the statements of a text.
  ///
  /// - Throws: ``ModelFileError`` with the place of every fault.
  static func read(
    _ statements: [ModelTextStatement], path: String
  ) throws(ModelFileError) -> ModelTextReader {
    var reader = ModelTextReader()
    for statement in statements where !statement.tokens.isEmpty { reader.add(statement) }
    reader.checkDestinations()
    if reader.faults.isEmpty { reader.finish() }
    guard reader.faults.isEmpty else {
      throw ModelTextFault.error(.damaged, reader.faults, path: path)
    }
    return reader
  }

  /// Reads a text.
  ///
  /// - Throws: ``ModelFileError`` with the place of every fault.
  static func read(
    _ bytes: [UInt8], path: String
  ) throws(ModelFileError) -> ModelTextReader {
    try read(statements(bytes, path: path), path: path)
  }

  /// Returns the place of the part that a fault of a model is about.
  func place(of fault: ModelFault) -> ModelTextFault.Place? {
    guard let part = fault.entity else { return nil }
    return fault.property.flatMap { memberPlaces[[part, $0]] } ?? partPlaces[part]
  }

  private mutating func add(_ statement: ModelTextStatement) {
    do throws(ModelTextFault) {
      var cursor = ModelTextCursor(statement)
      if statement.isHeader { try header(&cursor, statement) } else { try member(&cursor) }
    } catch { faults.append(error) }
  }

  // MARK: - Parts

  private mutating func header(
    _ cursor: inout ModelTextCursor, _ statement: ModelTextStatement
  ) throws(ModelTextFault) {
    let place = cursor.place
    guard case .name(let word) = cursor.next else { return }
    cursor.skip()
    owner = .none
    switch word {
    case "model":
      if cursor.isAtEnd { return }
      var names = [try cursor.string("the name of the version")]
      while cursor.accept(",") { names.append(try cursor.string("the name of the version")) }
      try cursor.expectEnd()
      description.versionIdentifiers += names
    case "entity": try entity(&cursor, place)
    case "composite":
      let name = try cursor.name("the name of the composite type")
      partPlaces[name] = place
      description.composites.append(CompositeType(name, attributes: []))
      owner = .composite(description.composites.count - 1)
      try cursor.expectEnd()
    case "configuration":
      let name = try cursor.name("the name of the configuration")
      partPlaces[name] = place
      let entities = cursor.accept(":") ? try cursor.names("the name of an entity") : []
      try cursor.expectEnd()
      description.configurations.append(Configuration(name, entities: entities))
    case "request":
      let name = try cursor.name("the name of the fetch request")
      partPlaces[name] = place
      try cursor.expect(":", before: "the entity that the request fetches")
      var request = FetchRequestTemplate(name, entity: try cursor.name("the name of an entity"))
      try clauses(&cursor) { (reader, cursor) throws(ModelTextFault) in
        try reader.requestClause(&cursor, &request, others: [])
      }
      description.fetchRequestTemplates.append(request)
    default: editorStatements.append(statement)
    }
  }

  private mutating func entity(
    _ cursor: inout ModelTextCursor, _ place: ModelTextFault.Place?
  ) throws(ModelTextFault) {
    let name = try cursor.name("the name of the entity")
    var entity = Entity(name, className: name)
    partPlaces[name] = place
    // Members of an entity with a fault in its first line belong to the entity too.
    description.entities.append(entity)
    let index = description.entities.count - 1
    owner = .entity(index)
    if cursor.accept(":") { entity.superentity = try cursor.name("the name of the superentity") }
    try clauses(&cursor) { (reader, cursor) throws(ModelTextFault) in
      let before = cursor
      switch try cursor.name("a characteristic of the entity") {
      case "class": entity.className = try cursor.name("the name of the class")
      case "no" where cursor.acceptWord("class"): entity.className = nil
      case let word:
        let facets = Entity.facets
        guard try reader.clause(word, of: facets, &cursor, &entity) else {
          throw reader.unknown(
            before, "of an entity", ["class", "no"] + facets.compactMap(\.clause))
        }
      }
    }
    description.entities[index] = entity
  }

  /// Reads the clauses of a statement, each after a comma, up to the end of the statement.
  mutating func clauses(
    _ cursor: inout ModelTextCursor,
    _ body: (inout ModelTextReader, inout ModelTextCursor) throws(ModelTextFault) -> Void
  ) throws(ModelTextFault) {
    while cursor.accept(",") { try body(&self, &cursor) }
    try cursor.expectEnd()
  }

  /// Returns the fault of an unknown word at the beginning of a clause.
  mutating func unknown(
    _ cursor: ModelTextCursor, _ part: String, _ known: [String]
  ) -> ModelTextFault {
    let word: String
    switch cursor.next {
    case .name(let name), .string(let name): word = name
    default: return cursor.fault(expecting: "a characteristic \(part)")
    }
    let hint = suggestion.sentence(for: word, among: known)
    return ModelTextFault(
      cursor.place,
      "The word '\(word)' is not a characteristic \(part)."
        + (hint.isEmpty ? " The words are: \(known.joined(separator: ", "))." : hint))
  }

  /// Reads the rest of a clause that sets a facet, after its first word.
  ///
  /// - Returns: Whether the word begins such a clause.
  func clause<Part>(
    _ word: String, of facets: [ModelFacet<Part>], _ cursor: inout ModelTextCursor,
    _ part: inout Part
  ) throws(ModelTextFault) -> Bool {
    guard let facet = facets.first(where: { $0.clause == word }) else { return false }
    switch facet.content {
    case .flag: facet.set(true, in: &part)
    case .text(let path, let expected, let isName):
      part[keyPath: path] = isName ? try cursor.name(expected) : try cursor.string(expected)
    case .number(let path, let expected): part[keyPath: path] = try cursor.integer(expected)
    case .notes(let path):
      let name = try cursor.name("the name of the note")
      part[keyPath: path][name] = try cursor.string("the text of the note")
    }
    return true
  }

  // MARK: - Members

  private mutating func member(_ cursor: inout ModelTextCursor) throws(ModelTextFault) {
    let place = cursor.place
    if cursor.afterNext == .symbol(":") {
      let name = try cursor.name("the name of the property")
      cursor.skip()
      let property = try property(name, &cursor)
      switch (owner, property) {
      case (.entity(let index), _):
        description.entities[index].declaredProperties.append(property)
        memberPlaces[[description.entities[index].name, name]] = place
      case (.composite(let index), .attribute(let attribute)):
        description.composites[index].attributes.append(attribute)
        memberPlaces[[description.composites[index].name, name]] = place
      case (.composite, _):
        throw ModelTextFault(place, "A composite type can contain attributes only.")
      case (.none, _):
        throw ModelTextFault(
          place, "The property '\(name)' must stand below the line of its entity: 'entity NAME'.")
      }
      return
    }
    guard case .entity(let index) = owner else { throw misplaced(cursor) }
    if cursor.acceptWord("unique") {
      let names = cursor.isAtEnd ? [] : try cursor.names("the name of an attribute")
      description.entities[index].uniquenessConstraints.append(names)
    } else if cursor.acceptWord("compound") {
      let names = cursor.isAtEnd ? [] : try cursor.names("the name of a property")
      description.entities[index].compoundIndexes.append(names)
    } else if cursor.acceptWord("index") {
      let fetchIndex = try fetchIndex(&cursor)
      memberPlaces[[description.entities[index].name, fetchIndex.name]] = place
      description.entities[index].fetchIndexes.append(fetchIndex)
    } else {
      throw misplaced(cursor)
    }
    try cursor.expectEnd()
  }

  /// Returns the fault of a statement that begins neither a part nor a member.
  private mutating func misplaced(_ cursor: ModelTextCursor) -> ModelTextFault {
    guard case .name(let word) = cursor.next else {
      return cursor.fault(expecting: "a statement, such as 'entity Trip' or 'name: String'")
    }
    let words = Self.headers.sorted() + ["unique", "index", "compound"]
    if ["unique", "index", "compound"].contains(word) {
      return ModelTextFault(
        cursor.place, "'\(word)' must stand below the line of its entity: 'entity NAME'.")
    }
    let hint = suggestion.sentence(for: word, among: words)
    return ModelTextFault(
      cursor.place,
      "The word '\(word)' begins no statement."
        + (hint.isEmpty
          ? " A property has a colon after its name, as in '\(word): String'." : hint))
  }

  private mutating func fetchIndex(
    _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> FetchIndex {
    var index = FetchIndex(try cursor.name("the name of the index"), elements: [])
    guard cursor.accept(":") else { return index }
    repeat {
      if cursor.next == .name("where"), case .string = cursor.afterNext {
        cursor.skip()
        index.partialPredicate = try cursor.string("a predicate")
        break
      }
      index.elements.append(try indexElement(&cursor, in: index))
    } while cursor.accept(",")
    return index
  }

  private func indexElement(
    _ cursor: inout ModelTextCursor, in index: FetchIndex
  ) throws(ModelTextFault) -> FetchIndex.Element {
    var element = FetchIndex.Element("")
    if cursor.next == .name("expression"), case .string = cursor.afterNext {
      cursor.skip()
      element.expression = try cursor.string("the expression")
      element.property =
        cursor.acceptWord("named")
        ? try cursor.name("the name of the expression") : FetchIndex.expressionName(in: index)
    } else {
      element.property = try cursor.name("the name of a property")
    }
    if cursor.acceptWord("as") {
      if cursor.acceptWord("ranges") {
        element.kind = .rTree
      } else if cursor.acceptWord("words") {
        element.kind = .fullText
      } else {
        throw cursor.fault(expecting: "'ranges' or 'words'")
      }
    }
    element.isAscending = !cursor.acceptWord("descending")
    return element
  }

  // MARK: - The whole model

  mutating func recordDestination(_ name: String, _ place: ModelTextFault.Place?) {
    destinations.append((name, place))
  }

  private mutating func finish() {
    completeInverses()
    for statement in editorStatements {
      do throws(ModelTextFault) {
        var cursor = ModelTextCursor(statement)
        try ModelTextEditorData.read(&cursor, into: &description)
      } catch { faults.append(error) }
    }
  }

  /// Reports destinations that are not entities. A misspelled type of an attribute looks like one.
  private mutating func checkDestinations() {
    let entities = Set(description.entities.map(\.name))
    faults.removeAll { $0.destination.map { !entities.contains($0) } ?? false }
    let known = ModelTextType.names + description.entities.map(\.name)
    for (name, place) in destinations where !entities.contains(name) {
      let hint =
        ModelTextType.otherNames[name.lowercased()].map { " Did you mean \"\($0)\"?" }
        ?? suggestion.sentence(for: name, among: known)
      faults.append(
        ModelTextFault(place, "There is no type and no entity \"\(name)\"." + hint))
    }
  }

  /// Completes relationships that name no inverse, if exactly one relationship names them as its inverse.
  private mutating func completeInverses() {
    var claims: [[String]: [(entity: String, relationship: String)]] = [:]
    for entity in description.entities {
      for relationship in entity.declaredProperties.relationships {
        guard let inverse = relationship.inverse else { continue }
        let owner = relationship.inverseEntity ?? relationship.destination
        claims[[owner, inverse], default: []].append((entity.name, relationship.name))
      }
    }
    for entity in description.entities.indices {
      for index in description.entities[entity].declaredProperties.indices {
        guard
          case .relationship(var relationship) =
            description.entities[entity].declaredProperties[index],
          relationship.inverse == nil,
          let found = claims[[description.entities[entity].name, relationship.name]],
          found.count == 1, relationship.destination == found[0].entity
        else { continue }
        relationship.inverse = found[0].relationship
        relationship.inverseEntity = relationship.destination
        description.entities[entity].declaredProperties[index] = .relationship(relationship)
      }
    }
  }
}
