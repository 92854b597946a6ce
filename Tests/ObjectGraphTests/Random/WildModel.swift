import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom

// A model with every feature: attributes of all types, a subentity, and relationships of every shape and delete rule.

enum Wild {
  /// The way in which a relationship is kept, which is all that the naive model needs.
  enum Shape {
    case oneToOne(inverse: String)
    /// To-one here, and to-many on the inverse side.
    case reference(inverse: String, isOrdered: Bool)
    /// To-many here, and to-one on the inverse side.
    case members(inverse: String, isOrdered: Bool)
    /// To-many on both sides: pairs in a table.
    case links(table: String, isForward: Bool, isOrdered: Bool)
  }

  struct Relation {
    let name: String
    let destination: String
    let shape: Shape
    let rule: Relationship.DeleteRule
  }

  static let relations: [String: [Relation]] = [
    "Node": [
      Relation(
        name: "mate", destination: "Node", shape: .oneToOne(inverse: "mate"), rule: .nullify),
      Relation(
        name: "badge", destination: "Badge", shape: .oneToOne(inverse: "holder"), rule: .cascade),
      Relation(
        name: "parent", destination: "Node",
        shape: .reference(inverse: "children", isOrdered: false), rule: .nullify),
      Relation(
        name: "children", destination: "Node",
        shape: .members(inverse: "parent", isOrdered: false), rule: .cascade),
      Relation(
        name: "items", destination: "Item", shape: .members(inverse: "owner", isOrdered: true),
        rule: .cascade),
      Relation(
        name: "guards", destination: "Guard", shape: .members(inverse: "post", isOrdered: false),
        rule: .deny),
      Relation(
        name: "tags", destination: "Tag",
        shape: .links(table: "tags", isForward: true, isOrdered: false), rule: .nullify),
      Relation(
        name: "picks", destination: "Tag",
        shape: .links(table: "picks", isForward: true, isOrdered: true), rule: .nullify),
      Relation(
        name: "friends", destination: "Node",
        shape: .links(table: "friends", isForward: true, isOrdered: false), rule: .nullify),
    ],
    "Badge": [
      Relation(
        name: "holder", destination: "Node", shape: .oneToOne(inverse: "badge"), rule: .nullify)
    ],
    "Item": [
      Relation(
        name: "owner", destination: "Node", shape: .reference(inverse: "items", isOrdered: true),
        rule: .nullify)
    ],
    "Guard": [
      Relation(
        name: "post", destination: "Node", shape: .reference(inverse: "guards", isOrdered: false),
        rule: .nullify)
    ],
    "Tag": [
      Relation(
        name: "nodes", destination: "Node",
        shape: .links(table: "tags", isForward: false, isOrdered: false), rule: .nullify),
      Relation(
        name: "pickers", destination: "Node",
        shape: .links(table: "picks", isForward: false, isOrdered: false), rule: .nullify),
    ],
  ]

  /// The entities of the objects, each with the root entity that defines its relationships.
  static let roots = [
    "Node": "Node", "SubNode": "Node", "Badge": "Badge", "Item": "Item", "Guard": "Guard",
    "Tag": "Tag",
  ]

  static func relations(of entity: String) -> [Relation] { relations[roots[entity]!]! }

  static func relation(_ name: String, of entity: String) -> Relation {
    relations(of: entity).first { $0.name == name }!
  }

  /// Returns the delete rule of the inverse of a reference.
  static func inverseRule(of name: String, in entity: String) -> Relationship.DeleteRule {
    let reference = relation(name, of: entity)
    switch reference.shape {
    case .oneToOne(let inverse), .reference(let inverse, _):
      return relation(inverse, of: reference.destination).rule
    default: preconditionFailure("\(name) leads to many")
    }
  }

  static let types: [(name: String, type: AttributeType)] = [
    ("i16", .int16), ("i32", .int32), ("i64", .int64), ("decimal", .decimal), ("real", .double),
    ("small", .float), ("text", .string), ("flag", .boolean), ("day", .date), ("bytes", .binary),
    ("code", .uuid), ("place", .uri),
  ]

  static func attributes(of entity: String) -> [(name: String, type: AttributeType)] {
    switch entity {
    case "Node": types
    case "SubNode": types + [("extra", .string)]
    default: [("text", .string), ("i32", .int32)]
    }
  }

  /// The attribute with a unique value among the objects of a root entity.
  static let label = "label"

  /// Returns a label out of so few that some objects share one.
  static func label(_ random: inout SeededGenerator) -> Value {
    .string("L\(Int.random(in: 0..<12, using: &random))")
  }

