extension BlockRun {
  /// Creates a run of copies of whole rows. Each row keeps its version.
  ///
  /// - Parameters:
  ///   - rows: The rows, in the ascending order of their keys.
  ///   - basis: The version that the copies are based on.
  /// - Throws: ``BlockError`` when a block is damaged.
  package init(
    copying rows: [(key: UInt64, location: RowLocation)], _ layout: Layout, basis: Int64
  ) throws {
    var gathering = RowGathering(
      entity: layout.entityNumber, flags: [], columns: layout.columns,
      sources: rows.map(\.location.block))
    gathering.keepsVersions = true
    for (source, row) in rows.enumerated() {
      gathering.append(source: source, row: row.location.row, key: row.key, basis: basis)
    }
    var writer = BlockWriter()
    self.init(try gathering.blocks(&writer))
  }
}
