import Foundation
import Interchange
import ObjectModel
import ObjectQuery
import Rows

/// The columns of a fetch. A cell contains a value of an object, or the objects of a to-many relationship.
struct FetchColumns {
  /// One column.
  struct Column {
    let name: String
    let content: Content
    /// Whether the column is a part of a composite attribute.
    var isPart = false
    /// Whether a new object has a default value in the column.
    var hasDefault = false
  }

  /// The source of a column's cells.
  enum Content {
    case value(QueryExpression)
    case list(ToManyRelationship)
  }

  /// The name of the column with identifiers, which can't be the name of a property.
  static let identifier = "@id"

  let entity: String
  let columns: [Column]

  /// Creates columns for all stored properties of an entity.
  init(of entity: String, _ model: Model, _ schema: Schema) {
    self.entity = entity
    columns = model.properties(of: entity).flatMap {
      FetchColumns.columns($0, entity, model, schema)
    }
  }

  /// Creates columns for the properties and expressions in a text with commas between them.
  ///
  /// - Throws: `QueryError` for a part that is no expression.
  init(_ text: String, of entity: String, _ model: Model, _ schema: Schema) throws {
    self.entity = entity
    let known = FetchColumns(of: entity, model, schema).columns
    columns = try FetchColumns.parts(of: text).map { part in
      // A property has the same column as in a fetch without a list of columns.
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

  /// The columns in the form that text output uses.
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
      return (model.composite(of: attribute)?.attributes ?? [])
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
