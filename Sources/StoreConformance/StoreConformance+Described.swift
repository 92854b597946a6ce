import Foundation
public import ObjectModel
import Rows
public import SeededRandom
public import StoreInterface

/// Objects with relationships of every kind.
extension StoreConformance {
  /// An object described without keys: its values, and the names of the objects that it leads to.
  public struct Described: Hashable, Sendable {
    public var entity: String
    /// The values of the object's attributes, by name.
    public var values: [String: Value]
    /// The names of the objects that each relationship refers to, in their order if it has one, else sorted.
    public var relationships: [String: [String]]
  }

  /// Returns all objects of a snapshot, by the value of the given property, which must be unique.
  public static func described(
    _ snapshot: any StoreSnapshot, by property: String = "token"
  ) throws -> [String: Described] {
    let (model, schema, view) = (try snapshot.model, snapshot.schema, snapshot.view)
    let objects = try objects(snapshot)
    var names: [ObjectKey: String] = [:]
    for (key, values) in objects
    where schema.layouts.contains(where: { $0.entityNumber == key.entity }) {
      names[key] = "\(values[property] ?? .object(key))"
    }
    var all: [String: Described] = [:]
    for (key, name) in names {
      let layout = schema[key.entity]!
      var one = Described(entity: layout.entity, values: [:], relationships: [:])
      for (column, value) in objects[key]! where !column.contains("#") {
        if case .object = value { continue }
        one.values[column] = value
      }
      for case .relationship(let relationship) in model.properties(of: layout.entity) {
        var members: [(order: Int64, name: String)] = []
        func add(_ other: Value?, _ order: Value?) {
          guard case .object(let other)? = other else { return }
          var place: Int64 = relationship.keepsOrder ? .max : 0
          if relationship.keepsOrder, case .integer(let number)? = order { place = number }
          members.append((place, names[other] ?? "nobody"))
        }
        if let side = schema.links(of: layout.entity, relationship.name) {
          for number in try view.keys(ofEntity: side.table.layout.entityNumber) {
            let link = try view.row(
              of: ObjectKey(entity: side.table.layout.entityNumber, number: number))!
            for side in side.table.isSymmetric ? [side, side.turned] : [side]
            where try link.value(side.owner) == .object(key) {
              add(try link.value(side.destination), try side.order.map { try link.value($0) })
            }
          }
        } else if relationship.isToMany {
          guard let inverse = relationship.inverse else { continue }
          for (other, values) in objects where values[inverse] == .object(key) {
            guard names[other] != nil,
              model.entity(schema[other.entity]!.entity, isOrInheritsFrom: relationship.destination)
            else { continue }
            add(.object(other), values[inverse + "#order"])
          }
        } else {
          add(objects[key]![relationship.name], nil)
        }
        members.sort { ($0.order, $0.name) < ($1.order, $1.name) }
        one.relationships[relationship.name] = members.map(\.name)
      }
      all[name] = one
    }
    return all
  }

