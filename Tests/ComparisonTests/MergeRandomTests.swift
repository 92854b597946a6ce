import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Quire
import Rows
import SeededRandom
import StoreInterface
import Testing

@testable import Comparison

/// Random objects, changed at random in two copies, and merged.
@Suite("Random merges")
struct MergeRandomTests {
  private let disk = SimulatedDisk()
  private var places: StorePlaces { StorePlaces(.builtIn, on: disk) }

  private static var model: Model {
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
            .attribute(Attribute("count", .int64, derivation: .init("stops.@count"))),
            .relationship(
              Relationship(
                "stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true,
                deleteRule: .cascade)),
            .relationship(
              Relationship("friends", to: "Trip", inverse: "friendsOf", count: .toMany)),
            .relationship(
              Relationship("friendsOf", to: "Trip", inverse: "friends", count: .toMany)),
            .relationship(Relationship("next", to: "Trip", inverse: "previous")),
            .relationship(Relationship("previous", to: "Trip", inverse: "next")),
          ]),
      ])
    }
  }

  // MARK: - Objects

  /// The properties of an object, by name. References are the `id`s of objects.
  private struct Fields: Equatable {
    var values: [String: String] = [:]
    var lists: [String: [Int]] = [:]
    var sets: [String: Set<Int>] = [:]
  }

  private typealias World = [Int: Fields]

  private func context(_ store: any Store) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: try store.snapshot().model)
    try coordinator.add(store)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  private func id(_ object: ManagedObject) -> Int {
    object.value(forKey: "id").map { Int("\($0)")! } ?? 0
  }

  private func world(_ store: any Store) throws -> World {
    let context = try context(store)
    var world: World = [:]
    func text(_ object: ManagedObject, _ key: String) -> String {
      let value = object.value(forKey: key)
      if let other = value as? ManagedObject { return "#\(id(other))" }
      if let number = value as? Double { return "\(number.bitPattern)" }
      return value.map { "\($0)" } ?? "-"
    }
    for object in try context.fetch(FetchRequest<ManagedObject>("Stop")) {
      world[id(object)] = Fields(
        values: ["nights": text(object, "nights"), "trip": text(object, "trip")])
    }
    for object in try context.fetch(FetchRequest<ManagedObject>("Trip")) {
      var fields = Fields()
      for key in ["name", "price", "next", "previous", "count"] {
        fields.values[key] = text(object, key)
      }
      fields.lists["stops"] = (object.value(forKey: "stops") as! [ManagedObject]).map(id)
      fields.sets["friends"] = Set((object.value(forKey: "friends") as! [ManagedObject]).map(id))
      world[id(object)] = fields
    }
    return world
  }

  /// Changes the objects of a store at random, and saves once or several times.
  private func change(
    _ store: any Store, _ random: inout SeededGenerator, steps: Int, firstID: Int
  ) throws {
    let context = try context(store)
    var next = firstID
    func all(_ entity: String) throws -> [ManagedObject] {
      try context.fetch(FetchRequest<ManagedObject>(entity)).sorted {
        id($0) < id($1)
      }
    }
    for _ in 0..<steps {
      let trip = try all("Trip").randomElement(using: &random)
      let other = try all("Trip").randomElement(using: &random)
      let stop = try all("Stop").randomElement(using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1:
        let new = try context.insert("Trip")
        try new.setValues([
          "id": .integer(Int64(next)),
          "name": ["a", "é", nil].randomElement(using: &random)!.map { .string($0) } ?? .null,
          "price": [.double(-0.0), .double(.nan), .null].randomElement(using: &random)!,
        ])
        next += 1
      case 2, 3:
        let new = try context.insert("Stop")
        try new.setValues(["id": .integer(Int64(next))])
        if let trip { new.setObjects([trip], forKey: "trip") }
        next += 1
      case 4:
        let name = ["b", "e\u{301}", "c"].randomElement(using: &random)!
        try trip?.setValues(["name": .string(name)])
      case 5: try trip?.setValues(["price": .double([0.0, .nan].randomElement(using: &random)!)])
      case 6:
        try stop?.setValues(["nights": .integer(.random(in: 0...2, using: &random))])
      case 7: if let trip, let stop { stop.setObjects([trip], forKey: "trip") }
      case 8:
        guard let trip, let stops = trip.value(forKey: "stops") as? [ManagedObject] else { break }
        trip.setObjects(stops.shuffled(using: &random), forKey: "stops")
      case 9:
        guard let trip, let stop, let stops = trip.value(forKey: "stops") as? [ManagedObject]
        else { break }
        var others = stops.filter { $0 != stop }
        others.insert(stop, at: Int.random(in: 0...others.count, using: &random))
        trip.setObjects(others, forKey: "stops")
      case 10:
        guard let trip, let other, let friends = trip.value(forKey: "friends") as? [ManagedObject]
        else { break }
        trip.setObjects(
          friends.contains(other) ? friends.filter { $0 != other } : friends + [other],
          forKey: "friends")
      case 11:
        if let trip, let other, trip != other { trip.setObjects([other], forKey: "next") }
      case 12: if let stop { context.delete(stop) }
      default: if Bool.random(using: &random), let trip { context.delete(trip) }
      }
      if Int.random(in: 0..<8, using: &random) == 0 { try context.save() }
    }
    try context.save()
  }

  // MARK: - Merging

  private func copy(_ path: String, to other: String) throws -> BinaryStore {
    try disk.copy(path, to: other)
    return try BinaryStore.open(other, on: disk)
  }

  private struct MergedWorld {
    let conflicts: [StoreMerge.Conflict]
    let world: World
  }

  private func merge(
    _ base: String, _ ours: String, _ theirs: String, to path: String, _ side: MergeSide,
    _ choices: MatchChoices = MatchChoices()
  ) throws -> MergedWorld {
    let made = try copy(ours, to: path)
    let sides = try [base, theirs].map { try BinaryStore.open($0, on: disk) }
    let part = MergePart(
      name: nil, store: made, base: try ComparedStore("base", sides[0].snapshot()),
      ours: try ComparedStore("ours", made.snapshot()),
      theirs: try ComparedStore("theirs", sides[1].snapshot()))
    let merge = try StoreMerge([part], nil, author: "quire", message: nil) {
      try MergeTranslation($0, choices, renumbers: false).layers()
    }
    try merge.apply(merge.conflicts.map { _ in side })
    try merge.save()
    let world = try world(made)
    try made.close()
    for side in sides { try side.close() }
    return MergedWorld(conflicts: merge.conflicts, world: world)
  }

  /// Returns the result of both sides' changes, which are not in conflict, without the order of lists.
  private func both(_ base: World, _ ours: World, _ theirs: World) -> World {
    var result: World = [:]
    for id in Set(ours.keys).union(theirs.keys) {
      let isDeleted = base[id] != nil && (ours[id] == nil || theirs[id] == nil)
      if isDeleted { continue }
      let (here, there) = (ours[id] ?? theirs[id]!, theirs[id] ?? ours[id]!)
      let before = base[id] ?? (ours[id] == nil ? here : there)
      var fields = Fields()
      for (key, value) in here.values {
        fields.values[key] = value == before.values[key] ? there.values[key] : value
      }
      for (key, value) in here.sets {
        let (old, other) = (before.sets[key] ?? [], there.sets[key] ?? [])
        fields.sets[key] = old.intersection(value).intersection(other)
          .union(value.subtracting(old)).union(other.subtracting(old))
      }
      result[id] = fields
    }
    for (id, fields) in result {
      if let trip = fields.values["trip"], trip.hasPrefix("#"),
        result[Int(trip.dropFirst())!] == nil
      {
        result[id]!.values["trip"] = "-"
      }
      if let friends = fields.sets["friends"] {
        result[id]!.sets["friends"] = friends.filter { result[$0] != nil }
      }
    }
    return result
  }

  /// Returns the objects with their lists as sets, and without the derived number of members.
  private func unordered(_ world: World) -> World {
    world.mapValues { fields in
      var fields = fields
      fields.lists = [:]
      fields.values["count"] = nil
      return fields
    }
  }

  /// Returns the objects that differ, for the message of a failed test.
  private func differences(_ one: World, _ other: World) -> [String] {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }.map {
      func text(_ fields: Fields?) -> String {
        guard let fields else { return "none" }
        return
          (fields.values.map { "\($0)=\($1)" } + fields.lists.map { "\($0)=\($1)" }
          + fields.sets.map { "\($0)=\($1.sorted())" }).sorted().joined(separator: " ")
      }
      return "\($0): \(text(one[$0])) | \(text(other[$0]))"
    }
  }

  /// Checks that references and their inverses agree, and that derived values are right.
  private func checkConsistency(_ world: World, _ note: String) {
    for (id, fields) in world {
      if let stops = fields.lists["stops"] {
        let members = world.filter { $0.value.values["trip"] == "#\(id)" }.map(\.key)
        #expect(Set(stops) == Set(members) && stops.count == members.count, "\(note)")
        #expect(fields.values["count"] == "\(stops.count)", "\(note)")
      }
      for (key, inverse) in [("next", "previous"), ("previous", "next")] {
        guard let other = fields.values[key], other.hasPrefix("#") else { continue }
        #expect(world[Int(other.dropFirst())!]?.values[inverse] == "#\(id)", "\(note)")
      }
    }
  }

  @Test("Two copies of a store are merged", arguments: 0..<40)
  func random(_ run: Int) throws {
    // Seeds of faults that were fixed.
    let former: [UInt64] = [
      9_955_704_072_679_949_690, 3_409_346_373_089_111_739, 196_251_231_698_455_138,
      13_528_676_756_625_635_240,
    ]
    var random = run < former.count ? SeededGenerator(seed: former[run]) : SeededGenerator()
    var options = BinaryStoreOptions()
    options.history = .all
    let store = try BinaryStore.create(
      at: "/base.store", model: MergeRandomTests.model, on: disk, options: options)
    try change(
      store, &random, steps: run >= former.count && run.isMultiple(of: 3) ? 8 : 80, firstID: 1)
    let base = try world(store)
    try store.close()
    let steps = run < former.count ? 40 : [3, 10, 40][run % 3]
    var worlds: [World] = []
    for (name, first) in [("/a.store", 1000), ("/b.store", 2000)] {
      let copy = try copy("/base.store", to: name)
      try change(copy, &random, steps: steps, firstID: first)
      worlds.append(try world(copy))
      try copy.close()
    }
    let note = "\(random)"

    // A side without changes, and a side with the same changes.
    let same = try merge("/base.store", "/a.store", "/a.store", to: "/aa.store", .ours)
    #expect(same.conflicts.isEmpty && differences(same.world, worlds[0]).isEmpty, "\(note)")
    let forward = try merge("/base.store", "/base.store", "/b.store", to: "/fb.store", .ours)
    #expect(forward.conflicts.isEmpty)
    #expect(differences(forward.world, worlds[1]) == [], "\(note)")
    let back = try merge("/base.store", "/a.store", "/base.store", to: "/ab.store", .ours)
    #expect(back.conflicts.isEmpty && differences(back.world, worlds[0]).isEmpty, "\(note)")

    let ours = try merge("/base.store", "/a.store", "/b.store", to: "/ours.store", .ours)
    let theirs = try merge("/base.store", "/b.store", "/a.store", to: "/theirs.store", .theirs)
    checkConsistency(ours.world, note)
    checkConsistency(theirs.world, note)
    #expect(ours.conflicts.count == theirs.conflicts.count, "\(note)")
    #expect(differences(unordered(ours.world), unordered(theirs.world)) == [], "\(note)")
    for (id, fields) in ours.world {
      // Additions of both sides at one place follow each other in the order of the sides.
      let known = Set(base[id]?.lists["stops"] ?? [])
      #expect(
        fields.lists["stops"]?.filter(known.contains)
          == theirs.world[id]?.lists["stops"]?.filter(known.contains), "\(note)")
    }
    if ours.conflicts.isEmpty {
      let expected = both(base, worlds[0], worlds[1])
      #expect(differences(unordered(ours.world), unordered(expected)) == [], "\(note)")
    }

    // A patch of the changes of one side, applied to the base, and once more to the result.
    for (name, world) in zip(["a", "b"], worlds) {
      let made = try Patch(from: "/base.store", to: "/\(name).store", in: places)
      try made.write(to: "/\(name).patch", on: disk)
      try disk.copy("/base.store", to: "/\(name)-patched.store")
      for _ in 0..<2 {
        let patch = try Patch(contentsOf: "/\(name).patch", on: disk)
        let merge = try Merge(patch, into: "/\(name)-patched.store", in: places)
        #expect(merge.conflicts.isEmpty, "\(note) \(merge.conflicts)")
        try merge.save()
        let patched = try BinaryStore.open("/\(name)-patched.store", on: disk)
        #expect(differences(try self.world(patched), world) == [], "\(note)")
        try patched.close()
      }
      let difference = try Difference(
        from: "/\(name)-patched.store", to: "/\(name).store", in: places)
      #expect(try difference.isEmpty, "\(note)")
    }

    // The same merge with objects that match by an attribute.
    var choices = MatchChoices()
    choices.keys = [MatchChoices.Key(entity: nil, names: ["id"])]
    let keyed = try merge("/base.store", "/a.store", "/b.store", to: "/keyed.store", .ours, choices)
    #expect(differences(keyed.world, ours.world) == [], "\(note)")
  }
}
