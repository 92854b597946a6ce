import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Validation by the rules of the model")
struct ValidationRuleTests {
  private static func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private static func attribute(
    _ name: String, _ type: AttributeType, _ minimum: Value = .null, _ maximum: Value = .null,
    pattern: String? = nil, precision: Attribute.Precision? = nil, isOptional: Bool = true,
    defaultValue: Value = .null
  ) -> Property {
    .attribute(
      Attribute(
        name, type, isOptional: isOptional, defaultValue: defaultValue,
        validation: .init(
          minimum: minimum, maximum: maximum, pattern: pattern, precision: precision)))
  }

  private static let model: Model = try! Model(entities: [
    Entity(
      "Thing",
      properties: [
        attribute("short", .int16, .integer(-3), .integer(3)),
        attribute("long", .int64, .integer(.min + 1), .integer(.max - 1)),
        attribute("real", .double, .double(-0.5), .double(0.5)),
        attribute("small", .float, .float(-0.5), .float(0.5)),
        attribute(
          "exact", .decimal, .decimal(Decimal(string: "0.1")!), .decimal(Decimal(string: "0.3")!)),
        attribute("day", .date, date(100), date(200)),
        attribute("born", .date, date(0), precision: .day),
        attribute("price", .decimal, precision: .places(2)),
        attribute("text", .string, .integer(2), .integer(4)),
        attribute("code", .string, pattern: "[a-z]+|\\d{2}"),
        attribute("both", .string, .integer(2), .integer(3), pattern: ".*x.*"),
        attribute("flag", .boolean, isOptional: false, defaultValue: .boolean(false)),
        attribute("bytes", .binary, isOptional: false, defaultValue: .binary(Data())),
        attribute("mark", .uuid, isOptional: false, defaultValue: .uuid(UUID())),
        attribute("link", .uri, isOptional: false, defaultValue: .uri("a:b")),
        .relationship(
          Relationship(
            "some", to: "Part", inverse: "thing", count: .init(minimum: 2, maximum: 3))),
        .relationship(
          Relationship(
            "must", to: "Part", inverse: "musts", count: .init(minimum: 1, maximum: 2),
            isOptional: false)),
        .relationship(
          Relationship("any", to: "Part", inverse: "anys", count: .toMany, isOptional: false)),
        .relationship(Relationship("one", to: "Part", inverse: "ones", isOptional: false)),
      ]),
    Entity(
      "Part",
      properties: [
        .relationship(Relationship("thing", to: "Thing", inverse: "some")),
        .relationship(Relationship("musts", to: "Thing", inverse: "must", count: .toMany)),
        .relationship(Relationship("anys", to: "Thing", inverse: "any", count: .toMany)),
        .relationship(Relationship("ones", to: "Thing", inverse: "one", count: .toMany)),
      ]),
  ])

  /// Valid values, and invalid values with the rule that they break.
  private static let values: [(key: String, value: Value, rule: ValidationFailure.Rule?)] = [
    ("short", .integer(-3), nil), ("short", .integer(3), nil), ("short", .integer(-4), .minimum),
    ("short", .integer(4), .maximum), ("short", .null, nil),
    ("long", .integer(.min), .minimum), ("long", .integer(.max), .maximum),
    ("long", .integer(0), nil),
    ("real", .double(0.5), nil), ("real", .double(0.500_000_001), .maximum),
    ("real", .double(-.infinity), .minimum), ("real", .double(-0.0), nil),
    ("small", .float(-0.5), nil), ("small", .float(0.75), .maximum),
    ("exact", .decimal(Decimal(string: "0.3")!), nil),
    ("exact", .decimal(Decimal(string: "0.30000001")!), .maximum),
    ("exact", .decimal(Decimal(string: "0.09")!), .minimum), ("exact", .decimal(.nan), .minimum),
    ("day", date(100), nil), ("day", date(99.9), .minimum), ("day", date(200.1), .maximum),
    ("born", date(0), nil), ("born", date(86_400 * 9_000), nil), ("born", date(-86_400), .minimum),
    ("born", date(0.5), .precision), ("born", date(86_401), .precision), ("born", .null, nil),
    ("price", .decimal(Decimal(string: "30676.20")!), nil), ("price", .decimal(-5), nil),
    ("price", .decimal(Decimal(string: "0.001")!), .precision), ("price", .null, nil),
    ("text", .string("ab"), nil), ("text", .string("abcd"), nil), ("text", .string("a"), .minimum),
    ("text", .string(""), .minimum), ("text", .string("abcde"), .maximum),
    ("text", .string("👩‍👩‍👧"), .minimum), ("text", .string("👩‍👩‍👧é\u{301}👩‍👩‍👧é"), nil),
    ("code", .string("abc"), nil), ("code", .string("12"), nil), ("code", .string("123"), .pattern),
    ("code", .string(""), .pattern), ("code", .string("abc\n"), .pattern),
    ("code", .string("a12"), .pattern),
    ("both", .string("ax"), nil), ("both", .string("a"), .minimum),
    ("both", .string("abc"), .pattern),
    ("both", .string("abcdx"), .maximum),
    ("flag", .null, .required), ("bytes", .null, .required), ("mark", .null, .required),
    ("link", .null, .required),
    ("flag", .boolean(true), nil), ("bytes", .binary(Data()), nil), ("link", .uri(""), nil),
  ]

