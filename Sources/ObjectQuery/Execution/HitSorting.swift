// SAFETY: A raw column is read only at rows of its own block, while the reader that owns the column is alive.

import Foundation
import ObjectModel
import Rows

/// A sort key bound to an entity.
package struct BoundSortKey: Sendable {
  /// The value by which objects are sorted.
  package let value: BoundExpression
  package let isAscending: Bool
  package let options: TextOptions
  /// Whether the key is the relevance of the object, whose value is not read from the object.
  package let isRelevance: Bool

  /// The column, if the value is an attribute of the object itself.
  var column: LayoutColumn? {
    if let steps = value.ownSteps, steps.count == 1, case .attribute(let column) = steps[0] {
      column
    } else {
      nil
    }
  }
}

extension RowHits {
  /// Sorts the rows, or only the first `most` of them.
  ///
  /// For each key every row gets a number with the same order as its value, so sorting compares numbers. The values
  /// themselves are compared only if two numbers are equal and do not determine the order.
  ///
  /// - Parameter scores: Returns the calculator of relevance. It is called if a key needs it.
  mutating func sort(
    by keys: [BoundSortKey], first most: Int, _ interpreter: Interpreter,
    _ scores: () throws -> RelevanceScores?
  ) throws {
    guard !keys.isEmpty, hits.count > 1 else { return hits.cut(to: most) }
    var ranks: [SortRanks] = []
    for key in keys {
      if key.isRelevance, let scores = try scores() {
        ranks.append(try SortRanks(key, self, interpreter, scores))
      } else {
        ranks.append(try SortRanks(key, self, interpreter))
      }
    }
    if let (numbers, placeBits) = SortRanks.packed(ranks) {
      var packed = numbers
      packed.sort(first: most, by: <)
      let places = UInt64(1) << UInt64(placeBits) - 1
      hits = packed.prefix(most).map { hits[Int($0 & places)] }
      return
    }
    var order = Array(0..<Int32(hits.count))
    order.sort(first: most, by: SortRanks.comparison(ranks))
    hits = order.prefix(most).map { hits[Int($0)] }
  }
}

/// A number for each row that has the same order as the row's value for one key.
private struct SortRanks {
  let numbers: [UInt64]
  /// Compares two rows whose numbers are equal; `nil` if equal numbers mean equal values.
  let compare: ((Int, Int) -> Order)?
  let isAscending: Bool

  init(_ key: BoundSortKey, _ hits: RowHits, _ interpreter: Interpreter) throws {
    isAscending = key.isAscending
    if let column = key.column,
      let ranks = try SortRanks.ofColumn(column, key.options, hits)
    {
      (numbers, compare) = ranks
    } else if let ranks = try SortRanks.ofComputed(key, hits) {
      (numbers, compare) = (ranks, nil)
    } else {
      (numbers, compare) = (try SortRanks.ofValues(key, hits, interpreter), nil)
    }
  }

  /// Gives the most relevant row the least number.
  init(
    _ key: BoundSortKey, _ hits: RowHits, _ interpreter: Interpreter, _ scores: RelevanceScores
  ) throws {
    isAscending = key.isAscending
    compare = nil
    var scores = scores
    numbers = try hits.hits.map {
      (-(try scores.score(of: hits.subject($0), interpreter))).orderedBits
    }
  }

  /// Returns a function that decides whether the first of two rows comes before the second. Rows that are equal in
  /// every key keep their order.
  static func comparison(_ ranks: [SortRanks]) -> (Int32, Int32) -> Bool {
    if ranks.count <= 2, ranks.allSatisfy({ $0.compare == nil }) {
      // The usual case has its own code without a loop. The numbers of descending keys are inverted beforehand.
      let first = ranks[0].ordered
      let second = ranks.count == 2 ? ranks[1].ordered : []
      let hasSecond = ranks.count == 2
      return { left, right in
        let (one, two) = (first[Int(left)], first[Int(right)])
        if one != two { return one < two }
        if hasSecond {
          let (one, two) = (second[Int(left)], second[Int(right)])
          if one != two { return one < two }
        }
        return left < right
      }
    }
    return { left, right in
      for rank in ranks {
        let (one, two) = (rank.numbers[Int(left)], rank.numbers[Int(right)])
        if one != two { return (one < two) == rank.isAscending }
        if let order = rank.compare?(Int(left), Int(right)), order != .same {
          return (order == .less) == rank.isAscending
        }
      }
      return left < right
    }
  }

