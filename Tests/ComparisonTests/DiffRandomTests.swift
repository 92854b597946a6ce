import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import Testing

@testable import Comparison

/// Random objects, changed at random. The changes that a comparison finds are compared with the changes of plain
/// dictionaries.
@Suite("Random comparisons")
struct DiffRandomTests {
  private let disk = SimulatedDisk()

  /// Objects in a form that is easy to compare.
  struct World: Equatable {
    struct Trip: Equatable {
      var name: String?
      var price: Double?
      var stops: [Int] = []
      var friends: Set<Int> = []
    }
    var trips: [Int: Trip] = [:]
    /// The number of nights of each stop.
    var stops: [Int: Int?] = [:]

    func trip(of stop: Int) -> Int? { trips.first { $0.value.stops.contains(stop) }?.key }
  }

  static var model: Model {
    get throws {
      try Model(entities: [
        Entity(
          "Stop",
          properties: [
            .attribute(Attribute("id", .int64)), .attribute(Attribute("nights", .int32)),
            .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
          ]),
        Entity(
          "Trip",
          properties: [
            .attribute(Attribute("id", .int64)), .attribute(Attribute("name", .string)),
            .attribute(Attribute("price", .double)),
            .relationship(
              Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
            .relationship(
              Relationship("friends", to: "Trip", inverse: "friendsOf", count: .toMany)),
            .relationship(
              Relationship("friendsOf", to: "Trip", inverse: "friends", count: .toMany)),
          ]),
      ])
    }
  }

  // MARK: - Worlds

  private func change(_ world: World, _ random: inout SeededGenerator, steps: Int) -> World {
    var world = world
    for _ in 0..<steps {
      let trip = world.trips.keys.sorted().randomElement(using: &random)
      let stop = world.stops.keys.sorted().randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        world.trips[Int.random(in: 1...60, using: &random)] = World.Trip(
          name: ["a", "é", "", nil].randomElement(using: &random)!,
          price: [0.0, -0.0, .nan, nil].randomElement(using: &random)!)
      case 1, 2:
        let new = Int.random(in: 1...200, using: &random)
        if world.stops[new] == nil { world.stops[new] = .some(nil) }
      case 3:
        if let trip {
          world.trips[trip]!.name = ["b", "e\u{301}", nil].randomElement(using: &random)!
        }
      case 4:
        if let stop { world.stops[stop] = .some(Int.random(in: 0...2, using: &random)) }
      case 5, 6:
        guard let trip, let stop else { continue }
        for other in world.trips.keys { world.trips[other]!.stops.removeAll { $0 == stop } }
        let place = Int.random(in: 0...world.trips[trip]!.stops.count, using: &random)
        world.trips[trip]!.stops.insert(stop, at: place)
      case 7: if let trip { world.trips[trip]!.stops.shuffle(using: &random) }
      case 8:
        guard let trip, let other = world.trips.keys.sorted().randomElement(using: &random) else {
          continue
        }
        world.trips[trip]!.friends.formSymmetricDifference([other])
      default:
        if Bool.random(using: &random), let trip {
          world.trips[trip] = nil
          for other in world.trips.keys { world.trips[other]!.friends.remove(trip) }
        } else if let stop {
          world.stops[stop] = nil
          for other in world.trips.keys { world.trips[other]!.stops.removeAll { $0 == stop } }
        }
      }
    }
    return world
  }

