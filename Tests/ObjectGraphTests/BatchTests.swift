import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@Suite("Batches and containers")
struct BatchTests {
  @Test(
    "Batch requests insert, change and delete many objects, and their context shows the result",
    arguments: Kind.allCases)
  func batches(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    var insert = BatchInsertRequest(
      "Person",
      objects: (0..<50).map { ["name": .string("P\($0)"), "age": .integer(Int64($0))] })
    insert.resultType = .identifiers
    let inserted = try context.execute(insert)
    #expect(inserted.count == 50 && inserted.identifiers.count == 50)
    let known = try context.fetch(Person.self, where: QueryPredicate("age == 49"))[0]
    #expect(known.name == "P49")

    let update = BatchUpdateRequest(
      "Person", where: try QueryPredicate("age >= 40"),
      set: ["age": try QueryExpression("age + 100")])
    #expect(try context.execute(update).count == 10)
    #expect(known.age == 149)

    let delete = BatchDeleteRequest("Person", where: try QueryPredicate("age < 40"))
    #expect(try context.execute(delete).count == 40)
    #expect(try context.count(for: FetchRequest("Person")) == 10)

    let wrong = BatchUpdateRequest("Person", set: ["age": .constant(.integer(151))])
    #expect(throws: ContextError.self) { try context.execute(wrong) }
    #expect(known.age == 149)
    #expect(try context.fetch(Person.self).allSatisfy { $0.age < 151 })
  }

