// SAFETY: Columns are read at rows of their own batches.

import Foundation
import ObjectModel
import Rows

/// An expression of numbers and dates that is computed for all rows of a batch at once.
///
/// The result is a column, so filters, groups, sums and sorts treat it like a column of a block. Each row has the same
/// value as with an ``Interpreter``. A batch in which a whole number overflows can't be a column, because its rows
/// have numbers of two kinds.
indirect enum ColumnExpression: Sendable {
  case column(LayoutColumn)
  case integer(Int64)
  case real(Double)
  case arithmetic(QueryExpression.Function, ColumnExpression, ColumnExpression)
  case rounded(QueryExpression.Function, ColumnExpression)
  case part(QueryExpression.Function, ColumnExpression, ZoneClock)
  case start(QueryExpression.CalendarUnit, ColumnExpression, ZoneClock)

  /// The kind of the result.
  enum Kind {
    case integer, real, date
  }

  /// Creates the expression; `nil` if it is a plain column or value, or contains a part that is not computed here.
  init?(_ expression: BoundExpression) {
    guard case .function = expression, let made = ColumnExpression(part: expression) else {
      return nil
    }
    self = made
  }

  private init?(part expression: BoundExpression) {
    switch expression {
    case .constant(.value(.integer(let number))): self = .integer(number)
    case .constant(.value(.double(let number))): self = .real(number)
    case .path(.this, let steps):
      guard steps.count == 1, case .attribute(let column) = steps[0] else { return nil }
      switch column.kind.content {
      case .boolean, .integer, .float, .double, .date: self = .column(column)
      default: return nil
      }
    case .function(let function, let arguments):
      self.init(function, arguments)
    default: return nil
    }
  }

  private init?(_ function: QueryExpression.Function, _ arguments: [BoundExpression]) {
    guard let first = arguments.first.flatMap({ ColumnExpression(part: $0) }) else { return nil }
    func clock(_ index: Int) -> ZoneClock? {
      index < arguments.count
        ? arguments[index].constant?.text.flatMap { ZoneClock(named: $0) } : .utc
    }
    switch function {
    case .add, .subtract, .multiply, .divide, .modulus:
      guard let second = ColumnExpression(part: arguments[1]), first.kind != .date,
        second.kind != .date
      else { return nil }
      self = .arithmetic(function, first, second)
    case .abs, .floor, .ceiling: self = .rounded(function, first)
    case .trunc, .round:
      if arguments.count == 1 {
        self = .rounded(function, first)
      } else if function == .trunc, first.kind == .date, let clock = clock(2),
        let unit = arguments[1].constant?.text.flatMap(QueryExpression.CalendarUnit.init(name:))
      {
        self = .start(unit, first, clock)
        return
      } else {
        return nil
      }
    case .year, .quarter, .month, .week, .day, .weekday, .hour, .minute, .second:
      guard first.kind == .date, let clock = clock(1) else { return nil }
      self = .part(function, first, clock)
      return
    default: return nil
    }
    if kind == .date || first.kind == .date { return nil }
  }

  var kind: Kind {
    switch self {
    case .column(let column):
      switch column.kind.content {
      case .boolean, .integer: .integer
      case .date: .date
      default: .real
      }
    case .integer, .part: .integer
    case .real: .real
    case .start: .date
    case .rounded(_, let inner): inner.kind
    case .arithmetic(_, let left, let right):
      left.kind == .integer && right.kind == .integer ? .integer : .real
    }
  }

  /// The range of a whole result; `nil` if a whole number may overflow on the way, or if the result is not whole.
  private var range: ClosedRange<Int64>? {
    switch self {
    case .column(let column): kind == .integer ? column.kind.integerRange : nil
    case .integer(let number): number...number
    case .real, .start: nil
    // A year has the most digits.
    case .part: -1_000_000_000...1_000_000_000
    case .rounded(let function, let inner):
      inner.range.flatMap { range in
        guard function == .abs else { return range }
        return range.lowerBound == .min
          ? nil : 0...max(Swift.abs(range.lowerBound), Swift.abs(range.upperBound))
      }
    case .arithmetic(let function, let left, let right):
      left.range.flatMap { left in
        right.range.flatMap { ColumnExpression.range(function, left, $0) }
      }
    }
  }

  private static func range(
    _ function: QueryExpression.Function, _ left: ClosedRange<Int64>, _ right: ClosedRange<Int64>
  ) -> ClosedRange<Int64>? {
    var ends: [Int64] = []
    for one in [left.lowerBound, left.upperBound] {
      for other in [right.lowerBound, right.upperBound] {
        let (end, isOver): (Int64, Bool)
        switch function {
        case .add: (end, isOver) = one.addingReportingOverflow(other)
        case .subtract: (end, isOver) = one.subtractingReportingOverflow(other)
        case .multiply: (end, isOver) = one.multipliedReportingOverflow(by: other)
        // A quotient and a rest are at most as far from zero as the dividend.
        case .divide, .modulus: (end, isOver) = (one == .min ? 0 : -one, one == .min)
        default: return nil
        }
        if isOver { return nil }
        ends.append(end)
      }
    }
    if function == .divide || function == .modulus { ends += [left.lowerBound, left.upperBound] }
    return ends.min()!...ends.max()!
  }

  /// Whether no whole number overflows in any batch.
  var cannotOverflow: Bool {
    switch self {
    case .column, .integer, .real: true
    case .part(_, let inner, _), .start(_, let inner, _): inner.cannotOverflow
    case .rounded(_, let inner): inner.cannotOverflow && (kind == .real || range != nil)
    case .arithmetic(_, let left, let right):
      left.cannotOverflow && right.cannotOverflow && (kind == .real || range != nil)
    }
  }

  /// The kind of the result's column.
  var columnKind: ColumnKind {
    switch kind {
    case .integer: .int64
    case .real: .double
    case .date: .date
    }
  }

  /// The numbers of the columns that the expression reads.
  var columns: Set<UInt16> {
    switch self {
    case .column(let column): [column.number]
    case .integer, .real: []
    case .arithmetic(_, let left, let right): left.columns.union(right.columns)
    case .rounded(_, let inner), .part(_, let inner, _), .start(_, let inner, _): inner.columns
    }
  }
}