  /// Packs all ranks of a row and its position into one number. Returns the numbers and the number of bits of the
  /// position; `nil` if 64 bits are not enough.
  static func packed(_ ranks: [SortRanks]) -> (numbers: [UInt64], placeBits: Int)? {
    guard let count = ranks.first?.numbers.count, ranks.allSatisfy({ $0.compare == nil }) else {
      return nil
    }
    func bits(_ most: UInt64) -> Int { 64 - most.leadingZeroBitCount }
    let placeBits = bits(UInt64(count - 1))
    var width = placeBits
    var spans: [(low: UInt64, most: UInt64)] = []
    for rank in ranks {
      // Zero stands for a missing value and lies far below the other numbers. It is moved to just below them, so that
      // fewer bits are needed.
      var (low, high) = (UInt64.max, UInt64(0))
      for number in rank.numbers where number != 0 {
        low = Swift.min(low, number)
        high = Swift.max(high, number)
      }
      let most = high < low ? 0 : high - low
      guard most < .max - 1 else { return nil }
      spans.append((low, most + 1))
      width += bits(most + 1)
      if width > 64 { return nil }
    }
    var packed = [UInt64](repeating: 0, count: count)
    for (rank, span) in zip(ranks, spans) {
      let shift = UInt64(bits(span.most))
      for place in packed.indices {
        let number = rank.numbers[place]
        let rankInSpan = number == 0 ? 0 : number &- span.low &+ 1
        packed[place] =
          packed[place] &<< shift | (rank.isAscending ? rankInSpan : span.most &- rankInSpan)
      }
    }
    for place in packed.indices {
      packed[place] = packed[place] &<< UInt64(placeBits) | UInt64(place)
    }
    return (packed, placeBits)
  }

  private var ordered: [UInt64] { isAscending ? numbers : numbers.map { ~$0 } }

  // MARK: - Numbers of columns

  private static func ofColumn(
    _ column: LayoutColumn, _ options: TextOptions, _ hits: RowHits
  ) throws -> (numbers: [UInt64], compare: ((Int, Int) -> Order)?)? {
    // Ordering by bytes is not useful, and they may be expensive to read.
    if column.kind == .binary { return nil }
    let columns = try hits.readers.map { try $0.column(column) }
    switch column.kind.content {
    case .boolean, .integer:
      if column.kind.integerRange.upperBound < .max { return (ofSmallIntegers(columns, hits), nil) }
      return ofIntegers(columns, hits).map { ($0, nil) }
    case .float, .double, .date: return (ofReals(columns, hits), nil)
    case .string, .uri:
      guard !options.folds, !options.contains(.localeSensitive) else { return nil }
      // Dictionaries in most blocks mean that there are few distinct texts.
      if columns.count(where: \.isDictionary) * 2 > columns.count {
        return (ofRepeatedTexts(columns, hits), nil)
      }
      return ofTexts(columns, hits)
    case .decimal, .binary, .uuid, .object: return nil
    }
  }

