import CStorePlugin
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import PluginHost
import PluginSupport
import Rows
import StoreInterface
import Synchronization
import Testing

/// The host completes the parts of a request that a plug-in leaves open.
@Suite("Partial answers of a plug-in", .serialized)
struct PartialAnswerTests {
  /// The numbers of the notes that the plug-in's function returns, and the flags of its answer.
  private struct Answer: Sendable {
    var numbers: [UInt64]
    var flags: UInt32
    /// The number of keys that the function claims to give; `nil` for the true one.
    var claimedCount: UInt64?
  }

  private static let answer = Mutex(Answer(numbers: [], flags: 0))
  private struct NotesBackend: StoreBackend {
    let plain = MemoryStoreBackend()
    var type: StoreType { StoreType(rawValue: "PartlyAnswering") }
    var capabilities: StoreCapabilities { [.incremental, .querying] }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { false }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store { try plain.create(at: path, model: model, on: disk, creation) }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
  }

  /// Returns the backend with a function that gives the answer of the test.
  private static func backend() -> PluginBackend {
    let backend = NotesBackend()
    let full = StorePlugin.table("PartlyAnswering", "1", [backend])
      .assumingMemoryBound(to: QuirePlugin.self)
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: full.pointee)
    table.pointee.query = { _, query, answered, take, context, error in
      let answer = PartialAnswerTests.answer.withLock { $0 }
      let found = answer.numbers.map { QuireFound(entity: query!.pointee.entity, key: $0) }
      answered?.pointee = answer.flags
      return found.withUnsafeBufferPointer {
        $0.isEmpty ? 0 : take!(context, $0.baseAddress, answer.claimedCount ?? UInt64($0.count))
      }
    }
    let functions = PluginFunctions(
      UnsafePointer(table), type: full.pointee.types[0]!,
      flags: full.pointee.types[0]!.pointee.flags,
      name: "PartlyAnswering")
    return PluginBackend(
      backend.type, backend.capabilities, recognizing: { _ in false }, load: { functions })
  }

  /// Returns a store with nine notes: note n has 10 - n stars, and the title "b", or "a" if n is even.
  private func store() throws -> (store: any Store, snapshot: any StoreSnapshot) {
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("stars", .int32)), .attribute(Attribute("title", .string)),
      ])
    let store = try Self.backend().create(
      at: "/notes", model: Model(entities: [note]), on: SimulatedDisk(), StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...9 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: 1, number: number)
      builder.insert(key)
      builder.set(.integer(10 - Int64(number)), column: 0, of: key)
      builder.set(.string(number % 2 == 0 ? "a" : "b"), column: 1, of: key)
    }
    return (store, try store.commit(CommitRequest(builder.freeze(), basedOn: base)))
  }

  private func keys(
    _ answer: [UInt64], _ flags: Int, _ predicate: String?, _ sortKeys: [SortKey] = [],
    limit: Int = 0
  ) throws -> [UInt64] {
    let (store, snapshot) = try store()
    let request = QueryRequest(
      "Note", where: try predicate.map { try QueryPredicate($0) }, sortedBy: sortKeys, limit: limit)
    Self.answer.withLock { $0 = Answer(numbers: answer, flags: UInt32(flags)) }
    let found = try store.keys(request, in: snapshot).map(\.number)
    #expect(try store.count(request, in: snapshot) == found.count)
    return found
  }

  @Test("The host tests candidates, and completes the parts of the request that are left open")
  func everything() throws {
    let (predicate, order, limit, candidates) = (
      Int(QUIRE_ANSWERED_PREDICATE), Int(QUIRE_ANSWERED_ORDER), Int(QUIRE_ANSWERED_LIMIT),
      Int(QUIRE_ANSWERED_CANDIDATES)
    )
    // Note 1 also meets the predicate, but is not a candidate.
    #expect(try keys([9, 3, 2], candidates, "title == 'b'") == [3, 9])
    #expect(
      try keys([9, 3, 2, 5], candidates, "title == 'b'", [SortKey("stars")], limit: 2) == [9, 5])
    // Without an answered predicate no order or page counts.
    #expect(
      try keys([2, 3, 9], candidates | order | limit, "title == 'b'", [SortKey("stars")], limit: 1)
        == [9])
    // The plug-in's hits count, even if a search of the rows would find different objects.
    #expect(try keys([4, 2], predicate, "title == 'b'") == [2, 4])
    #expect(try keys([4, 2], predicate | order, "title == 'b'") == [4, 2])
    #expect(try keys([4, 2, 6], predicate, nil, [SortKey("stars")]) == [6, 4, 2])
    #expect(try keys([4, 2, 6], predicate, nil, [SortKey("stars")], limit: 1) == [6])
    #expect(try keys([4, 2, 6], predicate | order, nil, [SortKey("title")], limit: 2) == [2, 4])
    #expect(
      try keys([4], predicate | order | limit, nil, [SortKey("stars")], limit: 1) == [4])
    // Nothing is answered: the host searches all rows.
    #expect(try keys([], 0, "stars > 7") == [1, 2])
    #expect(try keys([5], order | limit, "stars > 7") == [1, 2])
    // A condition on other objects needs all rows.
    #expect(
      try keys([5], candidates, "stars > FETCH('Note', stars > 3, YES)") == [1, 2, 3])
  }

  @Test("A plug-in that claims more keys than memory can hold is blamed", arguments: [59, 63])
  func tooMany(_ power: Int) throws {
    let (store, snapshot) = try store()
    Self.answer.withLock {
      $0 = Answer(
        numbers: [1], flags: UInt32(QUIRE_ANSWERED_CANDIDATES), claimedCount: 1 << UInt64(power))
    }

    let error = try #require(throws: StoreError.self) {
      try store.keys(QueryRequest("Note", where: QueryPredicate("title == 'a'")), in: snapshot)
    }

    #expect(error.code == .badPlugin)
    #expect(error.message.contains("keys at once"), "\(error)")
  }

  @Test("A plug-in that finds an object twice is blamed")
  func twice() throws {
    let error = try #require(throws: StoreError.self) {
      try keys([2, 2], Int(QUIRE_ANSWERED_CANDIDATES), "title == 'a'")
    }
    #expect(error.code == .badPlugin)
    #expect(error.message.contains("finds an object twice"))
  }
}
