import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@Suite("Fetching during further work of the context", .serialized)
struct SearchingTests {
  /// Returns a context with a queue of its own, over saved people and ten unsaved people.
  private func people(_ graph: Graph, _ count: Int = 200) async throws -> ManagedObjectContext {
    let context = ManagedObjectContext(graph.coordinator)
    try await context.perform {
      for number in 0..<count {
        if number == count - 10 { try context.save() }
        let person = try context.insert(Person.self)
        person.name = "P\(number)"
        person.age = Int32(number % 100)
      }
    }
    return context
  }

  private let young = FetchRequest(
    Person.self, where: try! QueryPredicate("age < 50"),
    sortedBy: [SortKey("age", ascending: false), SortKey("name")])

  @Test("A search finds the same objects as a fetch, in the same order", arguments: Kind.allCases)
  func same(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = try await people(graph)
    var window = young
    window.fetchOffset = 3
    window.fetchLimit = 20
    var saved = FetchRequest(Person.self, sortedBy: [SortKey("name")])
    saved.includesPendingChanges = false
    let ranked = FetchRequest(
      Person.self, where: try QueryPredicate("name TEXT 'p1*' OR name TEXT 'p12'"),
      sortedBy: [.relevance, SortKey("age")])
    var groups = FetchRequest(Person.self)
    groups.propertiesToFetch = [FetchedValue("most", .function(.max, [.path("age")]))]

    for request in [young, window, saved, ranked, FetchRequest<Person>(QueryRequest("Guide"))] {
      let wanted = try await context.perform { try context.fetch(request).map(\.objectID) }
      let progress = Progress(totalUnitCount: 0)
      let found = try await context.fetch(request, progress: progress) { people in
        people.map { $0.age < 0 ? nil : $0.objectID }
      }
      #expect(found == wanted)
      #expect(progress.isFinished)
      #expect(try await context.fetchIdentifiers(request, progress: nil) == wanted)
      #expect(try await context.count(for: request, progress: nil) == wanted.count)
    }
    let names = try await context.fetch(
      Person.self, where: try QueryPredicate("age == 7"), sortedBy: [SortKey("name")], limit: 1
    ) { $0.map(\.name) }
    #expect(names == ["P107"])
    #expect(
      try await context.fetchTable(groups, progress: nil).rows == [[.integer(99)]])
  }

  @Test(
    "A search ignores changes that its context makes meanwhile, and leaves out deleted objects",
    arguments: Kind.allCases)
  func meanwhile(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = try await people(graph)
    let gate = GatedProgress.made()
    let request = young
    let search = Task {
      try await context.fetch(request, progress: gate) { $0.map(\.name) }
    }
    await gate.begun()

    let expected: [String] = try await context.perform {
      var names = try context.fetch(request).map(\.name)
      let doomed = try context.fetch(Person.self, where: QueryPredicate("name IN {'P5', 'P195'}"))
      for person in doomed { context.delete(person) }
      try context.insert(Person.self) { $0.name = "New" }
      try context.save()
      let other = graph.context()
      let third = try #require(
        try other.fetch(Person.self, where: QueryPredicate("name == 'P6'")).first)
      other.delete(third)
      try other.save()
      context.refreshAllObjects()
      let renamed = try context.fetch(Person.self, where: QueryPredicate("name == 'P7'"))[0]
      renamed.name = "Seven"
      renamed.age = 80
      names.removeAll { ["P5", "P6", "P195"].contains($0) }
      return names.map { $0 == "P7" ? "Seven" : $0 }
    }
    gate.open()

    #expect(try await search.value == expected)
  }

  @Test(
    "Objects that a search returns do not show changes discarded during the search",
    arguments: Kind.allCases, [false, true])
  func discarded(_ kind: Kind, _ byReset: Bool) async throws {
    let graph = try Graph(kind)
    let context = try await people(graph)
    try await context.perform {
      for person in try context.fetch(Person.self) { person.name += "!" }
      try context.insert(Person.self) { $0.name = "New" }
    }
    let gate = GatedProgress.made()
    let request = young
    let search = Task {
      try await context.fetch(request, progress: gate) { $0.map(\.name).sorted() }
    }
    await gate.begun()

    let expected: [String] = try await context.perform {
      if byReset { context.reset() } else { context.rollback() }
      return try context.fetch(request).map(\.name).sorted()
    }
    gate.open()

    #expect(try await search.value == expected)
  }

  @Test(
    "Cancelling the task or its progress ends the search between two blocks",
    arguments: Kind.allCases, [true, false])
  func cancelled(_ kind: Kind, _ byTask: Bool) async throws {
    let graph = try Graph(kind)
    let context = try await people(graph)
    for way in ["objects", "count", "identifiers", "table"] {
      let gate = GatedProgress.made()
      let request = young
      let search = Task {
        switch way {
        case "objects":
          try await context.fetch(request, progress: gate) { $0.count }
        case "count": try await context.count(for: request, progress: gate)
        case "identifiers": try await context.fetchIdentifiers(request, progress: gate).count
        default: try await context.fetchTable(request, progress: gate).rows.count
        }
      }
      await gate.begun()
      if byTask { search.cancel() } else { gate.cancel() }
      gate.open()

      await #expect(throws: CancellationError.self) { try await search.value }
      #expect(gate.completedUnitCount < gate.totalUnitCount && !gate.isFinished)
    }
    let late = Task {
      try? await Task.sleep(for: .seconds(600))
      return try await context.count(for: FetchRequest(Person.self), progress: nil)
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(try await context.count(for: FetchRequest(Person.self), progress: nil) == 200)
  }

  @Test(
    "A child's search sees its parent's unsaved changes, and waits for no context",
    arguments: Kind.allCases)
  func nested(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let parent = try await people(graph)
    let child = ManagedObjectContext(parent: parent)
    let mayGoOn = DispatchSemaphore(value: 0)
    parent.schedule { mayGoOn.wait() }

    let names = try await child.fetch(
      Person.self, where: try QueryPredicate("name BEGINSWITH 'P19'"), sortedBy: [SortKey("name")]
    ) { $0.map(\.name) }
    mayGoOn.signal()

    #expect(names == (["P19"] + (0..<10).map { "P19\($0)" }))
  }

  @Test("A search of several stores returns its objects in one order", arguments: Kind.allCases)
  func severalStores(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let second = try graph.coordinator.addStore(at: graph.path("/second.store"), type: kind.type)
    let context = ManagedObjectContext(graph.coordinator)
    try await context.perform {
      for age in 0..<30 {
        try context.insert(Person.self, into: age % 3 == 0 ? second : nil) {
          $0.name = "P\(age)"
          $0.age = Int32(age)
        }
      }
      try context.save()
    }
    var request = FetchRequest(
      Person.self, where: try QueryPredicate("age > 3"), sortedBy: [SortKey("age")])
    request.fetchOffset = 2
    request.fetchLimit = 10

    let gate = GatedProgress.made()
    let search = Task { [request] in
      try await context.fetch(request, progress: gate) { $0.map(\.age) }
    }
    await gate.begun()
    try await context.perform {
      for person in try context.fetch(Person.self, where: QueryPredicate("age == 9 OR age == 10")) {
        context.delete(person)
      }
    }
    gate.open()
    #expect(try await search.value == [6, 7, 8, 11, 12, 13, 14, 15])
    #expect(try await context.count(for: request, progress: nil) == 10)
    let identifiers = try await context.fetchIdentifiers(request, progress: nil)
    let wanted = try await context.perform { [request] in try context.fetchIdentifiers(request) }
    #expect(identifiers == wanted)
    let error = await #expect(throws: ContextError.self) {
      try await context.fetchTable(FetchRequest(Person.self), progress: nil)
    }
    #expect(error?.code == .notSupported)
  }

  @Test(
    "Relationships that a request prefetches are loaded when the search delivers its objects",
    arguments: Kind.allCases)
  @MainActor
  func prefetched(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let writer = graph.context()
    for number in 0..<5 {
      let person = try writer.insert(Person.self) { $0.name = "P\(number)" }
      try writer.insert(Trip.self) {
        $0.name = "T\(number)"
        $0.owner = person
      }
    }
    try writer.save()
    let context = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    var request = FetchRequest(Trip.self, sortedBy: [SortKey("name")])
    request.relationshipKeyPathsForPrefetching = ["owner"]

    let owners = try await context.fetch(request) { trips in
      trips.map { $0.owner?.name }
    }

    #expect(owners == (0..<5).map { "P\($0)" })
    let identifiers = try await context.fetchIdentifiers(request, progress: nil)
    #expect(
      identifiers.map { (context.object(with: $0) as? Trip)?.name } == (0..<5).map { "T\($0)" })
  }

  @Test(
    "Searches run during saves, and each shows the state of one moment",
    arguments: Kind.allCases)
  func beside(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = try await people(graph, 50)
    let reader = ManagedObjectContext(graph.coordinator)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await reader.fetch(FetchRequest(Person.self)) { people in
            people.reduce(0) { $0 + Int($1.age) }
          }
        }
        group.addTask {
          try await context.perform {
            // Ten people are inserted in one save, and deleted in another one.
            for _ in 0..<10 {
              try context.insert(Person.self) {
                $0.name = "X"
                $0.age = 100
              }
            }
            try context.save()
            for person in try context.fetch(Person.self, where: QueryPredicate("age == 100")) {
              context.delete(person)
            }
            try context.save()
          }
          return 0
        }
      }
      for try await sum in group { #expect([0, 780, 1225, 2225].contains(sum)) }
    }
  }

  @Test("A confined context refuses a search with an error")
  func confined() async throws {
    let context = try Graph(.memory).context()
    let error = await #expect(throws: ContextError.self) {
      try await context.count(for: FetchRequest(Person.self), progress: nil)
    }
    #expect(error?.code == .notSupported && error?.message.contains("confined") ?? false)
  }

  @Test("A search throws the same errors for a wrong request as a fetch")
  func wrong() async throws {
    let context = ManagedObjectContext(try Graph(.memory).coordinator)
    await #expect(throws: ContextError.self) {
      try await context.count(for: FetchRequest("Nobody"), progress: nil)
    }
    await #expect(throws: QueryError.self) {
      let predicate = try QueryPredicate("shoe == 1")
      return try await context.fetch(Person.self, where: predicate) { $0.count }
    }
  }
}

/// Progress that stops a search at its first block until the test releases it.
private final class GatedProgress: Progress, @unchecked Sendable {
  // Sendable: a lock guards the state.
  private let hasBegun = Mutex(false)
  private let mayGoOn = DispatchSemaphore(value: 0)

  override var completedUnitCount: Int64 {
    get { super.completedUnitCount }
    set {
      super.completedUnitCount = newValue
      guard newValue > 0, hasBegun.withLock({ begun in !exchange(&begun, true) }) else { return }
      mayGoOn.wait()
    }
  }

  static func made() -> GatedProgress { GatedProgress(parent: nil) }

  /// Waits until a search has stopped at its first block.
  func begun() async {
    while !hasBegun.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func open() { mayGoOn.signal() }
}

private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
  defer { value = new }
  return value
}