  /// Returns the numbers of a value that is computed from columns; `nil` if the rows must be evaluated one by one.
  private static func ofComputed(_ key: BoundSortKey, _ hits: RowHits) throws -> [UInt64]? {
    // A column is computed for all rows of a batch, which pays only if most of them are sorted.
    guard let computed = ColumnExpression(key.value),
      hits.readers.reduce(0, { $0 + $1.batch.block.rowCount }) < 8 * hits.hits.count
    else { return nil }
    var columns: [Column] = []
    for reader in hits.readers {
      guard let column = try computed.column(in: reader) else { return nil }
      columns.append(column)
    }
    return computed.kind == .integer ? ofIntegers(columns, hits) : ofReals(columns, hits)
  }

  private static func ofSmallIntegers(_ columns: [Column], _ hits: RowHits) -> [UInt64] {
    unsafe columns.withRaw { raws in
      hits.hits.map { hit in
        let row = Int(hit.row)
        if unsafe raws[Int(hit.reader)].isNull(row) { return 0 }
        return unsafe UInt64(bitPattern: raws[Int(hit.reader)].integer(row)) ^ (1 << 63)
      }
    }
  }

  /// Returns `nil` if no number is left to represent null.
  private static func ofIntegers(_ columns: [Column], _ hits: RowHits) -> [UInt64]? {
    var hasNull = false
    var hasLeast = false
    let numbers = hits.hits.map { hit -> UInt64 in
      let column = columns[Int(hit.reader)]
      if column.isNull(Int(hit.row)) {
        hasNull = true
        return 0
      }
      let number = column.integer(at: Int(hit.row))
      if number == .min { hasLeast = true }
      return UInt64(bitPattern: number) ^ (1 << 63)
    }
    return hasNull && hasLeast ? nil : numbers
  }

  private static func ofReals(_ columns: [Column], _ hits: RowHits) -> [UInt64] {
    unsafe columns.withRaw { raws in
      hits.hits.map { hit in
        let row = Int(hit.row)
        if unsafe raws[Int(hit.reader)].isNull(row) { return 0 }
        return unsafe raws[Int(hit.reader)].double(row).orderedBits
      }
    }
  }

  /// Returns the position of each text in the sorted list of all distinct texts.
  private static func ofRepeatedTexts(_ columns: [Column], _ hits: RowHits) -> [UInt64] {
    var unifier = TextUnifier()
    // Each text of a dictionary that occurs is looked up once.
    var ids: [[Int32]] = Array(repeating: [], count: columns.count)
    var found = [Int32](repeating: -1, count: hits.hits.count)
    unsafe columns.withRaw { raws in
      for (index, hit) in hits.hits.enumerated() {
        let reader = Int(hit.reader)
        let row = Int(hit.row)
        if unsafe raws[reader].isNull(row) { continue }
        guard unsafe raws[reader].encoding == .dictionary else {
          unsafe found[index] = unifier.id(of: raws[reader].bytes(row))
          continue
        }
        let code = unsafe Int(raws[reader].integer(row))
        if ids[reader].isEmpty {
          unsafe ids[reader] = Array(repeating: -1, count: Int(raws[reader].dictionaryCount))
        }
        if ids[reader][code] < 0 {
          unsafe ids[reader][code] = unifier.id(of: raws[reader].heapBytes(code))
        }
        found[index] = ids[reader][code]
      }
    }
    let places = unifier.places
    return found.map { $0 < 0 ? 0 : UInt64(places[Int($0)]) + 1 }
  }

  /// Returns the first eight bytes of each text. Texts with the same first eight bytes are compared as a whole.
  private static func ofTexts(
    _ columns: [Column], _ hits: RowHits
  ) -> (numbers: [UInt64], compare: ((Int, Int) -> Order)?) {
    let rows = hits.hits
    let numbers = rows.map { hit -> UInt64 in
      let column = columns[Int(hit.reader)]
      if column.isNull(Int(hit.row)) { return 0 }
      return unsafe column.raw.bytes(Int(hit.row)).orderedWord(at: 0)
    }
    return (
      numbers,
      { left, right in
        let (one, two) = (rows[left], rows[right])
        let (a, b) = (columns[Int(one.reader)], columns[Int(two.reader)])
        let (i, j) = (Int(one.row), Int(two.row))
        if a.isNull(i) || b.isNull(j) { return Order(a.isNull(i) ? 0 : 1, b.isNull(j) ? 0 : 1) }
        return unsafe orderOfBytes(a.raw.bytes(i), b.raw.bytes(j))
      }
    )
  }