  /// Returns a new thing that meets every rule.
  private func thing(_ context: ManagedObjectContext) throws -> ManagedObject {
    let thing = try context.insert("Thing")
    let part = try context.insert("Part")
    thing.setObjects([part], forKey: "must")
    thing.setObjects([part], forKey: "one")
    return thing
  }

  @Test("Each rule applies to inserted and to changed objects", arguments: Kind.allCases)
  func attributes(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    for isSaved in [false, true] {
      let context = graph.context()
      var wanted: [String] = []
      var things: [ObjectID: Int] = [:]
      var all: [ManagedObject] = []
      for index in Self.values.indices {
        let thing = try thing(context)
        things[thing.objectID] = index
        all.append(thing)
      }
      if isSaved { try context.save() }
      for (index, (key, value, rule)) in Self.values.enumerated() {
        try all[index].setValues([key: value])
        if let rule { wanted.append("\(index) \(key) \(rule)") }
      }
      let failures = try context.validationFailures()
      #expect(failures.map { "\(things[$0.object] ?? -1) \($0.key ?? "") \($0.rule)" } == wanted)
      #expect(failures.allSatisfy { !$0.message.isEmpty && $0.entity == "Thing" })
      #expect(throws: ContextError.self) { try context.save() }
      for (index, (_, _, rule)) in Self.values.enumerated() where rule != nil {
        context.delete(all[index])
      }
      try context.save()
    }
    let right = Self.values.count { $0.rule == nil }
    #expect(try graph.again().count(for: FetchRequest("Thing")) == 2 * right)
  }

  @Test(
    "Relationships with too few or too many objects are refused", arguments: Kind.allCases,
    [
      ("some", 0, nil), ("some", 1, .tooFewObjects), ("some", 2, nil), ("some", 3, nil),
      ("some", 4, .tooManyObjects), ("must", 0, .tooFewObjects), ("must", 1, nil), ("must", 2, nil),
      ("must", 3, .tooManyObjects), ("any", 0, nil), ("any", 3, nil), ("one", 0, .required),
      ("one", 1, nil),
    ] as [(String, Int, ValidationFailure.Rule?)])
  func relationships(_ kind: Kind, _ rule: (key: String, count: Int, rule: ValidationFailure.Rule?))
    throws
  {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let context = graph.context()
    for isSaved in [false, true] {
      let thing = try thing(context)
      if isSaved { try context.save() }
      let parts = try (0..<rule.count).map { _ in try context.insert("Part") }
      thing.setObjects(parts, forKey: rule.key)
      let failures = try context.validationFailures()
      #expect(failures.map(\.rule) == (rule.rule.map { [$0] } ?? []))
      #expect(failures.map(\.key) == (rule.rule.map { _ in [rule.key] } ?? []))
      #expect(failures.allSatisfy { $0.object == thing.objectID })
      if rule.rule != nil { context.rollback() } else { try context.save() }
    }
    // The removal of a part is validated too, though the thing itself does not change.
    if rule.rule == nil, rule.count > 0, rule.key != "some" || rule.count == 2 {
      let other = try graph.again()
      for thing in try other.fetch(FetchRequest("Thing")) {
        let value = thing.value(forKey: rule.key)
        let parts = value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
        if parts.count == rule.count { for part in parts.prefix(1) { other.delete(part) } }
      }
      let left = rule.count - 1
      // A required relationship without a least count may be empty, as in Core Data.
      let isWrong = rule.key == "some" ? left == 1 : left == 0 && rule.key != "any"
      if isWrong {
        #expect(throws: ContextError.self) { try other.save() }
      } else {
        try other.save()
      }
    }
  }

  @Test(
    "A text's least length counts characters, not bytes",
    arguments: Kind.allCases,
    [
      (1, "", false), (1, "a", true), (1, "👩‍👩‍👧", true), (2, "👩‍👩‍👧", false), (2, "👩‍👩‍👧b", true),
      (2, "ab", true), (2, "\r\n", false), (2, "\r\na", true), (2, "a\r\n", true),
      (3, "ab", false), (3, "ae\u{301}\u{302}", false), (3, "abe\u{301}", true), (0, "", true),
    ] as [(Int64, String, Bool)])
  func leastLength(_ kind: Kind, _ rule: (least: Int64, text: String, isRight: Bool)) throws {
    let model = try Model(entities: [
      Entity("Thing", properties: [Self.attribute("text", .string, .integer(rule.least))])
    ])
    let context = try Graph(kind, model: model, classes: []).context()
    try context.insert("Thing")["text"] = .string(rule.text)
    if rule.isRight {
      try context.save()
    } else {
      let error = #expect(throws: ContextError.self) { try context.save() }
      #expect(error?.failures.map(\.rule) == [.minimum])
    }
  }
}
