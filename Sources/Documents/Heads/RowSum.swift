import Checksums
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The sum of the digests of all rows of a store, as numbers of 256 bits.
///
/// The order of the rows has no influence, and the sum of a later state follows from the rows that differ.
struct RowSum: CustomStringConvertible {
  /// The parts of the number, the lowest first.
  private var parts: [UInt64] = [0, 0, 0, 0]

  init() {}

  init(of snapshot: any StoreSnapshot) throws {
    let (view, schema) = (snapshot.view, snapshot.schema)
    let entities = Dictionary(
      schema.layouts.map { ($0.entityNumber, $0.entity) }, uniquingKeysWith: { one, _ in one })
    for layout in schema.layouts {
      try add(layout, of: view, entities) { key, words in ("\(layout.entity) \(key)", words) }
    }
    let model = try snapshot.model
    for table in schema.linkTables {
      let name = LinkName(table, schema, model)
      try add(table.layout, of: view, entities) { _, words in (name.text, name.ends(words)) }
    }
  }

  /// Adds the rows of an entity or of a table of links.
  ///
  /// - Parameter form: Returns the beginning of the line of a row with a key, and the values to write.
  private mutating func add(
    _ layout: Layout, of view: View, _ entities: [UInt16: String],
    _ form: (_ key: UInt64, _ words: [String: String]) -> (start: String, words: [String: String])
  ) throws {
    for batch in try view.batches(of: layout) {
      let keys = try batch.block.keys
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        var words: [String: String] = [:]
        for column in layout.columns {
          guard let value = try batch.block.value(column, row: row), !value.isNull else { continue }
          words[column.name] = RowSum.text(value, entities)
        }
        var (line, formed) = form(UInt64(bitPattern: keys.integer(at: row)), words)
        for (name, word) in formed.sorted(by: { $0.key.utf8 < $1.key.utf8 }) {
          line += " \(name)=\(word)"
        }
        add(SHA256.digest(of: Array(line.utf8)).bytes)
      }
    }
  }

  /// Adds a number of 32 bytes, the lowest first.
  mutating func add(_ bytes: [UInt8]) {
    var carries = false
    for index in parts.indices {
      var part: UInt64 = 0
      for byte in bytes[8 * index..<8 * index + 8].reversed() { part = part << 8 | UInt64(byte) }
      let (sum, overflows) = parts[index].addingReportingOverflow(part)
      let (total, overflowsAgain) = sum.addingReportingOverflow(carries ? 1 : 0)
      parts[index] = total
      carries = overflows || overflowsAgain
    }
  }

  /// 64 hexadecimal digits, the lowest byte first.
  var description: String {
    parts.flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (8 * UInt64($0))) } }
      .hex
  }

  /// Returns a value as the line of its row contains it.
  private static func text(_ value: Value, _ names: [UInt16: String]) -> String {
    func digits(_ bits: some FixedWidthInteger & UnsignedInteger) -> String {
      let text = String(bits, radix: 16)
      return String(repeating: "0", count: bits.bitWidth / 4 - text.utf8.count) + text
    }
    switch value {
    case .null: return ""
    case .boolean(let flag): return flag ? "true" : "false"
    case .integer(let number): return "\(number)"
    case .float(let number): return digits(number.bitPattern)
    case .double(let number): return digits(number.bitPattern)
    case .date(let date): return digits(date.timeIntervalSinceReferenceDate.bitPattern)
    case .decimal(let number): return text(number)
    case .string(let text), .uri(let text): return text.hexadecimal
    case .binary(let data): return Array(data).hex
    case .uuid(let uuid): return uuid.uuidString.filter { $0 != "-" }.lowercased()
    case .object(let key): return "\(names[key.entity] ?? "\(key.entity)")/\(key.number)"
    }
  }

  /// Returns the coefficient and the exponent of a decimal number. The coefficient does not end with 0.
  private static func text(_ number: Decimal) -> String {
    guard let parts = DecimalParts(number) else { return "nan" }
    var (coefficient, exponent) = (parts.magnitude, Int(parts.exponent))
    // The stored form keeps zeros at the end if its exponent of one byte is at its limit.
    while coefficient != 0, coefficient.isMultiple(of: 10) {
      coefficient /= 10
      exponent += 1
    }
    return "\(parts.isNegative ? "-" : "")\(coefficient)e\(exponent)"
  }
}
