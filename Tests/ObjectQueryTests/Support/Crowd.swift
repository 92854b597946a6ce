import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom

/// Random people in several layers, and the same people as plain dictionaries, which the tests sort and group on their
/// own.
struct Crowd {
  let model: Model
  let schema: Schema
  let source: ViewSource
  /// All people with their keys, in the order of the keys. Subentities are included.
  var people: [(key: ObjectKey, values: [String: Value])] = []
  let seed: UInt64

  /// - Parameter pattern: The pattern of the values of every property; `nil` for a random one for each.
  init(
    _ count: Int = 400, seed: UInt64 = .random(in: 1...999_999), pattern: ValuePattern? = nil
  ) throws {
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    var person = Entity("Person")
    person.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("note", .string)),
      .attribute(Attribute("age", .int32)), .attribute(Attribute("big", .int64)),
      .attribute(Attribute("score", .double)), .attribute(Attribute("born", .date)),
      .attribute(Attribute("flag", .boolean)), .attribute(Attribute("money", .decimal)),
      .attribute(Attribute("token", .uuid)),
      .relationship(Relationship("city", to: "City", inverse: "people")),
    ]
    var pilot = Entity("Pilot")
    pilot.superentity = "Person"
    var city = Entity("City")
    city.declaredProperties = [
      .attribute(Attribute("title", .string)),
      .relationship(Relationship("people", to: "Person", inverse: "city", count: .toMany)),
    ]
    model = try Model(entities: [person, pilot, city])
    schema = try Schema(model)
    let layers = (0..<3).map { [schema] _ in LayerBuilder(schema) }
    var titles: [ObjectKey: Value] = [:]
    for number in 1...5 {
      let key = ObjectKey(entity: schema["City"]!.entityNumber, number: UInt64(number))
      layers[0].insert(key)
      titles[key] = .string(["Porto", "Lisbon", "lisbon", "Évora", "Braga"][number - 1])
      layers[0].set(
        titles[key]!, column: schema["City"]!.index(of: "title")!, of: key, basis: 0)
    }
    let same = Crowd.values(&generator)
    var patterns: [String: ValuePattern] = [:]
    for name in same.keys.sorted() {
      // The city is a reference, which the program replaces below.
      let isOrdinary = name == "city" || Bool.random(using: &generator)
      patterns[name] = pattern ?? (isOrdinary ? .ordinary : .random(using: &generator))
    }
    for number in 1...count {
      let entity = number % 7 == 0 ? "Pilot" : "Person"
      let layout = schema[entity]!
      let key = ObjectKey(entity: layout.entityNumber, number: UInt64(number))
      var values = Crowd.values(&generator)
      for (name, (empty, greatest)) in Crowd.bounds {
        values[name] =
          patterns[name]!.value(empty: empty, greatest: greatest, same: same[name]!) {
            values[name]
          } ?? .null
      }
      if case .object? = values["city"] {
        let city = titles.keys.sorted { $0.rawValue < $1.rawValue }
          .randomElement(using: &generator)!
        values["city"] = .object(city)
      }
      let bottom = Int.random(in: 0..<3, using: &generator)
      layers[bottom].insert(key)
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        let layer = Int.random(in: bottom..<3, using: &generator)
        layers[layer].set(value, column: layout.index(of: name)!, of: key, basis: 0)
      }
      if case .object(let city)? = values["city"] { values["city.title"] = titles[city]! }
      people.append((key, values))
    }
    people.sort { $0.key.rawValue < $1.key.rawValue }
    source = ViewSource(
      View(layers.enumerated().map { $1.freeze(version: Int64($0 + 1)) }), model: model,
      schema: schema)
  }

  private static let bounds: [String: (empty: Value, greatest: Value)] = [
    "name": (.string(""), .string(String(repeating: "\u{10FFFF}", count: 500))),
    "note": (.string(""), .string(String(repeating: "z", count: 5000))),
    "age": (.integer(0), .integer(Int64(Int32.max))), "big": (.integer(0), .integer(.max)),
    "score": (.double(0), .double(1e300)),
    "born": (
      .date(Date(timeIntervalSinceReferenceDate: 0)),
      .date(Date(timeIntervalSinceReferenceDate: 1e10))
    ),
    "flag": (.boolean(false), .boolean(true)),
    "money": (.decimal(0), .decimal(999_999_999_999)),
    "token": (
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      .uuid(UUID(uuid: (255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255)))
    ),
  ]

  private static func values(_ generator: inout SeededGenerator) -> [String: Value] {
    func maybe(_ value: Value) -> Value {
      Int.random(in: 0..<6, using: &generator) == 0 ? .null : value
    }
    let names = ["Ada", "ada", "Grace", "Kurt", "kurt", "Zoe", "", "Adam", "Ad"]
    let scores = [0.0, -0.0, 1.5, -1.5, .infinity, -.infinity, .nan, 1e300, 0.1]
    return [
      "name": maybe(.string(names.randomElement(using: &generator)!)),
      "note": maybe(
        .string(
          "note \(Int.random(in: 0..<30, using: &generator)) "
            + String(repeating: "x", count: Int.random(in: 0..<4, using: &generator)))),
      "age": maybe(.integer(Int64.random(in: -5...20, using: &generator))),
      "big": maybe(
        .integer([Int64.min, .max, 0, 7, -7, 1 << 40].randomElement(using: &generator)!)),
      "score": maybe(.double(scores.randomElement(using: &generator)!)),
      "born": maybe(
        .date(
          Date(
            timeIntervalSinceReferenceDate: Double.random(in: -3...3, using: &generator)
              .rounded()))),
      "flag": maybe(.boolean(Bool.random(using: &generator))),
      "money": maybe(.decimal(Decimal(Int.random(in: -20...20, using: &generator)) / 8)),
      "token": maybe(
        .uuid(
          UUID(
            uuid: (
              UInt8.random(in: 0...3, using: &generator), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              UInt8.random(in: 0...3, using: &generator)
            )))),
      "city": maybe(.object(ObjectKey(rawValue: 1))),
    ]
  }

  static let paths = [
    "name", "note", "age", "big", "score", "born", "flag", "money", "token", "city.title",
  ]

  func plan(_ request: QueryRequest) throws -> QueryPlan {
    try QueryPlan(request, model: model, schema: schema)
  }

  /// Returns the keys of all people in the order of the given sort keys, found in a slow and simple way.
  func sorted(_ keys: [SortKey]) -> [ObjectKey] {
    people.sorted { left, right in
      for key in keys {
        let one = Plain(left.values[key.path], key)
        let other = Plain(right.values[key.path], key)
        if one != other { return key.isAscending ? one < other : other < one }
      }
      return left.key.rawValue < right.key.rawValue
    }.map(\.key)
  }
}

/// A value with an order of its own: null first, then the values, and "not a number" last.
private enum Plain: Comparable {
  case null
  case number(Decimal)
  case real(Double)
  case text([UInt8])
  case last

  init(_ value: Value?, _ key: SortKey) {
    switch value {
    case .boolean(let flag): self = .number(flag ? 1 : 0)
    case .integer(let number): self = .number(Decimal(number))
    case .decimal(let number): self = .number(number)
    case .double(let number): self = number.isNaN ? .last : .real(number)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      var folding: String.CompareOptions = []
      if key.options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
      if key.options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
      self = .text(
        Array((folding.isEmpty ? text : text.folding(options: folding, locale: nil)).utf8))
    case .uuid(let uuid):
      self = .text(Swift.withUnsafeBytes(of: uuid.uuid) { Array($0) })
    default: self = .null
    }
  }

  static func < (left: Plain, right: Plain) -> Bool {
    switch (left, right) {
    case (.number(let a), .number(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    default: left.rank < right.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .last: 2
    default: 1
    }
  }
}
