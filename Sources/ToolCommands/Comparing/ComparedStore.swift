import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// One side of a comparison: the objects of a store at one commit.
struct ComparedStore {
  /// The name of the side in messages.
  let name: String
  let model: Model
  let schema: Schema
  /// The rows and relationships of the objects.
  let source: ViewSource
  /// The store's UUID. Objects of two stores with equal UUIDs have comparable identifiers.
  let uuid: UUID?

  var view: View { source.view }

  /// Creates a side from a snapshot.
  ///
  /// - Throws: The errors of a damaged store.
  init(_ name: String, _ snapshot: any StoreSnapshot) throws {
    self.name = name
    model = try snapshot.model
    schema = snapshot.schema
    source = ViewSource(snapshot.view, model: model, schema: schema)
    uuid = try snapshot.metadata.uuid
  }

  /// Creates a side without objects, for a store that only the other side has.
  init(_ name: String, withoutObjectsOf other: ComparedStore) {
    self.name = name
    (model, schema, uuid) = (other.model, other.schema, other.uuid)
    source = ViewSource(View(), model: model, schema: schema)
  }
}

/// The two sides of a comparison.
enum ComparedSide: Hashable {
  case old
  case new
}

/// Two values, one of each side.
struct BothSides<Element> {
  var old: Element
  var new: Element

  subscript(side: ComparedSide) -> Element {
    get { side == .old ? old : new }
    set { if side == .old { old = newValue } else { new = newValue } }
  }
}
