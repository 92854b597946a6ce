import ObjectModel
import Rows
import StoreInterface

/// The rows that a commit replaced or removed, as a layer above the commit's state. The layer undoes the commit.
final class RowsBefore: RowTable {
  let layer: Layer
  /// The metadata before the commit, as a property list; `nil` if the commit did not change them.
  let list: [UInt8]?

  init(_ layer: Layer, list: [UInt8]?) {
    self.layer = layer
    self.list = list
  }

  func entry(of key: ObjectKey) throws -> RowEntry { try layer.entry(of: key) }

  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    try layer.changes(ofEntity: number)
  }

  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    try layer.keyRanges(ofEntity: number)
  }

  func isSame(as other: any RowTable) -> Bool { (other as? RowsBefore) === self }

  var blocks: [Block] { layer.entities.flatMap { $0.put.blocks + $0.removed.blocks } }

  /// The number of bytes of its blocks and metadata.
  var byteCount: Int {
    blocks.reduce(list?.count ?? 0) { $0 + $1.byteCount }
  }

  /// Returns the rows that undo this commit and then the commit before it.
  func merged(with earlier: RowsBefore, _ schema: Schema) throws -> RowsBefore {
    RowsBefore(
      try layer.merged(with: earlier.layer, schema: schema, keepingVersions: true),
      list: earlier.list ?? list)
  }
}
