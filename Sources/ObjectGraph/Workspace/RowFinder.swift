// SAFETY: Sources are kept by `sources`, which stands beside every place that leads to one.

import ObjectModel
import Rows

/// Where an entity's rows lie: blocks that were come upon, by the numbers of their objects.
///
/// The follower of a reference looks here first: that is a few steps in one small array, where a look into the
/// tables of a store takes a lock and several steps in each. Only blocks stand here that nothing above
/// them says anything of.
@safe
struct RowFinder {
  private var stretches: [Stretch] = unsafe []
  /// The sources of the stretches, which keep them alive.
  private var sources: [RowSource] = []
  /// The ranges of keys that each table has of the entity, as far as the tables were asked.
  private var ranges: [KeyRanges?] = []

  /// From which number to which a block has rows.
  @unsafe
  private struct Stretch {
    var first: UInt64
    var last: UInt64
    var isConsecutive: Bool
    var source: Unmanaged<RowSource>
  }

  /// Returns the place of an object's row, which is not retained; `nil` if its block was not seen yet.
  @inline(__always)
  @unsafe func place(of number: UInt64) -> (source: Unmanaged<RowSource>, row: Int)? {
    unsafe stretches.withUnsafeBufferPointer { stretches in
      var low = 0
      var count = stretches.count
      if count == 0 { return nil }
      // The last block that does not begin behind the number; without a branch that can't be foreseen.
      while count > 1 {
        let half = count >> 1
        low = unsafe stretches[low &+ half].first <= number ? low &+ half : low
        count -= half
      }
      let found = unsafe stretches[low]
      guard unsafe found.first <= number, unsafe number <= found.last else { return nil }
      if unsafe found.isConsecutive { return unsafe (found.source, Int(number &- found.first)) }
      guard let row = unsafe found.source._withUnsafeGuaranteedRef({ $0.row(number) }) else {
        return nil
      }
      return unsafe (found.source, row)
    }
  }

  /// Remembers a source of whole rows that a table has.
  ///
  /// - Parameters:
  ///   - index: Which of the tables has the rows.
  ///   - tables: All tables there are, the bottom first.
  mutating func note(_ source: RowSource, of index: Int, in tables: [any RowTable]) throws {
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
  /// Whether anything is said of one of the given keys.
  fileprivate func overlap(_ keys: ClosedRange<UInt64>) -> Bool {
    [put, changed, removed].contains { $0?.overlaps(keys) ?? false }
  }
}
