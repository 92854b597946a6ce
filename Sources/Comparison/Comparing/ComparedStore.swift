package import Foundation
package import ObjectModel
package import ObjectQuery
package import Rows
package import StoreInterface

/// One side of a comparison: the objects of a store at one commit.
package struct ComparedStore {
  /// The name of the side in messages.
  package let name: String
  package let model: Model
  package let schema: Schema
  /// The rows and relationships of the objects.
  package let source: ViewSource
  /// The store's UUID. Objects of two stores with equal UUIDs have comparable identifiers.
  package let uuid: UUID?
  /// The lanes of object numbers that the store knows.
  package let lanes: StoreLanes

  package var view: View { source.view }

  /// Creates a side from a snapshot.
  ///
  /// - Throws: The errors of a damaged store.
  package init(_ name: String, _ snapshot: any StoreSnapshot) throws {
    self.name = name
    model = try snapshot.model
    schema = snapshot.schema
    source = ViewSource(snapshot.view, model: model, schema: schema)
    let metadata = try snapshot.metadata
    (uuid, lanes) = (metadata.uuid, metadata.lanes)
  }

  /// Creates a side without objects, for a store that only the other side has.
  package init(_ name: String, withoutObjectsOf other: ComparedStore) {
    self.name = name
    (model, schema, uuid) = (other.model, other.schema, other.uuid)
    lanes = StoreLanes()
    source = ViewSource(View(), model: model, schema: schema)
  }
}

extension ComparedStore {
  /// Returns whether an object of another entity has the number of a key, in a store that numbers the objects of several
  /// entities together.
  func sharesNumber(of key: ObjectKey, in type: StoreType) throws -> Bool {
    guard !type.numbersEachEntity, let own = schema[key.entity]?.entity else { return false }
    let root = model.root(of: own)?.name
    return try schema.layouts.contains { layout in
      // In an XML file, the objects of all entities are numbered together, and in stores of further types the objects of a family.
      guard layout.entityNumber != key.entity,
        type == .xml || model.root(of: layout.entity)?.name == root
      else { return false }
      return try view.contains(ObjectKey(entity: layout.entityNumber, number: key.number))
    }
  }
}
