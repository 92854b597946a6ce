import ObjectModel

/// Rows of one block that a view shows: all rows, or all rows except hidden rows.
public struct RowBatch: Sendable {
  /// The block: whole rows of one entity.
  public let block: Block
  /// The rows that a table above replaced or removed; `nil` when there are none.
  public let hidden: RowMask?

  /// Creates a batch of the rows of a block that are not hidden.
  public init(_ block: Block, hidden: RowMask? = nil) {
    self.block = block
    self.hidden = hidden
  }

  /// The number of rows shown.
  public var rowCount: Int { block.rowCount - (hidden?.count ?? 0) }
}

/// A set of rows of one block, with one bit for each row.
public struct RowMask: Sendable, Hashable {
  /// The bits, the first row in the lowest bit of the first word.
  public private(set) var words: [UInt64]
  /// The number of rows in the set.
  public private(set) var count = 0

  /// Creates an empty set for a block with the given number of rows.
  public init(rowCount: Int) { words = Array(repeating: 0, count: (rowCount + 63) / 64) }

  /// Returns whether the set contains the given row.
  public func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }

  /// Adds the given row to the set.
  public mutating func insert(_ row: Int) {
    guard !contains(row) else { return }
    words[row >> 6] |= 1 << UInt64(row & 63)
    count += 1
  }
}

extension View {
  /// Returns the objects of one entity as blocks of whole rows: the input of a scan.
  ///
  /// Unchanged blocks come as they are, without the rows that a table above replaces or removes. Where many rows of
  /// a block are changed, the block applies the changes to each column when the column is read. Where few are
  /// changed, each call gathers the changed rows into new blocks. The batches come in no order; within a batch,
  /// keys ascend. The time is proportional to the removed rows and to the gathered rows.
  ///
  /// - Throws: The error of a damaged block.
  public func batches(of layout: Layout) throws -> [RowBatch] {
    let all = try tables.compactMap { try $0.changes(ofEntity: layout.entityNumber) }
    var batches: [RowBatch] = []
    var gathering = ChangeGathering(layout)
    var covered: [UInt64] = []
    // The changed rows of the tables above, the topmost first.
    var above: [BlockRun] = []
    for (index, changes) in all.enumerated().reversed() {
      for block in changes.put.blocks {
        var hidden = try View.rows(of: block, among: covered)
        if hidden?.count == block.rowCount { continue }
        let changed = above.flatMap { $0.blocks(reaching: block) }
        let count = try changed.reduce(0) {
          try $0 + $1.rows(withKeys: block.minimumKey...block.maximumKey).count
        }
        if count * View.overlayShare >= block.rowCount {
          batches.append(
            RowBatch(
              Block(overlaying: BlockOverlay(block, changed, layout)), hidden: hidden))
          continue
        }
        if count > 0 { try gathering.add(changed, above: block, hiding: &hidden) }
        if hidden?.count != block.rowCount { batches.append(RowBatch(block, hidden: hidden)) }
      }
      covered = try View.merge(covered, keysOf: changes, reaching: all[..<index])
      if !changes.changed.isEmpty { above.append(changes.changed) }
    }
    for block in try gathering.blocks() { batches.append(RowBatch(block)) }
    return batches
  }

  /// If at least one of this many rows is changed, the changes are applied column by column. To gather a row costs as
  /// much as to encode a column of some tens of rows.
  private static let overlayShare = 16

  /// Returns the objects with the given keys as rows of blocks. Keys without an object are skipped.
  ///
  /// Unchanged rows come in their own blocks, which also contain more rows; changed rows are gathered.
  ///
  /// - Parameter keys: Numbers of objects of the layout's entity, in any order, without duplicates.
  /// - Returns: For each object found, the key's position in `keys`, the position of the block, and the row. They
  ///   come in the order of the keys.
  package func rows(
    of keys: [UInt64], _ layout: Layout
  ) throws -> (blocks: [Block], rows: [(key: Int, block: Int, row: Int)]) {
    if keys.count >= View.manyKeys, let found = try manyRows(of: keys, layout) { return found }
    var blocks: [Block] = []
    var positions: [ObjectIdentifier: Int] = [:]
    var rows: [(key: Int, block: Int, row: Int)] = []
    var gathering = ChangeGathering(layout)
    var changed: [UInt64: Int] = [:]
    for (position, number) in keys.enumerated() {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      guard let row = try row(of: key), let bottom = row.locations.last else { continue }
      guard row.locations.count == 1 else {
        gathering.add(number, row)
        changed[number] = position
        continue
      }
      let id = ObjectIdentifier(bottom.block)
      let block = positions[id] ?? blocks.count
      if block == blocks.count {
        blocks.append(bottom.block)
        positions[id] = block
      }
      rows.append((position, block, bottom.row))
    }
    guard !changed.isEmpty else { return (blocks, rows) }
    for block in try gathering.blocks() {
      let column = try block.keys
      for row in 0..<block.rowCount {
        rows.append(
          (changed[UInt64(bitPattern: column.integer(at: row))]!, blocks.count, row))
      }
      blocks.append(block)
    }
    rows.sort { $0.key < $1.key }
    return (blocks, rows)
  }

  /// The number of keys from which the blocks of one table are searched directly, instead of all tables key by key.
  private static let manyKeys = 512

