import ModelNotations
import ObjectModel
import SQLTranslation
import SQLiteFiles

/// The model of a plain database, and the SQL expression of each of its properties.
struct PlainModel {
  private let database: PlainDatabase
  private var entities: [Entity]
  /// The names of the properties of each entity.
  private var names: [Set<String>]
  /// The expression of each stored property, by entity.
  private(set) var cells: [[String: String]]
  /// The entity and the relationship from the first to the second reference, of each table of links.
  private(set) var linkRelationships: [(entity: String, name: String)] = []
  private(set) var notes: [String] = []

  var model: Model {
    get throws { try Model(Model.Description(entities: entities)) }
  }

  /// - Throws: ``SQLiteError`` of the statements that check the conditions of tables.
  init(_ database: PlainDatabase, _ connection: SQLiteConnection) throws {
    self.database = database
    entities = database.sources.map { Entity($0.entity, className: $0.entity) }
    names = database.sources.map { _ in [] }
    cells = database.sources.map { _ in [:] }
    var properties: [[String: String]] = []
    for index in database.sources.indices { properties.append(addAttributes(index)) }
    for index in database.sources.indices { addRelationships(index) }
    addLinks()
    for index in database.sources.indices {
      addConstraints(index, properties[index])
      try addChecks(index, properties[index], connection)
    }
  }

  // MARK: - Attributes

  /// Adds the attributes of a table, and returns their names by the names of their columns in lower case.
  private mutating func addAttributes(_ index: Int) -> [String: String] {
    let source = database.sources[index]
    var properties: [String: String] = [:]
    for (position, column) in source.table.columns.enumerated() {
      // A column that only refers to a row is a relationship. A key of the table keeps its value too.
      let isReference = source.references.contains { $0.columns == [column.name] }
      guard !isReference || source.table.key.contains(column.name), !source.isPlainKey(column)
      else { continue }
      let name = InferredNames.free(
        InferredNames.property(of: column.name), among: names[index])
      names[index].insert(name)
      properties[column.name.lowercased()] = name
      let found = source.values[position].type(declared: column.type)
      if let note = found.note {
        notes.append("The column '\(column.name)' of '\(source.table.name)' \(note).")
      }
      let isKey = source.table.numberColumn == column.name
      let attribute = Attribute(
        name, found.type,
        isOptional: !(column.isRequired || isKey) || source.values[position].nullCount > 0,
        defaultValue: PlainModel.defaultValue(column.defaultText, found),
        validation: .init(precision: found.precision))
      entities[index].declaredProperties.append(.attribute(attribute))
      cells[index][name] = PlainModel.cell(column.name, found.dateForm)
      if source.values[position].hasLongTexts, found.type == .string {
        entities[index].fetchIndexes.append(
          FetchIndex("\(name)Words", elements: [.init(name, kind: .fullText)]))
        notes.append(InferredText.note(aboutWordsOf: name, of: source.entity))
      }
    }
    return properties
  }

  private static func cell(_ column: String, _ form: PlainValues.DateForm?) -> String {
    let cell = "x.\(quoted(column))"
    return switch form {
    case nil: cell
    case .seconds: "(\(cell) - 978307200)"
    case .milliseconds: "((\(cell) - 978307200000) / 1000.0)"
    }
  }

  /// Returns the value of a constant default; null for any other default.
  private static func defaultValue(_ text: String?, _ found: PlainValues.Finding) -> Value {
    guard let text, found.dateForm == nil else { return .null }
    let tokens = SQLToken.all(in: text)
    let isNegative = tokens.first == .sign("-")
    switch (isNegative ? tokens.dropFirst() : tokens[...]).first {
    case .text(let text) where tokens.count == 1:
      return ValueText.exchange.value(text, of: found.type) ?? .null
    case .number(let text) where tokens.count == (isNegative ? 2 : 1):
      return ValueText.exchange.value((isNegative ? "-" : "") + text, of: found.type) ?? .null
    case .word(let word, _) where tokens.count == 1 && found.type == .boolean:
      return ValueText.exchange.value(word, of: .boolean) ?? .null
    default: return .null
    }
  }

  // MARK: - Relationships

  private mutating func addRelationships(_ index: Int) {
    let source = database.sources[index]
    for reference in source.references {
      let target = database.sources[reference.target]
      let words =
        reference.columns.count == 1
        ? InferredNames.reference(reference.columns[0]).words
        : InferredNames.words(ofEntity: target.entity)
      let name = InferredNames.free(
        InferredNames.property(of: words.joined(separator: " ")), among: names[index])
      names[index].insert(name)
      let isUnique = source.table.uniqueColumns.contains(reference.columns)
      let isRequired =
        reference.columns.allSatisfy { source.table[$0]?.isRequired ?? false }
      let list =
        isUnique
        ? InferredNames.property(of: source.entity)
        : InferredNames.list(ofTable: source.table.name)
      let inverse = InferredNames.inverse(
        list, of: name,
        isOnly: source.references.count { $0.target == reference.target } == 1,
        isOwn: index == reference.target, among: names[reference.target])
      names[reference.target].insert(inverse)
      entities[index].declaredProperties.append(
        .relationship(
          Relationship(
            name, to: target.entity, inverse: inverse, inverseEntity: target.entity,
            isOptional: !isRequired)))
      entities[reference.target].declaredProperties.append(
        .relationship(
          Relationship(
            inverse, to: source.entity, inverse: name, inverseEntity: source.entity,
            count: isUnique ? .toOne : .toMany,
            deleteRule: reference.deletesAlong ? .cascade : isRequired ? .deny : .nullify)))
      cells[index][name] = target.numbers.number(of: reference)
      if isUnique { cells[reference.target][inverse] = back(reference, from: source) }
    }
  }