  static let model: Model = {
    func properties(_ entity: String, _ attributes: [(name: String, type: AttributeType)])
      -> [Property]
    {
      attributes.map { .attribute(Attribute($0.name, $0.type)) }
        + (relations[entity] ?? []).map { relation in
          let name = relation.name
          switch relation.shape {
          case .oneToOne(let inverse), .reference(let inverse, _):
            return .relationship(
              Relationship(
                name, to: relation.destination, inverse: inverse, deleteRule: relation.rule))
          case .members(let inverse, let isOrdered):
            return .relationship(
              Relationship(
                name, to: relation.destination, inverse: inverse, count: .toMany,
                isOrdered: isOrdered, deleteRule: relation.rule))
          case .links(let table, let isForward, let isOrdered):
            let inverses = ["tags": "nodes", "picks": "pickers", "friends": "friends"]
            return .relationship(
              Relationship(
                name, to: relation.destination, inverse: isForward ? inverses[table]! : table,
                count: .toMany, isOrdered: isOrdered, deleteRule: relation.rule))
          }
        }
    }
    func root(_ name: String) -> Entity {
      Entity(
        name, properties: properties(name, attributes(of: name) + [(label, .string)]),
        uniquenessConstraints: [[label]])
    }
    return try! Model(entities: [
      root("Node"),
      Entity(
        "SubNode", superentity: "Node", properties: [.attribute(Attribute("extra", .string))]),
      root("Badge"),
      root("Item"),
      root("Guard"),
      root("Tag"),
    ])
  }()

  private static let texts = [
    "", "a", "b", "Lisbon", "évora", "ÉVORA", "a b", " ", "\n", "<&>", "😀", "zz", "\u{301}e",
  ]

  /// Returns the pattern of an attribute's values in the work of a seed.
  static func pattern(of name: String, seed: UInt64) -> ValuePattern {
    var random = SeededGenerator(seed: name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    return Bool.random(using: &random) ? .ordinary : .random(using: &random)
  }

  /// Returns a value of a type and a pattern.
  static func value(
    _ type: AttributeType, _ pattern: ValuePattern, _ random: inout SeededGenerator
  ) -> Value {
    let (empty, greatest): (Value, Value) =
      switch type {
      case .int16: (.integer(0), .integer(Int64(Int16.max)))
      case .int32: (.integer(0), .integer(Int64(Int32.max)))
      case .int64: (.integer(0), .integer(.max))
      case .decimal: (.decimal(0), .decimal(Decimal(string: "9999999999999999999")!))
      case .double: (.double(0), .double(.greatestFiniteMagnitude))
      case .float: (.float(0), .float(.greatestFiniteMagnitude))
      case .string: (.string(""), .string(String(repeating: "\u{10FFFF}", count: 500)))
      case .boolean: (.boolean(false), .boolean(true))
      case .date:
        (
          .date(Date(timeIntervalSinceReferenceDate: 0)),
          .date(Date(timeIntervalSinceReferenceDate: 1e10))
        )
      case .binary: (.binary(Data()), .binary(Data(repeating: 0xFF, count: 3000)))
      case .uuid:
        (
          .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
          .uuid(UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 255)))
        )
      case .uri: (.uri("a:"), .uri("quire://" + String(repeating: "z", count: 2000)))
      default: (.null, .null)
      }
    var fixed = SeededGenerator(seed: 2)
    return pattern.value(empty: empty, greatest: greatest, same: value(type, &fixed)) {
      value(type, &random)
    } ?? .null
  }

  /// Returns a value of a type; often a small number, so that equal values occur.
  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> Value {
    if Int.random(in: 0..<7, using: &random) == 0 { return .null }
    let isExtreme = Int.random(in: 0..<8, using: &random) == 0
    let few = Int64.random(in: -3...6, using: &random)
    switch type {
    case .int16: return .integer(isExtreme ? Int64(Int16.min) : few)
    case .int32: return .integer(isExtreme ? Int64(Int32.max) : few)
    case .int64: return .integer(isExtreme ? Int64.min + (few + 3) : few)
    case .decimal:
      return .decimal(
        isExtreme ? Decimal(string: "-1234567890123456789.000000001")! : Decimal(few) / 4)
    case .double: return .double(isExtreme ? 1e300 : Double(few) / 8)
    case .float: return .float(isExtreme ? -1e-30 : Float(few) / 2)
    case .string:
      return .string(
        isExtreme
          ? String(repeating: "long ", count: Int.random(in: 1...400, using: &random))
          : texts.randomElement(using: &random)!)
    case .boolean: return .boolean(few > 1)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(few) * 86400.5))
    case .binary:
      return .binary(Data(repeating: UInt8(few + 3), count: isExtreme ? 5000 : Int(few + 3)))
    case .uuid:
      return .uuid(
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(few + 3))))
    case .uri: return .uri("quire://\(few)")
    default: return .null
    }
  }
}
