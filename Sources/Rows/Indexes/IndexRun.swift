import Foundation
public import ObjectModel
import Synchronization

/// The sorted entries of an index for the rows of one table (spec §4.5.6): blocks with the sorted columns and the
/// object of each entry.
///
/// Entries are sorted by the columns in order of significance, entries without a value first. Entries with equal
/// values are sorted by object.
public struct IndexRun: Sendable {
  public let index: IndexLayout
  /// The blocks. Their rows are numbered from 1 in the order of the entries.
  public let blocks: [Block]
  /// The place of each block's first entry, followed by the number of entries.
  private let starts: [Int]
  private let searching: IndexSearching

  /// Creates a run of the given blocks.
  public init(_ index: IndexLayout, _ blocks: [Block]) {
    self.index = index
    self.blocks = blocks
    var starts = [0]
    starts.reserveCapacity(blocks.count + 1)
    for block in blocks { starts.append(starts[starts.count - 1] + block.rowCount) }
    self.starts = starts
    searching = IndexSearching(blocks.count)
  }

  public var count: Int { starts[blocks.count] }

  /// Returns the block and the row of the entry at a place.
  func location(of place: Int) -> (block: Int, row: Int) {
    let block = starts.firstPosition { $0 > place } - 1
    return (block, place - starts[block])
  }
}

/// One end of a range of index entries. It has values for one or more of the index's first columns.
public struct IndexBound: Sendable {
  /// The values of the first columns.
  public var values: [Value]
  /// Whether the last value is a prefix: every text that begins with the value is equal to it.
  public var isPrefix: Bool

  /// Creates a bound for entries with the given values in their first columns.
  public init(_ values: [Value], isPrefix: Bool = false) {
    self.values = values
    self.isPrefix = isPrefix
  }
}

/// A range of the entries of an index.
public struct IndexRange: Sendable {
  /// The lower end; `nil` for a range from the first entry.
  public var lower: IndexBound?
  /// Whether entries equal to `lower` belong to the range.
  public var includesLower = true
  /// The upper end; `nil` for a range to the last entry.
  public var upper: IndexBound?
  /// Whether entries equal to `upper` belong to the range.
  public var includesUpper = true

  /// Creates a range between two ends.
  public init(
    lower: IndexBound? = nil, includesLower: Bool = true, upper: IndexBound? = nil,
    includesUpper: Bool = true
  ) {
    self.lower = lower
    self.includesLower = includesLower
    self.upper = upper
    self.includesUpper = includesUpper
  }

  /// Creates the range of the entries equal to a bound.
  public init(equalTo bound: IndexBound) { self.init(lower: bound, upper: bound) }
}

/// An entry of an index: one row of a block of a run.
package struct IndexEntry {
  package let block: Block
  package let row: Int
  /// The number of the object's entity.
  package let entity: UInt16
  package let object: UInt64
}

extension IndexRun {
  /// Returns the places of the entries in a range, from 0.
  ///
  /// Takes a few comparisons for each doubling of the run's length, and reads the columns of one or two blocks.
  package func places(_ range: IndexRange) throws -> Range<Int> {
    if let word = wholeWord(range), let search = try searching.search(self, starts: starts) {
      return search.places(of: word)
    }
    let lower = try range.lower.map { bound in
      try firstPlace(bound, from: 0) { $0 == .greater || ($0 == .equal && range.includesLower) }
    }
    let start = lower ?? 0
    let upper = try range.upper.map { bound in
      try firstPlace(bound, from: start) {
        $0 == .greater || ($0 == .equal && !range.includesUpper)
      }
    }
    return start..<max(start, upper ?? count)
  }

  /// Returns the word of the only value in a range's first column, if the value is a whole number or a reference;
  /// `nil` for any other range.
  private func wholeWord(_ range: IndexRange) -> UInt64? {
    guard let lower = range.lower, let upper = range.upper, lower.values.count == 1,
      upper.values.count == 1, !lower.isPrefix, !upper.isPrefix, range.includesLower,
      range.includesUpper, index.columns[0].kind.family == .integers, let word = word(of: lower),
      word == self.word(of: upper)
    else { return nil }
    return word == 0 ? nil : word
  }

  func stretches(_ places: Range<Int>) -> [(block: Block, rows: Range<Int>)] {
    var stretches: [(block: Block, rows: Range<Int>)] = []
    var place = places.lowerBound
    while place < places.upperBound {
      let (block, row) = location(of: place)
      let end = min(row + places.upperBound - place, blocks[block].rowCount)
      stretches.append((blocks[block], row..<end))
      place += end - row
    }
    return stretches
  }