  /// Returns the same result if a single table contains all rows of the entity, and only whole rows; otherwise
  /// `nil`.
  private func manyRows(
    of keys: [UInt64], _ layout: Layout
  ) throws -> (blocks: [Block], rows: [(key: Int, block: Int, row: Int)])? {
    var only: (any RowTable)?
    for table in tables where try table.keyRanges(ofEntity: layout.entityNumber) != KeyRanges() {
      if only != nil { return nil }
      only = table
    }
    guard let changes = try only?.changes(ofEntity: layout.entityNumber),
      changes.changed.blocks.isEmpty, changes.removed.blocks.isEmpty
    else { return nil }
    let blocks = changes.put.blocks
    let lowest = blocks.map(\.minimumKey)
    var rows: [(key: Int, block: Int, row: Int)] = []
    rows.reserveCapacity(keys.count)
    for (position, key) in keys.enumerated() {
      let block = lowest.firstPosition { $0 > key } - 1
      if block >= 0, let row = try blocks[block].row(of: key) {
        rows.append((position, block, row))
      }
    }
    return (blocks, rows)
  }

  /// Returns the rows of a block whose keys are among the given ascending keys; `nil` when there are none.
  private static func rows(of block: Block, among keys: [UInt64]) throws -> RowMask? {
    var index = keys.firstPosition { $0 >= block.minimumKey }
    var mask: RowMask?
    while index < keys.count, keys[index] <= block.maximumKey {
      if let row = try block.row(of: keys[index]) {
        if mask == nil { mask = RowMask(rowCount: block.rowCount) }
        mask!.insert(row)
      }
      index += 1
    }
    return mask
  }

  /// Returns ascending keys, together with the keys of rows that some changes put or remove, if lower tables may
  /// have them.
  private static func merge(
    _ keys: [UInt64], keysOf changes: Layer.EntityChanges,
    reaching lower: ArraySlice<Layer.EntityChanges>
  ) throws -> [UInt64] {
    let ranges = lower.compactMap(\.put.keyRange)
    var all = keys
    for run in [changes.put, changes.removed] {
      for block in run.blocks
      where ranges.contains(where: { $0.overlaps(block.minimumKey...block.maximumKey) }) {
        let column = try block.keys
        all.reserveCapacity(all.count + block.rowCount)
        for row in 0..<block.rowCount { all.append(UInt64(bitPattern: column.integer(at: row))) }
      }
    }
    if all.count > keys.count { all.sort() }
    return all
  }
}

extension BlockRun {
  /// Returns the blocks with keys between the lowest and the highest key of another block.
  func blocks(reaching block: Block) -> ArraySlice<Block> {
    let start = blocks.firstPosition { $0.maximumKey >= block.minimumKey }
    return blocks[start...].prefix { $0.minimumKey <= block.maximumKey }
  }
}

/// Changed rows that are being gathered into blocks of whole rows.
private struct ChangeGathering {
  private let layout: Layout
  private var sources: [any RowSource] = []
  private var sourceIndexes: [ObjectIdentifier: Int] = [:]
  /// The places of each row: its changes from the top down, then the whole row.
  private var found: [(key: UInt64, places: [RowPlace])] = []

  init(_ layout: Layout) { self.layout = layout }

  /// Adds the changed rows of a block, and hides them in the block.
  ///
  /// - Parameter changes: Blocks of changed rows, the topmost first.
  mutating func add(_ changes: [Block], above block: Block, hiding hidden: inout RowMask?) throws {
    var places: [Int: [RowPlace]] = [:]
    for change in changes {
      let rows = try change.rows(withKeys: block.minimumKey...block.maximumKey)
      let keys = try change.keys
      for row in rows {
        let key = UInt64(bitPattern: keys.integer(at: row))
        guard let base = try block.row(of: key), !(hidden?.contains(base) ?? false) else {
          continue
        }
        places[base, default: []].append(place(RowLocation(block: change, row: row)))
      }
    }
    let keys = try block.keys
    for (row, above) in places {
      if hidden == nil { hidden = RowMask(rowCount: block.rowCount) }
      hidden!.insert(row)
      found.append(
        (
          UInt64(bitPattern: keys.integer(at: row)),
          above + [place(RowLocation(block: block, row: row))]
        ))
    }
  }

  /// Adds an object with all its rows.
  mutating func add(_ key: UInt64, _ row: ViewRow) {
    found.append((key, row.locations.map { place($0) }))
  }

  private mutating func place(_ location: RowLocation) -> RowPlace {
    let id = ObjectIdentifier(location.block)
    let source = sourceIndexes[id] ?? sources.count
    if source == sources.count {
      sources.append(location.block)
      sourceIndexes[id] = source
    }
    return RowPlace(source: source, row: location.row)
  }

  /// Returns the rows with their changes applied.
  mutating func blocks() throws -> [Block] {
    guard !found.isEmpty else { return [] }
    found.sort { $0.key < $1.key }
    var gathering = RowGathering(
      entity: layout.entityNumber, flags: [], columns: layout.columns, sources: sources)
    gathering.keepsVersions = true
    for (key, places) in found {
      var beneath: Int?
      for place in places.dropFirst(2).reversed() {
        gathering.places.append(RowPlace(source: place.source, row: place.row, beneath: beneath))
        beneath = gathering.places.count - 1
      }
      let second = RowPlace(source: places[1].source, row: places[1].row, beneath: beneath)
      gathering.append(
        source: places[0].source, row: places[0].row, key: key, basis: 0, beneath: second)
    }
    var writer = BlockWriter()
    return try gathering.blocks(&writer)
  }
}
