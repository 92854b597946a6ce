import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

@Suite("Several stores")
struct MultiStoreTests {
  static let model: Model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Note",
          properties: [
            .attribute(Attribute("text", .string)), .attribute(Attribute("rank", .int32)),
          ]),
        Entity("Label", properties: [.attribute(Attribute("text", .string))]),
      ],
      configurations: [
        Configuration("notes", entities: ["Note"]),
        Configuration("both", entities: ["Note", "Label"]),
      ]))

  /// Two stores at one place: one for notes, one for every entity.
  private struct Two {
    let ground: Ground
    let coordinator: PersistentStoreCoordinator
    let notes: PersistentStore
    let both: PersistentStore
    let context: ManagedObjectContext

    init(_ kind: Kind) throws {
      ground = Ground(kind)
      coordinator = PersistentStoreCoordinator(
        model: MultiStoreTests.model, places: ground.places)
      notes = try coordinator.addStore(
        at: ground.path("/notes"), type: kind.type, configuration: "notes")
      both = try coordinator.addStore(
        at: ground.path("/both"), type: kind.type, configuration: "both")
      context = ManagedObjectContext(coordinator, concurrency: .confined)
    }

    func note(
      _ rank: Int64, into store: PersistentStore? = nil, _ text: String? = nil
    ) throws {
      let note = try context.insert("Note", into: store)
      note["rank"] = .integer(rank)
      note["text"] = .string(text ?? "note \(rank)")
    }

    func ranks(_ request: FetchRequest<ManagedObject>) throws -> [Value] {
      try context.fetch(request).map { $0["rank"] }
    }
  }

  @Test(
    "A new object goes to its configuration's or its assigned store", arguments: Kind.allCases)
  func placement(_ kind: Kind) throws {
    let two = try Two(kind)
    let label = try two.context.insert("Label")
    let note = try two.context.insert("Note")
    let sent = try two.context.insert("Note", into: two.both)
    two.context.setStore(two.both, forNewObjectsOf: "Note")
    let assigned = try two.context.insert("Note")

    #expect(label.objectID.store == two.both.tag && note.objectID.store == two.notes.tag)
    #expect(sent.objectID.store == two.both.tag && assigned.objectID.store == two.both.tag)
    let error = #expect(throws: ContextError.self) {
      try two.context.insert("Label", into: two.notes)
    }
    #expect(error?.code == .noStore)
  }

  @Test("A fetch from several stores returns its objects in one order", arguments: Kind.allCases)
  func merged(_ kind: Kind) throws {
    let two = try Two(kind)
    for rank in [5, 1, 3, 9] { try two.note(Int64(rank)) }
    for rank in [4, 2, 8, 6, 7] { try two.note(Int64(rank), into: two.both) }
    try two.context.save()
    try two.note(0, into: two.both)
    var request = FetchRequest("Note", sortedBy: [SortKey("rank")])

    #expect(try two.ranks(request) == (0...9).map { .integer($0) })
    request.fetchOffset = 3
    request.fetchLimit = 4
    #expect(try two.ranks(request) == (3...6).map { .integer($0) })
    #expect(try two.context.count(for: request) == 4)
    request.sortKeys = [SortKey("rank", ascending: false)]
    #expect(try two.ranks(request) == [6, 5, 4, 3].map { .integer($0) })
    request.affectedStores = [two.notes.uuid]
    request.fetchOffset = 0
    #expect(try two.ranks(request) == [9, 5, 3, 1].map { .integer($0) })
  }

  /// Notes of which each word is frequent in one store and rare in the other, and equally frequent in both together.
  private func foxesAndDogs(
    _ two: Two
  ) throws -> FetchRequest<ManagedObject> {
    for rank in [0, 3, 6, 9] { try two.note(Int64(rank), "fox") }
    for rank in [1, 2, 5, 7] { try two.note(Int64(rank), into: two.both, "dog") }
    try two.note(4, "dog")
    try two.note(8, into: two.both, "fox")
    try two.context.save()
    return FetchRequest(
      "Note", where: try QueryPredicate("text TEXT 'fox' OR text TEXT 'dog'"),
      sortedBy: [.relevance, SortKey("rank")])
  }

  @Test(
    "The relevance of an object depends on the texts of all stores", arguments: Kind.allCases)
  func relevance(_ kind: Kind) throws {
    let two = try Two(kind)
    let request = try foxesAndDogs(two)
    let results = try FetchedResults(request, in: two.context)

    #expect(try two.ranks(request) == (0...9).map { .integer($0) })
    #expect(results.map { $0["rank"] } == (0...9).map { .integer($0) })

    // An unsaved text makes its word less rare, so the texts with the second word come first.
    try two.note(10, into: two.both, "dog")
    try two.context.processPendingChanges()
    let first: [Value] = [0, 3, 6, 8, 9].map { .integer($0) }
    #expect(
      try two.ranks(request) == first + [1, 2, 4, 5, 7, 10].map { .integer($0) })
    #expect(results.count == 11 && Array(results.map { $0["rank"] }.prefix(5)) == first)
    var window = request
    (window.fetchOffset, window.fetchLimit) = (3, 3)
    #expect(try two.ranks(window) == [8, 9, 1].map { .integer($0) })
    window.includesPendingChanges = false
    #expect(try two.ranks(window) == [3, 4, 5].map { .integer($0) })
  }

  @Test("A search on another thread has the same order by relevance")
  func relevanceInBackground() async throws {
    let two = try Two(.binary)
    let request = try foxesAndDogs(two)
    let wanted = try two.context.fetchIdentifiers(request)
    let other = ManagedObjectContext(two.coordinator)

    #expect(try await other.fetchIdentifiers(request, progress: nil) == wanted)
  }

  @Test("Each store computes its own values and groups", arguments: Kind.allCases)
  func values(_ kind: Kind) throws {
    let two = try Two(kind)
    try two.note(1)
    try two.note(2, into: two.both)
    try two.context.save()
    var request = FetchRequest("Note")
    request.propertiesToFetch = [FetchedValue("all", .function(.sum, [.path("rank")]))]

    let error = #expect(throws: ContextError.self) { try two.context.fetchTable(request) }
    request.affectedStores = [two.both.uuid]
    let rows = try two.context.fetchTable(request).rows

    #expect(error?.code == .notSupported)
    #expect(rows == [[.integer(2)]])
  }

  @Test(
    "If the second store can't be written, both keep their old state, and the next save works",
    arguments: Kind.simulated, ["/notes", "/both"])
  func failingStore(_ kind: Kind, _ path: String) throws {
    let two = try Two(kind)
    try two.note(1)
    try two.note(2, into: two.both)
    try two.context.save()
    try two.note(3)
    try two.note(4, into: two.both)
    // A document is written beside the old one, a block file in place.
    two.ground.plan(.failing(.noSpace, path: path, lasting: .forGood))

    #expect(throws: (any Error).self) { try two.context.save() }
    two.ground.planNoFailures()
    let after = try [two.notes, two.both].map { store in
      try store.store.snapshot().view.keys(ofEntity: store.graph["Note"]!.number)
    }

    #expect(after.map(\.count) == [1, 1])
    #expect(two.context.hasChanges && two.context.insertedObjects.count == 2)
    try two.context.save()
    let other = ManagedObjectContext(two.coordinator, concurrency: .confined)
    #expect(
      try other.fetch(FetchRequest("Note", sortedBy: [SortKey("rank")])).map { $0["rank"] }
        == (1...4).map { .integer($0) })
  }
}
