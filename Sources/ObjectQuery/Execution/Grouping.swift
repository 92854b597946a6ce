// SAFETY: Group numbers are below the number of groups, and buffers have an element for each kept row.

import Foundation
import ObjectModel
import Rows

/// The values of one group.
struct GroupValues {
  let keys: [Operand]
  let aggregates: [Operand]
}

/// The groups of the rows that a scan keeps, computed batch by batch.
struct Grouping {
  /// The groups, in the order of their first rows.
  private(set) var groups: [GroupValues] = []

  init(
    _ plan: TablePlan, _ node: ScanNode, _ layouts: [Layout], _ run: ScanRun,
    _ interpreter: Interpreter
  ) throws {
    var keys = plan.groupKeys.map(GroupKey.init)
    var pairs = GroupPairs(keyCount: keys.count)
    let readers = try BatchReader.all(of: layouts, in: run.source)
    var members = GroupMembers(isOrdered: readers.areOrdered)
    var aggregates = plan.aggregates.map(GroupAggregate.init)
    // Without a grouping key all rows form one group, which exists even without rows.
    if keys.isEmpty { members.add(upTo: 1) }
    run.watch?.expect(readers.rowCount)
    run.watch?.journal?.recordScan(of: layouts, readers)
    for reader in readers {
      run.watch?.journal?.recordRead(reader.batch.block)
      try run.withKept(node, reader) { kept in
        unsafe try withUnsafeTemporaryAllocation(of: Int32.self, capacity: kept.count) { numbers in
          // Keys write every number. Without keys, all rows belong to group 0.
          if keys.isEmpty { unsafe numbers.initialize(repeating: 0) }
          for index in keys.indices {
            if index == 0 {
              unsafe try keys[0].number(kept, into: numbers, interpreter)
            } else {
              unsafe try withUnsafeTemporaryAllocation(of: Int32.self, capacity: kept.count) {
                unsafe try keys[index].number(kept, into: $0, interpreter)
                unsafe pairs.join(numbers, $0, at: index)
              }
            }
          }
          members.add(upTo: keys.count > 1 ? pairs.count : keys.first?.count ?? 1)
          unsafe try members.count(kept, numbers)
          for index in aggregates.indices {
            unsafe try aggregates[index].add(kept, numbers, members.sizes.count, interpreter)
          }
        }
      }
      try run.watch?.pass(reader.batch.block.rowCount)
    }
    // Value by value and not group by group, because a key or an aggregate costs many references to copy.
    let order = members.order(isUnasked: keys.isEmpty)
    let numbers = order.map(pairs.members)
    let found = keys.enumerated().map { index, key in numbers.map { key.value($0[index]) } }
    let results = aggregates.map { aggregate in
      order.map { aggregate.result($0, members.sizes[$0], interpreter) }
    }
    groups = order.indices.map { place in
      GroupValues(keys: found.map { $0[place] }, aggregates: results.map { $0[place] })
    }
  }
}

/// The rows of one batch that a scan keeps.
struct KeptRows {
  let reader: BatchReader
  /// The number of kept rows.
  let count: Int
  /// The indexes of the kept rows; `nil` if every row of the batch is kept.
  private let rows: [Int32]?

  /// Creates the list of all rows of a batch.
  init(allOf reader: BatchReader) {
    self.reader = reader
    count = reader.batch.block.rowCount
    rows = nil
  }

  /// Creates the list of the flagged rows of a batch.
  init(_ reader: BatchReader, _ flags: UnsafeBufferPointer<UInt8>) {
    self.reader = reader
    unsafe count = flags.keptCount
    if count == flags.count {
      rows = nil
      return
    }
    var rows: [Int32] = []
    rows.reserveCapacity(count)
    unsafe flags.forEachKept { rows.append(Int32($0)) }
    self.rows = rows
  }

  /// Whether every row of the batch is kept.
  var areAll: Bool { rows == nil }

  /// Returns the row at a position among the kept rows.
  @inline(__always)
  subscript(place: Int) -> Int { rows.map { Int($0[place]) } ?? place }

  /// Calls `body` with the whole numbers of a column, one for each kept row.
  func withIntegers<R>(
    of column: Column, _ body: (UnsafeMutableBufferPointer<Int64>) throws -> R
  ) rethrows -> R {
    let rowCount = column.rowCount
    return unsafe try withUnsafeTemporaryAllocation(of: Int64.self, capacity: rowCount) { numbers in
      // The number under a null is never used, but must be initialized.
      unsafe numbers.initialize(repeating: 0)
      if unsafe !column.raw.isNothing, let start = numbers.baseAddress {
        unsafe column.raw.copyIntegers(0..<rowCount, into: start)
      }
      if let rows {
        for place in rows.indices { unsafe numbers[place] = numbers[Int(rows[place])] }
      }
      return unsafe try body(UnsafeMutableBufferPointer(rebasing: numbers[..<count]))
    }
  }
}

