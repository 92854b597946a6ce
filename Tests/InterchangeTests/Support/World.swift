import Foundation
import ObjectGraph
import ObjectModel
import SeededRandom
import StoreInterface

/// A model with every exportable property, and random objects of the model.
enum World {
  static let types: [(name: String, type: AttributeType)] = [
    ("i16", .int16), ("i32", .int32), ("i64", .int64), ("decimal", .decimal), ("real", .double),
    ("small", .float), ("text", .string), ("flag", .boolean), ("day", .date), ("bytes", .binary),
    ("code", .uuid), ("place", .uri), ("shape", .transformable),
  ]

  static let model: Model = {
    var node = Entity("Node")
    node.declaredProperties = types.map { .attribute(Attribute($0.name, $0.type)) }
    node.declaredProperties += [
      .attribute(Attribute("spot", .composite, compositeName: "Spot")),
      .attribute(Attribute("size", .int32, defaultValue: .integer(7))),
      .attribute(Attribute("fleeting", .string, isTransient: true)),
      .relationship(Relationship("mate", to: "Node", inverse: "mate")),
      .relationship(Relationship("badge", to: "Badge", inverse: "holder")),
      .relationship(Relationship("parent", to: "Node", inverse: "children")),
      .relationship(Relationship("children", to: "Node", inverse: "parent", count: .toMany)),
      .relationship(
        Relationship("items", to: "Item", inverse: "owner", count: .toMany, isOrdered: true)),
      .relationship(
        Relationship("tags", to: "Tag", inverse: "nodes", count: .toMany, isOrdered: true)),
      .relationship(
        Relationship("picks", to: "Tag", inverse: "pickers", count: .toMany, isOrdered: true)),
      .relationship(Relationship("friends", to: "Node", inverse: "friends", count: .toMany)),
    ]
    let subnode = Entity(
      "SubNode", superentity: "Node", properties: [.attribute(Attribute("more", .string))])
    let badge = Entity(
      "Badge",
      properties: [.relationship(Relationship("holder", to: "Node", inverse: "badge"))])
    let item = Entity(
      "Item",
      properties: [
        .attribute(Attribute("title", .string)),
        .relationship(Relationship("owner", to: "Node", inverse: "items")),
      ])
    let tag = Entity(
      "Tag",
      properties: [
        .relationship(Relationship("nodes", to: "Node", inverse: "tags", count: .toMany)),
        .relationship(
          Relationship("pickers", to: "Node", inverse: "picks", count: .toMany, isOrdered: true)),
      ])
    return try! Model(
      Model.Description(
        entities: [node, subnode, badge, item, tag],
        composites: [
          CompositeType(
            "Spot",
            attributes: [
              Attribute("x", .double), Attribute("name", .string, defaultValue: .string("here")),
              Attribute("fine", .composite, compositeName: "Fine"),
            ]),
          CompositeType("Fine", attributes: [Attribute("z", .int64)]),
        ]))
  }()

