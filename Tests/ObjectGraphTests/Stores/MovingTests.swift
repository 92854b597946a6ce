import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization
import Testing

@Suite("Stores that move while they are in use")
struct MovingTests {
  private static func insert(_ name: String, in graph: Graph) throws {
    let context = graph.context()
    try context.insert(Person.self) { $0.name = name }
    try context.save()
  }

  private static func names(_ graph: Graph) throws -> [String] {
    let context = graph.context()
    return try withExtendedLifetime(context) {
      try context.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.name)
    }
  }

  @Test("A save during a move of its store is in the moved store", arguments: Kind.allCases)
  func savedMeanwhile(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let old = graph.coordinator.stores[0]
    try Self.insert("Ada", in: graph)
    var totals: Set<Int> = []
    let new = try graph.coordinator.migrate(old, to: graph.path("/new.store"), type: .binary) {
      progress in
      totals.insert(progress.total)
      guard try Self.names(graph) == ["Ada"] else { return }
      try Self.insert("Late", in: graph)
      var metadata = try old.metadata
      metadata.values["app"] = .string("late")
      try graph.coordinator.setMetadata(metadata, of: old)
    }

    #expect(try Self.names(graph) == ["Ada", "Late"])
    // The store was copied once without the late save, and once with it.
    #expect(totals.count == 2)
    #expect(try new.metadata.values["app"] == .string("late"))
    #expect(graph.coordinator.stores == [new])
  }

  @Test(
    "A store that is saved during each copy stays where it is", arguments: Kind.allCases)
  func savedEachTime(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let old = graph.coordinator.stores[0]
    try Self.insert("Ada", in: graph)
    var count = 0
    let error = #expect(throws: ContextError.self) {
      try graph.coordinator.migrate(old, to: graph.path("/new.store"), type: .binary) { progress in
        guard progress.done == progress.total else { return }
        count += 1
        try Self.insert("P\(count)", in: graph)
      }
    }

    #expect(error?.code == .conflict && error?.message.contains("8 attempts") ?? false)
    #expect(graph.coordinator.stores == [old])
    #expect(try Self.names(graph).count == count + 1)
    #expect(throws: StoreError.self) {
      try graph.coordinator.metadata(ofStoreAt: graph.path("/new.store"))
    }
  }

  @Test(
    "The moved store contains every save that succeeds during the move", arguments: Kind.allCases)
  func savedByOthers(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let coordinator = graph.coordinator
    let old = coordinator.stores[0]
    let first = graph.context()
    for number in 0..<3000 { try first.insert(Person.self) { $0.name = "first \(number)" } }
    try first.save()
    let isMoved = Mutex(false)
    let saving = Task.detached {
      var saved: [String] = []
      var refused: [any Error] = []
      let context = ManagedObjectContext(coordinator)
      for number in 0... {
        let isLast = isMoved.withLock { $0 }
        do {
          try context.performAndWait {
            context.reset()
            try context.insert(Person.self) { $0.name = "P\(number)" }
            try context.save()
          }
          saved.append("P\(number)")
        } catch { refused.append(error) }
        if isLast { break }
      }
      return (saved, refused)
    }
    try coordinator.migrate(old, to: graph.path("/new.store"), type: .binary)
    isMoved.withLock { $0 = true }
    let (saved, refused) = await saving.value

    #expect(Set(try Self.names(graph)).isSuperset(of: saved) && !saved.isEmpty)
    #expect(refused.allSatisfy { ($0 as? StoreError)?.code == .closed }, "\(refused)")
  }

  @Test(
    "A context that has read a moved store uses the current stores", arguments: Kind.allCases
  )
  func knownBefore(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let second = try graph.coordinator.addStore(at: graph.path("/second"), type: kind.type)
    let (context, other) = (graph.context(), graph.context())
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.insert(Person.self, into: second) { $0.name = "Bob" }
    try context.save()
    let old = graph.coordinator.stores[0]
    let change = try other.execute(
      BatchUpdateRequest("Person", set: ["age": .constant(.integer(7))])
    ).change
    let new = try graph.coordinator.migrate(old, to: graph.path("/new.store"), type: .binary)

    try context.mergeChanges(from: change)
    context.refreshAllObjects()
    try context.setQueryGeneration(QueryGeneration(graph.coordinator))
    try context.setQueryGeneration(nil)
    #expect(ada.name == "Ada")
    let people = try context.fetch(Person.self, sortedBy: [SortKey("name")])
    #expect(people.map(\.name) == ["Ada", "Bob"] && people.map(\.age) == [7, 7])
    #expect(people.map(\.objectID.store) == [new.tag, second.tag])
    people[0].name = "Eve"
    try context.save()
    ada.name = "Late"
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .closed)
    context.rollback()
    try Self.insert("Cleo", in: graph)
    let names = try Self.names(graph)
    #expect(names == ["Bob", "Cleo", "Eve"])
  }

  @Test(
    "Another spelling of an open store's path does not let it be destroyed or replaced",
    arguments: [Kind.binary, .compressed, .xml])
  func otherSpelling(_ kind: Kind) throws {
    let graph = try Graph(kind)
    try Self.insert("Ada", in: graph)
    try graph.coordinator.remove(
      graph.coordinator.addStore(at: graph.path("/second"), type: kind.type))
    for path in ["//main.store", "/./main.store", "/main.store"] {
      let error = #expect(throws: ContextError.self) {
        try graph.coordinator.destroyStore(at: path)
      }
      #expect(error?.code == .notSupported)
      #expect(throws: ContextError.self) {
        try graph.coordinator.replaceStore(at: path, withStoreAt: graph.path("/second"))
      }
      #expect(throws: ContextError.self) {
        try graph.coordinator.replaceStore(at: graph.path("/second"), withStoreAt: path)
      }
    }
    #expect(try Self.names(graph) == ["Ada"])
  }

  @Test("Opening a missing store for reading only creates nothing", arguments: Kind.allCases)
  func nothingToRead(_ kind: Kind) throws {
    let graph = try Graph(kind)
    for type in [nil, kind.type] where kind != .memory {
      let error = #expect(throws: StoreError.self) {
        try graph.coordinator.addStore(at: graph.path("/none"), type: type, readOnly: true)
      }
      #expect(error?.code == .notFound)
    }
    #expect(throws: StoreError.self) {
      try graph.coordinator.metadata(ofStoreAt: graph.path("/none"))
    }
    #expect(graph.coordinator.stores.count == 1)
  }

  @Test("A store added for reading only accepts no metadata, and keeps its history")
  func readOnly() throws {
    let coordinator = PersistentStoreCoordinator(model: Travels.model, classes: Travels.classes)
    let inner = try MemoryStore(Travels.model, keepsHistory: true)
    let writable = try coordinator.add(inner)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let reader = PersistentStoreCoordinator(model: Travels.model, classes: Travels.classes)
    let store = try reader.add(inner, readOnly: true)

    let error = #expect(throws: StoreError.self) {
      try reader.setMetadata(writable.metadata, of: store)
    }
    #expect(error?.code == .readOnly)
    try reader.forgetHistory(before: reader.historyToken)
    try reader.forgetHistory(before: .distantFuture)
    #expect(try reader.history().count == 1)
    try coordinator.forgetHistory(before: .distantFuture)
    #expect(try reader.history().isEmpty)
  }

  @Test(
    "If one store can't take back its commit, the rest still do, and the error reports both")
  func takingBack() throws {
    let coordinator = PersistentStoreCoordinator(model: Travels.model, classes: Travels.classes)
    let full = StoreError(.inputOutput, "The third is full.")
    let stores = try [
      StagedStore(Travels.model),
      StagedStore(Travels.model, refusing: [2: StoreError(.inputOutput, "The second is stuck.")]),
      StagedStore(Travels.model, refusing: [1: full]),
    ]
    let added = try stores.map { try coordinator.add($0) }
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for store in added { try context.insert(Person.self, into: store) { $0.name = "Ada" } }

    let error = #expect(throws: StoreError.self) { try context.save() }

    #expect(error?.code == .failed && (error?.cause as? StoreError)?.message == full.message)
    #expect(error?.message.contains("third is full") ?? false)
    #expect(error?.message.contains("second is stuck") ?? false)
    let counts = try added.map { store in
      var request = FetchRequest("Person")
      request.affectedStores = [store.uuid]
      return try ManagedObjectContext(coordinator, concurrency: .confined).count(for: request)
    }
    #expect(counts == [0, 1, 0] && context.hasChanges)
  }

  @Test("A store that takes back changes keeps metadata that another coordinator has set")
  func metadataOfOthers() throws {
    let coordinator = PersistentStoreCoordinator(model: Travels.model, classes: Travels.classes)
    let first = try StagedStore(Travels.model)
    let second = try StagedStore(
      Travels.model, refusing: [1: StoreError(.inputOutput, "The second is full.")])
    let added = try [first, second].map { try coordinator.add($0) }
    second.whenRefusing {
      let head = try first.snapshot()
      var metadata = try head.metadata
      metadata.values["app"] = .string("of others")
      _ = try first.commit(CommitRequest(Layer(), basedOn: head, metadata: metadata))
    }
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for store in added { try context.insert(Person.self, into: store) { $0.name = "Ada" } }

    let error = #expect(throws: StoreError.self) { try context.save() }

    #expect(error?.message == "The second is full.")
    #expect(try first.snapshot().metadata.values["app"] == .string("of others"))
    #expect(
      try ManagedObjectContext(coordinator, concurrency: .confined).count(
        for: FetchRequest("Person"))
        == 0)
  }
}
