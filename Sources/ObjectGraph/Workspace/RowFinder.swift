// SAFETY: `sources` retains the source of every stretch.

import ObjectModel
import Rows

/// An index of the blocks of one entity that were seen, by the numbers of their objects.
///
/// A reference is followed here first, which takes a few steps in one small array. A look-up in the tables of a store
/// takes a lock and several steps in each table. A block is in this index only if no table above it has an entry in the
/// block's range of numbers.
@safe
struct RowFinder {
  private var stretches: [Stretch] = unsafe []
  /// The sources of the stretches, retained here.
  private var sources: [RowSource] = []
  /// The ranges of the entity's keys in each table, as far as they have been read.
  private var ranges: [KeyRanges?] = []

  /// The range of numbers for which a block has rows.
  @unsafe
  private struct Stretch {
    var first: UInt64
    var last: UInt64
    var isConsecutive: Bool
    var source: Unmanaged<RowSource>

    /// Returns the place of an object's row in a block whose numbers are not consecutive.
    @inline(never)
    func search(_ number: UInt64) -> (source: Unmanaged<RowSource>, row: Int)? {
      unsafe source._withUnsafeGuaranteedRef { $0.row(number) }.map { unsafe (source, $0) }
    }
  }

  /// Returns the place of an object's row; `nil` if its block was not seen yet. The source is not retained.
  @inline(__always)
  @unsafe func place(of number: UInt64) -> (source: Unmanaged<RowSource>, row: Int)? {
    unsafe stretches.withUnsafeBufferPointer { stretches in
      var low = 0
      var count = stretches.count
      if count == 0 { return nil }
      // Finds the last block with a first number not above the number, without unpredictable branches.
      while count > 1 {
        let half = count >> 1
        low = unsafe stretches[low &+ half].first <= number ? low &+ half : low
        count -= half
      }
      let found = unsafe stretches[low]
      guard unsafe found.first <= number, unsafe number <= found.last else { return nil }
      if unsafe found.isConsecutive { return unsafe (found.source, Int(number &- found.first)) }
      return unsafe found.search(number)
    }
  }

  /// Remembers a source of whole rows of a table.
  ///
  /// - Parameters:
  ///   - index: The index of the table with the rows.
  ///   - tables: All tables of the store, from bottom to top.
  mutating func record(_ source: RowSource, of index: Int, in tables: [any RowTable]) throws {
    guard let block = source.block else { return }
    let number = block.entityNumber
    if ranges.count != tables.count { ranges = Array(repeating: nil, count: tables.count) }
    let all = block.minimumKey...block.maximumKey
    for above in index + 1..<tables.count {
      let range = try ranges[above] ?? tables[above].keyRanges(ofEntity: number)
      ranges[above] = range
      if range.overlap(all) { return }
    }
    _ = try source.number(0)
    let place = unsafe stretches.firstPosition { unsafe $0.first >= block.minimumKey }
    if unsafe place < stretches.count, unsafe stretches[place].first == block.minimumKey { return }
    unsafe stretches.insert(
      Stretch(
        first: block.minimumKey, last: block.maximumKey, isConsecutive: block.isConsecutive,
        source: Unmanaged.passUnretained(source)), at: place)
    sources.append(source)
  }
}

extension KeyRanges {
  /// Returns whether the table may have an entry in a range of keys.
  fileprivate func overlap(_ keys: ClosedRange<UInt64>) -> Bool {
    [put, changed, removed].contains { $0?.overlaps(keys) ?? false }
  }
}
