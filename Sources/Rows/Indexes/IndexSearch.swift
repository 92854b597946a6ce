// SAFETY: `owners` retains the columns, and rows stay below the count of their block.

import ObjectModel
import Synchronization

/// A search for the entries of a run whose first value is a given whole number or reference. The columns of all
/// blocks are read and retained for it, because following many relationships repeats this search.
@safe
final class IndexSearch: Sendable {
  /// The number that orders the first value of each block.
  private let firstWords: [UInt64]
  /// The place of each block's first entry, followed by the number of entries.
  private let starts: [Int]
  // Sendable: never written after the initializer.
  private nonisolated(unsafe) let values: [RawColumn]
  // Sendable: never written after the initializer.
  private nonisolated(unsafe) let objects: [RawColumn]
  private let owners: [Column]

  /// Reads the columns of a run of at least one block.
  ///
  /// - Throws: The error of a damaged block.
  init(_ run: IndexRun, starts: [Int]) throws {
    let column = run.index.columns[0]
    var owners: [Column] = []
    var firstWords: [UInt64] = []
    var values: [RawColumn] = unsafe []
    var objects: [RawColumn] = unsafe []
    for block in run.blocks {
      guard let own = try block.column(column.number, as: column.kind) else {
        throw BlockError.badColumn(
          column.number, "The index does not contain all columns by which it is sorted.")
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

  /// Returns the places of the entries whose first value has the given word. The word is not the lowest possible.
  func places(of word: UInt64) -> Range<Int> {
    let lower = place(from: 0) { $0 < word }
    return lower..<place(from: lower) { $0 <= word }
  }

  /// Returns the first place, not before `start`, whose word does not satisfy `isPassed`.
  private func place(from start: Int, isPassed: (UInt64) -> Bool) -> Int {
    guard unsafe start < starts[values.count] else { return start }
    let first = starts.firstPosition { $0 > start } - 1
    let block = max(firstWords.firstPosition { !isPassed($0) } - 1, first)
    let rowCount = starts[block + 1] - starts[block]
    return unsafe values.withUnsafeBufferPointer { values in
      // A row without a value comes first.
      func isRowPassed(_ row: Int) -> Bool {
        unsafe values[block].isNull(row) || isPassed(values[block].orderingWord(row))
      }
      var (low, high) = (block == first ? start - starts[block] : 0, rowCount)
      // Few entries of a block have the same value, so the search begins with short steps.
      var reach = block == first && start > 0 ? 64 : high
      while low < high {
        let middle = min(low + reach / 2, (low + high) / 2)
        if isRowPassed(middle) { low = middle + 1 } else { high = middle }
        reach *= 2
      }
      return starts[block] + low
    }
  }

  /// Returns the numbers of the objects at the given places.
  func objects(at places: Range<Int>) throws -> [UInt64] {
    var block = starts.firstPosition { $0 > places.lowerBound } - 1
    return try unsafe Array(unsafeUninitializedCapacity: places.count) { numbers, count in
      while count < places.count {
        let column = unsafe objects[block]
        let first = places.lowerBound + count - starts[block]
        for row in first..<min(first + places.count - count, starts[block + 1] - starts[block]) {
          // SAFETY: The row is one of the block's rows, and there is room for all numbers.
          let number = unsafe try column.objectNumber(row)
          unsafe numbers.initializeElement(at: count, to: number)
          count += 1
        }
        block += 1
      }
    }
  }
}

/// Shared knowledge for repeated searches of a run: empty at first, and finally a complete ``IndexSearch``.
final class IndexSearching: Sendable {
  private struct State {
    var count = 0
    /// Numbers with the order of the blocks' first values, for the blocks that were read. Repeated searches pass
    /// the same blocks, and each block lies elsewhere in memory.
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

  /// The search; `nil` until it was created.
  var made: IndexSearch? { state.withLock { $0.search } }

  /// Returns the search once a run was searched about as often as it has blocks, because creating the search reads
  /// all blocks.
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
  /// Returns the number of the object of an index entry.
  package func objectNumber(at row: Int) throws(BlockError) -> UInt64 {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    return unsafe try raw.objectNumber(row)
  }
}

extension RawColumn {
  /// Returns the number of the object of the index entry in row `i`.
  func objectNumber(_ i: Int) throws(BlockError) -> UInt64 {
    let object = unsafe UInt64(bitPattern: integer(i))
    // A damaged file may contain any number, and numbers beyond these bounds make no key (spec §4.5.6).
    guard object >= 1, object <= ObjectKey.highestNumber else {
      throw .badValue(LayoutColumn.Number.object, "No object has the number \(object).")
    }
    return object
  }
}
