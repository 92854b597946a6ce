import Foundation
import ObjectModel
import Rows
import Testing

@Suite("Sums of columns")
struct SumTests {
  /// Returns a column of the given values.
  private static func column(_ kind: ColumnKind, _ values: [Value]) throws -> Column {
    let layout = Layout(
      entity: "Number", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "number", kind: kind)])
    let draft = Draft(layout, role: .insertions)
    for (row, value) in values.enumerated() {
      draft.append(key: UInt64(row + 1))
      draft.set(value, column: 0, row: row)
    }
    return try #require(try draft.freeze()[0].column(1))
  }

  @Test(
    "The sum of integers is the sum of the rows, for each width of the numbers",
    arguments: [0, 200, 60_000, 1 << 30, 1 << 40], [false, true])
  func integers(_ spread: Int64, _ hasNulls: Bool) throws {
    let numbers = (0..<1000).map { Int64($0) &* 7_654_321 % (spread + 1) - 3 }
    let isNull = { (row: Int) in hasNulls && row % 5 == 0 }
    let values = numbers.indices.map { isNull($0) ? .null : Value.integer(numbers[$0]) }

    let sum = try Self.column(.int64, values).integerSum()

    #expect(sum == numbers.indices.reduce(0) { isNull($1) ? $0 : $0 + numbers[$1] })
  }

  @Test("The sum of integers on a line is the sum of the rows")
  func line() throws {
    let sum = try Self.column(.int64, (0..<1000).map { .integer(5 - 3 * Int64($0)) }).integerSum()

    #expect(sum == 5 * 1000 - 3 * 499_500)
  }

  @Test(
    "The sum of floating-point numbers is the sum of the rows",
    arguments: [ColumnKind.double, .float, .date], [false, true])
  func reals(_ kind: ColumnKind, _ hasNulls: Bool) throws {
    for isFraction in [false, true] {
      let numbers = (0..<1000).map { isFraction ? Double($0) / 100 : (Double($0) * 7).squareRoot() }
      let isNull = { (row: Int) in hasNulls && row % 5 == 0 }
      let values: [Value] = numbers.indices.map { row in
        if isNull(row) { return .null }
        return switch kind {
        case .float: .float(Float(numbers[row]))
        case .date: .date(Date(timeIntervalSinceReferenceDate: numbers[row]))
        default: .double(numbers[row])
        }
      }

      let sum = try Self.column(kind, values).doubleSum()

      let expected = numbers.indices.reduce(0.0) { isNull($1) ? $0 : $0 + numbers[$1] }
      #expect(abs(sum - expected) < (kind == .float ? 0.01 : 1e-6))
    }
  }
}
