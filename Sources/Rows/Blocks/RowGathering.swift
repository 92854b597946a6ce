// SAFETY: Sources stay alive and unchanged while rows are gathered from them.

import ObjectModel

/// A source of rows: a draft or a block.
protocol RowSource: AnyObject {
  /// Returns the column with the given number; `nil` when there is none. The column is valid until the source
  /// changes.
  ///
  /// - Throws: The error of a damaged block.
  @unsafe func rawColumn(_ number: UInt16) throws -> RawColumn?
  /// Whether a missing column means the column of the row below. Otherwise it means the default.
  var isSparse: Bool { get }
  /// Whether a column with the given number may give a value.
  func hasColumn(_ number: UInt16) -> Bool
  /// The approximate byte count of all rows' byte strings.
  var byteStringByteCount: Int { get }
  /// The version of rows without their own version.
  var version: Int64 { get }
  /// Whether columns may contain references to values outside of the source.
  var hasOutsideValues: Bool { get }
  /// The source of the outside values; `nil` for none.
  var outsideValues: (any OutsideValues)? { get }
  /// Returns the memory of a column's values if it may be shared; otherwise `nil`.
  func memory(ofColumn number: UInt16) throws -> BlockMemory?
  /// Returns one value that lies outside.
  func memory(of reference: OutsideReference) throws -> BlockMemory
}

extension RowSource {
  /// The version of uncommitted rows.
  var version: Int64 { 0 }
}

extension Block: RowSource {
  @unsafe func rawColumn(_ number: UInt16) throws -> RawColumn? {
    guard let position = position(of: number) else { return nil }
    return unsafe try storedColumn(at: position).raw
  }

  func hasColumn(_ number: UInt16) -> Bool { position(of: number) != nil }

  var outsideValues: (any OutsideValues)? { overlay?.outsideValues ?? source.outsideValues }

  func memory(ofColumn number: UInt16) throws -> BlockMemory? {
    try position(of: number).flatMap { try storedColumn(at: $0).owner }
  }

  var isSparse: Bool { flags.contains(.changes) }
  var byteStringByteCount: Int { byteCount }
}

extension Draft: RowSource {
  @unsafe func rawColumn(_ number: UInt16) throws -> RawColumn? {
    unsafe layout.index(ofNumber: number).flatMap { unsafe raw($0) }
  }

  func hasColumn(_ number: UInt16) -> Bool {
    layout.index(ofNumber: number).map(hasValues) ?? false
  }

  var isSparse: Bool { role == .changes }
  var byteStringByteCount: Int { liveByteCount }
}

/// Consecutive rows of one source.
struct RowRun {
  /// The position of the source in the list of sources.
  var source: Int
  var rows: Range<Int>
  /// For a single row that lacks some values, the next place to search for them.
  var beneath: RowPlace?
}

/// One row of one source, and the row below it.
struct RowPlace {
  var source: Int
  var row: Int
  /// The position of the next lower row in a list of places.
  var beneath: Int?
}

/// Rows from any sources, in the order of their keys, that are being written into blocks.
///
/// Freezing a draft, merging layers and rewriting a segment do the same work: select rows, read each wanted column
/// from its sources, and encode the column.
struct RowGathering {
  let entity: UInt16
  let flags: BlockFlags
  /// The wanted columns, in ascending order of their numbers.
  let columns: [LayoutColumn]
  var sources: [any RowSource]
  /// The places of rows further below.
  var places: [RowPlace] = []
  /// The runs of rows. `keys` contains one key for each row of each run.
  var runs: [RowRun] = []
  var keys: [UInt64] = []
  /// The version that each row is based on; empty when all rows are new.
  var bases: [Int64] = []
  /// The object of each row of an index; empty for rows of an entity.
  var objects: [Int64] = []
  /// The version of every row, if one is assigned.
  var version: Int64?
  /// Whether rows keep their versions.
  var keepsVersions = false
  /// The writer that puts large values outside of the blocks; `nil` when large values stay in their place.
  var outsideWriter: (any OutsideWriter)?

  init(
    entity: UInt16, flags: BlockFlags, columns: [LayoutColumn], sources: [any RowSource]
  ) {
    self.entity = entity
    self.flags = flags
    let isInOrder = columns.indices.dropFirst().allSatisfy {
      columns[$0 - 1].number < columns[$0].number
    }
    self.columns = isInOrder ? columns : columns.sorted { $0.number < $1.number }
    self.sources = sources
  }

