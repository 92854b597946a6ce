import Foundation
import ObjectModel
import Quire
import Testing

@Entity final class Route: ManagedObject {
  enum Kind: String, AttributeValue { case road, rail }
  @Unique var code: String
  var name: String = "Untitled"
  @Attribute("description") var text: String?
  var kind: Kind = .road
  var start: Date?
  var price: Decimal = 0
  var weight: Float?
  var key: UUID = UUID()
  var state: Condition = .sound
  var place: Position
  var badge: Data?
  var tags: [String] = []
  var counts: [String: Int]?
  var page: URL?
  @Transient var isSelected: Bool = false
  @Derived("halts.@count") var haltCount: Int64
  @Relationship(.cascade, inverse: \Halt.route, ordered: true) var halts: RelatedObjects<Halt>
  var guide: Guide?
}

@Entity final class Halt: ManagedObject {
  var name: String
  var nights: Int = 1
  var route: Route
}

@Entity class Guide: ManagedObject {
  @Unique var email: String
  @Relationship(inverse: \Route.guide) var routes: RelatedObjects<Route>
}

@Entity final class ChiefGuide: Guide {
  var rank: Int = 1
}

/// A name that the structure of the snapshots would take.
@Entity(.withoutSnapshot) final class Archive: ManagedObject {
  struct Snapshot { var text: String }
  var name: String
}

@Suite("Snapshots")
struct SnapshotTests {
  private func context() throws -> ManagedObjectContext {
    try .inMemory([Route.self, Halt.self, Guide.self, ChiefGuide.self, Archive.self], [])
  }

  private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  @discardableResult
  private func insertRoute(_ code: String, in context: ManagedObjectContext) throws -> Route {
    let guide = try context.insert(ChiefGuide.self) {
      $0.email = "\(code)@example.com"
      $0.rank = 3
    }
    let route = try context.insert(Route.self) {
      $0.code = code
      $0.text = "By the river"
      $0.kind = .rail
      $0.start = start
      $0.price = 12.5
      $0.weight = 0.25
      $0.state = .worn(rooms: [1, 2], cost: 0.5)
      $0.place = Position(latitude: 41.1, longitude: -8.6)
      $0.badge = Data([1, 2, 3])
      $0.tags = ["slow", "by \"boat\""]
      $0.counts = ["bridges": 6]
      $0.page = URL(string: "https://example.com/\(code)")
      $0.guide = guide
    }
    for name in ["Porto", "Pinhão"] {
      try context.insert(Halt.self) {
        $0.name = name
        $0.route = route
      }
    }
    return route
  }

  @Test("A snapshot has the values of its object, before and after a save")
  func values() throws {
    let context = try context()
    let route = try insertRoute("A", in: context)
    let unsaved = route.snapshot()
    try context.save()
    let snapshot = route.snapshot()
    #expect(unsaved.haltCount == 0 && snapshot.haltCount == 2)
    #expect(snapshot.objectID == route.objectID)
    #expect(snapshot.code == "A" && snapshot.name == "Untitled" && snapshot.text == "By the river")
    #expect(snapshot.kind == .rail && snapshot.start == start && snapshot.price == 12.5)
    #expect(snapshot.weight == 0.25 && snapshot.key == route.key)
    #expect(snapshot.state == .worn(rooms: [1, 2], cost: 0.5))
    #expect(snapshot.place == route.place && snapshot.badge == Data([1, 2, 3]))
    #expect(snapshot.page == route.page)
    #expect(snapshot.tags == ["slow", "by \"boat\""] && snapshot.counts == ["bridges": 6])
    #expect(snapshot.guide?.objectID == route.guide?.objectID && snapshot.guide?.value == nil)
    #expect(snapshot.halts == nil)
    // An object changes on, and a snapshot does not.
    route.name = "Other"
    #expect(snapshot.name == "Untitled" && route.snapshot().name == "Other")
    #expect(snapshot != route.snapshot())
    route.name = "Untitled"
    #expect(snapshot == route.snapshot())
    #expect(Set([snapshot, route.snapshot()]).count == 1)
  }

  @Test("Related objects come along if they are asked for, to any depth, and end there")
  func depth() throws {
    let context = try context()
    let route = try insertRoute("A", in: context)
    let near = route.snapshot(including: \.halts, \.guide)
    #expect(near.halts?.map(\.name) == ["Porto", "Pinhão"])
    #expect(near.halts?[0].route.value == nil)
    #expect(near.halts?[0].route.objectID == route.objectID)
    #expect(near.guide?.value?.email == "A@example.com")
    let far: Route.Snapshot = route.snapshot(including: SnapshotPaths(["halts.route.guide"]))
    #expect(far.halts?[1].route.value?.guide?.value?.email == "A@example.com")
    #expect(far.halts?[1].route.value?.halts == nil)
    #expect(far.guide?.value == nil)
  }

