import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import QueryWorld
import Rows
import SQLiteStore
import StoreInterface
import Testing

@Suite("An SQLite store answers as a search of its rows does")
struct QueryingStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ model: Model, _ view: View) throws -> any QueryingStore {
    let store = try SQLiteStoreBackend().create(
      at: folder.file("\(UUID()).sqlite"), model: model, on: RealDisk(), StoreCreation())
    for case let layer as Layer in view.tables {
      try store.commit(CommitRequest(layer, basedOn: try store.snapshot()))
    }
    return try #require(store.features.querying)
  }

  private func source(_ snapshot: any StoreSnapshot, _ store: any Store) throws -> ViewSource {
    try ViewSource(
      snapshot.view, model: snapshot.model, schema: snapshot.schema, store: store.tag)
  }

  @Test("The store declares that it answers requests")
  func capability() throws {
    let world = try World()
    #expect(try store(world.model, world.view).features.capabilities.contains(.querying))
  }

  @Test("An explained request has the statement, or the reason why there is none")
  func explained() throws {
    let world = try World()
    let store = try store(world.model, world.view)
    let snapshot = try store.snapshot()
    var seen: Set<Bool> = []
    for line in QueryingExpressionTests.lines {
      let request = QueryRequest(line.entity, where: try QueryPredicate(line.text))
      let isAnswered = try store.keys(answering: request, in: snapshot) != nil
      let explanation = try store.explain(request, in: snapshot)
      #expect(explanation.foundCount == (try store.keys(request, in: snapshot).count))
      #expect(explanation.statement?.hasPrefix("SELECT ") ?? !isAnswered, "\(line.text)")
      #expect((explanation.reason == nil) == isAnswered, "\(line.text)")
      #expect((explanation.steps.map(\.way) == [.store]) == isAnswered, "\(line.text)")
      seen.insert(isAnswered)
    }
    #expect(seen == [true, false])
  }

  @Test("The store answers the table of expressions as its rows do")
  func expressions() throws {
    let world = try World()
    let store = try store(world.model, world.view)
    let snapshot = try store.snapshot()
    let source = try source(snapshot, store)
    var answered = 0
    for line in QueryingExpressionTests.lines {
      let request = QueryRequest(line.entity, where: try QueryPredicate(line.text))
      guard let keys = try store.keys(answering: request, in: snapshot) else { continue }
      answered += 1
      let plan = try QueryPlan(
        request, model: world.model, schema: snapshot.schema, store: store.tag)
      #expect(try keys == plan.keys(in: source), "\(line.text)")
      #expect(try store.count(answering: request, in: snapshot) == keys.count, "\(line.text)")
    }
    #expect(answered >= 400)
  }

  @Test("The store answers random requests as its rows do", arguments: 1...4 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let crowd = try QueryingCrowd(seed, hasLongDecimals: seed == 1)
    let store = try store(crowd.model, crowd.view)
    let snapshot = try store.snapshot()
    let source = try source(snapshot, store)
    var requests = QueryingRequests(seed + 5000)
    var answered = 0
    for _ in 0..<200 {
      let request = requests.objects()
      if let keys = try store.keys(answering: request, in: snapshot) {
        let plan = try QueryPlan(
          request, model: crowd.model, schema: snapshot.schema, store: store.tag)
        #expect(try keys == plan.keys(in: source), "seed \(seed): \(request.words)")
        answered += 1
      }
      let table = requests.table()
      if let found = try store.table(answering: table, in: snapshot) {
        let plan = try QueryPlan(
          table, model: crowd.model, schema: snapshot.schema, store: store.tag)
        let expected = try plan.table(in: source)
        #expect(found == expected, "seed \(seed): \(table.words)")
        #expect(found.rows.description == expected.rows.description)
      }
    }
    #expect(answered > 100)
  }

  @Test("Neither the store nor its rows find an object of another store")
  func otherStores() throws {
    let world = try World()
    let store = try store(world.model, world.view)
    let key = ObjectKey(entity: world.schema["Person"]!.entityNumber, number: 21)
    func request(_ tag: StoreTag) -> QueryRequest {
      QueryRequest(
        "Sample",
        where: .comparison(
          .init(.path("owner"), .equal, .object(ObjectID(store: tag, key: key)))))
    }
    let snapshot = try store.snapshot()
    let other = StoreTag(rawValue: ~store.tag.rawValue)

    #expect(try store.keys(answering: request(store.tag), in: snapshot)?.count == 2)
    #expect(try store.keys(answering: request(other), in: snapshot) == [])
    #expect(try store.keys(request(other), in: snapshot) == [])
  }

  private func smalls(_ context: ManagedObjectContext, _ request: FetchRequest<ManagedObject>)
    throws -> [Value]
  {
    try context.fetch(request).map { $0["small"] }
  }

  @Test("A context finds the same objects before and after it is saved")
  func contexts() throws {
    let world = try World()
    let coordinator = PersistentStoreCoordinator(model: world.model)
    try coordinator.add(try store(world.model, world.view))
    let context = ManagedObjectContext(coordinator)
    try context.performAndWait { () throws in
      let request = FetchRequest(
        "Sample", where: try QueryPredicate("owner.name == 'Grace' AND small > -5"),
        sortedBy: [SortKey("small", ascending: false)])
      #expect(try smalls(context, request) == [.integer(0), .integer(-3)])

      let first = try context.fetch(request)[0]
      first["small"] = .integer(-4)
      #expect(try smalls(context, request) == [.integer(-3), .integer(-4)])
      #expect(try context.count(for: request) == 2)
      try context.save()
      #expect(try smalls(context, request) == [.integer(-3), .integer(-4)])
      #expect(try context.fetchIdentifiers(request).last == first.objectID)
    }
  }
}