  /// Adds one row. A row that follows the last run extends that run.
  mutating func append(
    source: Int, row: Int, key: UInt64, basis: Int64, beneath: RowPlace? = nil
  ) {
    if beneath == nil, let last = runs.indices.last, runs[last].beneath == nil,
      runs[last].source == source, runs[last].rows.upperBound == row
    {
      runs[last].rows = runs[last].rows.lowerBound..<row + 1
    } else {
      runs.append(RowRun(source: source, rows: row..<row + 1, beneath: beneath))
    }
    if basis != 0 || !bases.isEmpty {
      if bases.count < keys.count {
        bases.append(contentsOf: repeatElement(0, count: keys.count - bases.count))
      }
      bases.append(basis)
    }
    keys.append(key)
  }

  /// Writes the rows as blocks of a suitable size.
  ///
  /// - Precondition: The keys ascend strictly.
  /// - Throws: The error of a damaged source.
  func blocks(_ writer: inout BlockWriter) throws -> [Block] {
    var blocks: [Block] = []
    var cursor = Cursor(runs: runs)
    var first = 0
    let outside = OutsideGathering(sources, outsideWriter, entity: entity)
    while first < keys.count {
      var part = cursor.take(BlockFormat.targetRowCount)
      let fitting = try rowsThatFit(part.runs, outside)
      if fitting < part.count {
        cursor.giveBack(part)
        part = cursor.take(fitting)
      }
      blocks.append(try write(part.runs, first..<first + part.count, outside, &writer))
      first += part.count
    }
    return blocks
  }

  private func write(
    _ runs: [RowRun], _ rows: Range<Int>, _ outside: OutsideGathering,
    _ writer: inout BlockWriter
  ) throws -> Block {
    writer.begin()
    var failure: (any Error)?
    for index in columns.indices where isGiven(columns[index].number) {
      let column = columns[index]
      writer.add(column.number, column.kind) { values in
        do { try gather(column, runs, outside, into: &values) } catch {
          failure = error
          // The block is discarded, and must only be well formed until then.
          values.begin(column.kind)
          values.appendNull(rows.count)
        }
      }
      if let failure { throw failure }
    }
    if !objects.isEmpty {
      writer.add(LayoutColumn.Number.object, .int64) { values in
        for row in rows { values.append(word: objects[row]) }
      }
    }
    if !bases.isEmpty {
      writer.add(LayoutColumn.Number.basis, .int64) { values in
        for row in rows { values.append(word: bases[row]) }
      }
    }
    if let version {
      writer.add(LayoutColumn.Number.version, .int64) { values in
        for _ in rows { values.append(word: version) }
      }
    } else if keepsVersions {
      writer.add(LayoutColumn.Number.version, .int64) { values in
        do { try gatherVersions(runs, into: &values) } catch {
          failure = error
          values.begin(.int64)
          for _ in rows { values.append(word: 0) }
        }
      }
      if let failure { throw failure }
    }
    return unsafe keys.withUnsafeBufferPointer { keys in
      unsafe writer.finish(
        entity: entity, flags: flags, keys: UnsafeBufferPointer(rebasing: keys[rows]),
        outsideValues: outside.kept)
    }
  }

  /// Whether some row may have a value in a column. A small change gives few of the columns.
  private func isGiven(_ number: UInt16) -> Bool {
    !flags.contains(.changes) || sources.contains { !$0.isSparse || $0.hasColumn(number) }
  }

  private func gather(
    _ column: LayoutColumn, _ runs: [RowRun], _ outside: OutsideGathering,
    into values: inout ColumnValues
  ) throws {
    var known = -1
    var raw: RawColumn?
    for run in runs {
      if run.source != known {
        unsafe raw = try rawColumn(column, of: run.source)
        known = run.source
      }
      if let beneath = run.beneath {
        guard let found = try unsafe find(column, run, beneath) else {
          values.appendAbsent()
          continue
        }
        guard let raw = unsafe found.raw else {
          values.append(column.defaultValue)
          continue
        }
        if unsafe outside.mayConcern(column, raw) {
          try unsafe outside.append(column, raw, found.row, of: found.source, to: &values)
        } else {
          unsafe values.append(from: raw, rows: found.row..<found.row + 1)
        }
      } else if let raw = unsafe raw, unsafe outside.mayConcern(column, raw) {
        for row in run.rows {
          try unsafe outside.append(column, raw, row, of: sources[run.source], to: &values)
        }
      } else if let raw = unsafe raw {
        // SAFETY: The source stays alive and unchanged until the column is encoded.
        unsafe values.append(from: raw, rows: run.rows)
      } else if sources[run.source].isSparse {
        values.appendAbsent(run.rows.count)
      } else {
        for _ in run.rows { values.append(column.defaultValue) }
      }
    }
  }

  /// Adds the version of each row, which is the version of its topmost change.
  private func gatherVersions(_ runs: [RowRun], into values: inout ColumnValues) throws {
    for run in runs {
      let source = sources[run.source]
      if let raw = try unsafe source.rawColumn(LayoutColumn.Number.version) {
        // SAFETY: The source stays alive and unchanged until the column is encoded.
        unsafe values.append(from: raw, rows: run.rows)
      } else {
        for _ in run.rows { values.append(word: source.version) }
      }
    }
  }

