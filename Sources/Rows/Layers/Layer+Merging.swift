package import ObjectModel

extension Layer {
  /// Returns one layer with the changes of this layer, followed by the changes of `upper`.
  ///
  /// - Parameters:
  ///   - keepingVersions: Whether rows keep the versions that commits gave them.
  ///   - atBottom: Whether nothing lies below, so that removals are dropped.
  /// - Throws: ``BlockError`` when a block is damaged, or the error of the block's source.
  public func merged(
    with upper: Layer, schema: Schema, keepingVersions: Bool = false, atBottom: Bool = false
  ) throws -> Layer {
    try Layer.merged(
      [self, upper], schema: schema, keepingVersions: keepingVersions, atBottom: atBottom)
  }

  /// Returns one layer with the changes of some layers, the lowest first.
  ///
  /// A row that one layer inserts above nothing and a higher layer removes leaves no trace. Each object keeps the basis
  /// of the lowest layer that mentions it, because all changes apply to that state.
  ///
  /// - Parameters:
  ///   - keepingVersions: Whether rows keep the versions that commits gave them.
  ///   - atBottom: Whether nothing lies below, so that removals are dropped.
  ///   - statesBases: Whether a put row with the basis 0 has nothing below it. The rows of a plug-in state no basis.
  /// - Throws: ``BlockError`` when a block is damaged, or the error of the block's source.
  package static func merged(
    _ layers: [Layer], schema: Schema, keepingVersions: Bool = false, atBottom: Bool = false,
    statesBases: Bool = true
  ) throws -> Layer {
    if layers.count == 1, !atBottom { return layers[0] }
    var writer = BlockWriter()
    var merged: [EntityChanges] = []
    for number in Set(layers.flatMap { $0.entities.map(\.entityNumber) }) {
      let parts = layers.compactMap { $0[number] }
      if parts.count == 1 {
        merged.append(
          atBottom ? EntityChanges(entityNumber: number, put: parts[0].put) : parts[0])
        continue
      }
      guard let layout = schema[number] else { continue }
      var (put, changed, removed): ([Block], [Block], [Block]) = ([], [], [])
      // If rows keep their versions, blocks with rows that no other layer mentions are reused.
      for step in keepingVersions ? MergeStep.steps(parts) : [.merge(parts)] {
        switch step {
        case .reuse(let block): put.append(block)
        case .merge(let parts):
          var merge = LayerMerge(
            layout: layout, keepsVersions: keepingVersions, atBottom: atBottom,
            statesBases: statesBases)
          try merge.run(parts.map { try $0.entries() })
          let above = try merge.changes(&writer)
          put += above.put.blocks
          changed += above.changed.blocks
          removed += above.removed.blocks
        }
      }
      merged.append(
        EntityChanges(
          entityNumber: number, put: BlockRun(put), changed: BlockRun(changed),
          removed: BlockRun(removed)))
    }
    return Layer(merged)
  }

  /// Returns the changes of this layer without the changes of some objects.
  ///
  /// Repeated calls for one object after another are cheap.
  ///
  /// - Throws: ``BlockError`` when a block is damaged, or the error of the block's source.
  package func without(_ keys: Set<ObjectKey>, schema: Schema) throws -> Layer {
    var writer = BlockWriter()
    return Layer(
      try entities.compactMap { changes in
        let numbers = keys.filter { $0.entity == changes.entityNumber }.map(\.number).sorted()
        if numbers.isEmpty { return changes }
        guard let layout = schema[changes.entityNumber] else { return nil }
        return Layer.EntityChanges(
          entityNumber: changes.entityNumber,
          put: try changes.put.without(numbers, layout.columns, &writer),
          changed: try changes.changed.without(numbers, layout.columns, &writer),
          removed: try changes.removed.without(numbers, [], &writer))
      })
  }

  /// Returns the inverse of this layer: above this layer it restores the rows below this layer.
  ///
  /// A value that this layer sets to the value below it is not a change, and is not in the inverse.
  ///
  /// - Parameter view: The rows below this layer.
  /// - Throws: ``BlockError`` when a block is damaged, or the error of the block's source.
  public func inverted(above view: View, schema: Schema) throws -> Layer {
    var writer = BlockWriter()
    return Layer(
      try entities.compactMap { changes in
        guard let layout = schema[changes.entityNumber] else { return nil }
        var inversion = LayerMerge(layout: layout)
        for one in try changes.entries() {
          let key = ObjectKey(entity: changes.entityNumber, number: one.key)
          switch one.entry {
          case .absent: break
          case .changed(let location):
            guard let row = try view.row(of: key) else { continue }
            inversion.changeBack(one.key, location, to: row)
          case .put(let location), .removed(let location):
            if let row = try view.row(of: key) {
              inversion.restore(one.key, row, basis: try location.version)
            } else if case .put = one.entry {
              inversion.remove(one.key, location, basis: try location.version)
            }
          }
        }
        return try inversion.changes(&writer)
      })
  }
}

