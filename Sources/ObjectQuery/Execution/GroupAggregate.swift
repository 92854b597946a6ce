// SAFETY: Every group number is below the number of groups, and the sums have an element for each group.

import Foundation
import ObjectModel
import Rows

/// One value that is computed from all rows of each group.
struct GroupAggregate {
  private let aggregate: Aggregate
  /// The column of numbers, if the function only needs their count and sum.
  private let column: Source?
  private let countsRows: Bool
  private var wholes: [Int64] = []
  private var reals: [Double] = []
  /// The number of rows without a value in each group.
  private var nulls: [Int64] = []
  private var overflowed: [Bool] = []
  private var values: [[Operand]] = []

  /// A column of a block, or a column that is computed from columns of a block.
  private enum Source {
    case plain(LayoutColumn)
    case computed(ColumnExpression)

    var kind: ColumnKind {
      switch self {
      case .plain(let column): column.kind
      case .computed(let expression): expression.columnKind
      }
    }

    func column(in reader: BatchReader) throws -> Column {
      switch self {
      case .plain(let column): return try reader.column(column)
      case .computed(let expression):
        guard let column = try expression.column(in: reader) else {
          preconditionFailure("An expression that can't overflow must have a column.")
        }
        return column
      }
    }
  }

  init(_ aggregate: Aggregate) {
    self.aggregate = aggregate
    if case .this = aggregate.argument, aggregate.function == .count {
      (column, countsRows) = (nil, true)
      return
    }
    countsRows = false
    if let steps = aggregate.argument.ownSteps, steps.count == 1,
      case .attribute(let column) = steps[0], aggregate.function.addsUp, column.kind.isPlainNumber
    {
      self.column = .plain(column)
    } else if aggregate.function.addsUp, let computed = ColumnExpression(aggregate.argument),
      computed.kind != .date, computed.cannotOverflow
    {
      column = .computed(computed)
    } else {
      column = nil
    }
  }

  /// Adds the kept rows of a batch to their groups.
  mutating func add(
    _ kept: KeptRows, _ numbers: UnsafeMutableBufferPointer<Int32>, _ groupCount: Int,
    _ interpreter: Interpreter
  ) throws {
    if countsRows { return }
    guard let column else {
      while values.count < groupCount { values.append([]) }
      for place in numbers.indices {
        let value = try interpreter.value(
          aggregate.argument, for: kept.reader.subject(kept[place]))
        if !value.isNull { unsafe values[Int(numbers[place])].append(value) }
      }
      return
    }
    grow(to: groupCount, column.kind)
    let values = try column.column(in: kept.reader)
    if column.kind.family == .reals {
      unsafe add(reals: values.raw, hasNulls: values.hasNulls, kept, numbers)
    } else if column.kind != .int64, kept.areAll, !values.hasNulls,
      unsafe values.raw.encoding == .integer,
      unsafe values.raw.width == 1, let data = unsafe values.raw.data
    {
      // The usual case of small numbers has its own loop, which writes only the sums.
      let base = unsafe values.raw.base
      let step = unsafe values.raw.step
      unsafe wholes.withUnsafeMutableBufferPointer { wholes in
        for place in numbers.indices {
          let value =
            unsafe base &+ step &* Int64(place)
            &+ Int64(
              data.load(fromByteOffset: place, as: UInt8.self))
          unsafe wholes[Int(numbers[place])] &+= value
        }
      }
    } else {
      unsafe kept.withIntegers(of: values) { integers in
        unsafe add(integers, values, kept, numbers)
      }
    }
  }

  private mutating func grow(to count: Int, _ kind: ColumnKind) {
    let missing = count - nulls.count
    guard missing > 0 else { return }
    nulls.append(contentsOf: repeatElement(0, count: missing))
    wholes.append(contentsOf: repeatElement(0, count: missing))
    if kind.family == .reals || kind == .int64 {
      reals.append(contentsOf: repeatElement(0, count: missing))
      overflowed.append(contentsOf: repeatElement(false, count: missing))
    }
  }

  private mutating func add(
    reals column: RawColumn, hasNulls: Bool, _ kept: KeptRows,
    _ numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    // What is the same for all rows is read before the loop, because a comparison of kinds is a call.
    let isScaled = unsafe column.encoding == .scaled
    let isFloat = unsafe column.kind == .float
    let (data, width, base) = unsafe (column.data, column.width, column.base)
    let (step, divisor) = unsafe (column.step, column.divisor)
    unsafe reals.withUnsafeMutableBufferPointer { reals in
      unsafe nulls.withUnsafeMutableBufferPointer { nulls in
        for place in numbers.indices {
          let row = kept[place]
          let group = unsafe Int(numbers[place])
          if hasNulls, unsafe column.isNull(row) {
            unsafe nulls[group] += 1
          } else if isScaled {
            let number = unsafe RawColumn.decode(data, width: width, base: base, step: step, row)
            let quotient = Double(number) / divisor
            unsafe reals[group] += isFloat ? Double(Float(quotient)) : quotient
          } else {
            unsafe reals[group] += column.double(row)
          }
        }
      }
    }
  }

  private mutating func add(
    _ integers: UnsafeMutableBufferPointer<Int64>, _ column: Column, _ kept: KeptRows,
    _ numbers: UnsafeMutableBufferPointer<Int32>
  ) {
    if column.kind == .int64 {
      for place in numbers.indices {
        let group = unsafe Int(numbers[place])
        if column.isNull(kept[place]) {
          nulls[group] += 1
          continue
        }
        let (sum, isOver) = unsafe wholes[group].addingReportingOverflow(integers[place])
        wholes[group] = sum
        if isOver { overflowed[group] = true }
        unsafe reals[group] += Double(integers[place])
      }
      return
    }
    // Sums of 32-bit numbers always fit in 64 bits.
    if column.hasNulls {
      for place in numbers.indices where column.isNull(kept[place]) {
        unsafe nulls[Int(numbers[place])] += 1
        unsafe integers[place] = 0
      }
    }
    unsafe wholes.withUnsafeMutableBufferPointer { wholes in
      for place in numbers.indices {
        unsafe wholes[Int(numbers[place])] &+= integers[place]
      }
    }
  }

  /// Returns the value of one group with the given number of rows.
  func result(_ group: Int, _ size: Int64, _ interpreter: Interpreter) -> Operand {
    if countsRows { return .value(.integer(size)) }
    guard let column else {
      let values = group < values.count ? values[group] : []
      return interpreter.compute(aggregate.function, [.list(values)])
    }
    guard group < nulls.count, size > nulls[group] else {
      return aggregate.function == .average ? .null : .value(.integer(0))
    }
    let count = size - nulls[group]
    let isReal = column.kind.family == .reals || column.kind == .int64 && overflowed[group]
    let sum: Number = isReal ? .double(reals[group]) : .integer(wholes[group])
    switch aggregate.function {
    case .count: return .value(.integer(count))
    case .sum: return .value(sum.value)
    default: return .value(Number.quotient(sum, Int(count)).value)
    }
  }
}

extension QueryExpression.Function {
  /// Whether the function needs only a count and a sum.
  fileprivate var addsUp: Bool { self == .count || self == .sum || self == .average }
}

extension ColumnKind {
  fileprivate var isPlainNumber: Bool { isWhole || self == .float || self == .double }
}