  /// Returns the expression of a reference in the opposite direction, in a row of the target.
  private func back(
    _ reference: PlainDatabase.Reference, from source: PlainDatabase.Source
  ) -> String {
    source.numbers.number(
      of: PlainDatabase.Reference(
        columns: reference.targets, target: reference.target, targets: reference.columns,
        deletesAlong: false))
  }

  private mutating func addLinks() {
    for link in database.links {
      let ends = link.references.map(\.target)
      let tables = ends.map { database.sources[$0] }
      let lists = tables.map { InferredNames.list(ofTable: $0.table.name) }
      let forward = InferredNames.free(lists[1], among: names[ends[0]])
      names[ends[0]].insert(forward)
      let backward = InferredNames.free(lists[0], among: names[ends[1]])
      names[ends[1]].insert(backward)
      for (end, name, other, inverse) in [
        (ends[0], forward, tables[1], backward), (ends[1], backward, tables[0], forward),
      ] {
        entities[end].declaredProperties.append(
          .relationship(
            Relationship(
              name, to: other.entity, inverse: inverse, inverseEntity: other.entity,
              count: .toMany)))
      }
      linkRelationships.append((tables[0].entity, forward))
    }
  }

  // MARK: - Constraints

  private mutating func addConstraints(_ index: Int, _ properties: [String: String]) {
    let table = database.sources[index].table
    for columns in table.uniqueColumns {
      let names = columns.compactMap { properties[$0.lowercased()] }
      guard names.count == columns.count else {
        if columns.count > 1 {
          notes.append(
            "\(PlainDatabase.words(columns)) of '\(table.name)' are unique together. The model does not say so, because one is a relationship."
          )
        }
        continue
      }
      if !entities[index].uniquenessConstraints.contains(names) {
        entities[index].uniquenessConstraints.append(names)
      }
    }
    for one in table.indexes where !one.isUnique {
      let names = one.columns.compactMap { properties[$0.name.lowercased()] }
      guard names.count == one.columns.count else { continue }
      let taken = Set(entities[index].fetchIndexes.map(\.name))
      // Names of indexes are those of a whole database, so most begin with the name of the table.
      let prefix = table.name + "_"
      let name = one.name.hasPrefix(prefix) ? String(one.name.dropFirst(prefix.count)) : one.name
      entities[index].fetchIndexes.append(
        FetchIndex(
          InferredNames.free(InferredNames.property(of: name), among: taken),
          elements: zip(names, one.columns).map { .init($0, isAscending: $1.isAscending) }))
    }
  }

  private mutating func addChecks(
    _ index: Int, _ properties: [String: String], _ connection: SQLiteConnection
  ) throws {
    let table = database.sources[index].table
    let (found, others) = PlainCheck.all(of: table)
    var left = others
    for check in found {
      guard let name = properties[check.column.lowercased()],
        let place = entities[index].declaredProperties.firstIndex(where: { $0.name == name }),
        case .attribute(var attribute) = entities[index].declaredProperties[place],
        try isMet(check, table, connection), attribute.add(check)
      else {
        left += 1
        continue
      }
      entities[index].declaredProperties[place] = .attribute(attribute)
    }
    if left > 0 {
      notes.append(
        "\(left) of the conditions (CHECK) of '\(table.name)' \(left == 1 ? "is" : "are") not in the model."
      )
    }
  }

  /// Returns whether all rows meet a condition. A program can switch the checks of SQLite off.
  private func isMet(
    _ check: PlainCheck, _ table: PlainTable, _ connection: SQLiteConnection
  ) throws -> Bool {
    try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM \(quoted(table.name)) x WHERE \(check.violation))") == 0
  }
}

extension Attribute {
  /// Adds the rule of a check, and returns `false` if the attribute can't have it.
  fileprivate mutating func add(_ check: PlainCheck) -> Bool {
    if check.isAboutLength {
      guard type == .string, case .compared(let sign, .number(let text)) = check.rule,
        let count = Int64(text)
      else { return false }
      return bound(sign, .integer(count))
    }
    switch check.rule {
    case .compared(let sign, let constant):
      if case .number(let text) = constant, type.traits.isNumber,
        let value = ValueText.exchange.value(text, of: type), bound(sign, value)
      {
        return true
      }
      guard isFit(constant) else { return false }
      validation.predicates.append(
        ValidationPredicate("SELF \(sign == "=" ? "==" : sign) \(constant.predicate)"))
    case .among(let constants):
      guard constants.allSatisfy(isFit) else { return false }
      validation.predicates.append(
        ValidationPredicate("SELF IN {\(constants.map(\.predicate).joined(separator: ", "))}"))
    }
    return true
  }

  private func isFit(_ constant: PlainCheck.Constant) -> Bool {
    switch constant {
    case .number: type.traits.isNumber
    case .text: type == .string
    }
  }

  /// Sets a bound that includes its value, and returns `false` for any other comparison, and for a second bound.
  private mutating func bound(_ sign: String, _ value: Value) -> Bool {
    switch (sign, value) {
    case (">=", _) where validation.minimum.isNull: validation.minimum = value
    case ("<=", _) where validation.maximum.isNull: validation.maximum = value
    case (">", .integer(let number)) where validation.minimum.isNull && number < .max:
      validation.minimum = .integer(number + 1)
    case ("<", .integer(let number)) where validation.maximum.isNull && number > .min:
      validation.maximum = .integer(number - 1)
    default: return false
    }
    return true
  }
}
