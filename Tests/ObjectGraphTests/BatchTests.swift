import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Batches and containers")
struct BatchTests {
  @Test(
    "Many are inserted, changed and deleted at once, and this context follows",
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
    "A container has a context of the main actor that follows background tasks",
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
    // What a task has saved reaches the view in a turn of its own.
    for _ in 0..<12_000 where person.name != "Grace" {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(person.name == "Grace")
  }

  @Test(
    "Many objects are walked a batch at a time, and let go", arguments: Kind.allCases)
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
    "A walk shows what objects are when their turn comes, and leaves out what is gone",
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
        // Of those whose turn comes one is changed and one deleted, and others are not told yet.
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
