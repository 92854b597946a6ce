import Foundation
import Interchange
import ObjectModel
import ObjectQuery
import Rows

/// The columns that a fetch shows: a value of each object, or the objects that a relationship to many leads to.
struct FetchColumns {
  /// A column.
  struct Column {
    let name: String
    let content: Content
    /// Whether the column is a part of a composite attribute.
    var isPart = false
    /// Whether a new object has a value there if nothing is said.
    var hasDefault = false
  }

  /// The source of the cells of a column.
  enum Content {
    case value(QueryExpression)
    case list(ToManyRelationship)
  }

  /// The name of the column with identifiers, which is no name of a property.
  static let identifier = "@id"

  let entity: String
  let columns: [Column]

  /// All properties of an entity that a store keeps.
  init(of entity: String, _ model: Model, _ schema: Schema) {
    self.entity = entity
    columns = model.properties(of: entity).flatMap {
      FetchColumns.columns($0, entity, model, schema)
    }
  }

  /// The properties and expressions that a text names, with commas between.
  ///
  /// - Throws: `QueryError` for a part that is no expression.
  init(_ text: String, of entity: String, _ model: Model, _ schema: Schema) throws {
    self.entity = entity
    let known = FetchColumns(of: entity, model, schema).columns
    columns = try FetchColumns.parts(of: text).map { part in
      // The properties of entities come as they do without a list of columns.
      if let column = known.first(where: { $0.name == part }) { return column }
      return Column(name: part, content: .value(try QueryExpression(part)))
    }
  }

  /// The values that the request fetches: the identifier, and the values of the columns.
  var fetchedValues: [FetchedValue] {
    [FetchedValue(FetchColumns.identifier, .evaluatedObject)]
      + columns.compactMap { column in
        if case .value(let expression) = column.content {
          FetchedValue(column.name, expression)
        } else {
          nil
        }
      }
  }

  /// The columns as text has them.
  var text: ResultText.Columns {
    ResultText.Columns(
      of: entity,
      columns.map {
        ResultText.Column($0.name, isPart: $0.isPart, writesNull: $0.hasDefault)
      })
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
      return (attribute.compositeName.flatMap(model.composite)?.attributes ?? [])
        .filter { !$0.isTransient }.sorted { $0.name < $1.name }.flatMap {
          columns($0, path + "." + $0.name, isPart: true, entity, model, schema)
        }
    }
    guard schema[entity]?.index(of: path) != nil else { return [] }
    return [
      Column(
        name: path, content: .value(.path(path)), isPart: isPart,
        hasDefault: !attribute.defaultValue.isNull && attribute.derivation == nil)
    ]
  }

  /// Returns the parts of a text between commas that are not within brackets or quotes.
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
