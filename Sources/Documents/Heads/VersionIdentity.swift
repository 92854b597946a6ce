import Checksums
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The identity of a version: a digest on which replicas agree, whatever numbers they gave to the version (spec §7.7.9).
///
/// It tells an exchange which versions the other side has. It takes time in proportion to all rows of the version.
public struct VersionIdentity: Sendable, Hashable, CustomStringConvertible {
  /// 64 hexadecimal digits.
  public let description: String

  /// Reads a version of a document and returns its identity.
  ///
  /// - Parameter number: The number of a version of the open head.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of reading the version.
  public init(ofVersion number: Int64, of document: Document) throws {
    let then = try document.open(version: number)
    defer { try? then.close() }
    guard let version = then.versions.first(where: { $0.number == number }) else {
      throw DocumentError.noVersion(number, document.path)
    }
    var text = "quire-version 1\nsaved \(ManifestDate.text(version.saved))\n"
    if let author = version.author { text += "author \(author.hexadecimal)\n" }
    if let message = version.message { text += "message \(message.hexadecimal)\n" }
    for (name, hash) in try then.model.versionHashes.sorted(by: { $0.key.utf8 < $1.key.utf8 }) {
      text += "entity \(name) \(hash)\n"
    }
    let stores = try then.stores.map { store in
      let snapshot = try store.snapshot()
      return (try snapshot.metadata.uuid?.uuidString ?? "", try RowSum(of: snapshot))
    }
    for (uuid, sum) in stores.sorted(by: { $0.0 < $1.0 }) { text += "store \(uuid) \(sum)\n" }
    let attachments = then.manifest.attachments.filter { $0.isPart(of: number) }
    for isContent in [false, true] {
      for one in attachments.filter({ $0.isContent == isContent })
        .sorted(by: { $0.name.utf8 < $1.name.utf8 })
      {
        text += "\(isContent ? "content" : "attachment") \(one.name.hexadecimal) \(one.digest)\n"
      }
    }
    description = SHA256.digest(of: Array(text.utf8)).description
  }
}

/// The sum of the digests of all rows of a store, as numbers of 256 bits.
///
/// The order of the rows has no influence, and the sum of a later state follows from the rows that differ.
struct RowSum: CustomStringConvertible {
  /// The parts of the number, the lowest first.
  private var parts: [UInt64] = [0, 0, 0, 0]

  init() {}

  init(of snapshot: any StoreSnapshot) throws {
    let (view, schema) = (snapshot.view, snapshot.schema)
    let names = Dictionary(
      schema.layouts.map { ($0.entityNumber, $0.entity) }, uniquingKeysWith: { one, _ in one })
    let model = try snapshot.model
    let tables =
      schema.layouts.map { ($0, $0.entity, false) }
      + schema.linkTables.map { ($0.layout, RowSum.name(of: $0, schema, model), true) }
    for (layout, name, isLinks) in tables {
      let columns = layout.columns.sorted { $0.name.utf8 < $1.name.utf8 }
      for batch in try view.batches(of: layout) {
        let keys = try batch.block.keys
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          var line = name
          if !isLinks { line += " \(UInt64(bitPattern: keys.integer(at: row)))" }
          for column in columns {
            guard let value = try batch.block.value(column, row: row), !value.isNull else {
              continue
            }
            line += " \(column.name)=\(RowSum.text(value, names))"
          }
          add(SHA256.digest(of: Array(line.utf8)).bytes)
        }
      }
    }
  }

  /// Returns the name of the entity that declares the relationship from the source to the target, and of the relationship.
  private static func name(of table: LinkTable, _ schema: Schema, _ model: Model) -> String {
    let entities = table.forward.entities.compactMap { number in schema[number]?.entity }
    for entity in entities {
      guard model[entity]?.superentity.map({ !entities.contains($0) }) ?? true,
        let name = schema.relationshipNumbers[entity]?
          .first(where: { $0.value == table.forward.relationship })?.key
      else { continue }
      return "\(entity).\(name)"
    }
    return table.layout.entity
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
    if number.isNaN { return "nan" }
    if number.isZero { return "0e0" }
    // All digits, without an exponent.
    var digits = "\(number.magnitude)"
    var exponent = 0
    if let point = digits.firstIndex(of: ".") {
      exponent = -digits.distance(from: point, to: digits.endIndex) + 1
      digits.remove(at: point)
    }
    while digits.hasSuffix("0") {
      digits.removeLast()
      exponent += 1
    }
    return "\(number < 0 ? "-" : "")\(digits.drop { $0 == "0" })e\(exponent)"
  }
}

extension String {
  /// The bytes of the text in hexadecimal digits.
  fileprivate var hexadecimal: String { Array(utf8).hex }
}

extension String.UTF8View {
  fileprivate static func < (one: Self, other: Self) -> Bool {
    one.lexicographicallyPrecedes(other)
  }
}