  @Test("A fetch of snapshots gives what the objects give, and registers no object")
  func fetching() throws {
    let context = try context()
    for number in 0..<300 { try insertRoute("R\(number)", in: context) }
    try context.save()
    let all = Route.all.sorted(by: \.code)
    let expected = try context.fetch(all).map { $0.snapshot() }
    context.reset()
    let found = try context.fetchSnapshots(all, as: Route.Snapshot.self)
    #expect(found == expected)
    #expect(found.allSatisfy { context.registeredObject(for: $0.objectID!) == nil })
    let some: [Route.Snapshot] = try context.fetchSnapshots(
      Route.where { $0.code >= "R7" }.sorted(by: \.code).limited(to: 3))
    #expect(some.map(\.code) == ["R7", "R70", "R71"])
    let none: [Route.Snapshot] = try context.fetchSnapshots(Route.where { $0.code == "X" })
    #expect(none.isEmpty)
    let related = try context.fetchSnapshots(
      Route.where { $0.code == "R7" }, as: Route.Snapshot.self, including: \.halts)
    #expect(related.first?.halts?.count == 2)
    let halts = try context.fetchSnapshots(
      Halt.where { $0.route.code == "R7" }.sorted(by: \.name), as: Halt.Snapshot.self,
      including: \.route)
    #expect(halts.map { $0.route.value?.code } == ["R7", "R7"])
  }

  @Test("A fetch of snapshots shows unsaved insertions, changes and deletions")
  func unsaved() throws {
    let context = try context()
    let routes = try ["A", "B", "C"].map { try insertRoute($0, in: context) }
    try context.save()
    routes[0].name = "Changed"
    context.delete(routes[1])
    try insertRoute("D", in: context)
    let found: [Route.Snapshot] = try context.fetchSnapshots(Route.all.sorted(by: \.code))
    #expect(found.map(\.code) == ["A", "C", "D"])
    #expect(found.map(\.name) == ["Changed", "Untitled", "Untitled"])
    #expect(found == [routes[0], routes[2]].map { $0.snapshot() } + [found[2]])
    var request = Route.all.sorted(by: \.code)
    request.includesPendingChanges = false
    let saved: [Route.Snapshot] = try context.fetchSnapshots(request)
    #expect(saved.map(\.code) == ["A", "B", "C"] && saved[0].name == "Untitled")
  }

  @Test("A subclass has the properties of its superclass, and an object is a snapshot of either")
  func inheritance() throws {
    let context = try context()
    let guide = try context.insert(ChiefGuide.self) { ($0.email, $0.rank) = ("a@example.com", 7) }
    var chief = ChiefGuide.Snapshot(guide)
    #expect(chief.email == "a@example.com" && chief.rank == 7 && chief.objectID == guide.objectID)
    chief.email = "b@example.com"
    #expect(chief.inherited.email == "b@example.com")
    let guides: [Guide.Snapshot] = try context.fetchSnapshots(Guide.all)
    #expect(guides.map(\.email) == ["a@example.com"])
    let json = try JSONEncoder().encode(chief)
    #expect(try JSONDecoder().decode(ChiefGuide.Snapshot.self, from: json) == chief)
  }

