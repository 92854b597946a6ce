import ObjectGraph
import ObjectModel
import ObjectQuery
import Testing

/// An actor with its own context, as a program writes it.
private actor Registry: ContextActor {
  let context: ManagedObjectContext
  private(set) var additions: [String] = []
  private var first: Person?

  init(_ coordinator: PersistentStoreCoordinator) { context = ManagedObjectContext(coordinator) }

  func add(_ name: String) throws -> ObjectID {
    let person = try context.insert(Person.self) { $0.name = name }
    additions.append(person.name)
    if first == nil { first = person }
    try context.save()
    return person.objectID
  }

  func rename(_ id: ObjectID, to name: String) async throws -> String? {
    guard let person = try context.existingObject(with: id) as? Person else { return nil }
    await Task.yield()
    person.name = name
    return person.name
  }

  func insertWithoutSaving() throws { _ = try context.insert(Person.self) { $0.name = "New" } }

  func names() throws -> [String] {
    try context.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.name)
  }

  var firstName: String? { first?.name }
}

@Suite("Actors with a context of their own")
struct ContextActorTests {
  @Test("The methods of an actor use its context, its objects and its own state")
  func methods() async throws {
    let registry = Registry(try Graph(.memory).coordinator)

    let ada = try await registry.add("Ada")
    _ = try await registry.add("Bob")
    let renamed = try await registry.rename(ada, to: "Ada Lovelace")

    #expect(renamed == "Ada Lovelace")
    #expect(await registry.firstName == "Ada Lovelace")
    #expect(await registry.additions == ["Ada", "Bob"])
    #expect(try await registry.names() == ["Ada Lovelace", "Bob"])
  }

  @Test("Each method is a turn, which ends with the processing of its changes")
  func turns() async throws {
    let registry = Registry(try Graph(.memory).coordinator)
    var changes = registry.context.changes.makeAsyncIterator()

    try await registry.insertWithoutSaving()

    #expect(await changes.next()?.inserted.count == 1)
  }

  @Test("Calls from many tasks take turns, also with perform on the same context")
  func concurrently() async throws {
    let registry = Registry(try Graph(.memory).coordinator)
    let context = registry.context

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask { _ = try await registry.add("\(number)") }
        group.addTask {
          try await context.perform { _ = try context.count(for: FetchRequest(Person.self)) }
        }
      }
      try await group.waitForAll()
    }

    #expect(try await registry.names().count == 50)
    #expect(await registry.additions.count == 50)
  }

  @Test("An enqueued perform waits for the turns before it, and for its own result")
  func enqueued() async throws {
    let context = ManagedObjectContext(try Graph(.memory).coordinator)

    for _ in 0..<100 { context.schedule { _ = try? context.insert(Person.self) } }
    let count = try await context.perform(schedule: .enqueued) { context.insertedObjects.count }
    let again = try await context.perform(schedule: .immediate) { context.insertedObjects.count }

    #expect(count == 100 && again == 100)
    await #expect(throws: Unwanted.self) {
      try await context.perform(schedule: .enqueued) { throw Unwanted(what: "no") }
    }
  }

  @Test("The context of the actor must have a private queue")
  func confined() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      actor Wrong: ContextActor {
        let context: ManagedObjectContext
        init(_ context: ManagedObjectContext) { self.context = context }
        func work() {}
      }
      await Wrong(try Graph(.memory).context()).work()
    }
    #expect(MisuseTests.text(result).contains("must have a private queue"))
  }
}
