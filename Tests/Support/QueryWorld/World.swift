public import Foundation
public import ObjectModel
public import ObjectQuery
public import Rows
package import SeededRandom

/// A few objects of every type, with nulls, extremes and relationships. The tables of expressions are about these
/// objects, and `Expressions/oracle.py` contains the same objects.
public struct World: Sendable {
  /// The model of the objects.
  public let model: Model
  /// The schema of the model.
  public let schema: Schema
  public let view: View
  /// The source of the objects for queries.
  package let source: ViewSource
  /// The store tag in the objects' identifiers.
  public static let store = StoreTag(rawValue: 0x0123_4567_89AB_CDEF)
  /// The moment that `now()` returns: 2026-11-21 00:00 UTC.
  public static let now = Date(timeIntervalSinceReferenceDate: 816_912_000)

  /// - Parameter layered: Whether the objects are spread over several layers, with changes and removals, instead of one
  ///   layer.
  public init(layered: Bool = false) throws {
    try self.init(layered: layered, pattern: .ordinary)
  }

  /// Makes a world in which the values of each attribute have a pattern. The relationships stay the same.
  package init(layered: Bool = false, pattern: ValuePattern) throws {
    model = try Model(entities: World.entities)
    schema = try Schema(model)
    let builder = Builder(schema: schema, pattern: pattern)
    view = try layered ? builder.layers() : View([builder.whole()])
    source = ViewSource(view, model: model, schema: schema, store: World.store)
  }

  private static let entities: [Entity] = {
    func attribute(_ name: String, _ type: AttributeType) -> Property {
      .attribute(Attribute(name, type))
    }
    var sample = Entity("Sample")
    sample.declaredProperties = [
      attribute("flag", .boolean), attribute("small", .int16), attribute("medium", .int32),
      attribute("large", .int64), attribute("real", .double), attribute("ratio", .float),
      attribute("money", .decimal), attribute("name", .string), attribute("link", .uri),
      attribute("when", .date), attribute("token", .uuid), attribute("bytes", .binary),
      .relationship(
        Relationship("owner", to: "Person", inverse: "samples", inverseEntity: "Person")),
    ]
    var special = Entity("SpecialSample")
    special.superentity = "Sample"
    special.declaredProperties = [attribute("grade", .string)]
    var person = Entity("Person")
    person.declaredProperties = [
      attribute("name", .string), attribute("age", .int32),
      .relationship(
        Relationship(
          "samples", to: "Sample", inverse: "owner", inverseEntity: "Sample", count: .toMany)),
      .relationship(
        Relationship("city", to: "City", inverse: "people", inverseEntity: "City")),
    ]
    var city = Entity("City")
    city.declaredProperties = [
      attribute("name", .string), attribute("population", .int64),
      .relationship(
        Relationship(
          "people", to: "Person", inverse: "city", inverseEntity: "Person", count: .toMany)),
    ]
    return [sample, special, person, city]
  }()

  /// Returns the objects of an entity that meet a predicate, by a scan over columns.
  public func scan(_ predicate: QueryPredicate, _ entity: String = "Sample") throws -> [UInt64] {
    let plan = try QueryPlan(
      QueryRequest(entity, where: predicate), model: model, schema: schema, store: World.store,
      now: World.now)
    return try plan.keys(in: source).map(World.label)
  }

  /// Returns the objects of an entity that meet a predicate, by an evaluation for each object.
  public func ask(_ predicate: QueryPredicate, _ entity: String = "Sample") throws -> [UInt64] {
    let compiled = try CompiledPredicate(
      predicate, entity: entity, model: model, schema: schema, store: World.store, now: World.now)
    var found: [UInt64] = []
    for name in model.family(of: entity).map(\.name) {
      let number = schema[name]!.entityNumber
      for key in try view.keys(ofEntity: number) {
        let key = ObjectKey(entity: number, number: key)
        if try compiled.holds(for: key, in: source) { found.append(World.label(key)) }
      }
    }
    return found.sorted()
  }

