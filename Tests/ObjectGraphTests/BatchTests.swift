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
    "A million objects are walked a batch at a time, and let go",
    arguments: [Kind.binary])
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
}
