// SAFETY: References come from verified columns, rows stay below their count, and memory is cleared before a source
// fills it: a source that writes too little shows no foreign bytes.

import Foundation
public import ObjectModel

extension Block {
  /// Returns whether values of the given column may lie outside of the block.
  package func hasOutsideValues(in number: UInt16) -> Bool {
    hasOutsideValues
      && position(of: number).map { entries[$0].flags.contains(.outside) } ?? false
  }

  /// Fills memory with a value that lies outside of the block.
  ///
  /// - Throws: The error of the medium, or ``BlockError`` when no value lies there.
  package func readOutsideValue(
    _ reference: OutsideReference, into memory: inout MutableRawSpan
  ) throws {
    guard let values = outsideValues else {
      throw BlockError.badColumn(0, "The block has no values outside of it.")
    }
    try values.read(reference, into: &memory)
  }

  /// Returns the block's references to outside values, column by column.
  ///
  /// Columns that are not in memory are read for this call and not kept.
  ///
  /// - Throws: ``BlockError`` when a column is damaged, or the error of the source.
  ///
  /// - Parameter lostColumns: Columns that can't be read, which are skipped.
  package func outsideReferences(
    without lostColumns: Set<UInt16> = []
  ) throws -> [OutsideReference] {
    guard hasOutsideValues else { return [] }
    var references: [OutsideReference] = []
    for position in entries.indices
    where entries[position].flags.contains(.outside)
      && !lostColumns.contains(entries[position].number)
    {
      let column =
        isLoaded(position) ? try storedColumn(at: position) : try readColumn(at: position)
      references += try column.outsideReferences(entries[position].number)
    }
    return references
  }

  /// Returns the rows of the block without the values behind some references, and without some columns. A salvage
  /// of a damaged file loses these values and columns, but not the rows.
  ///
  /// The other outside values stay in their place and are not read, because those of one row may be longer than a block.
  ///
  /// - Returns: The rows in blocks of the same version, and the keys of rows that lost a value.
  /// - Throws: ``BlockError`` when a column is damaged, or the error of the source.
  package func withoutValues(
    _ lost: Set<OutsideReference>, columns lostColumns: Set<UInt16> = []
  ) throws -> (blocks: [Block], keys: [UInt64]) {
    // A row of changes shows the value of the row below in place of a lost column. A whole row has no value there.
    let isChange = flags.contains(.changes)
    let own = entries.indices.filter {
      let number = entries[$0].number
      return number <= LayoutColumn.Number.highestProperty
        && !(isChange && lostColumns.contains(number))
    }
    let layout = Layout(
      entity: "", entityNumber: entityNumber,
      columns: own.map {
        LayoutColumn(
          number: entries[$0].number, name: "\(entries[$0].number)", kind: entries[$0].kind)
      })
    let columns = try own.map {
      lostColumns.contains(entries[$0].number) ? nil : try storedColumn(at: $0)
    }
    let keys = try self.keys
    let bases = try column(LayoutColumn.Number.basis)
    var lostKeys: [UInt64] = []
    if !lostColumns.isEmpty {
      lostKeys = (0..<rowCount).map { UInt64(bitPattern: keys.integer(at: $0)) }
    }
    var gathering = RowGathering(
      entity: entityNumber, flags: flags, columns: layout.columns, sources: [self])
    gathering.version = version
    // The lost values are set to null by changes above the rows.
    var losses: [Draft] = []
    for row in 0..<rowCount {
      let key = UInt64(bitPattern: keys.integer(at: row))
      let basis = bases?.integer(at: row) ?? 0
      let lostHere = columns.indices.filter { index in
        guard let column = columns[index] else { return true }
        guard column.isGiven(row) else { return false }
        guard let reference = unsafe column.raw.outsideReference(row) else { return false }
        return lost.contains(reference)
      }
      guard !lostHere.isEmpty else {
        gathering.append(source: 0, row: row, key: key, basis: basis)
        continue
      }
      if lostColumns.isEmpty { lostKeys.append(key) }
      if losses.last?.isFull ?? true {
        losses.append(Draft(layout, role: .changes))
        gathering.sources.append(losses[losses.count - 1])
      }
      let draft = losses[losses.count - 1]
      let new = draft.append(key: key)
      for index in lostHere { draft.set(.null, column: index, row: new) }
      gathering.append(
        source: losses.count, row: new, key: key, basis: basis,
        beneath: RowPlace(source: 0, row: row))
    }
    var writer = BlockWriter()
    return (try gathering.blocks(&writer), lostKeys)
  }

  /// Returns a column of booleans that has a value in exactly the rows where the given column has a value. The
  /// boolean values themselves mean nothing.
  ///
  /// The call reads no value outside of the block.
  ///
  /// - Returns: `nil` in the same cases as ``column(_:)-(LayoutColumn)``.
  package func presence(of column: LayoutColumn) throws -> Column? {
    guard hasOutsideValues(in: column.number), let position = position(of: column.number) else {
      return try self.column(column)
    }
    let stored = try storedColumn(at: position)
    var raw = unsafe RawColumn()
    unsafe raw.kind = .boolean
    unsafe raw.rowCount = stored.raw.rowCount
    unsafe raw.isNothing = stored.raw.isNothing
    unsafe raw.presence = stored.raw.presence
    unsafe raw.given = stored.raw.given
    return unsafe Column(raw, owner: stored.owner)
  }

