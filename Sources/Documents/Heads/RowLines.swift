import Checksums
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The lines that the rows of a store add to the identity of a version (spec §7.7.9).
struct RowLines {
  /// The names of the entities, by their numbers.
  private let entities: [UInt16: String]
  /// The relationships of the tables of links, by the numbers of the tables.
  private let links: [UInt16: LinkName]
  /// The columns of derived attributes, by the numbers of the entities.
  private let derived: [UInt16: Set<String>]

  init(_ snapshot: any StoreSnapshot) throws {
    let schema = snapshot.schema
    entities = Dictionary(
      schema.layouts.map { ($0.entityNumber, $0.entity) }, uniquingKeysWith: { one, _ in one })
    let model = try snapshot.model
    links = Dictionary(
      schema.linkTables.map { ($0.layout.entityNumber, LinkName($0, schema, model)) },
      uniquingKeysWith: { one, _ in one })
    derived = Dictionary(
      schema.layouts.map { ($0.entityNumber, RowLines.derived($0, model)) },
      uniquingKeysWith: { one, _ in one })
  }

  private static func derived(_ layout: Layout, _ model: Model) -> Set<String> {
    Set(
      layout.columns.map(\.name).filter { name in
        let path = name.split(separator: ".").map(String.init)
        guard let first = path.first,
          case .attribute(let attribute)? = model.property(first, of: layout.entity)
        else { return false }
        return model.part(at: path.dropFirst(), of: attribute)?.derivation != nil
      })
  }

  /// Returns the digest of a row.
  ///
  /// - Parameter value: Returns the value of a column.
  func digest(
    _ layout: Layout, _ key: UInt64, _ value: (LayoutColumn) throws -> Value?
  ) throws -> [UInt8] {
    var words: [String: String] = [:]
    let derived = derived[layout.entityNumber] ?? []
    for column in layout.columns where !derived.contains(column.name) {
      guard let value = try value(column), !value.isNull else { continue }
      words[column.name] = text(value)
    }
    var line = "\(layout.entity) \(key)"
    if let name = links[layout.entityNumber] { (line, words) = (name.text, name.ends(words)) }
    for (name, word) in words.sorted(by: { $0.key.utf8 < $1.key.utf8 }) {
      line += " \(name)=\(word)"
    }
    return SHA256.digest(of: Array(line.utf8)).bytes
  }

  /// Returns a value as the line of its row contains it.
  private func text(_ value: Value) -> String {
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
    case .decimal(let number): return RowLines.text(number)
    case .string(let text), .uri(let text): return text.hexadecimal
    case .binary(let data): return Array(data).hex
    case .uuid(let uuid): return uuid.uuidString.filter { $0 != "-" }.lowercased()
    case .object(let key): return "\(entities[key.entity] ?? "\(key.entity)")/\(key.number)"
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
