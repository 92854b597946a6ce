import ObjectModel
import ObjectQuery
import Rows

/// The columns of a result.
enum ResultColumns {
  /// Columns of rows, which cross without a look at single values.
  case fields([RecordField])
  /// Expressions, which are computed for each object or group.
  case values([FetchedValue])

  init(_ reading: RequestReading, _ connection: Connection) throws {
    guard let layout = connection.schema[reading.query.entity] else {
      throw CallError(
        .notSupported, "The store has no objects of \"\(reading.query.entity)\".")
    }
    guard let names = reading.columns else {
      self =
        reading.isTable
        ? .values([])
        : .fields(
          [.identifier(RequestReading.identifier)]
            + ResultColumns.properties(of: layout, connection.model).map {
              ResultColumns.field($0, of: layout, connection.model)
            })
      return
    }
    if !reading.isTable {
      let fields = names.compactMap { name -> RecordField? in
        if name == RequestReading.identifier { return .identifier(name) }
        return layout.index(of: name).map {
          ResultColumns.field(layout.columns[$0], of: layout, connection.model)
        } ?? ResultColumns.related(name, layout, connection)
      }
      if fields.count == names.count {
        self = .fields(fields)
        return
      }
    }
    self = .values(
      try names.map { name in
        name == RequestReading.identifier
          ? FetchedValue(name, .evaluatedObject) : FetchedValue(name, try QueryExpression(name))
      })
  }

  /// Returns the column for a path through a to-one relationship to a property: `trip.name`; `nil` for any other text.
  private static func related(
    _ path: String, _ layout: Layout, _ connection: Connection
  ) -> RecordField? {
    guard let dot = path.firstIndex(of: "."),
      case .relationship(let relationship)? = connection.model.property(
        String(path[..<dot]), of: layout.entity), !relationship.isToMany,
      let reference = layout.index(of: relationship.name),
      let other = connection.schema[relationship.destination],
      let column = other.index(of: String(path[path.index(after: dot)...]))
    else { return nil }
    let form = form(of: other.columns[column], of: other, connection.model)
    return .related(path, through: layout.columns[reference], other.columns[column], as: form)
  }

  private static func field(
    _ column: LayoutColumn, of layout: Layout, _ model: Model
  ) -> RecordField {
    .property(column, as: form(of: column, of: layout, model))
  }

  private static func form(
    of column: LayoutColumn, of layout: Layout, _ model: Model
  ) -> RecordForm {
    let path = column.name.split(separator: ".").map(String.init)
    return RecordForm(model.attribute(at: path, of: layout.entity)?.validation.precision)
  }

  /// Returns the columns of an entity's attributes and to-one relationships in the order of the model, inherited ones first.
  static func properties(of layout: Layout, _ model: Model) -> [LayoutColumn] {
    let columns = layout.columns.filter { !$0.name.contains("#") }
    return model.orderedProperties(of: layout.entity).flatMap { property in
      columns.filter { $0.name == property.name || $0.name.hasPrefix(property.name + ".") }
    }
  }
}
