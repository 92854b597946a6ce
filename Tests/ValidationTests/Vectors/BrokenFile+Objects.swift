import Foundation
import ObjectModel
import Rows

extension BrokenFile {
  static let objects = values + references + changes

  private static let values = [
    BrokenFile("GRAF-001") {
      try storeBytes([entity("Thing", isAbstract: true), entity("Book", inherits: "Thing")]) {
        $0.insert("Thing", 1)
      }
    },
    BrokenFile("GRAF-002") {
      try storeBytes([entity("Note", [Attribute("stars", .int16, isOptional: false)])]) {
        $0.insert("Note", 1)
        $0.insert("Note", 2, ["stars": .integer(2)])
      }
    },
    BrokenFile("GRAF-003") {
      let stars = Attribute("stars", .int16, validation: .init(minimum: .integer(1)))
      return try storeBytes([entity("Note", [stars])]) {
        $0.insert("Note", 1, ["stars": .integer(0)])
        $0.insert("Note", 2, ["stars": .integer(1)])
      }
    },
    BrokenFile("GRAF-004") {
      let text = Attribute("text", .string, validation: .init(maximum: .integer(3)))
      return try storeBytes([entity("Note", [text])]) {
        $0.insert("Note", 1, ["text": .string("Évora")])
        $0.insert("Note", 2, ["text": .string("Évo")])
      }
    },
    BrokenFile("GRAF-022") {
      let born = Attribute("born", .date, validation: .init(precision: .day))
      return try storeBytes([entity("Note", [born])]) {
        $0.insert(
          "Note", 1, ["born": .date(Date(timeIntervalSinceReferenceDate: 86_400 * 9_000 + 1))])
        $0.insert("Note", 2, ["born": .date(Date(timeIntervalSinceReferenceDate: -86_400 * 9_000))])
      }
    },
    BrokenFile("GRAF-005") {
      let text = Attribute("text", .string, validation: .init(pattern: "[A-Z][a-z]*"))
      return try storeBytes([entity("Note", [text])]) {
        $0.insert("Note", 1, ["text": .string("lisboa")])
        $0.insert("Note", 2, ["text": .string("Porto")])
      }
    },
    BrokenFile("GRAF-006") {
      // An unbalanced closing bracket is beyond spec §2.2.10, so no automaton decides the pattern.
      let text = Attribute("text", .string, validation: .init(pattern: "(a+)+]"))
      return try storeBytes([entity("Note", [text])]) {
        $0.insert("Note", 1, ["text": .string(String(repeating: "a", count: 60) + "b")])
      }
    },
    BrokenFile("GRAF-030") {
      let condition = ValidationPredicate(
        "SELF BEGINSWITH 'https:'", message: "Only secure addresses are allowed.")
      let address = Attribute("address", .string, validation: .init(predicates: [condition]))
      return try storeBytes([entity("Note", [address])]) {
        $0.insert("Note", 1, ["address": .string("http://example.org")])
        $0.insert("Note", 2, ["address": .string("https://example.org")])
        $0.insert("Note", 3)
      }
    },
    BrokenFile("GRAF-031") {
      let condition = ValidationPredicate("SELF.colour == 'red'")
      let text = Attribute("text", .string, validation: .init(predicates: [condition]))
      return try storeBytes([entity("Note", [text])]) {
        $0.insert("Note", 1, ["text": .string("lisboa")])
      }
    },
    BrokenFile("GRAF-016") {
      let person = entity(
        "Person", [Attribute("first", .string), Attribute("last", .string)],
        unique: [["first", "last"]])
      return try storeBytes([person, entity("Author", inherits: "Person")]) {
        $0.insert("Person", 1, ["first": .string("Ada"), "last": .string("L")])
        $0.insert("Person", 2, ["first": .string("Ada"), "last": .string("M")])
        $0.insert("Author", 1, ["first": .string("Ada"), "last": .string("L")])
        $0.insert("Author", 2, ["first": .string("Ada")])
        $0.insert("Author", 3, ["first": .string("Ada")])
      }
    },
  ]

  /// Returns trips with ordered stops. A trip may have a leader, and a leader leads one trip.
  private static func trips(
    tripIsOptional: Bool = true, count: Relationship.Count = .toMany
  ) -> [Entity] {
    [
      entity(
        "Trip",
        relationships: [
          Relationship("leader", to: "Person", inverse: "leads"),
          Relationship(
            "stops", to: "Stop", inverse: "trip", count: count, isOrdered: true),
        ]),
      entity(
        "Stop",
        relationships: [
          Relationship("trip", to: "Trip", inverse: "stops", isOptional: tripIsOptional)
        ]),
      entity("Person", relationships: [Relationship("leads", to: "Trip", inverse: "leader")]),
    ]
  }

  private static func stop(_ saving: Saving, _ number: UInt64, _ trip: UInt64, _ place: Int64) {
    saving.insert(
      "Stop", number,
      ["trip": .object(saving.key("Trip", trip)), "trip#order": .integer(place)])
  }

  private static let references = [
    BrokenFile("GRAF-007") {
      try storeBytes(trips()) {
        $0.insert("Stop", 1, ["trip": .object($0.key("Stop", 1)), "trip#order": .integer(0)])
      }
    },
    BrokenFile("GRAF-008") {
      try storeBytes(trips()) {
        $0.insert("Trip", 2)
        stop($0, 1, 1, 0)
        stop($0, 2, 2, 0)
      }
    },
    BrokenFile("GRAF-009") {
      try storeBytes(trips(tripIsOptional: false)) { $0.insert("Stop", 1) }
    },
    BrokenFile("GRAF-010") {
      try storeBytes(trips(count: .init(minimum: 2, maximum: 0))) {
        $0.insert("Trip", 1)
        $0.insert("Trip", 2)
        stop($0, 1, 1, 0)
      }
    },
    BrokenFile("GRAF-011") {
      try storeBytes(trips(count: .init(minimum: 0, maximum: 2))) {
        $0.insert("Trip", 1)
        for number in 1...3 as ClosedRange<UInt64> { stop($0, number, 1, Int64(number)) }
      }
    },
    BrokenFile("GRAF-012") {
      try storeBytes(trips()) {
        $0.insert("Trip", 1, ["leader": .object($0.key("Person", 1))])
        $0.insert("Person", 1)
        $0.insert("Trip", 2, ["leader": .object($0.key("Person", 2))])
        $0.insert("Person", 2, ["leads": .object($0.key("Trip", 2))])
      }
    },
    BrokenFile("GRAF-013") {
      try storeBytes(trips()) {
        $0.insert("Trip", 1)
        stop($0, 1, 1, 4)
        stop($0, 2, 1, 4)
        stop($0, 3, 1, 5)
      }
    },
    BrokenFile("GRAF-014") {
      try storeBytes(trips()) {
        $0.insert("Trip", 1)
        $0.insert("Stop", 1, ["trip": .object($0.key("Trip", 1))])
      }
    },
    BrokenFile("GRAF-015") {
      try storeBytes(trips()) { $0.insert("Stop", 1, ["trip#order": .integer(3)]) }
    },
  ]

  private static let changes = [
    BrokenFile("GRAF-017") {
      try storeBytes([SmallFile.note], { $0.insert("Note", 1) }, { try $0.remove("Note", 7) })
    },
    BrokenFile("GRAF-018") {
      try storeBytes(
        [SmallFile.note], { $0.insert("Note", 1) },
        { try $0.change("Note", 1, "stars", .integer(1), basis: 1) })
    },
  ]
}
