// SAFETY: Blocks retain the memory of the raw columns that are read here, and each row is a row of its block.

import ObjectModel

extension IndexRun {
  /// Creates the entries for all rows of a table that an index covers.
  ///
  /// A row that is put has an entry. A changed row has an entry if it gives a value to a column of the index; the
  /// remaining columns have their values from beneath.
  ///
  /// - Parameters:
  ///   - changes: The table's changes of the rows; `nil` for none.
  ///   - layout: The layout of the rows.
  ///   - view: The rows beneath the table.
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
    var sorting = try IndexSorting(index, sources + own.blocks())
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

/// A sorter of the rows of some blocks into the order of an index.
private struct IndexSorting {
  private let index: IndexLayout
  private let sources: [Block]
  /// The index's columns of each block, the most significant first.
  private let columns: [[Column]]
  private var entries: [Entry] = []
  /// The number of sorted entries without a value in the first column.
  private var nothingCount = 0

  /// Whether an entry's word determines its values completely.
  private var isOneInteger: Bool {
    index.columns.count == 1 && index.columns[0].kind.family == .integers
  }

  private struct Entry: BitwiseCopyable {
    /// A number with the same order as the first column, or as the beginning of its value.
    var word: UInt64
    var object: UInt64
    var source: UInt32
    var row: UInt32
  }

  /// Creates a sorter of blocks that have all of the index's columns.
  init(_ index: IndexLayout, _ sources: [Block]) throws {
    self.index = index
    self.sources = sources
    columns = try sources.map { block in
      try index.columns.map { column in
        guard let values = try block.column(column.number) else {
          throw BlockError.badColumn(column.number, "The block does not have the column.")
        }
        return values
      }
    }
  }

  /// Returns the entries as blocks, sorted.
  mutating func blocks() throws -> [Block] {
    try sort()
    guard !entries.isEmpty else { return [] }
    if isOneInteger { return integerBlocks() }
    var gathering = RowGathering(
      entity: index.number, flags: [], columns: index.columns, sources: sources)
    gathering.objects.reserveCapacity(entries.count)
    for (place, entry) in entries.enumerated() {
      gathering.append(
        source: Int(entry.source), row: Int(entry.row), key: UInt64(place + 1), basis: 0)
      gathering.objects.append(Int64(bitPattern: entry.object))
    }
    var writer = BlockWriter()
    return try gathering.blocks(&writer)
  }

  /// Returns the blocks of an index of one column whose values equal the entries' words. No row is read again.
  private func integerBlocks() -> [Block] {
    var writer = BlockWriter()
    let column = index.columns[0]
    return stride(from: 0, to: entries.count, by: BlockFormat.targetRowCount).map { start in
      let part = start..<min(start + BlockFormat.targetRowCount, entries.count)
      writer.begin()
      writer.add(column.number, column.kind) { values in
        for place in part {
          if place < nothingCount {
            values.appendNull()
          } else {
            values.append(word: Int64(ordered: entries[place].word))
          }
        }
      }
      writer.add(LayoutColumn.Number.object, .int64) { values in
        for place in part { values.append(word: Int64(bitPattern: entries[place].object)) }
      }
      let keys = part.map { UInt64($0 + 1) }
      return unsafe keys.withUnsafeBufferPointer {
        unsafe Block(written: writer.finish(entity: index.number, flags: [], keys: $0))
      }
    }
  }

  private mutating func sort() throws {
    var withoutValue: [Entry] = []
    var ascends = true
    var last: UInt64 = 0
    entries.reserveCapacity(sources.reduce(0) { $0 + $1.rowCount })
    for (source, block) in sources.enumerated() {
      let keys = try block.keys
      let first = columns[source][0]
      for row in 0..<block.rowCount {
        let object = UInt64(bitPattern: keys.integer(at: row))
        ascends = ascends && object > last
        last = object
        var entry = Entry(word: 0, object: object, source: UInt32(source), row: UInt32(row))
        if unsafe first.raw.isNull(row) {
          withoutValue.append(entry)
        } else {
          unsafe entry.word = first.raw.orderingWord(row)
          entries.append(entry)
        }
      }
    }
    if ascends, isOneInteger {
      // Objects are in order already, and stay in order where words are equal.
      sortByWord()
    } else {
      entries = entries.sorted { comesFirst($0, $1) }
    }
    withoutValue.sort { comesFirst($0, $1) }
    nothingCount = withoutValue.count
    entries = withoutValue + entries
  }

  private func comesFirst(_ left: Entry, _ right: Entry) -> Bool {
    if left.word != right.word { return left.word < right.word }
    for position in index.columns.indices {
      let one = columns[Int(left.source)][position]
      let other = columns[Int(right.source)][position]
      switch unsafe one.raw.comparison(Int(left.row), other.raw, Int(right.row)) {
      case .less: return true
      case .greater: return false
      case .equal: continue
      }
    }
    return left.object < right.object
  }

  /// Sorts by word, byte by byte from the lowest byte: entries with equal words keep their order.
  private mutating func sortByWord() {
    guard let first = entries.first else { return }
    var entries = entries
    let varying = entries.reduce(0) { $0 | ($1.word ^ first.word) }
    var target = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) where varying >> shift & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for entry in entries { starts[Int(entry.word >> shift & 0xFF) + 1] += 1 }
      for byte in 0..<256 { starts[byte + 1] += starts[byte] }
      for entry in entries {
        let byte = Int(entry.word >> shift & 0xFF)
        target[starts[byte]] = entry
        starts[byte] += 1
      }
      swap(&entries, &target)
    }
    self.entries = entries
  }
}
