import Foundation
import ObjectModel
import Rows

/// The workload's people: every field a hash of the person's number, so that all peers hold the same.
enum People {
  static let model = try! Model(entities: [
    Entity(
      "Person",
      properties: [
        .attribute(Attribute("id", .int64, isOptional: false)),
        .attribute(Attribute("firstName", .string, isOptional: false)),
        .attribute(Attribute("lastName", .string, isOptional: false)),
        .attribute(Attribute("age", .int32, isOptional: false)),
        .attribute(Attribute("balance", .double, isOptional: false)),
        .attribute(Attribute("created", .date, isOptional: false)),
        .attribute(Attribute("note", .string, isOptional: false)),
        .attribute(Attribute("active", .boolean, isOptional: false)),
        .relationship(Relationship("company", to: "Company", inverse: "people")),
      ]),
    Entity(
      "Company",
      properties: [
        .attribute(Attribute("name", .string, isOptional: false)),
        .relationship(Relationship("people", to: "Person", inverse: "company", count: .toMany)),
      ]),
  ])
  static let schema = try! Schema(model)
  static let layout = schema["Person"]!

  static func hash(_ i: Int, _ field: UInt64) -> UInt64 {
    var z = UInt64(i) &* 0x9E37_79B9_7F4A_7C15 &+ field &* 0xD134_2543_DE82_EF95
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  private static let syllables = [
    "ba", "ren", "ko", "lia", "mar", "ti", "son", "del", "us", "vor", "ne", "sha", "gri", "pal",
  ]

  private static func name(_ i: Int, _ field: UInt64, _ parts: ClosedRange<Int>) -> String {
    let h = hash(i, field)
    let count = parts.lowerBound + Int(h % UInt64(parts.count))
    return (0..<count).map { syllables[Int(h >> (8 + 5 * UInt64($0)) % 14)] }.joined().capitalized
  }

  /// 400 distinct, 8.5 characters on average.
  static let firstNames = (0..<400).map { name($0, 11, 3...4) }
  /// 1000 distinct, 10 characters on average; one in a hundred begins with "Sm".
  static let lastNames = (0..<1000).map {
    $0 % 100 == 0 ? "Sm" + name($0, 12, 3...4) : name($0, 12, 4...5)
  }

  static func note(_ i: Int) -> String {
    "note \(i): \(String(hash(i, 7), radix: 36)) \(String(hash(i, 8) >> 24, radix: 36)) ok"
  }

  /// Drafts of `count` people, set column by column as an application would set objects.
  static func drafts(_ count: Int, companies: Int) -> [Draft] {
    var drafts: [Draft] = []
    let column = Dictionary(
      uniqueKeysWithValues: layout.columns.enumerated().map { ($1.name, $0) })
    let (id, first, last, age) = (
      column["id"]!, column["firstName"]!, column["lastName"]!, column["age"]!
    )
    let (balance, created, note) = (column["balance"]!, column["created"]!, column["note"]!)
    let (active, company) = (column["active"]!, column["company"]!)
    var draft = Draft(layout, role: .insertions)
    for i in 0..<count {
      if draft.isFull {
        drafts.append(draft)
        draft = Draft(layout, role: .insertions)
      }
      let row = draft.append(key: UInt64(i + 1))
      draft.setInteger(Int64(i + 1), column: id, row: row)
      draft.setString(firstNames[Int(hash(i, 1) % 400)], column: first, row: row)
      draft.setString(lastNames[Int(hash(i, 2) % 1000)], column: last, row: row)
      draft.setInteger(Int64(18 + hash(i, 3) % 72), column: age, row: row)
      draft.setDouble(Double(hash(i, 4) % 10_000_000) / 100, column: balance, row: row)
      draft.setDouble(Double(hash(i, 5) % 600_000_000), column: created, row: row)
      draft.setString(Self.note(i), column: note, row: row)
      draft.setBoolean(hash(i, 6) & 1 == 0, column: active, row: row)
      draft.setReference(
        ObjectKey(entity: 1, number: 1 + hash(i, 9) % UInt64(companies)), column: company, row: row)
    }
    drafts.append(draft)
    return drafts
  }
}