  /// Returns a column of a source. Throws if its values can't be read as the wanted kind.
  @unsafe private func rawColumn(_ column: LayoutColumn, of source: Int) throws -> RawColumn? {
    guard let raw = try unsafe sources[source].rawColumn(column.number) else { return nil }
    guard unsafe raw.kind == column.kind || raw.kind.widens(to: column.kind) else {
      throw BlockError.badValue(
        column.number,
        "The column contains values of kind \(unsafe raw.kind), which can't be read as \(column.kind)."
      )
    }
    return unsafe raw
  }

  /// The value of a single row: its column, or `nil` for the default, and the row in the column.
  @unsafe private struct Found {
    var raw: RawColumn?
    var row: Int
    var source: any RowSource
  }

  /// Returns the value of a single row, searched from the top down; `nil` when no row gives the value.
  @unsafe private func find(
    _ column: LayoutColumn, _ run: RowRun, _ beneath: RowPlace?
  ) throws -> Found? {
    var place: RowPlace? = RowPlace(source: run.source, row: run.rows.lowerBound)
    var next: RowPlace? = beneath
    while let one = place {
      let source = sources[one.source]
      if let raw = try unsafe rawColumn(column, of: one.source) {
        if unsafe raw.isGiven(one.row) {
          return unsafe Found(raw: raw, row: one.row, source: source)
        }
      } else if !source.isSparse {
        return unsafe Found(raw: nil, row: one.row, source: source)
      }
      place = next
      next = next?.beneath.map { places[$0] }
    }
    return nil
  }

  /// Returns the number of rows that fit into one block of a suitable size; at least one.
  private func rowsThatFit(_ runs: [RowRun], _ outside: OutsideGathering) throws -> Int {
    let count = runs.reduce(0) { $0 + $1.rows.count }
    // If all sources together have few bytes of byte strings, no row need be measured.
    var total = 0
    var last = -1
    for run in runs where run.source != last {
      total += sources[run.source].byteStringByteCount
      if let beneath = run.beneath { total += sources[beneath.source].byteStringByteCount }
      last = run.source
      if total > BlockFormat.targetByteCount { break }
    }
    if total <= BlockFormat.targetByteCount, !outside.isNeeded { return count }
    var sizes = [(inside: Int, outside: Int)](repeating: (0, 0), count: count)
    for column in columns where column.kind.family == .bytes && column.kind != .uuid {
      var index = 0
      for run in runs {
        let raw = unsafe try rawColumn(column, of: run.source)
        for row in run.rows {
          var found: (inside: Int, outside: Int) = (0, 0)
          if let beneath = run.beneath {
            if let one = try unsafe find(column, run, beneath), let raw = unsafe one.raw {
              found = try unsafe outside.byteCounts(column, raw, one.row, of: one.source)
            }
          } else if let raw = unsafe raw {
            found = try unsafe outside.byteCounts(column, raw, row, of: sources[run.source])
          }
          sizes[index].inside += found.inside
          sizes[index].outside += found.outside
          index += 1
        }
      }
    }
    let most = Draft.fullRowByteCount(columnCount: columns.count)
    if let first = sizes.first, first.inside > most {
      throw BlockError(
        code: .badValue, column: nil,
        message:
          "The texts and bytes of one row need \(first.inside) bytes, which do not fit into a block."
      )
    }
    var sum: (inside: Int, outside: Int) = (0, 0)
    for (index, size) in sizes.enumerated() {
      sum.inside += size.inside
      sum.outside += size.outside
      if sum.inside > BlockFormat.targetByteCount
        || sum.outside > OutsideReference.maximumColumnByteCount
      {
        return max(index, 1)
      }
    }
    return count
  }

  /// A cursor that takes rows from the front of a list of runs.
  private struct Cursor {
    let runs: [RowRun]
    var index = 0
    var offset = 0

    init(runs: [RowRun]) { self.runs = runs }

    struct Part {
      var runs: [RowRun]
      var count: Int
      var index: Int
      var offset: Int
    }

    mutating func take(_ most: Int) -> Part {
      var part = Part(runs: [], count: 0, index: index, offset: offset)
      while part.count < most, index < runs.count {
        var run = runs[index]
        let start = run.rows.lowerBound + offset
        let end = min(run.rows.upperBound, start + most - part.count)
        part.count += end - start
        offset = end == run.rows.upperBound ? 0 : offset + end - start
        if end == run.rows.upperBound { index += 1 }
        run.rows = start..<end
        part.runs.append(run)
      }
      return part
    }

    mutating func giveBack(_ part: Part) {
      index = part.index
      offset = part.offset
    }
  }
}