  /// Fills a store with random things, owners and tags. Every reference refers to an object that exists.
  public static func populate(
    _ store: any Store, count: Int, _ generator: inout SeededGenerator
  ) throws {
    let base = try store.snapshot()
    let schema = base.schema
    let builder = LayerBuilder(schema)
    var keys: [String: [ObjectKey]] = [:]
    for (entity, share) in [("Thing", 4), ("SpecialThing", 2), ("Owner", 1), ("Tag", 1)] {
      let number = schema[entity]!.entityNumber
      let count = max(1, count * share / 8)
      let lease = try store.leaseKeys(ofEntity: number, count: count)
      keys[entity] = lease.prefix(count).map { ObjectKey(entity: number, number: $0) }
    }
    let things = keys["Thing"]! + keys["SpecialThing"]!
    // In one order, so that stores that are filled from one seed contain the same objects.
    for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
      let columns = schema[entity]!.columns.map { column in
        // The token is the name of its object, so it must differ in each object. Half of the remaining columns are
        // ordinary too, because requests distinguish objects by their values.
        let isOrdinary = column.kind == .uuid || Bool.random(using: &generator)
        let pattern = isOrdinary ? .ordinary : ValuePattern.random(using: &generator)
        return (column.kind, pattern, same: randomValue(column.kind, &generator))
      }
      for key in keys {
        builder.insert(key)
        for (position, (kind, pattern, same)) in columns.enumerated() {
          let (empty, greatest) = bounds(of: kind)
          let value = pattern.value(empty: empty, greatest: greatest, same: same) {
            randomValue(kind, &generator)
          }
          if let value = value ?? nil { builder.set(value, column: position, of: key) }
        }
      }
    }
    for (name, order) in [("owner", false), ("shelf", true)] {
      for (index, thing) in things.enumerated() where Bool.random(using: &generator) {
        builder.set(
          .object(keys["Owner"]!.randomElement(using: &generator)!), name, of: thing, schema)
        if order {
          builder.set(.integer(Int64(things.count - index) * 3), "\(name)#order", of: thing, schema)
        }
      }
    }
    for (name, others) in [("tags", keys["Tag"]!), ("twins", things)] {
      let side = schema.links(of: "Thing", name)!
      var pairs: Set<Set<ObjectKey>> = []
      for thing in things {
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          pairs.insert([thing, others.randomElement(using: &generator)!])
        }
      }
      let number = side.table.layout.entityNumber
      let lease = try store.leaseKeys(ofEntity: number, count: pairs.count)
      let isThing = Set(things)
      for (index, pair) in pairs.sorted(by: {
        ($0.min()!, $0.max()!) < ($1.min()!, $1.max()!)
      }).enumerated() {
        let key = ObjectKey(entity: number, number: lease.lowerBound + UInt64(index))
        let owner = pair.filter { isThing.contains($0) }.min()!
        builder.insert(key)
        builder.set(.object(owner), side.owner.name, of: key, schema)
        builder.set(
          .object(pair.subtracting([owner]).first ?? owner), side.destination.name, of: key, schema)
        if let order = side.order {
          builder.set(.integer(Int64(pairs.count - index)), order.name, of: key, schema)
        }
      }
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }

  /// Returns the empty value of a kind, or zero, and the largest one that every store can keep.
  private static func bounds(of kind: ColumnKind) -> (empty: Value?, greatest: Value?) {
    switch kind.content {
    case .boolean: (.boolean(false), .boolean(true))
    case .integer: (.integer(0), .integer(kind.integerRange.upperBound))
    case .float: (.float(0), .float(.greatestFiniteMagnitude))
    case .double: (.double(0), .double(.greatestFiniteMagnitude))
    case .date:
      (
        .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: 1e10))
      )
    // Databases that keep decimal numbers as floating-point numbers keep 15 digits.
    case .decimal: (.decimal(0), .decimal(999_999_999_999_999))
    case .string: (.string(""), .string(String(repeating: "\u{10FFFF}", count: 80)))
    case .uri: (.uri("a:"), .uri("https://example.org/" + String(repeating: "z", count: 300)))
    case .binary: (.binary(Data()), .binary(Data(repeating: 0xFF, count: 300)))
    case .uuid, .object: (nil, nil)
    }
  }

  private static func randomValue(
    _ kind: ColumnKind, _ generator: inout SeededGenerator
  ) -> Value? {
    if kind != .uuid, Int.random(in: 0..<4, using: &generator) == 0 { return nil }
    let number = Int64.random(in: -9999...9999, using: &generator)
    switch kind.content {
    case .boolean: return .boolean(number > 0)
    case .integer: return .integer(number)
    case .float: return .float(Float(number) / 7)
    case .double: return .double(Double(number) / 3)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1e4 / 7))
    case .decimal: return .decimal(Decimal(number) / 100)
    case .string: return .string("<\(number)> \u{1F682}\\ & \u{0}")
    case .uri: return .uri("https://example.org/?a=\(number)&b")
    case .binary: return .binary(Data((0..<abs(number) % 99).map { UInt8($0) }))
    case .uuid:
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return .uuid(uuid(bytes))
    case .object: return nil
    }
  }

  private static func uuid(_ b: [UInt8]) -> UUID {
    UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}
