import Foundation
import ModelNotations
import ObjectModel
import Rows
import SQLiteFiles

/// A summary of the values in one column of a table. In SQLite the values of a column may be of several kinds, so the type is found
/// from the values and not from the declaration.
struct PlainValues {
  private(set) var nullCount = 0
  private(set) var integerCount = 0
  private(set) var realCount = 0
  private(set) var textCount = 0
  private(set) var blobCount = 0
  private var least = Int64.max
  private var greatest = Int64.min
  private var texts: InferredText = .all
  /// Whether every text is a decimal number.
  private var areDecimals = true
  /// Whether every number that is not an integer can be a decimal number.
  private var fitDecimals = true
  /// Whether every number that is not an integer is a number of 32 bits.
  private var areFloats = true
  /// Whether every text is UTF-8.
  private var areTexts = true
  private var byteCount = 0
  /// The greatest number of decimal places of a number.
  private var places = 0

  var valueCount: Int { integerCount + realCount + textCount + blobCount }

  /// Adds the value of a row.
  mutating func add(_ cell: SQLiteCell) {
    switch cell.kind {
    case .null: nullCount += 1
    case .integer:
      integerCount += 1
      least = min(least, cell.integer)
      greatest = max(greatest, cell.integer)
    case .real:
      realCount += 1
      addPlaces(RealText.text(cell.real))
      if Double(Float(cell.real)) != cell.real { areFloats = false }
      let size = abs(cell.real)
      if size != 0, !(1e-90...1e90).contains(size) { fitDecimals = false }
    case .blob: blobCount += 1
    case .text:
      textCount += 1
      byteCount += cell.byteCount
      if areTexts { areTexts = cell.withBytes { $0.isUTF8 } }
      guard !texts.isEmpty || areDecimals else { return }
      guard cell.byteCount <= 2048, areTexts else {
        texts = []
        areDecimals = false
        return
      }
      let bytes = cell.bytes
      if !texts.isEmpty { texts.narrow(by: String(decoding: bytes, as: UTF8.self)) }
      if areDecimals {
        let number = DecimalParts(text: bytes.span)
        areDecimals = number != nil
        places = max(places, number.map { -Int($0.exponent) } ?? 0)
      }
    }
  }

  private mutating func addPlaces(_ text: String) {
    places = max(places, DecimalParts(text: text.utf8.span).map { -Int($0.exponent) } ?? .max)
  }

  /// The form of dates that are numbers in the table.
  enum DateForm: Sendable {
    case seconds, milliseconds
  }

  /// The type of a column, the form of its dates if these are numbers, and a sentence if the type may surprise.
  struct Finding {
    var type: AttributeType
    var dateForm: DateForm?
    var note: String?
    var precision: Attribute.Precision?
  }

  /// Returns the type of the values.
  ///
  /// - Parameter declared: The type that the table declares for the column, in capitals.
  func type(declared: String) -> Finding {
    var finding = finding(declared: declared)
    finding.precision = precision(finding, declared: declared)
    return finding
  }

  /// Returns the precision that the declaration states, if all values have it; and days if all dates are.
  private func precision(_ finding: Finding, declared: String) -> Attribute.Precision? {
    switch finding.type {
    case .date:
      guard finding.dateForm == nil, !declared.contains("TIME") else { return nil }
      return valueCount > 0 || declared == "DATE" ? texts.precision : nil
    case .decimal:
      guard let match = declared.firstMatch(of: /\(\s*[0-9]+\s*,\s*([0-9]{1,2})\s*\)/),
        let declared = Int(match.output.1), declared > 0, places <= declared
      else { return nil }
      return .places(min(declared, Attribute.Precision.allowedPlaces.upperBound))
    default: return nil
    }
  }

  private func finding(declared: String) -> Finding {
    func declares(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
    let isMoment = declares("DATE", "TIME")
    let isDecimal = declares("DEC", "NUMERIC", "MONEY")
    guard valueCount > 0 else {
      return Finding(type: PlainValues.emptyType(declared, isMoment, isDecimal))
    }
    if blobCount > 0 || !areTexts {
      return Finding(
        type: .binary,
        note: blobCount < valueCount
          ? "contains \(valueCount - blobCount) values that are not bytes, so all are kept as bytes"
          : nil)
    }
    if textCount == valueCount {
      if isDecimal, areDecimals { return Finding(type: .decimal) }
      if declares("URI", "URL") { return Finding(type: .uri) }
      return Finding(type: texts.type ?? .string)
    }
    if textCount > 0 {
      return Finding(
        type: .string,
        note: "contains \(textCount) texts and \(valueCount - textCount) numbers, so all are text")
    }
    if realCount > 0 {
      if isDecimal, fitDecimals { return Finding(type: .decimal) }
      // Above this number, a `Double` does not keep every integer.
      let isExact = integerCount == 0 || (least >= -(1 << 53) && greatest <= 1 << 53)
      return isExact
        ? Finding(type: declares("FLOAT4") && areFloats ? .float : .double)
        : Finding(
          type: .string, note: "contains integers that a Double does not keep, so all are text")
    }
    if declares("BOOL"), (0...1).contains(least), (0...1).contains(greatest) {
      return Finding(type: .boolean)
    }
    if isMoment, let form = momentForm {
      return Finding(
        type: .date, dateForm: form,
        note:
          "contains numbers, which are taken as \(form == .seconds ? "seconds" : "milliseconds") since 1970"
      )
    }
    return Finding(type: isDecimal ? .decimal : integerType(declared))
  }

  /// The type of integers: the declared one if all fit.
  private func integerType(_ declared: String) -> AttributeType {
    let types: KeyValuePairs<String, AttributeType> = ["SMALLINT": .int16, "INT4": .int32]
    let found = types.first { declared.contains($0.key) }?.value ?? .int64
    guard let range = found.traits.range, range.contains(least), range.contains(greatest) else {
      return .int64
    }
    return found
  }

  private static func emptyType(
    _ declared: String, _ isMoment: Bool, _ isDecimal: Bool
  ) -> AttributeType {
    if isMoment { return .date }
    if isDecimal { return .decimal }
    let types: KeyValuePairs<String, AttributeType> = [
      "BOOL": .boolean, "SMALLINT": .int16, "INT4": .int32, "FLOAT4": .float, "INT": .int64,
      "REAL": .double, "FLOA": .double, "DOUB": .double,
      "BLOB": .binary, "UUID": .uuid, "URI": .uri,
    ]
    return types.first { declared.contains($0.key) }?.value ?? .string
  }

  /// The form of the moments that all integers can be, between 1973 and the year 5138.
  private var momentForm: DateForm? {
    if least >= 100_000_000, greatest < 100_000_000_000 { return .seconds }
    if least >= 100_000_000_000, greatest < 100_000_000_000_000 { return .milliseconds }
    return nil
  }

  /// Whether people look for words in the values.
  var hasLongTexts: Bool { textCount > 0 && byteCount > textCount * InferredText.longTextByteCount }
}
