import ObjectModel
import Rows

/// A property in the form in which an entity's objects are exported.
indirect enum ExportedProperty {
  /// An attribute in a column. A null value is written if a new object would have a default value.
  case attribute(name: String, column: Int, writesNull: Bool, precision: Attribute.Precision?)
  case composite(name: String, parts: [ExportedProperty])
  case toOne(name: String, column: Int)
  /// A to-many relationship, with the index of its list.
  case toMany(name: String, list: Int)

  /// Returns the stored properties of an entity, and the relationships that need lists.
  ///
  /// - Parameter isOrdered: Whether the properties are in the order of the model, and not by name.
  static func all(
    of layout: Layout, model: Model, isOrdered: Bool
  ) -> (properties: [ExportedProperty], lists: [Relationship]) {
    var lists: [Relationship] = []
    let all =
      isOrdered ? model.orderedProperties(of: layout.entity) : model.properties(of: layout.entity)
    let properties = all.filter { !$0.isTransient }.compactMap { property -> ExportedProperty? in
      switch property {
      case .attribute(let attribute): return made(attribute, attribute.name, layout, model)
      case .relationship(let relationship):
        guard relationship.isToMany else {
          return layout.index(of: relationship.name).map {
            .toOne(name: relationship.name, column: $0)
          }
        }
        lists.append(relationship)
        return .toMany(name: relationship.name, list: lists.count - 1)
      case .fetched: return nil
      }
    }
    return (properties, lists)
  }

  private static func made(
    _ attribute: Attribute, _ path: String, _ layout: Layout, _ model: Model
  ) -> ExportedProperty? {
    if attribute.type == .composite {
      let parts = model.composite(of: attribute)?.attributes ?? []
      return .composite(
        name: attribute.name,
        parts: parts.filter { !$0.isTransient }.sorted { $0.name < $1.name }.compactMap {
          made($0, path + "." + $0.name, layout, model)
        })
    }
    return layout.index(of: path).map {
      .attribute(
        name: attribute.name, column: $0, writesNull: !attribute.defaultValue.isNull,
        precision: attribute.validation.precision)
    }
  }

  /// Returns the names of the property's cells. Parts of composite attributes have paths.
  func cellNames(_ prefix: String = "") -> [String] {
    switch self {
    case .attribute(let name, _, _, _), .toOne(let name, _), .toMany(let name, _): [prefix + name]
    case .composite(let name, let parts): parts.flatMap { $0.cellNames(prefix + name + ".") }
    }
  }
}
