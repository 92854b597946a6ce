import Foundation
import ObjectModel
import Rows
import SeededRandom
import TestEffort

/// Returns a new seed for each run, or the seed that the environment names.
func freshSeed() -> UInt64 { Effort.seed ?? .random(in: 1...999_999) }

enum Sample {
  /// A layout with two columns of every kind, one required and one optional.
  static let layout: Layout = {
    var columns: [LayoutColumn] = []
    for kind in ColumnKind.allCases {
      let number = UInt16(kind.rawValue) * 2
      columns.append(
        LayoutColumn(number: number, name: "\(kind)", kind: kind, isOptional: false))
      columns.append(LayoutColumn(number: number + 1, name: "\(kind)?", kind: kind))
    }
    return Layout(entity: "Everything", entityNumber: 7, columns: columns)
  }()

  /// Returns a value of the given kind: often plain, sometimes extreme.
  static func value(
    of kind: ColumnKind, isOptional: Bool, using generator: inout SeededGenerator
  ) -> Value {
    if isOptional, Int.random(in: 0..<4, using: &generator) == 0 { return .null }
    let extreme = Int.random(in: 0..<16, using: &generator) == 0
    switch kind {
    case .boolean: return .boolean(Bool.random(using: &generator))
    case .int16: return .integer(Int64(integer(Int16.self, extreme, &generator)))
    case .int32: return .integer(Int64(integer(Int32.self, extreme, &generator)))
    case .int64: return .integer(integer(Int64.self, extreme, &generator))
    case .float:
      return .float(
        extreme
          ? [Float.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude].randomElement(
            using: &generator)! : Float(Int.random(in: -500...500, using: &generator)) / 10)
    case .double: return .double(double(extreme, &generator))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(extreme, &generator)))
    case .decimal:
      return .decimal(
        extreme
          ? Decimal(string: "-123456789012345678901234567890.12345678")!
          : Decimal(Int.random(in: -9999...9999, using: &generator)) / 100)
    case .string: return .string(text(extreme, &generator))
    case .uri: return .uri("https://example.org/" + text(extreme, &generator))
    case .binary:
      return .binary(
        Data(
          (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }))
    case .uuid:
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return .uuid(
        UUID(
          uuid: (
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
            bytes[8],
            bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
          )))
    case .reference:
      return .object(
        ObjectKey(
          entity: 3,
          number: UInt64.random(
            in: 1...(extreme ? ObjectKey.highestNumber : 900), using: &generator)))
    }
  }

  private static func integer<T: FixedWidthInteger>(
    _: T.Type, _ extreme: Bool, _ generator: inout SeededGenerator
  ) -> T {
    extreme
      ? [T.min, T.max, 0, T(truncatingIfNeeded: -1)].randomElement(using: &generator)!
      : T(Int.random(in: -100...100, using: &generator))
  }

  private static func double(_ extreme: Bool, _ generator: inout SeededGenerator) -> Double {
    extreme
      ? [Double.infinity, -0.0, .pi, .leastNonzeroMagnitude, 1e300, 0.1 + 0.2].randomElement(
        using: &generator)!
      : Double(Int.random(in: -100_000...100_000, using: &generator)) / 100
  }

  private static func text(_ extreme: Bool, _ generator: inout SeededGenerator) -> String {
    if extreme {
      return ["", "🚂", "e\u{301}tude", String(repeating: "straße ", count: 9), "\0", "日本"]
        .randomElement(using: &generator)!
    }
    return ["Ada", "Grace", "Lisbon", "Porto", "a rather longer line of text than the others"]
      .randomElement(using: &generator)!
      + (Bool.random(using: &generator) ? "" : "\(Int.random(in: 0..<50, using: &generator))")
  }

  /// Returns the empty or the lowest value of a kind, and the largest one.
  static func bounds(of kind: ColumnKind) -> (empty: Value, greatest: Value) {
    switch kind {
    case .boolean: (.boolean(false), .boolean(true))
    case .int16, .int32, .int64:
      (.integer(kind.integerRange.lowerBound), .integer(kind.integerRange.upperBound))
    case .float: (.float(-.infinity), .float(.greatestFiniteMagnitude))
    case .double: (.double(-.infinity), .double(.greatestFiniteMagnitude))
    case .date:
      (
        .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude))
      )
    case .decimal: (.decimal(0), .decimal(Decimal(string: String(repeating: "9", count: 38))!))
    case .string: (.string(""), .string(String(repeating: "\u{10FFFF}", count: 75)))
    case .uri: (.uri(""), .uri(String(repeating: "z", count: 300)))
    case .binary: (.binary(Data()), .binary(Data(repeating: 0xFF, count: 300)))
    case .uuid:
      (
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
        .uuid(
          UUID(
            uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)))
      )
    case .reference:
      (
        .object(ObjectKey(entity: 1, number: 1)),
        .object(ObjectKey(entity: .max, number: ObjectKey.highestNumber))
      )
    }
  }

  /// Returns a draft of random rows, and the values of the draft. The values of each column have the pattern, or a random
  /// one each.
  static func insertions(
    _ count: Int, layout: Layout = layout, firstKey: UInt64 = 1, consecutive: Bool = false,
    pattern: ValuePattern? = nil, using generator: inout SeededGenerator
  ) -> (draft: Draft, rows: [(key: UInt64, values: [Value])]) {
    let draft = Draft(layout, role: .insertions)
    var rows: [(key: UInt64, values: [Value])] = []
    var key = firstKey
    let patterns = layout.columns.map { column in
      (
        pattern ?? ValuePattern.random(using: &generator), bounds(of: column.kind),
        same: value(of: column.kind, isOptional: false, using: &generator)
      )
    }
    for _ in 0..<count {
      let row = draft.append(key: key)
      let values = layout.columns.enumerated().map { index, column in
        let (pattern, (empty, greatest), same) = patterns[index]
        let value =
          pattern.value(empty: empty, greatest: greatest, same: same) {
            Sample.value(of: column.kind, isOptional: column.isOptional, using: &generator)
          } ?? (column.isOptional ? .null : empty)
        draft.set(value, column: index, row: row)
        return value
      }
      rows.append((key, values))
      key += consecutive ? 1 : UInt64.random(in: 1...9, using: &generator)
    }
    return (draft, rows)
  }
}

extension Block {
  /// Returns every row's values in the order of a layout's columns, in a slow and simple way.
  func allValues(_ layout: Layout) throws -> [(key: UInt64, values: [Value])] {
    let columns = try layout.columns.map { try column($0.number) }
    let keys = try keys
    return (0..<rowCount).map { row in
      (
        UInt64(keys.integer(at: row)),
        zip(columns, layout.columns).map { $0?.value(at: row) ?? $1.defaultValue }
      )
    }
  }
}

/// Returns whether two values have the same bits. Minus zero differs from zero.
func isSame(_ left: Value, _ right: Value) -> Bool {
  switch (left, right) {
  case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
  case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
  case (.date(let a), .date(let b)):
    a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
  default: left == right
  }
}