extension ColumnExpression {
  /// Returns the value of every row of a batch; `nil` if the rows must be evaluated one by one.
  func column(in reader: BatchReader) throws -> Column? {
    guard let numbers = try numbers(in: reader) else { return nil }
    switch numbers.values {
    case .integers(let values):
      guard kind == .date else { return Column(integers: values, isNull: numbers.isNull) }
      return Column(reals: values.map(Double.init), isNull: numbers.isNull, areDates: true)
    case .reals(let values):
      return Column(reals: values, isNull: numbers.isNull, areDates: kind == .date)
    }
  }

  /// The values of all rows of a batch.
  private struct Numbers {
    enum Values {
      case integers([Int64])
      case reals([Double])
    }

    var values: Values
    /// Whether the value of each row is missing; `nil` if every row has one.
    var isNull: [Bool]?

    var reals: [Double] {
      switch values {
      case .integers(let numbers): numbers.map(Double.init)
      case .reals(let numbers): numbers
      }
    }

    /// Returns the rows that are null here or there.
    func nulls(with other: Numbers) -> [Bool]? {
      guard let isNull else { return other.isNull }
      guard let others = other.isNull else { return isNull }
      return zip(isNull, others).map { $0 || $1 }
    }
  }

  private func numbers(in reader: BatchReader) throws -> Numbers? {
    let count = reader.batch.block.rowCount
    switch self {
    case .column(let column):
      // The numbers of a block are read once; outside values are texts and bytes.
      return ColumnExpression.numbers(of: try reader.column(column))
    case .integer(let number):
      return Numbers(values: .integers(Array(repeating: number, count: count)))
    case .real(let number): return Numbers(values: .reals(Array(repeating: number, count: count)))
    case .arithmetic(let function, let left, let right):
      guard let left = try left.numbers(in: reader), let right = try right.numbers(in: reader)
      else {
        return nil
      }
      return ColumnExpression.arithmetic(function, left, right)
    case .rounded(let function, let inner):
      return try inner.numbers(in: reader).flatMap { ColumnExpression.rounded(function, $0) }
    case .part(let function, let inner, let clock):
      guard let numbers = try inner.numbers(in: reader) else { return nil }
      return ColumnExpression.seconds(numbers, clock) { second, offset, _ in
        CivilTime(second: second + offset).part(function)
      }
    case .start(let unit, let inner, let clock):
      guard let numbers = try inner.numbers(in: reader) else { return nil }
      return ColumnExpression.seconds(numbers, clock) { second, offset, clock in
        clock.isFixed
          ? CivilTime(second: second + offset).start(of: unit) - offset
          : clock.start(of: unit, at: second)
      }
    }
  }

  private static func numbers(of column: Column) -> Numbers {
    let rows = 0..<column.rowCount
    let isNull = column.hasNulls ? rows.map { column.isNull($0) } : nil
    return column.kind.family == .reals
      ? Numbers(values: .reals(rows.map { column.double(at: $0) }), isNull: isNull)
      : Numbers(values: .integers(rows.map { column.integer(at: $0) }), isNull: isNull)
  }

  // MARK: - Arithmetic

