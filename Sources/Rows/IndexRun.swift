import Foundation
public import ObjectModel

/// The sorted entries of an index for the rows of one table (spec §4.5.6): blocks of the columns it is
/// sorted by, and of the object each entry is of.
///
/// Entries are sorted by the columns in their order of significance, those without a value first, and
/// by the object where all are equal.
public struct IndexRun: Sendable {
  /// The index.
  public let index: IndexLayout
  /// The blocks, their rows numbered from 1 in the order of the entries.
  public let blocks: [Block]

  /// The run of the given blocks.
  public init(_ index: IndexLayout, _ blocks: [Block]) {
    self.index = index
    self.blocks = blocks
  }

  /// The number of entries.
  public var count: Int { blocks.reduce(0) { $0 + $1.rowCount } }
}

/// One end of a range of index entries, compared with as many of the columns as it has values.
public struct IndexBound: Sendable {
  /// Values of the first columns.
  public var values: [Value]
  /// Whether the last value is the beginning of texts: everything that begins so is equal to it.
  public var isPrefix: Bool

  /// The entries with the given values in their first columns.
  public init(_ values: [Value], isPrefix: Bool = false) {
    self.values = values
    self.isPrefix = isPrefix
  }
}

/// Which entries of an index are looked for.
public struct IndexRange: Sendable {
  /// The first; `nil` for all from the beginning.
  public var lower: IndexBound?
  /// Whether entries equal to `lower` are among them.
  public var includesLower = true
  /// The last; `nil` for all to the end.
  public var upper: IndexBound?
  /// Whether entries equal to `upper` are among them.
  public var includesUpper = true

  /// The entries between two ends.
  public init(
    lower: IndexBound? = nil, includesLower: Bool = true, upper: IndexBound? = nil,
    includesUpper: Bool = true
  ) {
    self.lower = lower
    self.includesLower = includesLower
    self.upper = upper
    self.includesUpper = includesUpper
  }

  /// The entries equal to a bound.
  public init(equalTo bound: IndexBound) { self.init(lower: bound, upper: bound) }
}

/// An entry of an index: a row of a block of a run.
package struct IndexEntry {
  package let block: Block
  package let row: Int
  /// The number of the object's entity.
  package let entity: UInt16
  /// The object's number.
  package let object: UInt64
}

extension IndexRun {
  /// The places of the entries in a range, from 0.
  ///
  /// Costs a few comparisons for each doubling of the run's length, and the columns of a block or two.
  package func places(_ range: IndexRange) throws -> Range<Int> {
    let start = try range.lower.map { bound in
      try firstPlace(bound) { $0 == .greater || ($0 == .equal && range.includesLower) }
    }
    let end = try range.upper.map { bound in
      try firstPlace(bound) { $0 == .greater || ($0 == .equal && !range.includesUpper) }
    }
    let lower = start ?? 0
    return lower..<max(lower, end ?? count)
  }

  /// The first place whose entry compares with the bound as asked; all behind it do too.
  private func firstPlace(
    _ bound: IndexBound, _ isBehind: (Comparison) -> Bool
  ) throws -> Int {
    func isReached(_ block: Block, _ row: Int) throws -> Bool {
      isBehind(try compare(block, row, with: bound))
    }
    // The last block whose first entry is not reached yet, or the first.
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if try isReached(blocks[middle], 0) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return 0 }
    let block = blocks[low - 1]
    let before = blocks[..<(low - 1)].reduce(0) { $0 + $1.rowCount }
    (low, high) = (0, block.rowCount)
    while low < high {
      let middle = (low + high) / 2
      if try isReached(block, middle) { high = middle } else { low = middle + 1 }
    }
    return before + low
  }

  private func compare(_ block: Block, _ row: Int, with bound: IndexBound) throws -> Comparison {
    for (position, value) in bound.values.enumerated() {
      let column = index.columns[position]
      guard let values = try block.column(column.number, as: column.kind) else {
        throw BlockError.badColumn(column.number, "An index has all it is sorted by.")
      }
      let isPrefix = bound.isPrefix && position == bound.values.count - 1
      let result = values.comparison(at: row, with: value, isPrefix: isPrefix)
      if result != .equal { return result }
    }
    return .equal
  }
}

/// How one thing is ordered beside another.
package enum Comparison: Sendable {
  case less
  case equal
  case greater

  package init<T: Comparable>(_ left: T, _ right: T) {
    self = left < right ? .less : left > right ? .greater : .equal
  }
}
