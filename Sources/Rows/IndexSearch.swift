// SAFETY: Columns are kept by `owners`, and rows stay below the count of their block.

import ObjectModel
import Synchronization

/// Finds the entries of a run whose first value is a given whole number or reference, in columns that
/// were laid side by side for it: following many relationships is this, over and over.
@safe
final class IndexSearch: Sendable {
  /// What the first value of each block is ordered by.
  private let firstWords: [UInt64]
  /// The place of each block's first entry, and behind them the number of entries.
  private let starts: [Int]
  // Sendable: never written after they were made.
  private nonisolated(unsafe) let values: [RawColumn]
  // Sendable: likewise.
  private nonisolated(unsafe) let objects: [RawColumn]
  private let owners: [Column]

  /// The columns of a run of at least one block.
  ///
  /// - Throws: What a damaged block throws.
  init(_ run: IndexRun, starts: [Int]) throws {
    let column = run.index.columns[0]
    var owners: [Column] = []
    var firstWords: [UInt64] = []
    var values: [RawColumn] = unsafe []
    var objects: [RawColumn] = unsafe []
    for block in run.blocks {
      guard let own = try block.column(column.number, as: column.kind) else {
        throw BlockError.badColumn(column.number, "An index has all it is sorted by.")
      }
      let numbers = try block.indexedObjects
      firstWords.append(own.orderingWord(at: 0) ?? 0)
      unsafe values.append(own.raw)
      unsafe objects.append(numbers.raw)
      owners += [own, numbers]
    }
    self.firstWords = firstWords
    self.starts = starts
    unsafe self.values = unsafe values
    unsafe self.objects = unsafe objects
    self.owners = owners
  }

  /// The places of the entries whose first value has the given word, which is not the lowest there is.
  func places(of word: UInt64) -> Range<Int> {
    let lower = place(from: 0) { $0 < word }
    return lower..<place(from: lower) { $0 <= word }
  }

  /// The first place, not before `start`, whose word is not passed over.
  private func place(from start: Int, isPassed: (UInt64) -> Bool) -> Int {
    guard unsafe start < starts[values.count] else { return start }
    let first = starts.firstPosition { $0 > start } - 1
    let block = max(firstWords.firstPosition { !isPassed($0) } - 1, first)
    let rowCount = starts[block + 1] - starts[block]
    return unsafe values.withUnsafeBufferPointer { values in
      // What has no value comes before everything.
      func isRowPassed(_ row: Int) -> Bool {
        unsafe values[block].isNull(row) || isPassed(values[block].orderingWord(row))
      }
      var (low, high) = (block == first ? start - starts[block] : 0, rowCount)
      // Those with the same value are few beside a block.
      var reach = block == first && start > 0 ? 64 : high
      while low < high {
        let middle = min(low + reach / 2, (low + high) / 2)
        if isRowPassed(middle) { low = middle + 1 } else { high = middle }
        reach *= 2
      }
      return starts[block] + low
    }
  }

  /// The numbers of the objects at the given places.
  func objects(at places: Range<Int>) throws -> [UInt64] {
    var block = starts.firstPosition { $0 > places.lowerBound } - 1
    return try unsafe Array(unsafeUninitializedCapacity: places.count) { numbers, count in
      while count < places.count {
        let column = unsafe objects[block]
        let first = places.lowerBound + count - starts[block]
        for row in first..<min(first + places.count - count, starts[block + 1] - starts[block]) {
          // SAFETY: The row is one of the block's, and there is room for all.
          let number = unsafe try column.objectNumber(row)
          unsafe numbers.initializeElement(at: count, to: number)
          count += 1
        }
        block += 1
      }
    }
  }
}

/// What whoever searches a run often needs to know of it: nothing at first, and in the end all.
final class IndexSearching: Sendable {
  private struct State {
    var count = 0
    /// Numbers that order as the first values of blocks do, where they were looked at: whoever looks for
    /// many things goes the same way through the blocks, and each lies somewhere else in memory.
    var firstWords: [UInt64?]
    var search: IndexSearch?
  }
  private let state: Mutex<State>

  init(_ count: Int) {
    state = Mutex(State(firstWords: Array(repeating: nil, count: count)))
  }

  subscript(block: Int) -> UInt64? {
    get { state.withLock { $0.firstWords[block] } }
    set { state.withLock { $0.firstWords[block] = newValue } }
  }

  /// The search, if it was made.
  var made: IndexSearch? { state.withLock { $0.search } }

  /// The search, once a run was searched as often as it has blocks: all of them are read for it.
  func search(_ run: IndexRun, starts: [Int]) throws -> IndexSearch? {
    let (known, isDue) = state.withLock { state in
      state.count += 1
      return (state.search, state.count > run.blocks.count + 16)
    }
    if known != nil || !isDue || run.blocks.isEmpty { return known }
    let made = try IndexSearch(run, starts: starts)
    state.withLock { $0.search = made }
    return made
  }
}

extension Column {
  /// The number of the object that an entry of an index is of.
  package func objectNumber(at row: Int) throws(BlockError) -> UInt64 {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    return unsafe try raw.objectNumber(row)
  }
}

extension RawColumn {
  /// The number of the object that the entry of row `i` is of.
  func objectNumber(_ i: Int) throws(BlockError) -> UInt64 {
    let object = unsafe UInt64(bitPattern: integer(i))
    // A file may say anything, and numbers beyond these make no key (spec §4.5.6).
    guard object >= 1, object <= ObjectKey.highestNumber else {
      throw .badValue(LayoutColumn.Number.object, "No object has the number \(object).")
    }
    return object
  }
}
