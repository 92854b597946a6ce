// SAFETY: Columns are read at rows of their own batches, and `numbers` has an element for each kept row.

import Foundation
import ObjectModel
import Rows

/// One grouping key, with a number for each distinct value.
struct GroupKey {
  private let expression: BoundExpression
  private let column: LayoutColumn?
  private let computed: ColumnExpression?
  private var texts = TextUnifier()
  private var dictionaries = DictionaryMatcher()
  private var others: [Operand] = []
  private var nullNumber: Int32?
  private var small = [Int32](repeating: -1, count: 1 << 12)
  private var large: [Int64: Int32] = [:]
  private var known: [Operand: Int32] = [:]

  init(_ expression: BoundExpression) {
    self.expression = expression
    column = expression.ownSteps.flatMap { $0.count == 1 ? $0[0].plainColumn : nil }
    computed = ColumnExpression(expression)
  }

  private var isText: Bool { column?.kind == .string }

  /// The number of assigned value numbers. Some of them may belong to no row.
  var count: Int { isText ? texts.count + 1 : others.count }

  func value(_ number: Int32) -> Operand {
    guard isText else { return others[Int(number)] }
    return number == GroupKey.noText ? .null : .value(.string(texts.text(Int(number) - 1)))
  }

  /// The number of a missing text. The number of a text is one more than its position among all texts.
  private static let noText: Int32 = 0

  /// Writes the number of each kept row's value.
  mutating func number(
    _ kept: KeptRows, into numbers: UnsafeMutableBufferPointer<Int32>, _ interpreter: Interpreter
  ) throws {
    if let column {
      switch column.kind.content {
      case .string:
        return unsafe number(texts: try kept.reader.column(column), kept, into: numbers)
      case .boolean, .integer, .object:
        return unsafe number(integers: try kept.reader.column(column), kept, into: numbers)
      default: break
      }
    }
    // A number may be whole in one batch and not in another, so the numbers of both have one table.
    if let computed, let column = try computed.column(in: kept.reader) {
      switch computed {
      case .part: return unsafe number(integers: column, kept, into: numbers)
      case .start: return unsafe number(seconds: column, kept, into: numbers)
      default: break
      }
      for place in numbers.indices {
        unsafe numbers[place] = number(of: .value(column.value(at: kept[place])))
      }
      return
    }
    for place in numbers.indices {
      let value = try interpreter.value(expression, for: kept.reader.subject(kept[place]))
      unsafe numbers[place] = number(of: value)
    }
  }

  private mutating func number(of value: Operand) -> Int32 {
    if let number = known[value] { return number }
    let number = Int32(others.count)
    known[value] = number
    others.append(value)
    return number
  }

  private mutating func numberOfNull() -> Int32 {
    if let nullNumber { return nullNumber }
    nullNumber = Int32(others.count)
    others.append(.null)
    return nullNumber!
  }

  private mutating func number(
    texts column: Column, _ kept: KeptRows, into numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    guard unsafe !column.raw.isNothing else {
      return unsafe numbers.update(repeating: GroupKey.noText)
    }
    guard column.isDictionary else {
      for place in numbers.indices {
        let row = kept[place]
        unsafe numbers[place] =
          column.isNull(row) ? GroupKey.noText : texts.id(of: column.raw.bytes(row)) + 1
      }
      return
    }
    // Each text of the batch is looked up once.
    let ids = unsafe dictionaries.ids(of: column.raw, &texts)
    unsafe ids.withUnsafeBufferPointer { ids in
      // SAFETY: Codes were verified to be below the dictionary's count.
      if kept.areAll, !column.hasNulls, unsafe column.raw.width == 2, unsafe column.raw.base == 0,
        let data = unsafe column.raw.data
      {
        for place in numbers.indices {
          let code = unsafe data.loadUnaligned(fromByteOffset: place &* 2, as: UInt16.self)
          unsafe numbers[place] = ids[Int(code)] &+ 1
        }
        return
      }
      for place in numbers.indices {
        let row = kept[place]
        unsafe numbers[place] =
          column.isNull(row) ? GroupKey.noText : ids[column.dictionaryCode(at: row)] + 1
      }
    }
  }

  /// Numbers dates of whole seconds, of which there are few: the starts of units of the calendar.
  private mutating func number(
    seconds column: Column, _ kept: KeptRows, into numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    for place in numbers.indices {
      let row = kept[place]
      guard !column.isNull(row) else {
        unsafe numbers[place] = numberOfNull()
        continue
      }
      let second = Int64(column.double(at: row))
      if let number = large[second] {
        unsafe numbers[place] = number
      } else {
        large[second] = Int32(others.count)
        unsafe numbers[place] = Int32(others.count)
        others.append(.value(column.value(at: row)))
      }
    }
  }

  private mutating func number(
    integers column: Column, _ kept: KeptRows, into numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    unsafe kept.withIntegers(of: column) { integers in
      for place in numbers.indices {
        let value = unsafe integers[place]
        if column.hasNulls || column.kind == .reference && value == 0,
          column.isNull(kept[place]) || column.kind == .reference && value == 0
        {
          unsafe numbers[place] = numberOfNull()
          continue
        }
        let isSmall = value >= 0 && value < small.count
        var number = isSmall ? small[Int(value)] : large[value] ?? -1
        if number < 0 {
          number = Int32(others.count)
          others.append(.value(column.value(at: kept[place])))
          if isSmall { small[Int(value)] = number } else { large[value] = number }
        }
        unsafe numbers[place] = number
      }
    }
  }
}

extension PathStep {
  /// The column of an attribute or a to-one relationship.
  var plainColumn: LayoutColumn? {
    switch self {
    case .attribute(let column), .toOne(let column, _): column
    default: nil
    }
  }
}
