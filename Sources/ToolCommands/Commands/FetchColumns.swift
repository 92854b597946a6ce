import CommandInterface
import Foundation
import Interchange
import ObjectModel
import ObjectQuery
import Rows

/// The columns of a fetch. A cell contains a value of an object, or the objects of a to-many relationship. If the
/// results are groups, or distinct values, each row has only values.
struct FetchColumns {
  /// One column.
  struct Column {
    var name: String
    let content: Content
    /// Whether the column is a part of a composite attribute.
    var isPart = false
    /// Whether a new object has a default value in the column.
    var hasDefault = false
    var form = ValueForm()

    /// Whether each cell has one value.
    var isSingle: Bool { if case .value = content { true } else { false } }
  }

  /// The source of a column's cells.
  enum Content {
    case value(QueryExpression)
    case list(ToManyRelationship)
    /// A value of each object of a to-many relationship: `stops.name`.
    case values(ToManyRelationship, LayoutColumn)
  }

  /// The name of the column with identifiers, which can't be the name of a property.
  static let identifier = "@id"

  let entity: String
  let columns: [Column]
  /// Whether each row shows one object, with its identifier.
  let showsObjects: Bool
  /// The names of the columns whose values define the groups.
  let groups: [String]

  /// Creates columns for all stored properties of an entity, in the order of the model, inherited properties first.
  init(of entity: String, _ model: Model, _ schema: Schema) {
    self.entity = entity
    columns = model.orderedProperties(of: entity).flatMap {
      FetchColumns.columns($0, entity, model, schema)
    }
    showsObjects = true
    groups = []
  }

  /// Creates columns for the properties and expressions in a text with commas between them.
  ///
  /// - Throws: `QueryError` for a part that is not an expression; ``CommandError`` for a to-many relationship if the rows
  ///   show no objects.
  init(
    _ text: String, of entity: String, _ model: Model, _ schema: Schema, _ zone: CommandZone,
    showsObjects: Bool = true
  ) throws {
    self.entity = entity
    self.showsObjects = showsObjects
    groups = []
    let known = FetchColumns(of: entity, model, schema).columns
    columns = try NamedExpression.list(text).map { part in
      if part.text == "*" {
        throw CommandError.wrongUsage(
          "A fetch without --columns shows all properties, and '*' is not a column.",
          hint: "The properties are: \(known.map(\.name).joined(separator: ", ")).")
      }
      // A property has the same column as in a fetch without a list of columns.
      var column =
        try known.first { $0.name == part.text }
        ?? FetchColumns.related(part.text, entity, model, schema)
        ?? FetchColumns.computed(part.text, try zone.expression(part.text), entity, model)
      if !column.isSingle, !showsObjects {
        throw CommandError.wrongUsage(
          "--distinct can't show the to-many relationship '\(part.text)'.",
          hint: "'\(part.text.prefix { $0 != "." }).@count' is the number of its objects.")
      }
      if let name = part.given { column.name = name }
      return column
    }
  }

  /// Creates columns for groups of objects.
  ///
  /// - Parameters:
  ///   - keys: The expressions whose values define the groups, separated by commas; empty for one group of all objects.
  ///   - aggregates: The values of each group, separated by commas, such as `sum(nights)`.
  init(
    groupedBy keys: String, _ aggregates: String, of entity: String, _ model: Model,
    _ zone: CommandZone
  ) throws {
    self.entity = entity
    showsObjects = false
    let keys = keys.isEmpty ? [] : NamedExpression.list(keys)
    for key in keys {
      guard let name = key.given, model.property(name, of: entity) != nil else { continue }
      throw CommandError.wrongUsage(
        "'\(name)' is a property of '\(entity)', so groups can't have this name.",
        hint: "Write another name behind AS.")
    }
    groups = keys.map(\.name)
    func column(_ part: NamedExpression, isKey: Bool) throws -> Column {
      // A property may have the name of a function of groups, such as count.
      let isPath =
        isKey && part.text.wholeMatch(of: /[\p{L}_][@\p{L}\p{N}_.]*/) != nil
        && model.property(String(part.text.prefix { $0 != "." }), of: entity) != nil
      let expression = isPath ? .path(part.text) : try zone.expression(part.text)
      var column = FetchColumns.computed(part.name, expression, entity, model)
      column.hasDefault = true
      return column
    }
    columns =
      try keys.map { try column($0, isKey: true) }
      + NamedExpression.list(aggregates).map { try column($0, isKey: false) }
  }

