package import Rows
import StoreInterface

/// A kind of rows, by its number in the interface (spec §9.6).
package enum PluginRowKind: Int32, Sendable, CaseIterable {
  case put = 0
  /// Rows with some of their values.
  case changed = 1
  /// Only the keys of removed rows.
  case removed = 2

  /// The flags of blocks with rows of this kind.
  package var flags: BlockFlags {
    switch self {
    case .put: []
    case .changed: .changes
    case .removed: .removals
    }
  }

  /// Returns the run of this kind from an entity's changes.
  package func run(of changes: Layer.EntityChanges) -> BlockRun {
    switch self {
    case .put: changes.put
    case .changed: changes.changed
    case .removed: changes.removed
    }
  }
}

extension BlockRun {
  /// Creates a run from blocks that crossed the interface, in any order.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badPlugin`` if a block has another entity or kind than
  ///   stated, or if blocks overlap.
  package init(
    checking blocks: [Block], ofEntity number: UInt16, _ kind: PluginRowKind, path: String?
  ) throws {
    let blocks = blocks.sorted { $0.minimumKey < $1.minimumKey }
    for block in blocks {
      guard block.entityNumber == number else {
        throw StoreError(
          .badPlugin,
          "The host asked for rows of entity \(number), but the plug-in returned rows of entity \(block.entityNumber).",
          path: path)
      }
      let kinds: BlockFlags = [.changes, .removals]
      guard block.flags.intersection(kinds) == kind.flags else {
        throw StoreError(
          .badPlugin,
          "The plug-in returned a block of entity \(number) that is not of the kind \(kind).",
          path: path)
      }
    }
    for (one, next) in zip(blocks, blocks.dropFirst()) where one.maximumKey >= next.minimumKey {
      throw StoreError(
        .badPlugin,
        "The plug-in returned rows of entity \(number) (\(kind)) twice, or not in the order of their keys: "
          + "\(next.minimumKey) after \(one.maximumKey).", path: path)
    }
    self.init(blocks)
  }
}

extension Layer {
  /// Creates a layer from the blocks of several entities.
  ///
  /// - Throws: The errors of ``Rows/BlockRun/init(checking:ofEntity:_:path:)``.
  package init(
    checking blocks: [UInt16: [PluginRowKind: [Block]]], path: String?
  ) throws {
    self.init(
      try blocks.map { number, kinds in
        func run(_ kind: PluginRowKind) throws -> BlockRun {
          try BlockRun(checking: kinds[kind] ?? [], ofEntity: number, kind, path: path)
        }
        return EntityChanges(
          entityNumber: number, put: try run(.put), changed: try run(.changed),
          removed: try run(.removed))
      })
  }
}
