import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import PluginHost
import Rows
import StoreInterface
import Synchronization
import Testing

@Suite("Requests through the C interface")
struct QueryingTests {
  /// A backend with stores that answer requests about the number of stars, and record the received requests.
  private struct Answering: StoreBackend {
    static let asked = Mutex<[QueryRequest]>([])
    var type: StoreType { StoreType(rawValue: "Answering") }
    var capabilities: StoreCapabilities { [.incremental, .querying] }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { false }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store {
      AnsweringStore(
        try MemoryStoreBackend().create(at: path, model: model, on: disk, creation))
    }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
  }

  private final class AnsweringStore: QueryingStore {
    let store: any Store
    init(_ store: any Store) { self.store = store }

    var type: StoreType { store.type }
    var features: StoreFeatures { StoreFeatures([.incremental, .querying], querying: self) }
    var tag: StoreTag { store.tag }
    var path: String? { nil }
    func snapshot() throws -> any StoreSnapshot { try store.snapshot() }
    func commit(_ request: CommitRequest) throws -> any StoreSnapshot { try store.commit(request) }
    func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
      try store.leaseKeys(ofEntity: number, count: count)
    }
    func describe() throws -> StoreSummary { try store.describe() }
    func close() throws { try store.close() }

    func keys(
      answering request: QueryRequest, in snapshot: any StoreSnapshot
    ) throws -> [ObjectKey]? {
      Answering.asked.withLock { $0.append(request) }
      guard request.predicate.map({ "\($0)".contains("stars") }) ?? false else { return nil }
      // A scan of the rows can't give this result, so it proves that the plug-in answered.
      return [ObjectKey(entity: 1, number: 5), ObjectKey(entity: 1, number: 1)]
    }
  }

  @Test("The host sends a plug-in the whole request, and searches the rows if the plug-in declines")
  func asked() throws {
    let backend = Boundary.through(Answering())
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("stars", .int32)), .attribute(Attribute("title", .string)),
      ])
    let store = try backend.create(
      at: "/notes", model: Model(entities: [note]), on: SimulatedDisk(), StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...5 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: 1, number: number)
      builder.insert(key)
      builder.set(.string("\(6 - number)"), column: 1, of: key)
    }
    let snapshot = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    var request = QueryRequest(
      "Note", where: try QueryPredicate("stars > 3 AND title LIKE[cd] %@", "a, \"b\" \\*"),
      sortedBy: [
        SortKey("title", options: [.caseInsensitive, .diacriticInsensitive]),
        SortKey("stars", ascending: false),
      ],
      limit: 7)
    request.fetchOffset = 2
    request.includesSubentities = false

    #expect(try store.keys(request, in: snapshot).map(\.number) == [5, 1])
    #expect(try store.count(request, in: snapshot) == 2)
    let asked = try #require(Answering.asked.withLock { $0.first })
    #expect(asked == request)

    let byTitle = QueryRequest(
      "Note", where: try QueryPredicate("title > '2'"), sortedBy: [SortKey("title")])
    #expect(try store.keys(byTitle, in: snapshot).map(\.number) == [3, 2, 1])
    #expect(try store.count(byTitle, in: snapshot) == 3)
  }
}
