// SAFETY: Columns are read at rows of their own batches.

import Foundation
import ObjectModel
import Rows

/// The groups of the rows found: which group each row belongs to, and what was computed of each.
struct Grouping {
  /// How many groups there are.
  private(set) var count = 0
  private var keys: [GroupKey] = []
  /// For each group the number of its value in each key.
  private var members: [[Int32]] = []
  private var aggregates: [[Operand]] = []

  init(_ plan: TablePlan, _ hits: RowHits, _ interpreter: Interpreter) throws {
    keys = plan.groupKeys.map(GroupKey.init)
    let groups = try assign(hits, interpreter)
    // Without anything to group by all rows are one group, even when there are none.
    if keys.isEmpty { count = 1 }
    for aggregate in plan.aggregates {
      aggregates.append(
        try AggregateValues(aggregate, hits, groups, count, interpreter).results)
    }
  }

  /// What is known of a group.
  func values(of group: Int) -> GroupValues {
    GroupValues(
      keys: keys.indices.map { keys[$0].value(members[group][$0]) },
      aggregates: aggregates.map { $0[group] })
  }

  /// The group of each row, in the order of the groups' first rows.
  private mutating func assign(_ hits: RowHits, _ interpreter: Interpreter) throws -> [Int32] {
    var groups = [Int32](repeating: 0, count: hits.hits.count)
    for index in keys.indices {
      let numbers = try keys[index].numbers(hits, interpreter)
      if index == 0 {
        groups = numbers
        members = (0..<keys[0].count).map { [Int32($0)] }
        count = keys[0].count
        continue
      }
      var known: [UInt64: Int32] = [:]
      var joined: [[Int32]] = []
      for row in groups.indices {
        let pair = UInt64(groups[row]) << 32 | UInt64(numbers[row])
        if let group = known[pair] {
          groups[row] = group
        } else {
          joined.append(members[Int(groups[row])] + [numbers[row]])
          known[pair] = Int32(joined.count - 1)
          groups[row] = Int32(joined.count - 1)
        }
      }
      members = joined
      count = joined.count
    }
    return groups
  }
}

/// What is known of one group.
struct GroupValues {
  let keys: [Operand]
  let aggregates: [Operand]
}

/// One thing that groups are made by: each different value has a number.
private struct GroupKey {
  private let expression: BoundExpression
  private var texts = TextUnifier()
  private var others: [Operand] = []
  private var isText = false
  private var nullNumber: Int32?
  /// Numbers given so far, which stand for texts, or for `others`.
  private(set) var count = 0
  /// For each number the position of its text.
  private var textIDs: [Int32] = []

  init(_ expression: BoundExpression) { self.expression = expression }

  func value(_ number: Int32) -> Operand {
    if number == nullNumber { return .null }
    return isText
      ? .value(.string(texts.text(Int(textIDs[Int(number)])))) : others[Int(number)]
  }

  /// The number of each row's value.
  mutating func numbers(_ hits: RowHits, _ interpreter: Interpreter) throws -> [Int32] {
    if let steps = expression.ownSteps, steps.count == 1, let column = steps[0].plainColumn {
      let columns = try hits.readers.map { try $0.column(column) }
      switch column.kind {
      case .string: return numbers(ofTexts: columns, hits)
      case .boolean, .int16, .int32, .int64, .reference:
        return numbers(ofIntegers: columns, hits)
      default: break
      }
    }
    var known: [Operand: Int32] = [:]
    var numbers: [Int32] = []
    numbers.reserveCapacity(hits.hits.count)
    for hit in hits.hits {
      let value = try interpreter.value(expression, for: hits.subject(hit))
      numbers.append(
        known[value]
          ?? {
            known[value] = Int32(others.count)
            others.append(value)
            return Int32(others.count - 1)
          }())
    }
    count = others.count
    return numbers
  }

  private mutating func numberOfNull() -> Int32 {
    if let nullNumber { return nullNumber }
    nullNumber = Int32(count)
    if isText { textIDs.append(-1) } else { others.append(.null) }
    count += 1
    return nullNumber!
  }

  private mutating func numbers(ofTexts columns: [Column], _ hits: RowHits) -> [Int32] {
    isText = true
    var numberOfID: [Int32] = []
    var numbers = [Int32](repeating: 0, count: hits.hits.count)
    // Where a block keeps each text once, each is looked up once for the block.
    var codes: [Int32] = []
    var reader = -1
    for (index, hit) in hits.hits.enumerated() {
      let column = columns[Int(hit.reader)]
      let row = Int(hit.row)
      if Int(hit.reader) != reader {
        reader = Int(hit.reader)
        codes = Array(repeating: -1, count: column.isDictionary ? column.dictionaryCount : 0)
      }
      if column.hasNulls, column.isNull(row) {
        numbers[index] = numberOfNull()
        continue
      }
      let code = column.isDictionary ? column.dictionaryCode(at: row) : -1
      if code >= 0, codes[code] >= 0 {
        numbers[index] = codes[code]
        continue
      }
      let id = unsafe Int(
        texts.id(of: code >= 0 ? column.dictionaryBytes(code) : column.raw.bytes(row)))
      while numberOfID.count <= id { numberOfID.append(-1) }
      if numberOfID[id] < 0 {
        numberOfID[id] = Int32(count)
        textIDs.append(Int32(id))
        count += 1
      }
      numbers[index] = numberOfID[id]
      if code >= 0 { codes[code] = numberOfID[id] }
    }
    return numbers
  }