  /// Returns the number of an object. No two objects of the world have the same number, also in different entities.
  public static func label(_ key: ObjectKey) -> UInt64 { key.number }

  /// Returns the identifier of an object.
  public func id(_ entity: String, _ number: UInt64) -> ObjectID {
    ObjectID(
      store: World.store,
      key: ObjectKey(entity: schema[entity]!.entityNumber, number: number))
  }
}

// MARK: - The objects

extension World {
  fileprivate struct Builder {
    let schema: Schema
    let pattern: ValuePattern

    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: number)
    }

    func set(
      _ entity: String, _ number: UInt64, _ values: [String: Value], _ builder: LayerBuilder
    ) {
      for (name, value) in values {
        builder.set(
          value, column: schema[entity]!.index(of: name)!, of: key(entity, number), basis: 0)
      }
    }

    func insert(
      _ entity: String, _ number: UInt64, _ values: [String: Value], _ builder: LayerBuilder
    ) {
      builder.insert(key(entity, number))
      set(entity, number, values, builder)
    }

    /// Returns one layer with all objects.
    func whole() -> Layer {
      let builder = LayerBuilder(schema)
      for (entity, number, values) in objects { insert(entity, number, values, builder) }
      return builder.freeze(version: 1)
    }

    /// Returns several layers with the same objects. Some objects are inserted late, some are changed, and additional
    /// objects are inserted and removed.
    func layers() throws -> View {
      let bottom = LayerBuilder(schema)
      let middle = LayerBuilder(schema)
      let top = LayerBuilder(schema)
      for (index, object) in objects.enumerated() {
        let (entity, number, values) = object
        switch index % 4 {
        case 0: insert(entity, number, values, bottom)
        case 1: insert(entity, number, values, middle)
        case 2:
          // The lower layer has wrong values, which the upper layers change one by one.
          insert(entity, number, values.mapValues { _ in .null }, bottom)
          for (place, value) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            set(entity, number, [value.key: value.value], place % 2 == 0 ? middle : top)
          }
        default:
          insert(entity, number, ["name": .string("replaced")], bottom)
          insert(entity, number, values, top)
        }
        // These objects are removed in a later layer.
        insert(entity, number + 1000, values, bottom)
        (index % 2 == 0 ? middle : top).remove(key(entity, number + 1000), basis: 1)
      }
      return View([bottom.freeze(version: 1), middle.freeze(version: 2), top.freeze(version: 3)])
    }

    /// The objects with the values of the pattern.
    private var objects: [(String, UInt64, [String: Value])] {
      ordinaryObjects.map { entity, number, ordinary in
        var values = ordinary
        for column in schema[entity]!.columns {
          guard let (empty, greatest, same) = Builder.values(of: column.kind) else { continue }
          values[column.name] = pattern.value(empty: empty, greatest: greatest, same: same) {
            ordinary[column.name]
          }
        }
        return (entity, number, values)
      }
    }

    /// Returns the empty value of a kind, or zero, a large value and an ordinary one; `nil` for references.
    private static func values(
      of kind: ColumnKind
    ) -> (empty: Value, greatest: Value, same: Value)? {
      func date(_ seconds: Double) -> Value {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      func token(_ byte: UInt8) -> Value {
        .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
      }
      return switch kind {
      case .boolean: (.boolean(false), .boolean(true), .boolean(true))
      case .int16, .int32, .int64:
        (.integer(0), .integer(kind.integerRange.upperBound), .integer(7))
      case .float: (.float(0), .float(.greatestFiniteMagnitude), .float(0.5))
      case .double: (.double(0), .double(.greatestFiniteMagnitude), .double(1.5))
      case .date: (date(0), date(1e10), date(86_400))
      case .decimal: (.decimal(0), .decimal(999_999_999_999_999), .decimal(5))
      case .string:
        (.string(""), .string(String(repeating: "\u{10FFFF}", count: 80)), .string("Ada"))
      case .uri:
        (
          .uri(""), .uri("https://example.com/" + String(repeating: "z", count: 300)),
          .uri("https://example.com/x")
        )
      case .binary:
        (
          .binary(Data()), .binary(Data(repeating: 0xFF, count: 300)), .binary(Data([1, 2]))
        )
      case .uuid: (token(0), token(255), token(1))
      case .reference: nil
      }
    }

    private var ordinaryObjects: [(String, UInt64, [String: Value])] {
      func text(_ text: String) -> Value { .string(text) }
      func whole(_ number: Int64) -> Value { .integer(number) }
      func date(_ seconds: Double) -> Value {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      func token(_ byte: UInt8) -> Value {
        .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
      }
      func owner(_ number: UInt64) -> Value { .object(key("Person", number)) }
      func city(_ number: UInt64) -> Value { .object(key("City", number)) }
      return [
        (
          "Sample", 1,
          [
            "flag": .boolean(true), "small": whole(-3), "medium": whole(0), "large": whole(10),
            "real": .double(1.5), "ratio": .float(0.5), "money": .decimal(Decimal(1999) / 100),
            "name": text("Ada"), "link": .uri("https://example.com/x"), "when": date(0),
            "token": token(1), "bytes": .binary(Data([1, 2])), "owner": owner(21),
          ]
        ),
        (
          "Sample", 2,
          [
            "flag": .boolean(false), "small": whole(0), "medium": whole(7), "large": whole(-10),
            "real": .double(-2.25), "ratio": .float(1.25), "money": .decimal(5),
            "name": text("ada"), "link": .uri("https://example.com/y"), "when": date(791_553_600),
            "token": token(2), "bytes": .binary(Data()), "owner": owner(21),
          ]
        ),
        (
          "Sample", 3,
          [
            "flag": .boolean(true), "small": whole(3), "medium": whole(7),
            "large": whole(9_007_199_254_740_993), "real": .double(1e10), "ratio": .float(-0.5),
            "money": .decimal(Decimal(-5) / 10), "name": text("Émile"), "when": date(816_912_000),
            "token": token(3), "bytes": .binary(Data([1, 2])), "owner": owner(22),
          ]
        ),
        ("Sample", 4, [:]),
        (
          "Sample", 5,
          [
            "flag": .boolean(false), "small": whole(32767), "medium": whole(-1),
            "large": whole(.max), "real": .double(0), "ratio": .float(100),
            "money": .decimal(1_000_000), "name": text(""), "link": .uri(""),
            "when": date(-978_307_200), "token": token(1), "bytes": .binary(Data([255])),
            "owner": owner(23),
          ]
        ),
        (
          "Sample", 6,
          [
            "flag": .boolean(true), "small": whole(-32768), "medium": whole(2_147_483_647),
            "large": whole(.min), "real": .double(-0.0), "ratio": .float(0.25),
            "money": .decimal(Decimal(1) / 10), "name": text("Zoë Smith"),
            "link": .uri("https://example.com/X"), "owner": owner(22),
          ]
        ),
        (
          "SpecialSample", 7,
          [
            "flag": .boolean(false), "small": whole(100), "large": whole(42),
            "real": .double(3.14159), "money": .decimal(42), "name": text("smith"),
            "when": date(86_400), "token": token(4), "owner": owner(24), "grade": text("A"),
          ]
        ),
        (
          "SpecialSample", 8,
          [
            "small": whole(3), "medium": whole(42), "large": whole(42), "real": .double(42),
            "ratio": .float(42), "name": text("a*b?c\\d"), "when": date(0.5),
            "owner": owner(24),
          ]
        ),
        ("Person", 21, ["name": text("Grace"), "age": whole(30), "city": city(31)]),
        ("Person", 22, ["name": text("Kurt"), "age": whole(41), "city": city(32)]),
        ("Person", 23, ["name": text("Émilie")]),
        ("Person", 24, ["name": text("grace"), "age": whole(30), "city": city(31)]),
        ("Person", 25, ["name": text("Nobody"), "age": whole(99), "city": city(32)]),
        ("City", 31, ["name": text("Ålesund"), "population": whole(67_000)]),
        ("City", 32, ["name": text("Berlin"), "population": whole(3_700_000)]),
      ]
    }
  }
}