  private static func arithmetic(
    _ function: QueryExpression.Function, _ left: Numbers, _ right: Numbers
  ) -> Numbers? {
    var nulls = left.nulls(with: right)
    if case .integers(let ones) = left.values, case .integers(let others) = right.values {
      var results = ones
      var isOver = false
      for row in results.indices {
        let (result, over): (Int64, Bool)
        switch function {
        case .add: (result, over) = ones[row].addingReportingOverflow(others[row])
        case .subtract: (result, over) = ones[row].subtractingReportingOverflow(others[row])
        case .multiply: (result, over) = ones[row].multipliedReportingOverflow(by: others[row])
        case .divide, .modulus:
          if others[row] == 0 {
            if nulls == nil { nulls = Array(repeating: false, count: ones.count) }
            nulls![row] = true
            (result, over) = (0, false)
          } else if function == .divide {
            (result, over) = ones[row].dividedReportingOverflow(by: others[row])
          } else {
            (result, over) = (others[row] == -1 ? 0 : ones[row] % others[row], false)
          }
        default: return nil
        }
        // A row without a value has any number here.
        if over, nulls?[row] != true { isOver = true }
        results[row] = result
      }
      return isOver ? nil : Numbers(values: .integers(results), isNull: nulls)
    }
    let (ones, others) = (left.reals, right.reals)
    var results = ones
    for row in results.indices {
      let (one, other) = (ones[row], others[row])
      switch function {
      case .add: results[row] = one + other
      case .subtract: results[row] = one - other
      case .multiply: results[row] = one * other
      case .divide, .modulus:
        if other == 0 {
          if nulls == nil { nulls = Array(repeating: false, count: ones.count) }
          nulls![row] = true
        } else {
          results[row] = function == .divide ? one / other : fmod(one, other)
        }
      default: return nil
      }
    }
    return Numbers(values: .reals(results), isNull: nulls)
  }

  private static func rounded(_ function: QueryExpression.Function, _ numbers: Numbers) -> Numbers?
  {
    var numbers = numbers
    switch numbers.values {
    case .integers(let values):
      guard function == .abs else { return numbers }
      if values.contains(.min) { return nil }
      numbers.values = .integers(values.map { Swift.abs($0) })
    case .reals(let values):
      let rule: FloatingPointRoundingRule
      switch function {
      case .floor: rule = .down
      case .ceiling: rule = .up
      case .trunc: rule = .towardZero
      case .round: rule = .toNearestOrAwayFromZero
      default:
        numbers.values = .reals(values.map { Swift.abs($0) })
        return numbers
      }
      numbers.values = .reals(values.map { $0.rounded(rule) })
    }
    return numbers
  }

  // MARK: - Dates

  /// Returns a whole number for the second of each date.
  private static func seconds(
    _ numbers: Numbers, _ clock: ZoneClock, _ number: (Int64, Int64, ZoneClock) -> Int64
  ) -> Numbers? {
    guard case .reals(let dates) = numbers.values else {
      guard case .integers(let seconds) = numbers.values else { return nil }
      // The start of a unit is a whole second.
      return self.seconds(
        Numbers(values: .reals(seconds.map(Double.init)), isNull: numbers.isNull), clock, number)
    }
    var nulls = numbers.isNull
    var results = [Int64](repeating: 0, count: dates.count)
    var offsets = ZoneOffsets(clock)
    for row in dates.indices where nulls?[row] != true {
      guard let second = CivilTime.second(of: dates[row]) else {
        if nulls == nil { nulls = Array(repeating: false, count: dates.count) }
        nulls![row] = true
        continue
      }
      results[row] = number(second, offsets.offset(at: second), clock)
    }
    return Numbers(values: .integers(results), isNull: nulls)
  }
}

/// The differences of a zone to UTC, remembered by days: most days have one difference, and asking for it is slow.
private struct ZoneOffsets {
  private let clock: ZoneClock
  private var days: [Int64: Int64?] = [:]

  init(_ clock: ZoneClock) { self.clock = clock }

  mutating func offset(at second: Int64) -> Int64 {
    if clock.isFixed { return clock.offset(at: second) }
    let day = second.flooredDay
    if let known = days[day] { return known ?? clock.offset(at: second) }
    let start = clock.offset(at: day * CivilTime.secondsOfDay)
    let end = clock.offset(at: (day + 1) * CivilTime.secondsOfDay)
    // In a day with a change, each moment is asked for.
    days[day] = .some(start == end ? start : nil)
    return start == end ? start : clock.offset(at: second)
  }
}

extension Int64 {
  fileprivate var flooredDay: Int64 {
    let day = self / CivilTime.secondsOfDay
    return self % CivilTime.secondsOfDay < 0 ? day - 1 : day
  }
}
