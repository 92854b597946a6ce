import Foundation
import ObjectModel
import Rows

/// One person of the workload.
struct Person {
  let firstName: String
  let lastName: String
  let age: Int64
  let balance: Double
  /// The creation date, in seconds since 2001.
  let created: Double
  let note: String
  let active: Bool
  let company: UInt64

  init(_ i: Int, companies: Int) {
    firstName = People.firstNames[Int(People.hash(i, 1) % 400)]
    lastName = People.lastNames[Int(People.hash(i, 2) % 1000)]
    age = Int64(18 + People.hash(i, 3) % 72)
    balance = Double(People.hash(i, 4) % 10_000_000) / 100
    created = Double(People.hash(i, 5) % 600_000_000)
    note = People.note(i)
    active = People.hash(i, 6) & 1 == 0
    company = 1 + People.hash(i, 9) % UInt64(companies)
  }
}

/// The workload's people. Every value is a hash of the person's number, so that all peers contain the same people.
enum People {
  static let model = model()
  /// The model with an index of names and ages.
  static let indexedModel = model(indexes: [
    FetchIndex(
      "byName", elements: [.init("lastName"), .init("age")])
  ])

  private static func model(indexes: [FetchIndex] = []) -> Model {
    try! Model(entities: [
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
        ], fetchIndexes: indexes),
      Entity(
        "Company",
        properties: [
          .attribute(Attribute("name", .string, isOptional: false)),
          .attribute(Attribute("city", .string, isOptional: false, defaultValue: .string(""))),
          .relationship(
            Relationship("people", to: "Person", inverse: "company", count: .toMany)),
        ]),
    ])
  }

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
    return (0..<count).map { place -> String in
      let shift = 8 + 5 * UInt64(place)
      return syllables[Int(h >> shift % 14)]
    }.joined().capitalized
  }

  /// 400 distinct first names of 8.5 characters on average.
  static let firstNames = (0..<400).map { name($0, 11, 3...4) }
  /// 1000 distinct last names of 10 characters on average. One in a hundred begins with "Sm".
  static let lastNames = (0..<1000).map {
    $0 % 100 == 0 ? "Sm" + name($0, 12, 3...4) : name($0, 12, 4...5)
  }

  /// Returns the city of a company, out of 50 distinct cities.
  static func city(_ company: Int) -> String { firstNames[Int(hash(company, 10) % 50)] }

  /// The 256 words from which notes are made.
  static let words = (0..<256).map { name($0, 13, 2...3).lowercased() }

  /// Returns a unique note of 38 characters on average, which is as easy to compress as human writing.
  static func note(_ i: Int) -> String {
    let h = hash(i, 7)
    // All peers make their people within the measured time, so a note must take little time.
    var note = "note "
    note.reserveCapacity(64)
    note += String(i)
    note += ":"
    for place in 0..<UInt64(3) {
      note += " "
      note += words[Int(h >> (8 * place) & 255)]
    }
    note += " ok"
    return note
  }

  /// Returns drafts of `count` people, set column by column as an application would set objects.
  static func drafts(_ count: Int, companies: Int) -> [Draft] {
    drafts(0..<count, companies: companies)
  }

  /// Returns drafts of the people with the given numbers.
  static func drafts(_ range: Range<Int>, companies: Int) -> [Draft] {
    var drafts: [Draft] = []
    let column = Dictionary(
      uniqueKeysWithValues: layout.columns.enumerated().map { ($1.name, $0) })
    let (id, first, last, age) = (
      column["id"]!, column["firstName"]!, column["lastName"]!, column["age"]!
    )
    let (balance, created, note) = (column["balance"]!, column["created"]!, column["note"]!)
    let (active, company) = (column["active"]!, column["company"]!)
    var draft = Draft(layout, role: .insertions)
    for i in range {
      if draft.isFull {
        drafts.append(draft)
        draft = Draft(layout, role: .insertions)
      }
      let person = Person(i, companies: companies)
      let row = draft.append(key: UInt64(i + 1))
      draft.setInteger(Int64(i + 1), column: id, row: row)
      draft.setString(person.firstName, column: first, row: row)
      draft.setString(person.lastName, column: last, row: row)
      draft.setInteger(person.age, column: age, row: row)
      draft.setDouble(person.balance, column: balance, row: row)
      draft.setDouble(person.created, column: created, row: row)
      draft.setString(person.note, column: note, row: row)
      draft.setBoolean(person.active, column: active, row: row)
      draft.setReference(
        ObjectKey(entity: 1, number: person.company), column: company, row: row)
    }
    drafts.append(draft)
    return drafts
  }
}