  @Test("JSON has the names of the class, dates as the encoder says, and reads back")
  func json() throws {
    let context = try context()
    let route = try insertRoute("A", in: context)
    let snapshot = route.snapshot(including: \.halts, \.guide)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(snapshot)
    let text = String(decoding: data, as: UTF8.self)
    for part in [
      #""code":"A""#, #""kind":"rail""#, #""price":12.5"#, #""start":"2026-05-09T06:13:20Z""#,
      #""text":"By the river""#, #""place":{"latitude":41.1,"longitude":-8.6}"#,
      #""state":{"worn":{"#, #""badge":"AQID""#, #""objectID":"x-quire://"#,
      #""email":"A@example.com""#, #""tags":["slow","by \"boat\""]"#, #""counts":{"bridges":6}"#,
    ] { #expect(text.contains(part), "\(part) in \(text)") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    #expect(try decoder.decode(Route.Snapshot.self, from: data) == snapshot)
  }

  @Test(
    "A missing key is the default value, and a required value without one is an error that names it"
  )
  func missing() throws {
    let decoder = JSONDecoder()
    let route = try decoder.decode(Route.Snapshot.self, from: Data(#"{"code":"A"}"#.utf8))
    #expect(route.name == "Untitled" && route.kind == .road && route.start == nil)
    #expect(route.place == Position() && route.objectID == nil && route.halts == nil)
    #expect(route.state == .sound && route.haltCount == 0)
    #expect(route.tags.isEmpty && route.counts == nil)
    for (text, words) in [
      (#"{}"#, "The property \"code\" must have a value."),
      (#"{"code":null}"#, "The property \"code\" must have a value."),
      (#"{"code":"A","kind":"air"}"#, "\"air\" is not a valid Kind."),
      (#"{"code":"A","objectID":"17"}"#, "\"17\" is not an identifier of an object."),
      (#"{"code":"A","guide":"17"}"#, "\"17\" is not an identifier of an object."),
    ] {
      let error = #expect(throws: DecodingError.self) {
        try decoder.decode(Route.Snapshot.self, from: Data(text.utf8))
      }
      #expect("\(error!)".contains(words), "\(error!)")
    }
  }

  @Test("Decoded values become objects, and change the objects that have the same key")
  func upsert() throws {
    let context = try context()
    let old = try insertRoute("A", in: context)
    try context.save()
    let text = """
      [{"code":"A","name":"New","price":3,"halts":[{"name":"Faro","route":null}]},
       {"code":"B","guide":{"email":"A@example.com"}},
       {"code":"B","name":"Last"}]
      """.replacing(#","route":null"#, with: "")
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Route.Snapshot].self, from: Data(text.utf8))
    }
    var routes = [
      Route.Snapshot(code: "A", name: "New", price: 3, place: Position()),
      Route.Snapshot(
        code: "B", place: Position(),
        guide: RelatedSnapshot(Guide.Snapshot(email: "A@example.com"))),
      Route.Snapshot(code: "B", name: "Last", place: Position()),
    ]
    let objects = try context.upsert(Route.self, from: routes, matching: \.code)
    try context.save()
    #expect(objects[0] === old && old.name == "New" && old.price == 3)
    // Without a list the members stay, and a value that the snapshot lacks is taken away.
    #expect(old.halts.map(\.name) == ["Porto", "Pinhão"] && old.text == nil)
    #expect(objects[1] === objects[2] && objects[1].name == "Last")
    #expect(try context.count(for: Route.all) == 2)
    #expect(try context.count(for: Guide.all) == 1)
    // Identifiers find objects without a path, and lists replace members.
    routes = [old.snapshot(including: \.halts)]
    routes[0].halts?.removeFirst()
    routes[0].name = "By identifier"
    try context.upsert(Route.self, from: routes)
    try context.save()
    #expect(old.name == "By identifier" && old.halts.map(\.name) == ["Pinhão"])
    #expect(try context.count(for: Halt.all) == 1)
    var gone = routes[0]
    context.delete(old)
    try context.save()
    #expect(throws: ContextError.self) { try context.upsert(Route.self, from: [gone]) }
    (gone.objectID, gone.halts) = (nil, nil)
    #expect(try context.upsert(Route.self, from: [gone])[0].code == "A")
  }

  @Test("An object without a class gives its values by name")
  func dynamic() throws {
    let context = try context()
    try insertRoute("A", in: context)
    try context.save()
    let found: [ObjectSnapshot] = try context.fetchSnapshots(
      FetchRequest("Route"), including: SnapshotPaths(["halts"]))
    let route = try #require(found.first)
    #expect(route["code"] == .string("A") && route["place.latitude"] == .double(41.1))
    #expect(route["badge"] == .binary(Data([1, 2, 3])) && route["unknown"] == .null)
    #expect(route.related["halts"]?.map { $0["name"] } == [.string("Porto"), .string("Pinhão")])
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(route)) as? [String: Any]
    #expect((json?["guide"] as? String)?.hasPrefix("x-quire://") == true)
    #expect((json?["halts"] as? [Any])?.count == 2)
    let archives: [Archive.Snapshot] = [Archive.Snapshot(text: "mine")]
    #expect(archives.count == 1)
  }

  @Test("Values leave the queue of a container and come back")
  func container() async throws {
    let container = try PersistentContainer(
      at: "/dev/null", for: Route.self, Halt.self, Guide.self, ChiefGuide.self)
    let count = try await container.write { context in
      for code in ["A", "B"] {
        try context.insert(Route.self) { ($0.code, $0.place) = (code, Position()) }
      }
      return try context.count(for: Route.all)
    }
    #expect(count == 2)
    var routes: [Route.Snapshot] = try await container.read {
      try $0.fetchSnapshots(Route.all.sorted(by: \.code))
    }
    #expect(routes.map(\.code) == ["A", "B"])
    routes[1].name = "Changed elsewhere"
    try await container.write { [routes] in try $0.upsert(Route.self, from: routes) }
    // A write that fails leaves nothing behind, and the next one saves its own changes only.
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await container.write { context in
        try context.insert(Route.self) { ($0.code, $0.place) = ("C", Position()) }
        throw Stop()
      }
    }
    try await container.write { context in
      try context.fetch(Route.where { $0.code == "A" })[0].name = "First"
    }
    let names = try await container.read { context in
      try context.fetchSnapshots(Route.all.sorted(by: \.code), as: Route.Snapshot.self).map(\.name)
    }
    #expect(names == ["First", "Changed elsewhere"])
  }

  @Test("Writes at the same time run one after another, and a cancelled one changes nothing")
  func serial() async throws {
    let container = try PersistentContainer(
      at: "/dev/null", for: Route.self, Halt.self, Guide.self, ChiefGuide.self)
    try await container.write { context in
      try context.insert(Route.self) { ($0.code, $0.place) = ("A", Position()) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await container.write { try $0.fetch(Route.all)[0].price += 1 }
        }
      }
      try await group.waitForAll()
    }
    let task = Task {
      try await container.write { context in
        while !Task.isCancelled { _ = try context.fetch(Route.where { $0.price < 0 }) }
        try context.fetch(Route.all)[0].price = 0
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let price = try await container.read { try $0.fetch(Route.all)[0].price }
    #expect(price == 50)
  }
}