extension ScanRun {
  /// Calls `body` with the rows of a batch that a node keeps, if there are any.
  fileprivate func withKept(
    _ node: ScanNode, _ reader: BatchReader, _ body: (KeptRows) throws -> Void
  ) throws {
    if case .constant(true) = node, reader.batch.hidden == nil {
      return try body(KeptRows(allOf: reader))
    }
    unsafe try select(node, reader) { flags in
      let kept = unsafe KeptRows(reader, flags)
      if kept.count > 0 { try body(kept) }
    }
  }
}

/// The number of rows and the first row of each group.
private struct GroupMembers {
  private(set) var sizes: [Int64] = []
  private var firsts: [UInt64] = []
  /// Whether rows arrive in the order of their keys.
  private let isOrdered: Bool

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// Makes room for the given number of groups.
  mutating func add(upTo count: Int) {
    while sizes.count < count {
      sizes.append(0)
      firsts.append(.max)
    }
  }

  mutating func count(_ kept: KeptRows, _ numbers: UnsafeMutableBufferPointer<Int32>) throws {
    unsafe try sizes.withUnsafeMutableBufferPointer { sizes in
      for place in numbers.indices {
        let group = unsafe Int(numbers[place])
        let size = unsafe sizes[group]
        unsafe sizes[group] = size &+ 1
        if size == 0 || !isOrdered {
          firsts[group] = Swift.min(firsts[group], try kept.reader.key(kept[place]).rawValue)
        }
      }
    }
  }

  /// Returns the groups that have rows, in the order of their first rows. Without a grouping key, returns the only
  /// group even if it has no rows.
  func order(isUnasked: Bool) -> [Int] {
    if isUnasked { return [0] }
    return sizes.indices.filter { sizes[$0] > 0 }.sorted { firsts[$0] < firsts[$1] }
  }
}

/// The groups by several keys: a number for each distinct combination of the keys' numbers.
private struct GroupPairs {
  private let keyCount: Int
  /// For each key but the first, the known combinations.
  private var known: [[UInt64: Int32]]
  private var pairs: [[(Int32, Int32)]]

  init(keyCount: Int) {
    self.keyCount = keyCount
    known = Array(repeating: [:], count: max(keyCount - 1, 0))
    pairs = Array(repeating: [], count: max(keyCount - 1, 0))
  }

  var count: Int { pairs.last?.count ?? 0 }

  /// Replaces the group numbers so far by the numbers of the groups that one more key divides them into.
  mutating func join(
    _ numbers: UnsafeMutableBufferPointer<Int32>, _ others: UnsafeMutableBufferPointer<Int32>,
    at key: Int
  ) {
    for place in numbers.indices {
      let pair = unsafe UInt64(UInt32(numbers[place])) << 32 | UInt64(UInt32(others[place]))
      if let number = known[key - 1][pair] {
        unsafe numbers[place] = number
        continue
      }
      unsafe pairs[key - 1].append((numbers[place], others[place]))
      unsafe numbers[place] = Int32(pairs[key - 1].count - 1)
      unsafe known[key - 1][pair] = numbers[place]
    }
  }

  /// Returns the number of each key's value in a group.
  func members(of group: Int) -> [Int32] {
    var numbers = [Int32](repeating: Int32(group), count: keyCount)
    for key in stride(from: keyCount - 1, to: 0, by: -1) {
      let (left, right) = pairs[key - 1][Int(numbers[key])]
      numbers[key] = right
      numbers[key - 1] = left
    }
    return numbers
  }
}

extension [BatchReader] {
  /// Whether every key of a batch is above all keys of the batch before it.
  var areOrdered: Bool { zip(self, dropFirst()).allSatisfy { $0.highestKey < $1.lowestKey } }
  /// The number of rows, including hidden ones.
  var rowCount: Int { reduce(0) { $0 + $1.batch.block.rowCount } }
}

extension BatchReader {
  /// Returns the batches of several entities, in the order of their lowest keys.
  static func all(of layouts: [Layout], in source: some QuerySource) throws -> [BatchReader] {
    var readers: [BatchReader] = []
    for layout in layouts.sorted(by: { $0.entityNumber < $1.entityNumber }) {
      // A store that was filled by many saves returns its batches from the newest to the oldest.
      let batches = try source.batches(of: layout).sorted {
        $0.block.minimumKey < $1.block.minimumKey
      }
      readers += batches.map { BatchReader($0, entityNumber: layout.entityNumber) }
    }
    return readers
  }
}
