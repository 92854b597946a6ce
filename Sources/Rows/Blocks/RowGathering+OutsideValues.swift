// SAFETY: Sources stay alive and unchanged while rows are gathered from them, and bytes from another place are
// copied.

import ObjectModel

/// Decides what happens to large values outside of blocks (outside values) when rows of these blocks are gathered into
/// a new block.
///
/// Values in a single place stay there, so that merging segments moves no large value. Values in different places are
/// copied into the new block, because a reference does not name its place. A writer moves large values, and values in
/// another place, to its own place.
struct OutsideGathering {
  /// The place where values may stay; `nil` if no value may stay.
  let kept: (any OutsideValues)?
  /// Whether a value lies outside or may be moved outside.
  let isNeeded: Bool
  private let writer: (any OutsideWriter)?
  private let entity: UInt16

  init(_ sources: [any RowSource], _ writer: (any OutsideWriter)?, entity: UInt16) {
    self.writer = writer
    self.entity = entity
    let concerned = sources.filter { $0.hasOutsideValues }
    isNeeded = writer != nil || !concerned.isEmpty
    if let writer {
      kept = writer.values
    } else {
      let first = concerned.first?.outsideValues
      kept = concerned.allSatisfy { $0.outsideValues === first } ? first : nil
    }
  }

  private func keeps(_ source: any RowSource) -> Bool {
    kept != nil && source.outsideValues === kept
  }

  /// Returns whether rows of the column must be examined one by one.
  func mayConcern(_ column: LayoutColumn, _ raw: RawColumn) -> Bool {
    unsafe raw.outside != nil || (writer != nil && column.kind == .binary)
  }

  /// Returns the byte counts of a row's value in the new block and outside of it.
  func byteCounts(
    _ column: LayoutColumn, _ raw: RawColumn, _ row: Int, of source: any RowSource
  ) throws -> (inside: Int, outside: Int) {
    if unsafe raw.isNull(row) || !raw.isGiven(row) || raw.encoding == .scaled { return (0, 0) }
    // A source column of whole numbers may become a decimal column. Its values occupy no separate bytes.
    guard unsafe raw.kind.family == .bytes else { return (0, 0) }
    guard unsafe mayConcern(column, raw) else { return (unsafe raw.bytes(row).count, 0) }
    let byteCount = unsafe raw.valueByteCount(row)
    var isOutside = unsafe raw.isOutside(row) && keeps(source)
    if !isOutside, let writer {
      isOutside = try writer.putsOutside(byteCount, column: column.number, entity: entity)
    }
    return isOutside ? (OutsideReference.referenceByteCount, byteCount) : (byteCount, 0)
  }

  /// Adds the value of one row.
  func append(
    _ column: LayoutColumn, _ raw: RawColumn, _ row: Int, of source: any RowSource,
    to values: inout ColumnValues
  ) throws {
    guard unsafe !raw.isNull(row), unsafe raw.isGiven(row) else {
      return unsafe values.append(from: raw, rows: row..<row + 1)
    }
    if let reference = unsafe raw.outsideReference(row) {
      if keeps(source) { return values.append(outside: reference) }
      let isLarge = try writer?.putsOutside(
        reference.byteCount, column: column.number, entity: entity)
      if let writer, isLarge == true, let place = source.outsideValues,
        let copied = writer.add(reference, from: place)
      {
        return values.append(outside: copied)
      }
      let value = try source.memory(of: reference)
      if let writer, isLarge == true {
        return values.append(outside: try writer.add(BlockSlice(value)))
      }
      return unsafe values.append(copying: BlockSlice(value).buffer)
    }
    guard let writer,
      try writer.putsOutside(unsafe raw.bytes(row).count, column: column.number, entity: entity)
    else { return unsafe values.append(from: raw, rows: row..<row + 1) }
    values.append(
      outside: try writer.add(unsafe slice(raw.bytes(row), column.number, of: source)))
  }

  /// Returns bytes of a source, in the source's own memory where possible.
  private func slice(
    _ bytes: UnsafeRawBufferPointer, _ number: UInt16, of source: any RowSource
  ) throws -> BlockSlice {
    guard let memory = try source.memory(ofColumn: number), let start = bytes.baseAddress else {
      return unsafe BlockSlice(BlockMemory(bytes))
    }
    let offset = unsafe start - UnsafeRawPointer(memory.start)
    guard offset >= 0, offset + bytes.count <= memory.byteCount else {
      return unsafe BlockSlice(BlockMemory(bytes))
    }
    return BlockSlice(memory: memory, range: offset..<offset + bytes.count)
  }
}