  /// Fills a store with objects that are related in every way.
  static func fill(_ store: any Store, _ count: Int, _ random: inout SeededGenerator) throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    var objects: [String: [ManagedObject]] = [:]
    for _ in 0..<count {
      let name = ["Node", "SubNode", "Badge", "Item", "Tag"].randomElement(using: &random)!
      let object = try context.insert(name)
      objects[name == "SubNode" ? "Node" : name, default: []].append(object)
      switch name {
      case "Node", "SubNode":
        for (key, type) in types where Int.random(in: 0..<4, using: &random) > 0 {
          object.setValue(value(type, &random), forKey: key)
        }
        if Bool.random(using: &random) {
          object.setValue(.double(.random(in: -1...1, using: &random)), forKey: "spot.x")
        }
        if Bool.random(using: &random) {
          object.setValue(.integer(.random(in: 0...9, using: &random)), forKey: "spot.fine.z")
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          object.setValue(.null, forKey: "size")
          object.setValue(.null, forKey: "spot.name")
        }
        if name == "SubNode" { object.setValue(value(.string, &random), forKey: "more") }
      case "Item": object.setValue(value(.string, &random), forKey: "title")
      default: break
      }
    }
    for node in objects["Node"] ?? [] {
      for (key, other) in [("mate", "Node"), ("badge", "Badge"), ("parent", "Node")] {
        guard Bool.random(using: &random), let one = objects[other]?.randomElement(using: &random)
        else { continue }
        node.setObjects([one], forKey: key)
      }
      for (key, other) in [
        ("items", "Item"), ("tags", "Tag"), ("picks", "Tag"), ("friends", "Node"),
      ] {
        let all = objects[other] ?? []
        let some = all.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        node.setObjects(Array(some), forKey: key)
      }
    }
    for tag in objects["Tag"] ?? [] where Bool.random(using: &random) {
      let pickers = tag.value(forKey: "pickers") as? [ManagedObject] ?? []
      tag.setObjects(pickers.shuffled(using: &random), forKey: "pickers")
    }
    try context.save()
    // Some objects are changed, and some are removed.
    for object in objects["Item"] ?? [] where Int.random(in: 0..<5, using: &random) == 0 {
      context.delete(object)
    }
    for node in objects["Node"] ?? [] where Int.random(in: 0..<5, using: &random) == 0 {
      node.setValue(value(.string, &random), forKey: "text")
    }
    try context.save()
  }

  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> Value {
    func pick<T>(_ all: [T]) -> T { all.randomElement(using: &random)! }
    let bits = random.next()
    switch type {
    case .int16: return .integer(Int64(Int16(truncatingIfNeeded: bits)))
    case .int32: return .integer(Int64(Int32(truncatingIfNeeded: bits)))
    case .int64: return .integer(Int64(bitPattern: bits))
    case .boolean: return .boolean(bits & 1 == 1)
    case .double: return .double(real(bits, &random))
    case .float:
      let bits = UInt32(truncatingIfNeeded: bits)
      return .float(pick([Float(bitPattern: bits), .nan, -.infinity, -0.0, 0.1, 3]))
    case .decimal:
      return .decimal(
        pick([
          Decimal.nan, Decimal(0), Decimal(Int64(bitPattern: bits)),
          Decimal(string: "-12345678901234567890123456789012345678")!,
          Decimal(string: "1e-120")!, Decimal(string: "0.1")!,
          Decimal(sign: .plus, exponent: 100, significand: Decimal(bits)),
        ]))
    case .string:
      return .string(
        pick([
          "", " ", "plain", "a,b", "\"quoted\"", "two\nlines", "car\r\nriage\r", "nul\0l",
          "e\u{301}", "\u{e9}", "😀 emoji", "null", "tab\there", "\u{7f}\u{80}\u{2028}", ",", "\"",
          "back\\slash \\u0041", String(repeating: "long ", count: 200),
        ]))
    case .uri: return .uri(pick(["", "x:y", "x://y/c?d=e,f", "\"", "ü"]))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: moment(bits, &random)))
    case .uuid:
      let other = random.next()
      return .uuid(
        UUID(
          uuidString: String(
            format: "%08X-%04X-4%03X-8%03X-%012llX", UInt32(truncatingIfNeeded: bits),
            Int(bits >> 32 & 0xFFFF), Int(bits >> 48 & 0xFFF), Int(other & 0xFFF),
            other >> 16))!)
    default:
      let count = pick([0, 1, 3, 100, 5000, 40_000])
      return .binary(
        Data(
          (0..<count).map { UInt8(truncatingIfNeeded: Int(truncatingIfNeeded: bits) &+ $0 &* 7) }))
    }
  }

  private static func real(_ bits: UInt64, _ random: inout SeededGenerator) -> Double {
    [
      Double(bitPattern: bits), .nan, .infinity, -.infinity, -0.0, 0.1, 1e22,
      .leastNonzeroMagnitude, 3,
      .greatestFiniteMagnitude,
    ].randomElement(using: &random)!
  }

  static func moment(_ bits: UInt64, _ random: inout SeededGenerator) -> Double {
    [
      Double.random(in: -1e9...1e9, using: &random), (Double(bits % 2_000_000_000)).rounded(),
      Double.random(in: -7e10...3e11, using: &random), -0.25, 0.001, -1e-9,
      Double(bitPattern: bits),
      -0.0, .infinity, Double(bits % 1_000_000_000_000) / 1000, -Double(bits % 100_000_000) / 1000,
      -63_114_076_800, 252_423_993_599.5,
    ].randomElement(using: &random)!
  }
}
