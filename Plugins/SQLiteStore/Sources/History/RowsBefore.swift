import ObjectModel
import Rows
import StoreInterface

/// What a commit's rows were before it: the layer that takes the commit back, above what it left.
final class RowsBefore: RowTable {
  let layer: Layer
  /// The metadata as they were, as a property list; `nil` where the commit left them as they were.
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

  /// How many bytes it takes.
  var byteCount: Int {
    blocks.reduce(list?.count ?? 0) { $0 + $1.byteCount }
  }

  /// What takes this commit back and then, above that, the one before it.
  func merged(with earlier: RowsBefore, _ schema: Schema) throws -> RowsBefore {
    RowsBefore(
      try layer.merged(with: earlier.layer, schema: schema, keepingVersions: true),
      list: earlier.list ?? list)
  }
}
