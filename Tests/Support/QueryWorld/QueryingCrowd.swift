import Foundation
package import ObjectModel
import ObjectQuery
package import Rows
import SeededRandom

/// Objects of every type with unusual values, and relationships of every kind, some of them without targets.
package struct QueryingCrowd {
  /// The model of the objects.
  package let model: Model
  /// The numbers of the model.
  package let schema: Schema
  package let view: View

  static let texts = [
    "", "a", "A", "ab", "abc", "b", "é", "e\u{301}", "a\0b", "a\0", "\0", "\u{D7FF}", "\u{E000}",
    "a\u{10FFFF}", "🙂", "%", "_", "'", "\"", "*", "?", "\u{10FFFF}",
  ]
  static let integers: [Int64] = [
    0, 1, -1, 2, 3, 7, 100, -100, 32767, -32768, 2_147_483_647, -2_147_483_648, 1 << 53,
    (1 << 53) + 1, .min, .max,
  ]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 0.5, 1.5, 2, 3, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
    9_007_199_254_740_992, 1e18, 0.1, 1e300,
  ]
  static let decimals: [String] = [
    "0", "1", "-1", "0.1", "10.11", "0.000001", "42", "1.5", "999999999999999",
  ]

  /// Makes the objects of a seed.
  ///
  /// - Parameter hasLongDecimals: Whether decimal numbers may have more than 15 digits.
  package init(_ seed: UInt64, hasLongDecimals: Bool = false) throws {
    let model = try Model(entities: QueryingCrowd.entities)
    let schema = try Schema(model)
    (self.model, self.schema) = (model, schema)
    let builder = LayerBuilder(schema)
    var random = SeededGenerator(seed: seed)
    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: number)
    }
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }
    /// The pattern of each property's values.
    var patterns: [String: (pattern: ValuePattern, place: Int)] = [:]
    /// Returns a value of a property, or none. The list begins with the empty value and ends with a large one.
    func some<T>(_ name: String, _ items: [T]) -> T? {
      let known =
        patterns[name] ?? (
          chance(50) ? .ordinary : .random(using: &random),
          .random(in: items.indices, using: &random)
        )
      patterns[name] = known
      return known.pattern.value(empty: items[0], greatest: items.last!, same: items[known.place]) {
        chance(80) ? pick(items) : nil
      }
    }
    func set(_ object: ObjectKey, _ entity: String, _ name: String, _ value: Value) {
      builder.set(value, column: schema[entity]!.index(of: name)!, of: object)
    }
    // Every third object is of the subentity `Odd`. Both entities share one sequence of numbers, because numbers are
    // unique within the family.
    func thing(_ number: UInt64) -> ObjectKey { key(number % 3 == 0 ? "Odd" : "Thing", number) }
    for number in 1...UInt64(24) where number != 5 {
      let entity = number % 3 == 0 ? "Odd" : "Thing"
      let object = thing(number)
      builder.insert(object)
      if let flag = some("flag", [false, true]) { set(object, entity, "flag", .boolean(flag)) }
      if let one = some("small", [0, 1, -1, 7, 32767, -32768] as [Int64]) {
        set(object, entity, "small", .integer(one))
      }
      if let one = some("large", Self.integers) { set(object, entity, "large", .integer(one)) }
      if let one = some("real", Self.reals) { set(object, entity, "real", .double(one)) }
      if let one = some("ratio", Self.reals) { set(object, entity, "ratio", .float(Float(one))) }
      let decimals =
        hasLongDecimals ? Self.decimals + ["0.12345678901234567890"] : Self.decimals
      if let one = some("money", decimals) {
        set(object, entity, "money", .decimal(Decimal(string: one)!))
      }
      if let one = some("name", Self.texts) { set(object, entity, "name", .string(one)) }
      if let one = some("link", Self.texts) { set(object, entity, "link", .uri(one)) }
      if let one = some("when", Self.reals) {
        set(object, entity, "when", .date(Date(timeIntervalSinceReferenceDate: one)))
      }
      if let one = some("token", [0, 1, 2, 255] as [UInt8]) {
        set(object, entity, "token", .uuid(Self.token(one)))
      }
      if let one = some("bytes", [[], [0], [1, 2], [255, 0]] as [[UInt8]]) {
        set(object, entity, "bytes", .binary(Data(one)))
      }
      if let one = some("keeper", [1, 2, 3, 4, 9] as [UInt64]) {
        set(object, entity, "keeper", .object(key("Keeper", one)))
      }
      if entity == "Odd", let one = some("grade", Self.texts) {
        set(object, entity, "grade", .string(one))
      }
    }
    for number in UInt64(1)...6 {
      let object = key("Keeper", number)
      builder.insert(object)
      if let one = some("Keeper.name", Self.texts) { set(object, "Keeper", "name", .string(one)) }
      if let one = some("rank", [1, 2, 2_147_483_647] as [Int64]) {
        set(object, "Keeper", "rank", .integer(one))
      }
      if let one = some("best", [1, 3, 5, 6, 8, 99] as [UInt64]) {
        set(object, "Keeper", "best", .object(thing(one)))
      }
      let tag = key("Tag", number)
      builder.insert(tag)
      if let one = some("weight", [1, 2, 3, 100] as [Int64]) {
        set(tag, "Tag", "weight", .integer(one))
      }
    }
    func link(_ entity: String, _ name: String, _ pairs: [(ObjectKey, ObjectKey)]) {
      let side = schema.links(of: entity, name)!
      let layout = side.table.layout
      for (index, pair) in pairs.enumerated() {
        let object = ObjectKey(entity: layout.entityNumber, number: UInt64(index + 1))
        builder.insert(object)
        builder.set(
          .object(pair.0), column: layout.index(ofNumber: side.owner.number)!, of: object)
        builder.set(
          .object(pair.1), column: layout.index(ofNumber: side.destination.number)!, of: object)
      }
    }
    link(
      "Thing", "tags",
      (0..<30).map { _ in (thing(pick([1, 2, 3, 6, 7, 9])), key("Tag", pick([1, 2, 3, 4, 77]))) })
    link(
      "Keeper", "friends",
      (0..<8).map { _ in (key("Keeper", pick([1, 2, 3])), key("Keeper", pick([2, 3, 4, 88]))) })
    view = View([builder.freeze(version: 1)])
  }

  static func token(_ byte: UInt8) -> UUID {
    UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  }

  private static let entities: [Entity] = {
    func attribute(_ name: String, _ type: AttributeType) -> Property {
      .attribute(Attribute(name, type))
    }
    var thing = Entity("Thing")
    thing.declaredProperties = [
      attribute("flag", .boolean), attribute("small", .int16), attribute("large", .int64),
      attribute("real", .double), attribute("ratio", .float), attribute("money", .decimal),
      attribute("name", .string), attribute("link", .uri), attribute("when", .date),
      attribute("token", .uuid), attribute("bytes", .binary),
      .relationship(
        Relationship("keeper", to: "Keeper", inverse: "things", inverseEntity: "Keeper")),
      .relationship(
        Relationship(
          "bestOf", to: "Keeper", inverse: "best", inverseEntity: "Keeper", count: .toMany)),
      .relationship(
        Relationship("tags", to: "Tag", inverse: "things", inverseEntity: "Tag", count: .toMany)),
    ]
    var odd = Entity("Odd")
    odd.superentity = "Thing"
    odd.declaredProperties = [attribute("grade", .string)]
    var keeper = Entity("Keeper")
    keeper.declaredProperties = [
      attribute("name", .string), attribute("rank", .int32),
      .relationship(
        Relationship(
          "things", to: "Thing", inverse: "keeper", inverseEntity: "Thing", count: .toMany)),
      .relationship(
        Relationship("best", to: "Thing", inverse: "bestOf", inverseEntity: "Thing")),
      .relationship(
        Relationship(
          "friends", to: "Keeper", inverse: "friends", inverseEntity: "Keeper", count: .toMany)),
    ]
    var tag = Entity("Tag")
    tag.declaredProperties = [
      attribute("weight", .int32),
      .relationship(
        Relationship("things", to: "Thing", inverse: "tags", inverseEntity: "Thing", count: .toMany)
      ),
    ]
    return [thing, odd, keeper, tag]
  }()
}
