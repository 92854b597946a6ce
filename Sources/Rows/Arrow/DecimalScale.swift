import Foundation
import ObjectModel

/// The number of digits after the point that all numbers of a decimal column have room for in Arrow's decimal numbers of 128
/// bits, which have 38 digits.
package struct DecimalScale {
  private var fraction = 0
  private var whole = 0
  private var fits = true

  /// Finds the scale of all rows of a column. Their values are not kept in memory.
  ///
  /// - Throws: The error of a damaged block.
  package init(of column: LayoutColumn, _ layout: Layout, in view: View) throws {
    for batch in try view.batches(of: layout) {
      if let values = try batch.block.withoutLoadedColumns().column(column) { add(values) }
    }
  }

  /// Finds the scale of some values. Missing values fit.
  init(of values: some Sequence<Value>) {
    for value in values where fits && !value.isNull { add(value) }
  }

  /// Adds the numbers of a column.
  private mutating func add(_ column: Column) {
    for row in 0..<column.rowCount where fits && !column.isNull(row) { add(column.value(at: row)) }
  }

  private mutating func add(_ value: Value) {
    guard case .decimal(let number) = value, let parts = DecimalParts(number) else {
      fits = false
      return
    }
    let digits = String(parts.magnitude).count
    fraction = max(fraction, -Int(parts.exponent))
    whole = max(whole, digits + Int(parts.exponent))
    if whole + fraction > RecordForm.digitCount { fits = false }
  }

  /// Demands at least a number of digits after the point, if they leave enough room for the digits before it.
  package mutating func require(places: Int) {
    if whole + places <= RecordForm.digitCount { fraction = max(fraction, places) }
  }

  /// The number of digits before and after the point; `nil` if a number is not a number, or has too many digits.
  package var digitCount: Int? { fits ? whole + fraction : nil }

  /// The number of digits after the point; `nil` if a number is not a number, or has too many digits.
  package var digits: Int? { fits ? fraction : nil }
}

extension DecimalParts {
  /// The number as an integer of units with some digits after the point; `nil` if it has more digits, or too many.
  func scaled(to scale: Int) -> Int128? {
    let shift = scale + Int(exponent)
    guard shift >= 0, shift <= 38 else { return nil }
    var digits = magnitude
    for _ in 0..<shift {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      digits = product
    }
    return Int128(exactly: digits).map { isNegative ? -$0 : $0 }
  }
}
