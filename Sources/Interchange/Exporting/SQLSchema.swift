import Foundation
import ModelNotations
import ObjectModel
import Rows

/// The tables of a model in a database that other programs read: readable names, foreign keys and conditions, but not
/// Quire's own columns.
///
/// An entity has its own table. The key of a row is the number of its object. Numbers of related entities may be equal,
/// so a relationship to an entity with subentities is the identifier in text, which each of their tables contains.
struct SQLSchema {
  let model: Model
  let schema: Schema

  /// The name of the key in each table. A database with this name is read without it as an attribute.
  static let key = "_id"
  /// The name of the column of identifiers in the tables of a family.
  static let identifier = "_object"

  /// A column of a table.
  struct Column {
    let name: String
    /// The type and the conditions.
    let declaration: String
    let content: Content
  }

  enum Content {
    case key
    case identifier
    /// An attribute in a column of the layout.
    case attribute(Int, precision: Attribute.Precision?)
    /// A reference, and whether it is written as an identifier in text.
    case reference(Int, isText: Bool)
    /// A place among the objects of an ordered relationship.
    case place(Int)
  }

  func table(of entity: String) -> String { InferredNames.table(ofEntity: entity) }

  /// Whether the objects of a relationship can be of several entities.
  func isFamily(_ entity: String) -> Bool {
    model.family(of: entity).count { !$0.isAbstract } > 1 || model[entity]?.isAbstract == true
  }

  /// Returns the columns of an entity's table.
  ///
  /// - Parameter hasLongDecimals: Returns whether the numbers of a column have more digits than SQLite keeps.
  func columns(
    of layout: Layout, hasLongDecimals: (LayoutColumn) throws -> Bool
  ) rethrows -> [Column] {
    var columns = [Column(name: SQLSchema.key, declaration: "INTEGER PRIMARY KEY", content: .key)]
    if isFamily(model.root(of: layout.entity)?.name ?? layout.entity) {
      columns.append(
        Column(
          name: SQLSchema.identifier, declaration: "TEXT NOT NULL UNIQUE", content: .identifier))
    }
    for property in model.orderedProperties(of: layout.entity) where !property.isTransient {
      switch property {
      case .attribute(let attribute):
        try add(attribute, attribute.name, layout, hasLongDecimals, to: &columns)
      case .relationship(let relationship):
        add(relationship, layout, to: &columns)
      case .fetched: break
      }
    }
    return columns
  }

  private func add(
    _ attribute: Attribute, _ path: String, _ layout: Layout,
    _ hasLongDecimals: (LayoutColumn) throws -> Bool, to columns: inout [Column]
  ) rethrows {
    if attribute.type == .composite {
      for part in model.composite(of: attribute)?.attributes ?? [] where !part.isTransient {
        try add(part, "\(path).\(part.name)", layout, hasLongDecimals, to: &columns)
      }
      return
    }
    guard let index = layout.index(of: path) else { return }
    let name = path.split(separator: ".").map { InferredNames.column(ofProperty: String($0)) }
      .joined(separator: "_")
    let isLong = try attribute.type == .decimal && hasLongDecimals(layout.columns[index])
    var parts = [isLong ? "DECIMAL TEXT" : SQLSchema.type(attribute)]
    if !attribute.isOptional, path == attribute.name { parts.append("NOT NULL") }
    if !attribute.defaultValue.isNull, !isLong {
      parts.append(
        "DEFAULT \(SQLSchema.literal(attribute.defaultValue, attribute.validation.precision))")
    }
    let conditions = isLong ? [] : SQLSchema.conditions(attribute, SQLSchema.quoted(name))
    if !conditions.isEmpty { parts.append("CHECK (\(conditions.joined(separator: " AND ")))") }
    columns.append(
      Column(
        name: name, declaration: parts.joined(separator: " "),
        content: .attribute(index, precision: attribute.validation.precision)))
  }

