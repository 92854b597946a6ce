// SAFETY: Blocks retain the memory of the raw columns that are read here, and each row is a row of its block.

import ObjectModel

/// A sorter of the rows of some blocks into the order of an index.
struct IndexSorting {
  private let index: IndexLayout
  private let sources: [Block]
  /// The index's columns of each block, the most significant first.
  private let columns: [[Column]]
  private var entries: [Entry] = []
  /// The ordering word of the smallest integer, if the index has one integer column and entries are sorted by it.
  private var lowestInteger: UInt64?

  private struct Entry: BitwiseCopyable {
    /// A number with the same order as the values, or as the beginning of the first value.
    var word: UInt64 = 0
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
    let ordered = index.columns.indices.sorted {
      index.columns[$0].number < index.columns[$1].number
    }
    var writer = BlockWriter()
    var blocks: [Block] = []
    var written = 0
    while written < entries.count {
      let part = nextPart(from: written)
      written = part.upperBound
      writer.begin()
      for position in ordered {
        writer.add(index.columns[position].number, index.columns[position].kind) { values in
          write(part, position, into: &values)
        }
      }
      writer.add(LayoutColumn.Number.object, .int64) { values in
        for place in part { values.append(word: Int64(bitPattern: entries[place].object)) }
      }
      let keys = part.map { UInt64($0 + 1) }
      blocks.append(
        unsafe keys.withUnsafeBufferPointer {
          unsafe writer.finish(entity: index.number, flags: [], keys: $0)
        })
    }
    return blocks
  }

  /// Returns the entries of the next block. Long texts fill a block with fewer entries.
  private func nextPart(from start: Int) -> Range<Int> {
    let end = min(start + BlockFormat.targetRowCount, entries.count)
    let texts = index.columns.indices.filter { index.columns[$0].kind.family == .bytes }
    if texts.isEmpty { return start..<end }
    var byteCount = 0
    for place in start..<end {
      let (source, row) = (Int(entries[place].source), Int(entries[place].row))
      for position in texts {
        let raw = unsafe columns[source][position].raw
        if unsafe raw.encoding != .scaled && !raw.isNull(row) {
          byteCount += unsafe raw.bytes(row).count
        }
      }
      if byteCount > BlockFormat.targetByteCount { return start..<max(place, start + 1) }
    }
    return start..<end
  }

  /// Writes the values of some entries in one column of the index.
  private func write(_ part: Range<Int>, _ position: Int, into values: inout ColumnValues) {
    if let lowestInteger {
      // The words contain the values, so that no row is read again.
      for place in part {
        let word = entries[place].word
        if word == 0 {
          values.appendNull()
        } else {
          values.append(word: Int64(ordered: word - 1 + lowestInteger))
        }
      }
      return
    }
    for place in part {
      let (source, row) = (Int(entries[place].source), Int(entries[place].row))
      unsafe values.append(from: columns[source][position].raw, rows: row..<row + 1)
    }
  }

  // MARK: Sorting

  private mutating func sort() throws {
    var ascends = true
    var last: UInt64 = 0
    entries.reserveCapacity(sources.reduce(0) { $0 + $1.rowCount })
    for (source, block) in sources.enumerated() {
      let keys = try block.keys
      for row in 0..<block.rowCount {
        let object = UInt64(bitPattern: keys.integer(at: row))
        ascends = ascends && object > last
        last = object
        entries.append(Entry(object: object, source: UInt32(source), row: UInt32(row)))
      }
    }
    if setWords() {
      // Entries with equal words stay in the order of their objects.
      if !ascends { sort { $0.object } }
      sort { $0.word }
    } else {
      setFirstWords()
      entries = entries.sorted { comesFirst($0, $1) }
    }
  }

  /// Packs the values of each entry into its word, the last column into the lowest bits. A word's part is 0 for a missing
  /// value.
  ///
  /// - Returns: Whether all columns fit. Otherwise the words have no meaning.
  private mutating func setWords() -> Bool {
    var shift = 0
    for position in index.columns.indices.reversed() {
      guard let width = setWords(position, shift) else { return false }
      shift += width
    }
    return true
  }

  /// Adds the values of one column to the words, from a bit on.
  ///
  /// - Returns: The number of bits; `nil` if the values do not fit, or have no numbers with their order.
  private mutating func setWords(_ position: Int, _ shift: Int) -> Int? {
    let all = columns.map { $0[position] }
    if index.columns[position].kind.family == .bytes {
      guard let ranks = TextRanks(all), let width = width(of: UInt64(ranks.count), shift) else {
        return nil
      }
      unsafe setWords(all, shift) { source, raw, row in unsafe ranks.rank(source, raw, row) + 1 }
      return width
    }
    var (lowest, highest) = (UInt64.max, UInt64.min)
    for column in all {
      let raw = unsafe column.raw
      for row in 0..<column.rowCount where unsafe !raw.isNull(row) {
        let word = unsafe raw.orderingWord(row)
        (lowest, highest) = (min(lowest, word), max(highest, word))
      }
    }
    if lowest > highest { return 0 }
    guard highest - lowest < .max, let width = width(of: highest - lowest + 1, shift) else {
      return nil
    }
    unsafe setWords(all, shift) { _, raw, row in unsafe raw.orderingWord(row) - lowest + 1 }
    if index.columns.count == 1, index.columns[0].kind.family == .integers {
      lowestInteger = lowest
    }
    return width
  }

  /// Returns the number of bits of the numbers up to `most`; `nil` if a word has too few bits left.
  private func width(of most: UInt64, _ shift: Int) -> Int? {
    let width = 64 - most.leadingZeroBitCount
    return shift + width <= 64 ? width : nil
  }

  @inline(__always) @unsafe
  private mutating func setWords(
    _ columns: [Column], _ shift: Int, _ number: (Int, RawColumn, Int) -> UInt64
  ) {
    var place = 0
    for (source, column) in columns.enumerated() {
      let raw = unsafe column.raw
      for row in 0..<column.rowCount {
        if unsafe !raw.isNull(row) {
          entries[place].word |= unsafe number(source, raw, row) << UInt64(shift)
        }
        place += 1
      }
    }
  }

  /// Sets each word to a number with the same order as the value of the first column, or as the beginning of the value.
  private mutating func setFirstWords() {
    for place in entries.indices {
      let entry = entries[place]
      let raw = unsafe columns[Int(entry.source)][0].raw
      let row = Int(entry.row)
      entries[place].word = unsafe raw.isNull(row) ? 0 : raw.orderingWord(row)
    }
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

  /// Sorts by a number, byte by byte from the lowest byte: entries with equal numbers keep their order.
  @inline(__always)
  private mutating func sort(by number: (Entry) -> UInt64) {
    guard let first = entries.first else { return }
    var entries = entries
    self.entries = []
    let varying = entries.reduce(0) { $0 | (number($1) ^ number(first)) }
    var target = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) where varying >> shift & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for entry in entries { starts[Int(number(entry) >> shift & 0xFF) + 1] += 1 }
      for byte in 0..<256 { starts[byte + 1] += starts[byte] }
      for entry in entries {
        let byte = Int(number(entry) >> shift & 0xFF)
        target[starts[byte]] = entry
        starts[byte] += 1
      }
      swap(&entries, &target)
    }
    self.entries = entries
  }
}
