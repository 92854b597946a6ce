package import ObjectModel
package import Rows

/// The data that queries read: the rows of a store as one reader sees them, and the relationships between its
/// objects.
///
/// A view over layers is a source (``ViewSource``); contexts and stores provide their own.
package protocol QuerySource: Sendable {
  /// The model of the objects.
  var model: Model { get }
  /// The schema, which assigns columns to the model's properties.
  var schema: Schema { get }
  /// The tag of the store that object identifiers must name; `nil` if every store is accepted.
  var store: StoreTag? { get }

  /// The indexes of the objects; `nil` if everything must be scanned.
  var indexed: IndexedView? { get }

  /// Returns all objects of one entity, without its subentities, in batches of rows.
  func batches(of layout: Layout) throws -> [RowBatch]

  /// Returns the row of one object, or `nil` if no object has the given key.
  func row(of key: ObjectKey) throws -> ViewRow?

  /// Returns the objects that a to-many relationship refers to, in their order if they have one.
  func objects(relatedTo key: ObjectKey, through relationship: ToManyRelationship) throws
    -> [ObjectKey]
}

extension QuerySource {
  package var store: StoreTag? { nil }
  /// No indexes, so everything is scanned.
  package var indexed: IndexedView? { nil }
}

/// A to-many relationship, as rows represent it.
package struct ToManyRelationship: Sendable, Hashable {
  /// The entity that has the relationship, or inherits it.
  package let entity: String
  package let name: String
  package let destination: String
  /// The column of the destination's rows that refers back. If `nil`, both ends are to-many or the inverse is
  /// missing, and the relationship is stored as links.
  package let inverse: LayoutColumn?
  /// The column of the destination's rows that contains the position; `nil` if the relationship is unordered.
  package let order: LayoutColumn?
}

extension ToManyRelationship {
  /// Finds the to-many relationship of an entity by name; `nil` if the entity lacks it.
  package init?(_ name: String, of entity: String, _ model: Model, _ schema: Schema) {
    guard case .relationship(let relationship)? = model.property(name, of: entity),
      relationship.isToMany
    else { return nil }
    self.init(relationship, of: entity, model, schema)
  }

  /// Creates the representation of a relationship of the given entity.
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