  // MARK: - Numbers of any values

  /// Returns the position of each value in the sorted list of all values, which are read for this purpose.
  private static func ofValues(
    _ key: BoundSortKey, _ hits: RowHits, _ interpreter: Interpreter
  ) throws -> [UInt64] {
    var values: [Operand] = []
    values.reserveCapacity(hits.hits.count)
    for hit in hits.hits {
      let value = try interpreter.value(key.value, for: hits.subject(hit))
      values.append(value.text.map { .value(.string($0.folded(key.options))) } ?? value)
    }
    let inLocale = key.options.intersection(.localeSensitive)
    let order = values.indices.sorted { left, right in
      let order = sortingOrder(values[left], values[right], inLocale)
      return order == .same ? left < right : order == .less
    }
    var numbers = [UInt64](repeating: 0, count: values.count)
    var number: UInt64 = 0
    for (place, index) in order.enumerated() {
      if place > 0, sortingOrder(values[order[place - 1]], values[index], inLocale) != .same {
        number += 1
      }
      numbers[index] = number
    }
    return numbers
  }
}

/// Returns the sorting order of two values: nulls come first, "not a number" comes last, and all other values are in
/// their usual order.
func sortingOrder(_ left: Operand, _ right: Operand, _ options: TextOptions) -> Order {
  if left.isNull || right.isNull { return Order(left.isNull ? 0 : 1, right.isNull ? 0 : 1) }
  if let order = order(left, right, options) { return order }
  func isOdd(_ operand: Operand) -> Int { operand.number?.isNaN == true ? 1 : 0 }
  if case .value(.object(let one)) = left, case .value(.object(let two)) = right {
    return Order(one, two)
  }
  return Order(isOdd(left), isOdd(right))
}

extension [Column] {
  /// Calls `body` with the raw columns, so that reading single values does not count references.
  func withRaw<R>(_ body: (UnsafeBufferPointer<RawColumn>) throws -> R) rethrows -> R {
    let raws = unsafe map { unsafe $0.raw }
    return try withExtendedLifetime(self) {
      unsafe try raws.withUnsafeBufferPointer { unsafe try body($0) }
    }
  }
}

extension Double {
  /// Bits with the same order as the numbers. Zero stands for no number; "not a number" is last.
  fileprivate var orderedBits: UInt64 {
    if isNaN { return .max }
    let bits = (self == 0 ? 0 : self).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }
}

extension [RowHits.Hit] {
  fileprivate mutating func cut(to most: Int) {
    if count > most { removeLast(count - most) }
  }
}

extension Array where Element: BitwiseCopyable {
  /// Sorts the elements, or only enough to determine the first `most` of them.
  fileprivate mutating func sort(first most: Int, by precedes: (Element, Element) -> Bool) {
    guard most < count / 8 else { return sort(by: precedes) }
    // A heap of the best elements so far, with the last of them on top. Most elements are rejected by one comparison
    // with it.
    var heap = Array(prefix(Swift.max(most, 0)))
    guard !heap.isEmpty else { return removeAll() }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) {
      heap.sink(index, precedes)
    }
    for element in dropFirst(heap.count) where precedes(element, heap[0]) {
      heap[0] = element
      heap.sink(0, precedes)
    }
    heap.sort(by: precedes)
    self = heap
  }

  private mutating func sink(_ start: Int, _ precedes: (Element, Element) -> Bool) {
    var index = start
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2] where child < count {
        if precedes(self[last], self[child]) { last = child }
      }
      if last == index { return }
      swapAt(index, last)
      index = last
    }
  }
}