  /// Returns the value of one row of a layout's column. The value is read alone where that is cheaper than reading
  /// the column.
  ///
  /// - Returns: `nil` when the row is a change that leaves the value to the row below.
  public func value(_ column: LayoutColumn, row: Int) throws -> Value? {
    switch try pointValue(column, row: row) {
    case .absent?: return nil
    case .value(let value)?: return value
    case nil: break
    }
    guard let values = try self.column(column.number, as: column.kind) else {
      return flags.contains(.changes) ? nil : column.defaultValue
    }
    return values.isGiven(row) ? values.value(at: row) : nil
  }

  /// Returns one value that lies outside of the block.
  func value(at reference: OutsideReference) throws -> Value {
    let values = try outsideValues(for: reference)
    var data = Data(count: reference.byteCount)
    try unsafe data.withUnsafeMutableBytes { buffer in
      var memory = unsafe MutableRawSpan(_unsafeBytes: buffer)
      try values.read(reference, into: &memory)
    }
    return .binary(data)
  }

  /// Returns one value that lies outside of the block, in new memory.
  func memory(of reference: OutsideReference) throws -> BlockMemory {
    let values = try outsideValues(for: reference)
    return unsafe try BlockMemory(byteCount: reference.byteCount) { buffer in
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
      var memory = unsafe MutableRawSpan(_unsafeBytes: buffer)
      try values.read(reference, into: &memory)
    }
  }

  private func outsideValues(for reference: OutsideReference) throws -> any OutsideValues {
    guard let values = outsideValues else {
      throw BlockError(
        code: .noOutsideValues, column: nil,
        message:
          "A value of \(reference.byteCount) bytes is outside of the block, but the block does not belong to a file."
      )
    }
    return values
  }

  /// Returns a column with all its values in memory.
  ///
  /// Each call makes a new column, which lives as long as a caller retains it. A cache would fill the memory with
  /// values that no caller needs any more.
  func withValuesInside(_ stored: Column) throws -> Column {
    let raw = unsafe stored.raw
    let bitmapByteCount = (rowCount + 7) / 8
    var heapByteCount = 0
    for row in 0..<rowCount { heapByteCount += unsafe raw.valueByteCount(row) }
    let presence = unsafe raw.presence == nil ? 0 : BlockFormat.align(bitmapByteCount)
    let given = unsafe raw.given == nil ? 0 : BlockFormat.align(bitmapByteCount)
    let offsets = presence + given
    let heap = offsets + (rowCount + 1) * 8
    let memory = unsafe try BlockMemory(byteCount: heap + heapByteCount) { target in
      // SAFETY: The parts follow one another and end with the memory. Each value has the number of bytes counted
      // above.
      if let bits = unsafe raw.presence {
        unsafe target.baseAddress.unsafelyUnwrapped.copyMemory(
          from: bits, byteCount: bitmapByteCount)
      }
      if let bits = unsafe raw.given {
        unsafe (target.baseAddress.unsafelyUnwrapped + presence).copyMemory(
          from: bits, byteCount: bitmapByteCount)
      }
      var place = heap
      for row in 0...rowCount {
        unsafe target.storeBytes(
          of: Int64(place - heap), toByteOffset: offsets + row * 8, as: Int64.self)
        if row == rowCount { break }
        let byteCount = unsafe raw.valueByteCount(row)
        let piece = unsafe UnsafeMutableRawBufferPointer(
          rebasing: target[place..<place + byteCount])
        if let reference = unsafe raw.outsideReference(row) {
          unsafe piece.initializeMemory(as: UInt8.self, repeating: 0)
          var span = unsafe MutableRawSpan(_unsafeBytes: piece)
          try outsideValues(for: reference).read(reference, into: &span)
        } else if byteCount > 0 {
          unsafe piece.copyMemory(from: raw.bytes(row))
        }
        place += byteCount
      }
    }
    var inside = unsafe RawColumn()
    unsafe inside.kind = raw.kind
    unsafe inside.encoding = .bytes
    unsafe inside.rowCount = raw.rowCount
    unsafe inside.offsetWidth = 8
    let start = unsafe UnsafeRawPointer(memory.start)
    if unsafe raw.presence != nil { unsafe inside.presence = start }
    if unsafe raw.given != nil { unsafe inside.given = start + presence }
    unsafe inside.offsets = start + offsets
    unsafe inside.heap = heapByteCount == 0 ? RawColumn.emptyHeap : start + heap
    return unsafe Column(inside, owner: memory)
  }
}

extension Column {
  /// Returns the references of the rows whose values lie outside of the block.
  ///
  /// - Throws: ``BlockError`` when bytes are not a valid reference.
  func outsideReferences(_ number: UInt16) throws -> [OutsideReference] {
    guard unsafe raw.outside != nil else { return [] }
    return try (0..<rowCount).compactMap { row in
      unsafe raw.isOutside(row) ? try OutsideReference(raw.bytes(row), column: number) : nil
    }
  }
}

extension RawColumn {
  /// Returns whether the value of row `i` lies outside of the block, with a reference in its place.
  @inline(__always)
  func isOutside(_ i: Int) -> Bool {
    guard let outside = unsafe outside else { return false }
    return unsafe RawColumn.bit(outside, i)
  }

  /// Returns the reference to the value of row `i`; `nil` when the value lies in the block.
  func outsideReference(_ i: Int) -> OutsideReference? {
    guard unsafe isOutside(i) else { return nil }
    // Verification has parsed each reference once.
    return unsafe try? OutsideReference(bytes(i), column: 0)
  }

  /// Returns the byte count of the value of row `i`, inside or outside of the block; 0 without a value.
  func valueByteCount(_ i: Int) -> Int {
    if unsafe isNull(i) || !isGiven(i) { return 0 }
    return unsafe outsideReference(i)?.byteCount ?? bytes(i).count
  }
}