extension BlockRun {
  /// Returns the rows without the rows of some objects, whose numbers ascend.
  ///
  /// Blocks without such rows are reused. Affected blocks are split into small blocks, because more rows are likely
  /// to be removed soon.
  fileprivate func without(
    _ numbers: [UInt64], _ columns: [LayoutColumn], _ writer: inout BlockWriter
  ) throws -> BlockRun {
    let smallRowCount = 256
    var kept: [Block] = []
    for block in blocks {
      let first = numbers.firstPosition { $0 >= block.minimumKey }
      let rows = try numbers[first...].prefix { $0 <= block.maximumKey }
        .compactMap { try block.row(of: $0) }
      if rows.isEmpty {
        kept.append(block)
        continue
      }
      let keys = try block.keys
      var next = rows.first
      var found = rows.dropFirst()
      var left: [Int] = []
      for row in 0..<block.rowCount {
        if row == next { next = found.popFirst() } else { left.append(row) }
      }
      for start in stride(from: 0, to: left.count, by: smallRowCount) {
        var gathering = RowGathering(
          entity: block.entityNumber, flags: block.flags, columns: columns, sources: [block])
        for row in left[start..<min(start + smallRowCount, left.count)] {
          gathering.append(
            source: 0, row: row, key: UInt64(bitPattern: keys.integer(at: row)),
            basis: try RowLocation(block: block, row: row).basis)
        }
        kept += try gathering.blocks(&writer)
      }
    }
    return BlockRun(kept)
  }
}

/// A selection of rows for a merged layer of one entity, in the order of their keys.
private struct LayerMerge {
  let layout: Layout
  private let atBottom: Bool
  private let statesBases: Bool
  private var sources = MergeSources()
  private var put: RowGathering
  private var changed: RowGathering
  private var removed: RowGathering
  /// Changes to undo, each with the row below it.
  private var back: [(key: UInt64, change: RowLocation, row: ViewRow)] = []

  init(
    layout: Layout, keepsVersions: Bool = false, atBottom: Bool = false, statesBases: Bool = true
  ) {
    self.layout = layout
    self.atBottom = atBottom
    self.statesBases = statesBases
    func gathering(_ flags: BlockFlags, _ columns: [LayoutColumn]) -> RowGathering {
      var gathering = RowGathering(
        entity: layout.entityNumber, flags: flags, columns: columns, sources: [])
      gathering.keepsVersions = keepsVersions
      return gathering
    }
    put = gathering([], layout.columns)
    changed = gathering(.changes, layout.columns)
    removed = gathering(.removals, [])
  }

  /// Merges lists of entries, the lowest list first. Each is in the order of its keys.
  mutating func run(_ lists: [[KeyedEntry]]) throws {
    var next = Array(repeating: 0, count: lists.count)
    var row = MergedRow(atBottom: atBottom, statesBases: statesBases)
    while true {
      var key: UInt64?
      for (list, index) in zip(lists, next) where index < list.count {
        key = min(key ?? .max, list[index].key)
      }
      guard let key else { return }
      row.clear()
      for position in lists.indices {
        let (list, index) = (lists[position], next[position])
        guard index < list.count, list[index].key == key else { continue }
        next[position] = index + 1
        try row.add(list[index].entry)
      }
      switch row.kind {
      case .absent: break
      case .put: sources.append(row.locations, to: &put, key: key, basis: row.basis)
      case .changed: sources.append(row.locations, to: &changed, key: key, basis: row.basis)
      case .removed: sources.append(row.locations, to: &removed, key: key, basis: row.basis)
      }
    }
  }

  /// Adds the removal of a row.
  mutating func remove(_ key: UInt64, _ location: RowLocation, basis: Int64) {
    sources.append([location], to: &removed, key: key, basis: basis)
  }

  /// Adds a removed row again, with its former values.
  mutating func restore(_ key: UInt64, _ row: ViewRow, basis: Int64) {
    sources.append(row.locations.reversed(), to: &put, key: key, basis: basis)
  }

  /// Adds a change that restores the values which another change gave. No further values are restored.
  mutating func changeBack(_ key: UInt64, _ change: RowLocation, to row: ViewRow) {
    back.append((key, change, row))
  }