  private func add(_ relationship: Relationship, _ layout: Layout, to columns: inout [Column]) {
    guard !relationship.isToMany, let index = layout.index(of: relationship.name),
      isStored(relationship, of: layout.entity)
    else { return }
    let isText = isFamily(relationship.destination)
    let name = InferredNames.column(ofProperty: relationship.name) + "_id"
    var parts = [isText ? "TEXT" : "INTEGER"]
    if !relationship.isOptional { parts.append("NOT NULL") }
    let inverse = model.inverse(of: relationship)
    if inverse?.isToMany == false { parts.append("UNIQUE") }
    if !isText {
      parts.append("REFERENCES \(SQLSchema.quoted(table(of: relationship.destination)))")
      switch inverse?.deleteRule {
      case .cascade: parts.append("ON DELETE CASCADE")
      case .nullify where relationship.isOptional: parts.append("ON DELETE SET NULL")
      default: break
      }
    }
    columns.append(
      Column(
        name: name, declaration: parts.joined(separator: " "),
        content: .reference(index, isText: isText)))
    if inverse?.keepsOrder == true, let place = layout.index(of: relationship.name + "#order") {
      columns.append(
        Column(
          name: InferredNames.column(ofProperty: relationship.name) + "_position",
          declaration: "INTEGER", content: .place(place)))
    }
  }

