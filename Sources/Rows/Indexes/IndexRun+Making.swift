import ObjectModel

extension IndexRun {
  /// Creates the entries for all rows of a table that an index covers.
  ///
  /// A row that is put has an entry. A changed row has an entry if it gives a value to a column of the index; the
  /// remaining columns have their values from below.
  ///
  /// - Parameters:
  ///   - changes: The table's changes of the rows; `nil` for none.
  ///   - layout: The layout of the rows.
  ///   - view: The rows below the table.
  /// - Throws: The error of a damaged block.
  package init(
    _ index: IndexLayout, of changes: Layer.EntityChanges?, layout: Layout, above view: View
  ) throws {
    guard let changes else {
      self.init(index, [])
      return
    }
    var sources: [Block] = []
    var own = OwnRows(index, layout)
    for block in changes.put.blocks {
      if try index.columns.allSatisfy({ try block.column($0.number)?.kind == $0.kind }) {
        sources.append(block)
        continue
      }
      // The block was written before the index's columns had their current form.
      for row in 0..<block.rowCount {
        try own.append(ViewRow(locations: [RowLocation(block: block, row: row)]))
      }
    }
    for block in changes.changed.blocks {
      let given = try index.columns.compactMap { try block.column($0.number) }
      if given.isEmpty { continue }
      let keys = try block.keys
      for row in 0..<block.rowCount where given.contains(where: { $0.isGiven(row) }) {
        let key = ObjectKey(
          entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
        // A change of an object that does not exist has no effect.
        guard let beneath = try view.row(of: key) else { continue }
        try own.append(
          ViewRow(locations: [RowLocation(block: block, row: row)] + beneath.locations))
      }
    }
    sources += own.blocks()
    if index.isOfWords {
      self.init(index, try WordSorting.blocks(of: sources, index))
      return
    }
    var sorting = try IndexSorting(index, sources)
    self.init(index, try sorting.blocks())
  }
}

/// Rows whose values come from several blocks, with all columns of an index.
private struct OwnRows {
  private let layout: Layout
  private var drafts: [Draft] = []

  init(_ index: IndexLayout, _ layout: Layout) {
    self.layout = Layout(
      entity: layout.entity, entityNumber: layout.entityNumber, columns: index.columns)
  }

  mutating func append(_ row: ViewRow) throws {
    let top = row.locations[0]
    let key = UInt64(bitPattern: try top.block.keys.integer(at: top.row))
    if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
    let draft = drafts[drafts.count - 1]
    let place = draft.append(key: key)
    for (position, column) in layout.columns.enumerated() {
      draft.set(try row.value(column), column: position, row: place)
    }
  }

  func blocks() -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze(drafts, &writer)
  }
}