  @Test(
    "A batch that gives all objects an invalid value is refused, for any number of objects",
    arguments: Kind.allCases)
  func aggregate(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let update = BatchUpdateRequest("Person", set: ["age": .function(.max, [.path("age")])])
    for ages in [[], [1], [1, 2, 3]] as [[Int32]] {
      for age in ages {
        try context.insert(Person.self) {
          $0.name = "P"
          $0.age = age
        }
      }
      try context.save()
      let before = try context.fetch(Person.self).map(\.age)
      let error = #expect(throws: ContextError.self) { try context.execute(update) }
      #expect(
        error?.code == .notSupported
          && error?.message.contains("computed from all objects") ?? false)
      #expect(try context.fetch(Person.self).map(\.age) == before)
    }
  }

  private final class Counted: ManagedObject {
    /// A closure that runs once, when the next object is created.
    static let whenMade = Mutex<(@Sendable () -> Void)?>(nil)

    required init(_ birth: ObjectBirth) {
      super.init(birth)
      let hook = Counted.whenMade.withLock { hook in
        defer { hook = nil }
        return hook
      }
      hook?()
    }
  }

  @Test("A batch that another save overtakes computes the value of each object anew")
  func overtaken() throws {
    let model = try Model(entities: [
      Entity("Counted", properties: [.attribute(Attribute("number", .int32))])
    ])
    let graph = try Graph(.memory, model: model, classes: [Counted.self])
    let context = graph.context()
    let all = try [Int64(1), -1, 3].map { number in
      let one = try context.insert("Counted")
      one["number"] = .integer(number)
      return one
    }
    try context.save()
    let worker = graph.context()
    let id = all[1].objectID
    Counted.whenMade.withLock { hook in
      hook = {
        let other = graph.context()
        other.object(with: id)["number"] = .integer(2)
        #expect(throws: Never.self) { try other.save() }
      }
    }

    try worker.execute(
      BatchUpdateRequest(
        "Counted", where: try QueryPredicate("number > 0"),
        set: ["number": try QueryExpression("number * 10")]))

    let found = graph.context()
    let numbers = all.map { found.object(with: $0.objectID)["number"] }
    #expect(numbers == [Value.integer(10), .integer(2), .integer(30)])
  }

  @Test(
    "A batch inserts into the assigned store, and changes objects of several stores",
    arguments: Kind.allCases)
  func severalStores(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let second = try graph.coordinator.addStore(at: graph.path("/second"), type: kind.type)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    context.setStore(second, forNewObjectsOf: "Person")
    var insert = BatchInsertRequest(
      "Person", objects: [["name": .string("Bob"), "age": .integer(3)]])
    insert.resultType = .identifiers
    #expect(try context.execute(insert).identifiers.map(\.store) == [second.tag])

    var update = BatchUpdateRequest("Person", set: ["age": try QueryExpression("age + 7")])
    update.resultType = .identifiers
    let result = try context.execute(update)
    #expect(
      result.count == 2 && result.identifiers.map(\.store) == [ada.objectID.store, second.tag])
    #expect(
      try context.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.age) == [7, 10])
    #expect(try context.execute(BatchDeleteRequest("Person")).count == 2)
    #expect(try context.count(for: FetchRequest("Person")) == 0)
  }

  @Test(
    "A child and its ancestors show the changes of the child's batch",
    arguments: Kind.allCases)
  func children(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = graph.context()
    try root.insert(Person.self) { $0.name = "Ada" }
    try root.save()
    let parent = ManagedObjectContext(parent: root)
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let ada = try child.fetch(Person.self)[0]
    let known = try root.fetch(Person.self)[0]
    known.name = "Eve"

    try child.execute(BatchUpdateRequest("Person", set: ["age": .constant(.integer(7))]))
    try child.execute(BatchInsertRequest("Person", objects: [["name": .string("Bob")]]))

    #expect(ada.age == 7 && known.age == 7 && known.name == "Eve")
    #expect(try child.count(for: FetchRequest("Person")) == 2)
    #expect(try parent.performAndWait { try parent.fetch(Person.self).map(\.age).max() } == 7)
    #expect(root.hasChanges && !child.hasChanges)
    try root.save()
    #expect(try graph.context().fetch(Person.self).map(\.name).sorted() == ["Bob", "Eve"])
  }

  @Test(
    "A batch inserts rows until its source ends, and new objects have the defaults of their entity",
    arguments: Kind.allCases)
  func filling(_ kind: Kind) throws {
    let context = try Graph(kind).context()
    let insert = BatchInsertRequest("Stop") { index, row in
      if index % 2 == 1 { row["place"] = .string("S\(index)") }
      return index < 4
    }
    let result = try context.execute(insert)
    #expect(result.count == 4 && result.identifiers.isEmpty && result.change.inserted.count == 4)
    #expect(
      try context.fetch(Stop.self, sortedBy: [SortKey("place")]).map(\.place)
        == ["", "", "S1", "S3"])
    struct Enough: Error {}
    let failing = BatchInsertRequest("Stop") { index, _ in
      if index == 2 { throw Enough() }
      return true
    }
    #expect(throws: Enough.self) { try context.execute(failing) }
    #expect(try context.count(for: FetchRequest("Stop")) == 4 && !context.hasChanges)
  }

  @Test(
    "A batch deletes nothing while a delete rule denies a deletion, and everything afterwards",
    arguments: Kind.allCases)
  func denied(_ kind: Kind) throws {
    let model = try Model(entities: [
      Entity(
        "Team",
        properties: [
          .relationship(
            Relationship(
              "players", to: "Player", inverse: "team", count: .toMany, deleteRule: .deny))
        ]),
      Entity(
        "Player", properties: [.relationship(Relationship("team", to: "Team", inverse: "players"))]
      ),
    ])
    let context = try Graph(kind, model: model, classes: []).context()
    let teams = try (0..<3).map { _ in try context.insert("Team") }
    let player = try context.insert("Player")
    player.setObjects([teams[1]], forKey: "team")
    try context.save()

    let error = #expect(throws: ContextError.self) {
      try context.execute(BatchDeleteRequest("Team"))
    }
    #expect(error?.code == .validation && error?.failures.map(\.object) == [teams[1].objectID])
    #expect(try context.count(for: FetchRequest("Team")) == 3)
    #expect(try context.execute(BatchDeleteRequest("Player")).count == 1)
    #expect(player.isDeleted || player.isFault)
    #expect(try context.execute(BatchDeleteRequest("Team")).count == 3)
    #expect(try context.count(for: FetchRequest("Team")) == 0)
  }

  @Test(
    "A container has a main-actor context that merges the saves of background tasks",
    arguments: Kind.allCases)
  @MainActor
  func container(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let container = try PersistentContainer(
      Travels.model, at: graph.path("/other.store"), type: kind.type,
      places: graph.places, classes: Travels.classes)
    let id = try await container.performBackgroundTask { context in
      let person = try context.insert(Person.self) { $0.name = "Ada" }
      try context.save()
      return person.objectID
    }
    let person = try #require(container.viewContext.existingObject(with: id) as? Person)
    #expect(person.name == "Ada")
    try await container.performBackgroundTask { context in
      (try context.existingObject(with: id) as? Person)?.name = "Grace"
      try context.save()
    }
    // The save of a task reaches the main actor's context in a turn of its own.
    for _ in 0..<12_000 where person.name != "Grace" {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(person.name == "Grace")
  }

  @Test(
    "A walk passes many objects batch by batch, and releases each batch", arguments: Kind.allCases)
  func walk(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    for number in 0..<20_000 {
      try context.insert(Stop.self) { $0.place = "S\(number)" }
    }
    try context.save()
    context.reset()
    var seen = 0
    var most = 0
    try context.forEachBatch(of: FetchRequest("Stop"), size: 500) { objects in
      seen += objects.count { ($0 as? Stop)?.place.isEmpty == false }
      most = max(most, context.registeredObjects.count)
    }
    #expect(seen == 20_000 && most <= 1000)
  }

  @Test(
    "A walk passes each object's current values, and leaves out deleted objects",
    arguments: Kind.allCases, [false, true])
  func changedWhileWalking(_ kind: Kind, _ isSorted: Bool) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let all = try (0..<300).map { number in
      try context.insert(Stop.self) { $0.place = "S\(number)" }.objectID
    }
    try context.save()
    context.reset()
    func stop(_ number: Int) -> Stop { context.object(with: all[number]) as! Stop }
    var request = FetchRequest("Stop")
    if isSorted { request.sortKeys = [SortKey("place", ascending: false)] }
    let wanted = try context.fetchIdentifiers(request)
    let turns = wanted.map { all.firstIndex(of: $0)! }
    var seen: [ObjectID] = []
    var places: [ObjectID: String] = [:]
    var batches = 0
    try context.forEachBatch(of: request, size: 50) { objects in
      batches += 1
      for case let one as Stop in objects {
        seen.append(one.objectID)
        places[one.objectID] = one.place
      }
      switch batches {
      case 1:
        // One of the objects to come is changed and one is deleted. These changes are not processed yet.
        stop(turns[120]).place = "changed"
        context.delete(stop(turns[121]))
      case 2:
        stop(turns[122]).place = "saved"
        context.delete(stop(turns[180]))
        try context.save()
        let other = graph.context()
        (other.object(with: all[turns[220]]) as! Stop).place = "of another"
        try other.save()
        context.refreshAllObjects()
      case 5: context.reset()
      default: break
      }
    }

    let gone = [wanted[121], wanted[180]]
    #expect(seen == wanted.filter { !gone.contains($0) })
    #expect(places[wanted[120]] == "changed" && places[wanted[122]] == "saved")
    #expect(places[wanted[220]] == "of another" && places[wanted[119]]?.hasPrefix("S") ?? false)
  }
}
