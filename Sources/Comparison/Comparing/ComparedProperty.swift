import ObjectModel
import ObjectQuery
import Rows

/// A property of one side, or a part of a composite attribute.
struct ComparedProperty {
  /// The name. A part of a composite attribute has a path, such as `place.latitude`.
  let name: String
  let content: Content
  /// The precision of an attribute's values.
  var precision: Attribute.Precision?

  enum Content {
    /// The position of the attribute's column.
    case value(Int)
    case reference(Reference)
    case list(ToManyRelationship, keepsOrder: Bool)
  }

  /// A to-one relationship.
  struct Reference {
    /// The position of the column.
    let column: Int
    /// Whether the inverse is a to-many relationship, whose members are the objects with equal references.
    let isMembership: Bool
    /// The position of the column with the object's place among these members.
    let order: Int?
  }

  /// Returns the compared properties that a property of the model stands for: several for a composite attribute,
  /// and none for a property that is not stored.
  static func all(
    _ property: Property, of entity: String, _ layout: Layout, _ store: ComparedStore
  ) -> [ComparedProperty] {
    if property.isTransient { return [] }
    switch property {
    case .fetched: return []
    case .attribute(let attribute): return all(attribute, attribute.name, layout, store)
    case .relationship(let relationship) where relationship.isToMany:
      guard
        let list = ToManyRelationship(relationship.name, of: entity, store.model, store.schema)
      else { return [] }
      return [
        ComparedProperty(
          name: relationship.name, content: .list(list, keepsOrder: relationship.keepsOrder))
      ]
    case .relationship(let relationship):
      guard let column = layout.index(of: relationship.name) else { return [] }
      let inverse = store.model.inverse(of: relationship)
      return [
        ComparedProperty(
          name: relationship.name,
          content: .reference(
            Reference(
              column: column, isMembership: inverse?.isToMany ?? false,
              order: layout.index(of: relationship.name + "#order"))))
      ]
    }
  }

  private static func all(
    _ attribute: Attribute, _ path: String, _ layout: Layout, _ store: ComparedStore
  ) -> [ComparedProperty] {
    if attribute.isTransient || attribute.derivation != nil { return [] }
    if let composite = store.model.composite(of: attribute) {
      return composite.attributes.flatMap { all($0, path + "." + $0.name, layout, store) }
    }
    return layout.index(of: path).map {
      [
        ComparedProperty(
          name: path, content: .value($0), precision: attribute.validation.precision)
      ]
    } ?? []
  }
}