  /// Returns the changes from one world to another, as sorted lines.
  private func expected(_ old: World, _ new: World) -> [String] {
    var lines: [String] = []
    func text(_ value: Double?) -> String { value.map { "\($0.bitPattern)" } ?? "null" }
    func line(_ kind: String, _ entity: String, _ id: Int, _ parts: [String]) {
      if kind == "changed", parts.isEmpty { return }
      lines.append(([kind, entity, "\(id)"] + parts.sorted()).joined(separator: " "))
    }
    func pair(_ name: String, _ old: String, _ new: String) -> [String] {
      // Texts with equal characters in another form of Unicode differ.
      old.utf8.elementsEqual(new.utf8) ? [] : ["\(name):\(old)>\(new)"]
    }
    func list(_ name: String, _ old: [Int], _ new: [Int], isOrdered: Bool = false) -> [String] {
      let added = new.filter { !old.contains($0) }.sorted().map { "+\($0)" }
      let removed = old.filter { !new.contains($0) }.sorted().map { "-\($0)" }
      let isReordered =
        isOrdered && old.filter { new.contains($0) } != new.filter { old.contains($0) }
      let all = added + removed + (isReordered ? ["reordered"] : [])
      return all.isEmpty ? [] : ["\(name):\(all.joined(separator: ","))"]
    }
    for id in Set(old.trips.keys).union(new.trips.keys) {
      let (one, other) = (old.trips[id], new.trips[id])
      let kind = one == nil ? "inserted" : other == nil ? "deleted" : "changed"
      let (before, after) = (one ?? World.Trip(), other ?? World.Trip())
      func friendsOf(_ world: World) -> [Int] {
        world.trips.filter { $0.value.friends.contains(id) }.map(\.key)
      }
      line(
        kind, "Trip", id,
        (kind == "changed"
          ? [] : pair("id", one == nil ? "null" : "\(id)", one == nil ? "\(id)" : "null"))
          + pair("name", before.name.debugDescription, after.name.debugDescription)
          + pair("price", text(before.price), text(after.price))
          + list("stops", before.stops, after.stops, isOrdered: true)
          + list("friends", Array(before.friends), Array(after.friends))
          + list("friendsOf", one == nil ? [] : friendsOf(old), other == nil ? [] : friendsOf(new)))
    }
    for id in Set(old.stops.keys).union(new.stops.keys) {
      let (one, other) = (old.stops[id], new.stops[id])
      let kind = one == nil ? "inserted" : other == nil ? "deleted" : "changed"
      func nights(_ value: Int??) -> String { (value ?? nil).map { "\($0)" } ?? "null" }
      func trip(_ world: World) -> String { world.trip(of: id).map { "\($0)" } ?? "null" }
      line(
        kind, "Stop", id,
        (kind == "changed"
          ? [] : pair("id", one == nil ? "null" : "\(id)", one == nil ? "\(id)" : "null"))
          + pair("nights", nights(one), nights(other))
          + pair("trip", one == nil ? "null" : trip(old), other == nil ? "null" : trip(new)))
    }
    return lines.sorted()
  }

  /// Returns the changes that a comparison finds, in the form of ``expected(_:_:)``.
  private func found(
    _ comparison: StoreComparison, _ id: (ComparedObject) -> Int
  ) throws -> [String] {
    var lines: [String] = []
    try comparison.forEachChange { change in
      func text(_ value: Value, _ name: String) -> String {
        switch value {
        case .null: name == "name" ? String?.none.debugDescription : "null"
        case .string(let text): String?.some(text).debugDescription
        case .double(let number): "\(number.bitPattern)"
        case .integer(let number): "\(number)"
        default: "?"
        }
      }
      let parts = change.properties.map { property in
        let text =
          switch property.content {
          case .value(let values):
            "\(text(values.old, property.name))>\(text(values.new, property.name))"
          case .reference(let objects):
            "\(objects.old.map { "\(id($0))" } ?? "null")>\(objects.new.map { "\(id($0))" } ?? "null")"
          case .members(let members):
            (members.added.map(id).sorted().map { "+\($0)" }
              + members.removed.map(id).sorted().map { "-\($0)" }
              + (members.isReordered ? ["reordered"] : [])).joined(separator: ",")
          }
        return "\(property.name):\(text)"
      }
      lines.append(
        ([change.kind.rawValue, change.entity, "\(id(change.object))"] + parts.sorted())
          .joined(separator: " "))
    }
    return lines.sorted()
  }

  // MARK: - Rows