  /// Whether a relationship is a column: of two to-one relationships that are each other's inverse, only one is.
  private func isStored(_ relationship: Relationship, of entity: String) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { return true }
    if relationship.isOptional != inverse.isOptional { return !relationship.isOptional }
    return (entity, relationship.name) <= (relationship.destination, inverse.name)
  }

  // MARK: - Links

  /// Whether a to-many relationship is a table of links. The objects of a to-one inverse refer to their owner themselves, and
  /// of two to-many relationships only one is written.
  func isTable(_ relationship: Relationship, of entity: String) -> Bool {
    guard let inverse = model.inverse(of: relationship) else { return true }
    guard inverse.isToMany else { return false }
    return (entity, relationship.name) <= (relationship.destination, inverse.name)
  }

  /// Returns the name of the table of links.
  func table(of relationship: Relationship, of entity: String) -> String {
    "\(table(of: entity))_\(InferredNames.column(ofProperty: relationship.name))"
  }

  /// Returns the columns of the owner and of the other object.
  func ends(of relationship: Relationship, _ entity: String) -> (owner: String, other: String) {
    func column(_ entity: String) -> String {
      InferredNames.words(ofEntity: entity).joined(separator: "_") + "_id"
    }
    let (owner, other) = (column(entity), column(relationship.destination))
    return (owner, owner == other ? "other_\(other)" : other)
  }

  // MARK: - Texts

  /// Returns the statements that make the indexes of a table.
  func indexes(of entity: Entity, _ columns: [Column], _ layout: Layout) -> [String] {
    func names(_ properties: [String]) -> [String]? {
      let found = properties.compactMap { property in
        columns.first {
          switch $0.content {
          case .attribute(let index, _), .reference(let index, _):
            layout.columns[index].name == property
          default: false
          }
        }.map { SQLSchema.quoted($0.name) }
      }
      return found.count == properties.count ? found : nil
    }
    let table = table(of: entity.name)
    let unique = entity.uniquenessConstraints.compactMap { names($0) }.map { columns in
      (
        name: "unique_\(columns.joined(separator: "_"))", text: columns.joined(separator: ", "),
        kind: "UNIQUE INDEX"
      )
    }
    let plain = entity.fetchIndexes.filter(\.isPlain).compactMap { index in
      names(index.elements.map(\.property)).map { columns in
        (
          name: index.name,
          text: zip(columns, index.elements).map { $0 + ($1.isAscending ? "" : " DESC") }
            .joined(separator: ", "), kind: "INDEX"
        )
      }
    }
    return (unique + plain).map { one in
      let name = "\(table)_\(InferredNames.column(ofProperty: one.name.replacing("\"", with: "")))"
      return
        "CREATE \(one.kind) \(SQLSchema.quoted(name)) ON \(SQLSchema.quoted(table)) (\(one.text));\n"
    }
  }

  private static func type(_ attribute: Attribute) -> String {
    switch attribute.validation.precision {
    case .day: return "DATE"
    case .places(let places): return "DECIMAL(38, \(places))"
    case nil: break
    }
    return switch attribute.type {
    case .boolean: "BOOLEAN"
    case .int16: "SMALLINT"
    case .int32: "INT4"
    case .float: "FLOAT4"
    case .double: "REAL"
    case .decimal: "DECIMAL"
    case .date: "TIMESTAMP"
    case .uuid: "UUID"
    case .uri: "URI TEXT"
    case .string: "TEXT"
    case .binary, .transformable: "BLOB"
    default: "INTEGER"
    }
  }

  private static func conditions(_ attribute: Attribute, _ name: String) -> [String] {
    let value = attribute.type == .string ? "length(\(name))" : name
    guard attribute.type == .string || attribute.type.traits.isNumber else { return [] }
    return [(">=", attribute.validation.minimum), ("<=", attribute.validation.maximum)]
      .filter { !$0.1.isNull }.map { "\(value) \($0) \(literal($1))" }
      + attribute.validation.predicates.compactMap { condition($0.predicate, name) }
  }

  /// Returns the condition of a predicate that compares a value with constants, as the import of a database makes them; `nil` for
  /// any other predicate.
  private static func condition(_ predicate: String, _ name: String) -> String? {
    if let match = predicate.wholeMatch(of: /SELF (==|!=|<=|>=|<|>) (.+)/),
      let constant = constant(match.output.2)
    {
      return "\(name) \(match.output.1 == "==" ? "=" : match.output.1) \(constant)"
    }
    guard let match = predicate.wholeMatch(of: /SELF IN \{(.+)\}/) else { return nil }
    var constants: [String] = []
    var rest = match.output.1
    while let next = rest.prefixMatch(of: /("(?:[^"\\]|\\.)*"|[-+0-9.eE]+)(?:, )?/) {
      guard let constant = constant(next.output.1) else { return nil }
      constants.append(constant)
      rest = rest[next.range.upperBound...]
    }
    return rest.isEmpty && !constants.isEmpty
      ? "\(name) IN (\(constants.joined(separator: ", ")))" : nil
  }

  /// Returns a number or a text in quotes as SQL.
  private static func constant(_ text: Substring) -> String? {
    if text.hasPrefix("\"") {
      guard text.wholeMatch(of: /"(?:[^"\\]|\\["\\])*"/) != nil else { return nil }
      return self.text(
        String(text.dropFirst().dropLast()).replacing(/\\(.)/) { $0.output.1 })
    }
    return RealText.double(String(text))?.isFinite == true ? String(text) : nil
  }

  /// Returns a value in SQL.
  static func literal(_ value: Value, _ precision: Attribute.Precision? = nil) -> String {
    switch value {
    case .null: return "NULL"
    case .boolean(let value): return value ? "1" : "0"
    case .integer(let number): return String(number)
    case .double(let number): return real(number)
    case .float(let number): return real(Double(number))
    case .decimal(let number):
      return number.isNaN ? "NULL" : ValueText.exchange.text(value, precision)
    case .binary(let bytes):
      return self.bytes(bytes)
    case .string, .uri, .date, .uuid, .object:
      return text(ValueText.exchange.text(value, precision))
    }
  }

  /// Returns a text in SQL. SQLite's shell ends a statement at a zero character, so such a text is written as bytes.
  static func text(_ text: String) -> String {
    guard !text.utf8.contains(0) else {
      return "CAST(\(bytes(text.utf8)) AS TEXT)"
    }
    return "'\(text.replacing("'", with: "''"))'"
  }

  private static func bytes(_ bytes: some Sequence<UInt8>) -> String {
    "x'\(bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())'"
  }

  /// Returns a name as SQL quotes it.
  static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }

  private static func real(_ number: Double) -> String {
    if number.isNaN { return "NULL" }
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    return RealText.text(number)
  }
}
