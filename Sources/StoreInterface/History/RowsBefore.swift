package import ObjectModel
package import Rows

/// The rows that a commit replaced or removed, as a layer above the commit's state. The layer undoes the commit.
package final class RowsBefore: RowTable {
  /// The rows, and the removals of rows that the commit inserted.
  package let layer: Layer
  /// The metadata before the commit, as a property list; `nil` if the commit did not change them.
  package let list: [UInt8]?

  /// Creates a layer that undoes a commit.
  package init(_ layer: Layer, list: [UInt8]?) {
    self.layer = layer
    self.list = list
  }

  package func entry(of key: ObjectKey) throws -> RowEntry { try layer.entry(of: key) }

  package func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    try layer.changes(ofEntity: number)
  }

  package func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    try layer.keyRanges(ofEntity: number)
  }

  package func isSame(as other: any RowTable) -> Bool { (other as? RowsBefore) === self }

  /// The blocks of the layer.
  package var blocks: [Block] { layer.entities.flatMap { $0.put.blocks + $0.removed.blocks } }

  /// The number of bytes of its blocks and metadata.
  package var byteCount: Int {
    blocks.reduce(list?.count ?? 0) { $0 + $1.byteCount }
  }

  /// Returns the rows that undo this commit and then the commit before it.
  package func merged(with earlier: RowsBefore, _ schema: Schema) throws -> RowsBefore {
    RowsBefore(
      try layer.merged(with: earlier.layer, schema: schema, keepingVersions: true),
      list: earlier.list ?? list)
  }
}

extension RowsBefore {
  /// Creates a layer from the stored blocks of a commit.
  ///
  /// - Parameter fault: Makes the error for a sentence about the stored bytes.
  package convenience init(
    stored: [[UInt8]], list: [UInt8]?, _ schema: Schema, fault: (String) -> StoreError
  ) throws {
    var put: [UInt16: [Block]] = [:]
    var removed: [UInt16: [Block]] = [:]
    for bytes in stored {
      let block: Block
      do {
        block = try Block(bytes)
        _ = try block.keys
        // Columns are read now, so that an error can name the commit.
        for column in schema[block.entityNumber]?.versioned(above: 0).columns ?? [] {
          _ = try block.column(column)
        }
      } catch {
        throw fault("\(error)")
      }
      guard schema[block.entityNumber] != nil else {
        throw fault("no entity has the number \(block.entityNumber)")
      }
      guard block.flags.isSubset(of: .removals), block.minimumKey >= 1,
        block.maximumKey <= ObjectKey.highestNumber
      else { throw fault("a block contains neither whole rows nor removals of objects") }
      if block.flags.contains(.removals) {
        removed[block.entityNumber, default: []].append(block)
      } else {
        put[block.entityNumber, default: []].append(block)
      }
    }
    func run(_ blocks: [Block]?) throws -> BlockRun {
      let blocks = blocks ?? []
      guard zip(blocks, blocks.dropFirst()).allSatisfy({ $0.maximumKey < $1.minimumKey }) else {
        throw fault("the blocks of the commit overlap")
      }
      return BlockRun(blocks)
    }
    let changes = try Set(put.keys).union(removed.keys).map {
      Layer.EntityChanges(
        entityNumber: $0, put: try run(put[$0]), removed: try run(removed[$0]))
    }
    for one in changes where !one.put.isEmpty && !one.removed.isEmpty {
      // An entity must not both restore and remove the same row.
      do { _ = try one.entries() } catch { throw fault("\(error)") }
    }
    self.init(Layer(changes), list: list)
  }

  /// Returns removals of objects that a commit inserts.
  package static func removals(
    of keys: [UInt64], _ layout: Layout, basis: Int64
  ) -> [Block] {
    var drafts: [Draft] = []
    for key in keys {
      if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .changes)) }
      drafts[drafts.count - 1].append(key: key, basis: basis)
    }
    var writer = BlockWriter()
    return Draft.freeze(drafts, flags: .removals, &writer)
  }
}

extension Layer.EntityChanges {
  /// Returns the keys of the rows that the changes replace or remove, and of the rows that they insert.
  package func touchedKeys() throws -> (old: [UInt64], new: [UInt64]) {
    var (old, new): ([UInt64], [UInt64]) = ([], [])
    for block in put.blocks {
      let keys = try block.keys
      let bases = try block.column(LayoutColumn.Number.basis)
      for row in 0..<block.rowCount {
        let key = UInt64(bitPattern: keys.integer(at: row))
        if bases?.integer(at: row) ?? 0 > 0 { old.append(key) } else { new.append(key) }
      }
    }
    for run in [changed, removed] {
      try run.forEachKey { old.append(UInt64(bitPattern: $0)) }
    }
    return (old, new)
  }
}

extension Layout {
  /// Returns the layout with the rows' versions as the last column.
  ///
  /// - Parameter basis: The version that the rows are based on; 0 for rows without a base.
  package func versioned(above basis: Int64) -> Layout {
    let own = [
      LayoutColumn(
        number: LayoutColumn.Number.basis, name: "#basis", kind: .int64, isOptional: false,
        defaultValue: .integer(basis)),
      LayoutColumn(
        number: LayoutColumn.Number.version, name: "#version", kind: .int64, isOptional: false),
    ]
    return Layout(
      entity: entity, entityNumber: entityNumber,
      columns: columns + own.dropFirst(basis == 0 ? 1 : 0))
  }
}