  /// Returns the rows of a world, with links.
  ///
  /// - Parameter number: The number of the object with an id.
  private func rows(
    _ world: World, _ schema: Schema, _ number: (Int) -> Int
  ) -> [ObjectKey: [Value]] {
    var rows: [ObjectKey: [Value]] = [:]
    let (trip, stop) = (schema["Trip"]!, schema["Stop"]!)
    func key(_ layout: Layout, _ id: Int) -> ObjectKey {
      ObjectKey(entity: layout.entityNumber, number: UInt64(number(id)))
    }
    func add(_ layout: Layout, _ key: ObjectKey, _ values: [String: Value]) {
      rows[key] = layout.columns.map { values[$0.name] ?? .null }
    }
    for (id, one) in world.trips {
      add(
        trip, key(trip, id),
        [
          "id": .integer(Int64(id)), "name": one.name.map { .string($0) } ?? .null,
          "price": one.price.map { .double($0) } ?? .null,
        ])
      let table = schema.links(of: "Trip", "friends")!
      for friend in one.friends {
        let link = ObjectKey(
          entity: table.table.layout.entityNumber,
          number: UInt64(number(id) * 1000 + number(friend)))
        add(
          table.table.layout, link,
          [
            table.owner.name: .object(key(trip, id)),
            table.destination.name: .object(key(trip, friend)),
          ])
      }
    }
    for (id, nights) in world.stops {
      let owner = world.trip(of: id)
      let place = owner.flatMap { world.trips[$0]!.stops.firstIndex(of: id) }
      add(
        stop, key(stop, id),
        [
          "id": .integer(Int64(id)), "nights": nights.map { .integer(Int64($0)) } ?? .null,
          "trip": owner.map { .object(key(trip, $0)) } ?? .null,
          "trip#order": place.map { .integer(Int64($0 * 16)) } ?? .null,
        ])
    }
    return rows
  }

  /// Commits the changes that lead from the rows of one world to the rows of another.
  private func commit(
    _ old: [ObjectKey: [Value]], _ new: [ObjectKey: [Value]], to store: BinaryStore
  ) throws {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for (key, values) in new {
      guard let before = old[key] else {
        builder.insert(key)
        for (column, value) in values.enumerated() { builder.set(value, column: column, of: key) }
        continue
      }
      let version = try base.view.row(of: key)!.version
      for column in values.indices where !values[column].isIdentical(to: before[column]) {
        builder.set(values[column], column: column, of: key, basis: version)
      }
    }
    for key in old.keys where new[key] == nil {
      builder.remove(key, basis: try base.view.row(of: key)!.version)
    }
    let layer = builder.freeze()
    if !layer.isEmpty { try store.commit(CommitRequest(layer, basedOn: base)) }
  }

  // MARK: - Tests

  @Test("Versions, copies and unrelated stores show exactly the changes made", arguments: 0..<12)
  func random(_ run: Int) throws {
    var random = SeededGenerator()
    var options = BinaryStoreOptions()
    options.history = .all
    let model = try DiffRandomTests.model
    let store = try BinaryStore.create(at: "/A.store", model: model, on: disk, options: options)
    let schema = try store.snapshot().schema
    var world = change(World(), &random, steps: 400)
    try commit([:], rows(world, schema) { $0 }, to: store)
    let first = world
    let firstCommit = try store.snapshot().commit
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let next = change(
        world, &random,
        steps: Int.random(in: 0...(run.isMultiple(of: 2) ? 12 : 200), using: &random))
      try commit(rows(world, schema) { $0 }, rows(next, schema) { $0 }, to: store)
      world = next
    }
    let expected = expected(first, world)
    let note = "\(random)"

    // The same file: from the commits between, and from all rows.
    let old = try store.snapshot(ofCommit: firstCommit)
    let new = try store.snapshot()
    let sides = try (ComparedStore("old", old), ComparedStore("new", new))
    let id = { (object: ComparedObject) in Int(object.id.number) }
    var askedForLayer = false
    let versions = try StoreComparison(from: sides.0, to: sides.1, MatchChoices()) {
      askedForLayer = true
      return try new.changes(since: old)
    }
    #expect(try found(versions, id) == expected, "\(note)")
    #expect(askedForLayer)
    let scanned = try StoreComparison(from: sides.0, to: sides.1, MatchChoices())
    #expect(try found(scanned, id) == expected, "\(note)")
    let back = try StoreComparison(from: sides.1, to: sides.0, MatchChoices())
    #expect(try found(back, id) == self.expected(world, first), "\(note)")

    // A store with other identifiers, matched by the attribute `id`.
    let numbers = (1...200).shuffled(using: &random)
    let other = try BinaryStore.create(at: "/B.store", model: model, on: disk, options: options)
    try commit([:], rows(world, schema) { numbers[$0 - 1] }, to: other)
    var choices = MatchChoices()
    choices.keys = [MatchChoices.Key(entity: nil, names: ["id"])]
    let keyed = try StoreComparison(
      from: sides.0, to: ComparedStore("other", other.snapshot()), choices)
    let byKey = { (object: ComparedObject) in
      if case .integer(let id)? = object.key.first?.value { Int(id) } else { -1 }
    }
    #expect(try found(keyed, byKey) == expected, "\(note)")
  }
}