  /// Returns the changes that were selected so far.
  mutating func changes(_ writer: inout BlockWriter) throws -> Layer.EntityChanges {
    func blocks(_ gathering: RowGathering) throws -> BlockRun {
      if gathering.keys.isEmpty { return BlockRun() }
      var gathering = gathering
      gathering.sources = sources.blocks
      return BlockRun(try gathering.blocks(&writer))
    }
    return Layer.EntityChanges(
      entityNumber: layout.entityNumber, put: try blocks(put),
      changed: atBottom
        ? BlockRun() : back.isEmpty ? try blocks(changed) : try changedBack(&writer),
      removed: atBottom ? BlockRun() : try blocks(removed))
  }

  /// Returns changes that restore the values below. They set only the values that an earlier change gave. A selection
  /// of rows can't express that, so drafts are used.
  private func changedBack(_ writer: inout BlockWriter) throws -> BlockRun {
    var drafts: [Draft] = []
    var given: (block: Block, positions: [Int])?
    var values: [(position: Int, value: Value)] = []
    for (key, change, beneath) in back {
      if given?.block !== change.block {
        given = (change.block, change.block.givenPositions(layout.columns))
      }
      values.removeAll(keepingCapacity: true)
      for position in given!.positions {
        let column = layout.columns[position]
        guard let value = try change.block.value(column, row: change.row) else { continue }
        let before = try beneath.value(column)
        if !before.isIdentical(to: value) { values.append((position, before)) }
      }
      if values.isEmpty { continue }
      if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .changes)) }
      let draft = drafts[drafts.count - 1]
      let row = draft.append(key: key, basis: try change.version)
      for (position, value) in values { draft.set(value, column: position, row: row) }
    }
    return BlockRun(Draft.freeze(drafts, &writer))
  }
}

/// The blocks that the rows of a merge are in.
private struct MergeSources {
  private(set) var blocks: [any RowSource] = []
  private var positions: [ObjectIdentifier: Int] = [:]

  private mutating func position(of block: Block) -> Int {
    // Rows that follow one another are often in one block.
    if let last = blocks.last, last === block { return blocks.count - 1 }
    let identifier = ObjectIdentifier(block)
    if let position = positions[identifier] { return position }
    blocks.append(block)
    positions[identifier] = blocks.count - 1
    return blocks.count - 1
  }

  /// Adds a row that is made of the values at some locations, the lowest first.
  mutating func append(
    _ locations: [RowLocation], to gathering: inout RowGathering, key: UInt64, basis: Int64
  ) {
    var beneath: RowPlace?
    for location in locations.dropLast() {
      if let beneath { gathering.places.append(beneath) }
      beneath = RowPlace(
        source: position(of: location.block), row: location.row,
        beneath: beneath == nil ? nil : gathering.places.count - 1)
    }
    let top = locations[locations.count - 1]
    gathering.append(
      source: position(of: top.block), row: top.row, key: key, basis: basis, beneath: beneath)
  }
}

/// The entries of one object in several layers, put together from the lowest up.
private struct MergedRow {
  enum Kind { case absent, put, changed, removed }

  private(set) var kind = Kind.absent
  /// The locations of the values, the lowest first.
  private(set) var locations: [RowLocation] = []
  /// The version that the row is based on.
  private(set) var basis: Int64 = 0
  private let atBottom: Bool
  private let statesBases: Bool

  init(atBottom: Bool, statesBases: Bool) {
    self.atBottom = atBottom
    self.statesBases = statesBases
  }

  mutating func clear() {
    kind = .absent
    locations.removeAll(keepingCapacity: true)
    basis = 0
  }

  /// Adds the entry of the next higher layer.
  mutating func add(_ entry: RowEntry) throws {
    switch (kind, entry) {
    case (_, .absent): break
    case (.absent, .put(let row)):
      set(.put, row, basis: statesBases ? try row.basis : LayoutColumn.unsavedBasis)
    case (.absent, .changed(let row)):
      if !atBottom { set(.changed, row, basis: try row.basis) }
    case (.absent, .removed(let row)):
      if !atBottom { set(.removed, row, basis: try row.basis) }
    case (.put, .changed(let row)), (.changed, .changed(let row)): locations.append(row)
    // A change of a removed object has no effect.
    case (.removed, .changed): break
    case (.put, .removed) where basis == 0 || atBottom: clear()
    case (.put, .removed(let row)): set(.removed, row, basis: max(basis, 0))
    case (.changed, .removed(let row)), (.removed, .removed(let row)):
      set(.removed, row, basis: basis)
    case (.put, .put(let row)): set(.put, row, basis: basis)
    case (.changed, .put(let row)), (.removed, .put(let row)):
      set(.put, row, basis: basis == 0 ? LayoutColumn.unsavedBasis : basis)
    }
  }

  private mutating func set(_ kind: Kind, _ row: RowLocation, basis: Int64) {
    self.kind = kind
    locations.removeAll(keepingCapacity: true)
    locations.append(row)
    self.basis = basis
  }
}
