/// Blocks of one entity in the order of their keys, with no overlap. Rows are found by key without a table.
public struct BlockRun: Sendable {
  public let blocks: [Block]
  private let maximums: [UInt64]

  /// Creates a run of the given blocks.
  ///
  /// - Precondition: The keys ascend from block to block.
  public init(_ blocks: [Block] = []) {
    for (block, next) in zip(blocks, blocks.dropFirst()) {
      precondition(block.maximumKey < next.minimumKey, "The blocks of a run overlap.")
    }
    self.blocks = blocks
    maximums = blocks.map(\.maximumKey)
  }

  public var rowCount: Int { blocks.reduce(0) { $0 + $1.rowCount } }

  /// Whether there are no rows.
  public var isEmpty: Bool { blocks.isEmpty }

  /// Returns the location of the row with the given key; `nil` when the run lacks the key.
  public func location(of key: UInt64) throws -> RowLocation? {
    let position = maximums.firstPosition { $0 >= key }
    guard position < blocks.count else { return nil }
    let block = blocks[position]
    return try block.row(of: key).map { RowLocation(block: block, row: $0) }
  }
}

/// The location of one row: a block and a position in the block.
public struct RowLocation: Sendable {
  public let block: Block
  /// The row's position in the block.
  public let row: Int

  /// Creates the location of the given row of the given block.
  public init(block: Block, row: Int) {
    self.block = block
    self.row = row
  }

  /// The version that the row is based on: 0 for a row with nothing below it, and ``LayoutColumn/unsavedBasis``
  /// for a row above an uncommitted row.
  public var basis: Int64 {
    get throws { try block.column(LayoutColumn.Number.basis)?.integer(at: row) ?? 0 }
  }

  /// The version of the row, which is the commit that wrote it; 0 for an uncommitted row.
  public var version: Int64 {
    get throws {
      try block.column(LayoutColumn.Number.version)?.integer(at: row) ?? block.version
    }
  }
}

extension BlockRun {
  /// Calls `body` with the key of each row.
  package func forEachKey(_ body: (Int64) throws -> Void) throws {
    for block in blocks {
      let keys = try block.keys
      for row in 0..<block.rowCount { try body(keys.integer(at: row)) }
    }
  }
}