  private mutating func numbers(ofIntegers columns: [Column], _ hits: RowHits) -> [Int32] {
    var small = [Int32](repeating: -1, count: 1 << 16)
    var large: [Int64: Int32] = [:]
    var numbers = [Int32](repeating: 0, count: hits.hits.count)
    for (index, hit) in hits.hits.enumerated() {
      let column = columns[Int(hit.reader)]
      let row = Int(hit.row)
      if column.isNull(row) || column.kind == .reference && column.integer(at: row) == 0 {
        numbers[index] = numberOfNull()
        continue
      }
      let value = column.integer(at: row)
      let isSmall = value >= 0 && value < 1 << 16
      var number = isSmall ? small[Int(value)] : large[value] ?? -1
      if number < 0 {
        number = Int32(count)
        others.append(.value(column.value(at: row)))
        count += 1
        if isSmall { small[Int(value)] = number } else { large[value] = number }
      }
      numbers[index] = number
    }
    return numbers
  }
}

extension PathStep {
  /// The column of an attribute or a to-one relationship.
  fileprivate var plainColumn: LayoutColumn? {
    switch self {
    case .attribute(let column), .toOne(let column, _): column
    default: nil
    }
  }
}

/// One aggregate of all groups.
private struct AggregateValues {
  private(set) var results: [Operand] = []

  init(
    _ aggregate: Aggregate, _ hits: RowHits, _ groups: [Int32], _ count: Int,
    _ interpreter: Interpreter
  ) throws {
    if case .this = aggregate.argument, aggregate.function == .count {
      results = AggregateValues.sizes(groups, count).map { .value(.integer($0)) }
    } else if let steps = aggregate.argument.ownSteps, steps.count == 1,
      case .attribute(let column) = steps[0], aggregate.function.addsUp,
      column.kind.isPlainNumber
    {
      let columns = try hits.readers.map { try $0.column(column) }
      results = AggregateValues.sums(
        aggregate.function, column.kind, columns, hits, groups, count)
    } else {
      var values = [[Operand]](repeating: [], count: count)
      for (index, hit) in hits.hits.enumerated() {
        let value = try interpreter.value(aggregate.argument, for: hits.subject(hit))
        if !value.isNull { values[Int(groups[index])].append(value) }
      }
      results = values.map { interpreter.compute(aggregate.function, [.list($0)]) }
    }
  }

  private static func sizes(_ groups: [Int32], _ count: Int) -> [Int64] {
    var sizes = [Int64](repeating: 0, count: count)
    for group in groups { sizes[Int(group)] += 1 }
    return sizes
  }

  /// Counts, sums and means of a column of numbers.
  private static func sums(
    _ function: QueryExpression.Function, _ kind: ColumnKind, _ columns: [Column], _ hits: RowHits,
    _ groups: [Int32], _ count: Int
  ) -> [Operand] {
    var sizes = [Int64](repeating: 0, count: count)
    var wholes = [Int64](repeating: 0, count: count)
    var reals = [Double](repeating: 0, count: count)
    let isWhole = kind.family == .integers
    // A sum of numbers of 32 bits never leaves 64; larger ones are added as both kinds.
    let mayOverflow = kind == .int64
    var overflowed = [Bool](repeating: false, count: mayOverflow ? count : 0)
    for (index, hit) in hits.hits.enumerated() {
      let column = columns[Int(hit.reader)]
      let row = Int(hit.row)
      let group = Int(groups[index])
      if column.hasNulls, column.isNull(row) { continue }
      sizes[group] += 1
      if isWhole {
        let value = column.integer(at: row)
        if mayOverflow {
          let (sum, isOver) = wholes[group].addingReportingOverflow(value)
          wholes[group] = sum
          if isOver { overflowed[group] = true }
          reals[group] += Double(value)
        } else {
          wholes[group] &+= value
        }
      } else {
        reals[group] += column.double(at: row)
      }
    }
    return (0..<count).map { group in
      let isReal = !isWhole || mayOverflow && overflowed[group]
      let sum: Number = isReal ? .double(reals[group]) : .integer(wholes[group])
      switch function {
      case .count: return .value(.integer(sizes[group]))
      case .sum: return .value(sizes[group] == 0 ? .integer(0) : sum.value)
      default:
        return sizes[group] == 0
          ? .null : .value(Number.quotient(sum, Int(sizes[group])).value)
      }
    }
  }
}

extension QueryExpression.Function {
  /// Whether it needs no more than a count and a sum.
  fileprivate var addsUp: Bool { self == .count || self == .sum || self == .average }
}

extension ColumnKind {
  fileprivate var isPlainNumber: Bool {
    switch self {
    case .boolean, .int16, .int32, .int64, .float, .double: true
    default: false
    }
  }
}
