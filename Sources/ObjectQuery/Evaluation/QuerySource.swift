package import ObjectModel
package import Rows

/// What queries read: the rows of a store as somebody sees them, and how its objects hang together.
///
/// A view over layers is one (``ViewSource``); contexts and stores bring their own.
package protocol QuerySource: Sendable {
  /// The model of the objects.
  var model: Model { get }
  /// Where the rows keep what the model describes.
  var schema: Schema { get }
  /// Which store object identifiers must name; `nil` when all do.
  var store: StoreTag? { get }

  /// The objects by what they are sorted by; `nil` when everything is to be scanned.
  var indexed: IndexedView? { get }

  /// All objects of one entity, without those of its subentities, in batches of rows.
  func batches(of layout: Layout) throws -> [RowBatch]

  /// One object; `nil` when there is none with the given key.
  func row(of key: ObjectKey) throws -> ViewRow?

  /// The objects that a to-many relationship leads to, in their order if they have one.
  func objects(relatedTo key: ObjectKey, through relationship: ToManyRelationship) throws
    -> [ObjectKey]
}

extension QuerySource {
  /// Any store.
  package var store: StoreTag? { nil }
  /// There are no indexes: everything is scanned.
  package var indexed: IndexedView? { nil }
}

/// A relationship to any number of objects, as far as rows know it.
package struct ToManyRelationship: Sendable, Hashable {
  /// The entity that has the relationship, or inherits it.
  package let entity: String
  /// The relationship's name.
  package let name: String
  /// The entity it leads to.
  package let destination: String
  /// The column of the destination's rows that leads back; `nil` when both ends are to-many or there
  /// is no way back, and the relationship is kept as links.
  package let inverse: LayoutColumn?
  /// The column of the destination's rows with their places; `nil` when they have no order.
  package let order: LayoutColumn?
}

extension ToManyRelationship {
  /// The named relationship of an entity; `nil` when it has none of the name that leads to many.
  package init?(_ name: String, of entity: String, _ model: Model, _ schema: Schema) {
    guard case .relationship(let relationship)? = model.property(name, of: entity),
      relationship.isToMany
    else { return nil }
    self.init(relationship, of: entity, model, schema)
  }

  /// What rows know of a relationship of the given entity.
  init(_ relationship: Relationship, of entity: String, _ model: Model, _ schema: Schema) {
    self.entity = entity
    name = relationship.name
    destination = relationship.destination
    let layout = schema[relationship.destination]
    let back = model.inverse(of: relationship).flatMap { $0.isToMany ? nil : $0.name }
    func column(_ name: String) -> LayoutColumn? {
      layout?.index(of: name).map { layout!.columns[$0] }
    }
    inverse = back.flatMap(column)
    order = relationship.keepsOrder ? back.flatMap { column($0 + "#order") } : nil
  }
}
