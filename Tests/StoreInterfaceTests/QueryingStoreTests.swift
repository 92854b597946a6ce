import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Testing

@Suite("Requests answered by the store or by a search of the rows")
struct QueryingStoreTests {
  /// A store that answers requests without a predicate with a fixed key, and leaves the rest to the rows.
  private final class Answering: QueryingStore {
    let store: MemoryStore
    private let capabilities: StoreCapabilities

    init(_ store: MemoryStore, _ capabilities: StoreCapabilities) {
      self.store = store
      self.capabilities = capabilities
    }

    var type: StoreType { store.type }
    var features: StoreFeatures { StoreFeatures(capabilities, querying: self) }
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
      request.predicate == nil ? [ObjectKey(entity: 1, number: 4711)] : nil
    }

    func count(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int? {
      request.predicate == nil ? 4711 : nil
    }
  }

  private func store(_ capabilities: StoreCapabilities) throws -> Answering {
    let note = Entity("Note", properties: [.attribute(Attribute("stars", .int32))])
    let store = try MemoryStore(Model(entities: [note]))
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...5 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: 1, number: number)
      builder.insert(key)
      builder.set(.integer(Int64(number)), column: 0, of: key)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    return Answering(store, capabilities)
  }

  @Test("The store's answer is used, and the rows are searched if the store declines")
  func answered() throws {
    let store = try store([.incremental, .querying])
    let snapshot = try store.snapshot()
    let all = QueryRequest("Note")
    let some = QueryRequest("Note", where: try QueryPredicate("stars > 3"))

    #expect(try store.count(all, in: snapshot) == 4711)
    #expect(try store.keys(all, in: snapshot).map(\.number) == [4711])
    #expect(try store.count(some, in: snapshot) == 2)
    #expect(try store.keys(some, in: snapshot).map(\.number) == [4, 5])
    var stars = all
    stars.resultType = .dictionaries
    stars.propertiesToFetch = [FetchedValue("stars")]
    #expect(try store.table(stars, in: snapshot).rows == (1...5).map { [.integer($0)] })
  }

  @Test("A store that does not claim to answer requests is not asked")
  func unasked() throws {
    let store = try store([.incremental])
    #expect(try store.count(QueryRequest("Note"), in: store.snapshot()) == 5)
  }

  @Test("A request that does not fit the model is refused, even if the store would answer it")
  func refused() throws {
    let store = try store([.incremental, .querying])
    let snapshot = try store.snapshot()
    #expect(throws: QueryError.self) { try store.count(QueryRequest("Nothing"), in: snapshot) }
    #expect(throws: QueryError.self) {
      try store.keys(QueryRequest("Note", where: QueryPredicate("moons > 3")), in: snapshot)
    }
  }
}
