import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Testing

@Suite("Validation predicates of the model")
struct ValidationPredicateTests {
  private static func condition(_ text: String, _ message: String? = nil) -> Attribute.Validation {
    .init(predicates: [ValidationPredicate(text, message: message)])
  }

  private static let model: Model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Note",
          properties: [
            .attribute(
              Attribute(
                "address", .string,
                validation: condition("SELF BEGINSWITH[c] 'https:'", "Only secure addresses."))),
            .attribute(
              Attribute("title", .string, validation: condition("length >= 2 AND length < 9"))),
            .attribute(
              Attribute("even", .int32, validation: condition("modulus:by:(SELF, 2) == 0"))),
            .attribute(Attribute("past", .date, validation: condition("SELF <= now()"))),
            .attribute(Attribute("share", .double, validation: condition("SELF BETWEEN {0, 1}"))),
            .attribute(
              Attribute("colour", .string, validation: condition("SELF IN {'red', 'blue'}"))),
            .attribute(
              Attribute("draft", .string, isTransient: true, validation: condition("SELF != 'x'"))),
            .attribute(
              Attribute(
                "coded", .string,
                validation: .init(predicates: [ValidationPredicate("SELF != 'x'", code: 42)]))),
            .attribute(
              Attribute(
                "place", .composite,
                validation: condition("latitude > 0 OR longitude > 0", "Not that far south-west."),
                compositeName: "Place")),
            .relationship(
              Relationship(
                "items", to: "Item", inverse: "note", count: .toMany,
                validationPredicates: [
                  ValidationPredicate("SELF.@sum.cost <= 10", message: "Too dear.")
                ])),
            .relationship(
              Relationship(
                "main", to: "Item", inverse: "mains",
                validationPredicates: [ValidationPredicate("SELF.cost > 1")])),
          ]),
        Entity(
          "Item",
          properties: [
            .attribute(Attribute("cost", .int32, defaultValue: .integer(0))),
            .relationship(Relationship("note", to: "Note", inverse: "items")),
            .relationship(Relationship("mains", to: "Note", inverse: "main", count: .toMany)),
          ]),
      ],
      composites: [
        CompositeType(
          "Place",
          attributes: [Attribute("latitude", .double), Attribute("longitude", .double)])
      ]))

  private static let soon = Value.date(Date(timeIntervalSinceNow: 3600))
  private static let before = Value.date(Date(timeIntervalSinceNow: -3600))

  /// Values, with the message of a failure; `nil` for a valid value.
  private static let values: [(key: String, value: Value, message: String?)] = [
    ("address", .string("HTTPS://example.org"), nil), ("address", .null, nil),
    ("address", .string("http://example.org"), "Only secure addresses."),
    ("title", .string("ab"), nil),
    (
      "title", .string("a"),
      "\"title\" is \"a\" of 1 characters, which does not meet the condition length >= 2 AND length < 9."
    ),
    ("even", .integer(-4), nil),
    (
      "even", .integer(3),
      "\"even\" is 3, which does not meet the condition modulus:by:(SELF, 2) == 0."
    ),
    ("past", before, nil), ("past", soon, "*"),
    ("share", .double(1), nil), ("share", .double(1.5), "*"), ("share", .double(.nan), "*"),
    ("colour", .string("red"), nil), ("colour", .string("green"), "*"),
    ("draft", .string("y"), nil), ("draft", .string("x"), "*"),
    ("coded", .string("y"), nil), ("coded", .string("x"), "*"),
    ("place.latitude", .double(1), nil),
    ("place.latitude", .double(-1), "Not that far south-west."),
  ]

  @Test(
    "A value that does not meet its predicate is refused with a message", arguments: Kind.allCases)
  func attributes(_ kind: Kind) throws {
    let context = try Graph(kind, model: Self.model, classes: []).context()
    for isSaved in [false, true] {
      for (key, value, message) in Self.values {
        // A transient value alone does not make a context changed, so there is nothing to validate.
        if isSaved, key == "draft" { continue }
        let note = try context.insert("Note")
        if isSaved { try context.save() }
        try note.setValues([key: value])

        let failures = try context.validationFailures()

        let property = key.hasPrefix("place") ? "place" : key
        #expect(failures.map(\.rule) == (message == nil ? [] : [.predicate]), "\(key) \(value)")
        #expect(failures.map(\.key) == (message == nil ? [] : [property]))
        if let message, message != "*" { #expect(failures.map(\.message) == [message]) }
        #expect(failures.map(\.code) == (message == nil ? [] : [key == "coded" ? 42 : nil]))
        #expect(failures.allSatisfy { $0.object == note.objectID })
        if message == nil {
          try context.save()
        } else {
          #expect(throws: ContextError.self) { try context.save() }
        }
        context.rollback()
      }
    }
  }

  @Test("A predicate of a relationship is given the related objects", arguments: Kind.allCases)
  func relationships(_ kind: Kind) throws {
    let context = try Graph(kind, model: Self.model, classes: []).context()
    let note = try context.insert("Note")
    let items = try [4, 5, 3].map { cost in
      let item = try context.insert("Item")
      item["cost"] = .integer(Int64(cost))
      return item
    }
    note.setObjects(Array(items.prefix(2)), forKey: "items")
    note.setObjects([items[0]], forKey: "main")
    try context.save()

    // Only the items of the note change, not the note itself.
    items[2].setObjects([note], forKey: "note")
    var failures = try context.validationFailures()
    #expect(failures.map(\.key) == ["items"] && failures.map(\.message) == ["Too dear."])
    #expect(failures.map(\.object) == [note.objectID])
    context.rollback()
    let cheap = try context.insert("Item")
    note.setObjects([cheap], forKey: "main")
    failures = try context.validationFailures()
    #expect(
      failures.map(\.message) == ["\"main\" does not meet the condition SELF.cost > 1."])
    note.setObjects([], forKey: "main")
    try context.save()
  }

  @Test(
    "A predicate that can't be evaluated refuses values and gives the reason",
    arguments: [Kind.binary, .sqlite])
  func undecided(_ kind: Kind) throws {
    let model = try Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(
            Attribute("text", .string, validation: Self.condition("SELF.colour == 'red'"))),
          .attribute(Attribute("size", .int16, validation: Self.condition("SELF >"))),
        ])
    ])
    let context = try Graph(kind, model: model, classes: []).context()
    try context.insert("Note")
    try context.save()
    try context.insert("Note").setValues(["text": .string("a"), "size": .integer(1)])

    let failures = try context.validationFailures()

    #expect(failures.map(\.rule) == [.predicate, .predicate])
    let messages = failures.map(\.message).sorted()
    #expect(messages[0].hasPrefix("The condition SELF > of \"size\" can't be checked. "))
    #expect(messages[1].hasSuffix("A value of the type String has no \"colour\"."))
  }
}
