import ObjectModel
import ObjectQuery
import Rows

/// An entity of one side, with the properties that are compared.
struct ComparedEntity {
  let name: String
  let layout: Layout
  /// The stored properties in the order of the model, without derived and transient ones.
  let properties: [ComparedProperty]

  init(_ entity: Entity, _ layout: Layout, of store: ComparedStore) {
    name = entity.name
    self.layout = layout
    properties = store.model.properties(of: entity.name).flatMap { property in
      ComparedProperty.all(property, of: entity.name, layout, store)
    }
  }

  /// Returns the position of the property with the given name.
  func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }
}