extension RowSource {
  /// No place: the source has no values outside.
  var outsideValues: (any OutsideValues)? { nil }
  var hasOutsideValues: Bool { false }
  /// Returns `nil`: the source has no memory to share.
  func memory(ofColumn number: UInt16) throws -> BlockMemory? { nil }
  /// Traps: the source has no values outside.
  func memory(of reference: OutsideReference) throws -> BlockMemory {
    preconditionFailure("Only rows of blocks have values outside of the block.")
  }
}

extension Layer {
  /// Returns the same changes with large values moved to `writer`.
  ///
  /// Blocks without large values are reused.
  ///
  /// - Throws: ``BlockError`` when a block is damaged, or the error of its source or of the writer.
  package func movingLargeValues(to writer: any OutsideWriter) throws -> Layer {
    var blockWriter: BlockWriter?
    var changed = false
    let moved = try entities.map { changes in
      func moved(_ run: BlockRun) throws -> BlockRun {
        var blocks: [Block] = []
        var waiting: [Block] = []
        func moveWaiting() throws {
          if waiting.isEmpty { return }
          changed = true
          if blockWriter == nil { blockWriter = BlockWriter() }
          blocks += try Block.movingLargeValues(of: waiting, to: writer, &blockWriter!)
          waiting = []
        }
        for block in run.blocks {
          let isMoved = try block.hasValues(toMoveTo: writer)
          if !isMoved || waiting.first.map({ !$0.hasColumns(of: block) }) ?? false {
            try moveWaiting()
          }
          if isMoved { waiting.append(block) } else { blocks.append(block) }
        }
        try moveWaiting()
        return BlockRun(blocks)
      }
      return EntityChanges(
        entityNumber: changes.entityNumber, put: try moved(changes.put),
        changed: try moved(changes.changed), removed: changes.removed)
    }
    return changed ? Layer(moved) : self
  }
}

extension Block {
  /// Returns whether a value is large, or lies outside in another place than the writer's.
  fileprivate func hasValues(toMoveTo writer: any OutsideWriter) throws -> Bool {
    if hasOutsideValues && outsideValues !== writer.values { return true }
    for (position, entry) in entries.enumerated()
    where entry.kind == .binary && !entry.flags.contains(.nothing) {
      guard
        try writer.putsOutside(
          Int(entry.bodyByteCount), column: entry.number, entity: entityNumber)
      else { continue }
      let column = try storedColumn(at: position)
      for row in 0..<rowCount where unsafe !column.raw.isOutside(row) {
        let byteCount = unsafe column.raw.valueByteCount(row)
        if try writer.putsOutside(byteCount, column: entry.number, entity: entityNumber) {
          return true
        }
      }
    }
    return false
  }

  /// Returns whether another block has the same columns, except for the basis. A missing column means the default,
  /// which is not known here.
  fileprivate func hasColumns(of other: Block) -> Bool {
    func columns(_ block: Block) -> [[UInt16]] {
      block.entries.filter { $0.number != LayoutColumn.Number.basis }
        .map { [$0.number, UInt16($0.kind.rawValue)] }
    }
    return columns(self) == columns(other)
  }

  /// Returns the rows of consecutive blocks with the same columns in blocks of a suitable size, with large values
  /// moved to `writer`.
  fileprivate static func movingLargeValues(
    of blocks: [Block], to writer: any OutsideWriter, _ blockWriter: inout BlockWriter
  ) throws -> [Block] {
    let columns = blocks[0].entries.filter { $0.number <= LayoutColumn.Number.highestProperty }
      .map { LayoutColumn(number: $0.number, name: "", kind: $0.kind) }
    var gathering = RowGathering(
      entity: blocks[0].entityNumber, flags: blocks[0].flags, columns: columns, sources: blocks)
    gathering.outsideWriter = writer
    gathering.keepsVersions = blocks[0].position(of: LayoutColumn.Number.version) != nil
    for (source, block) in blocks.enumerated() {
      let keys = try block.keys
      for row in 0..<block.rowCount {
        gathering.append(
          source: source, row: row, key: UInt64(bitPattern: keys.integer(at: row)),
          basis: try RowLocation(block: block, row: row).basis)
      }
    }
    return try gathering.blocks(&blockWriter)
  }
}