  /// Returns the numbers of the objects at the given places.
  func objects(at places: Range<Int>) throws -> [UInt64] {
    if let search = searching.made { return try search.objects(at: places) }
    var numbers: [UInt64] = []
    numbers.reserveCapacity(places.count)
    for (block, rows) in stretches(places) {
      let objects = try block.indexedObjects
      for row in rows { numbers.append(try objects.objectNumber(at: row)) }
    }
    return numbers
  }

  /// Returns the first place, not before `start`, whose entry satisfies `isBehind`. All entries after it satisfy
  /// `isBehind` too.
  private func firstPlace(
    _ bound: IndexBound, from start: Int, _ isBehind: (Comparison) -> Bool
  ) throws -> Int {
    if start >= count { return count }
    let (first, row) = location(of: start)
    let word = word(of: bound)
    func isReached(_ block: Int) throws -> Bool {
      if let word, let known = searching[block] { return isBehind(Comparison(known, word)) }
      let values = try BoundValues(bound, word, blocks[block], index)
      if word != nil { searching[block] = values.firstWord }
      return isBehind(values.comparison(at: 0))
    }
    // Finds the last block whose first entry does not satisfy `isBehind`. Most ranges end in the block where they
    // begin, or in the next.
    var (low, high) = (first + 1, blocks.count)
    var reach = start == 0 ? high : 1
    while low < high {
      let middle = min(low + reach / 2, (low + high) / 2)
      if try isReached(middle) { high = middle } else { low = middle + 1 }
      reach *= 2
    }
    let block = low - 1
    let values = try BoundValues(bound, word, blocks[block], index)
    (low, high) = (block == first ? row : 0, blocks[block].rowCount)
    reach = start == 0 || block > first ? high : 2
    while low < high {
      let middle = min(low + reach / 2, (low + high) / 2)
      if isBehind(values.comparison(at: middle)) { high = middle } else { low = middle + 1 }
      reach *= 2
    }
    return starts[block] + low
  }

  /// Returns a number with the same order as a bound of one value; `nil` when the bound has more values or its
  /// value is not a number.
  private func word(of bound: IndexBound) -> UInt64? {
    guard bound.values.count == 1, index.columns[0].kind.family != .bytes else { return nil }
    return bound.values[0].orderingWord(as: index.columns[0].kind)
  }
}

/// The columns of a block for which a bound has values, and the bound itself.
private struct BoundValues {
  private let bound: IndexBound
  /// A number with the same order as the bound, if one number is enough.
  private let word: UInt64?
  private let first: Column
  private let others: [Column]

  init(_ bound: IndexBound, _ word: UInt64?, _ block: Block, _ index: IndexLayout) throws {
    func column(_ column: LayoutColumn) throws -> Column {
      guard let values = try block.column(column.number, as: column.kind) else {
        throw BlockError.badColumn(
          column.number, "The index does not contain all columns by which it is sorted.")
      }
      return values
    }
    self.bound = bound
    self.word = word
    first = try column(index.columns[0])
    others =
      bound.values.count < 2
      ? [] : try index.columns[1..<bound.values.count].map { try column($0) }
  }

  /// A number with the same order as the first value; `nil` if the first row has no value.
  var firstWord: UInt64? { first.orderingWord(at: 0) }

  /// Compares the values of a row with the bound's values.
  func comparison(at row: Int) -> Comparison {
    if let word {
      // A row without a value comes first.
      return first.orderingWord(at: row).map { Comparison($0, word) } ?? .less
    }
    guard let value = bound.values.first else { return .equal }
    let last = bound.values.count - 1
    let result = first.comparison(at: row, with: value, isPrefix: bound.isPrefix && last == 0)
    if result != .equal || others.isEmpty { return result }
    for (position, column) in others.enumerated() {
      let result = column.comparison(
        at: row, with: bound.values[position + 1],
        isPrefix: bound.isPrefix && last == position + 1)
      if result != .equal { return result }
    }
    return .equal
  }
}

/// The result of comparing two values.
package enum Comparison: Sendable {
  case less
  case equal
  case greater

  package init<T: Comparable>(_ left: T, _ right: T) {
    self = left < right ? .less : left > right ? .greater : .equal
  }
}