  /// The expressions that the names behind `AS` stand for.
  func expressions(named names: Set<String>) -> [String: QueryExpression] {
    var named: [String: QueryExpression] = [:]
    for column in columns where names.contains(column.name) {
      if case .value(let expression) = column.content { named[column.name] = expression }
    }
    return named
  }

  /// Returns an expression or a predicate with its functions of groups in the form of predicates: `sum:(nights)` for
  /// `sum(nights)`, and `count:(SELF)` for `count`.
  static func aggregates(in text: String) -> String {
    if text.lowercased() == "count" { return "count:(SELF)" }
    return text.replacing(
      /(?i)\b(sum|avg|average|min|max|count|median|mode|stddev)\s*\(\s*(\*?\s*\))?/
    ) { match in
      let name = match.1.lowercased() == "avg" ? "average" : match.1.lowercased()
      return match.2 == nil ? "\(name):(" : "\(name):(SELF)"
    }
  }

  /// The values that the request fetches: the identifier of an object, and the values of the columns.
  var fetchedValues: [FetchedValue] {
    (showsObjects ? [FetchedValue(FetchColumns.identifier, .evaluatedObject)] : [])
      + columns.compactMap { column in
        if case .value(let expression) = column.content {
          FetchedValue(column.name, expression)
        } else {
          nil
        }
      }
  }

  /// The columns in the form that text output uses.
  var text: ResultText.Columns { FetchColumns.text(of: entity, columns) }

  /// Returns columns of an entity's objects in the form that text output uses.
  static func text(of entity: String, _ columns: [Column]) -> ResultText.Columns {
    ResultText.Columns(
      of: entity,
      columns.map {
        ResultText.Column(
          $0.name, isPart: $0.isPart, writesNull: $0.hasDefault, precision: $0.form.precision)
      })
  }

  private static func computed(
    _ name: String, _ expression: QueryExpression, _ entity: String, _ model: Model
  ) -> Column {
    Column(
      name: name, content: .value(expression), form: ValueForm(of: expression, entity, model))
  }

  /// Returns the column for a path through a to-many relationship to an attribute; `nil` for any other text.
  private static func related(
    _ path: String, _ entity: String, _ model: Model, _ schema: Schema
  ) -> Column? {
    guard let dot = path.firstIndex(of: "."),
      let relationship = ToManyRelationship(String(path[..<dot]), of: entity, model, schema),
      let layout = schema[relationship.destination],
      let index = layout.index(of: String(path[path.index(after: dot)...]))
    else { return nil }
    return Column(
      name: path, content: .values(relationship, layout.columns[index]),
      form: ValueForm(of: .path(path), entity, model))
  }

  private static func columns(
    _ property: Property, _ entity: String, _ model: Model, _ schema: Schema
  ) -> [Column] {
    switch property {
    case _ where property.isTransient: []
    case .attribute(let attribute):
      columns(attribute, attribute.name, isPart: false, entity, model, schema)
    case .relationship(let relationship) where !relationship.isToMany:
      schema[entity]?.index(of: relationship.name) == nil
        ? [] : [Column(name: relationship.name, content: .value(.path(relationship.name)))]
    case .relationship(let relationship):
      ToManyRelationship(relationship.name, of: entity, model, schema).map {
        [Column(name: relationship.name, content: .list($0))]
      } ?? []
    case .fetched: []
    }
  }

  private static func columns(
    _ attribute: Attribute, _ path: String, isPart: Bool, _ entity: String, _ model: Model,
    _ schema: Schema
  ) -> [Column] {
    if attribute.type == .composite {
      return (model.composite(of: attribute)?.attributes ?? [])
        .filter { !$0.isTransient }.sorted { $0.name < $1.name }.flatMap {
          columns($0, path + "." + $0.name, isPart: true, entity, model, schema)
        }
    }
    guard schema[entity]?.index(of: path) != nil else { return [] }
    return [
      Column(
        name: path, content: .value(.path(path)), isPart: isPart,
        hasDefault: !attribute.defaultValue.isNull && attribute.derivation == nil,
        form: ValueForm(precision: attribute.validation.precision))
    ]
  }

  /// Returns the parts of a text between its commas. Commas within brackets or quotes do not separate parts.
  static func parts(of text: String) -> [String] {
    var parts = [""]
    var depth = 0
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if "([{".contains(character) {
        depth += 1
      } else if ")]}".contains(character) {
        depth -= 1
      } else if character == ",", depth == 0 {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
    }
    return parts.map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
