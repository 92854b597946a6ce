import DurableFiles
import Foundation
import ObjectModel
import PluginHost
import Rows
import StoreInterface
import Synchronization
import Testing

/// Stores that announce commits through the C interface.
@Suite("Announcements of commits through the C interface")
struct AnnouncingTests {
  /// A store in memory that announces commits when a test asks for it.
  private final class Teller: AnnouncingStore {
    let memory: MemoryStore
    let observer = Mutex<(@Sendable (Int64) -> Void)?>(nil)

    init(_ memory: MemoryStore) { self.memory = memory }

    var type: StoreType { StoreType(rawValue: "Teller") }
    var features: StoreFeatures {
      StoreFeatures([.incremental, .durable], announcements: self)
    }
    var tag: StoreTag { memory.tag }
    var path: String? { "/teller" }
    func snapshot() throws -> any StoreSnapshot { try memory.snapshot() }
    func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
      try memory.commit(request)
    }
    func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
      try memory.leaseKeys(ofEntity: number, count: count)
    }
    func describe() throws -> StoreSummary { try memory.describe() }
    func close() throws {}
    func whenCommitted(_ body: (@Sendable (Int64) -> Void)?) { observer.withLock { $0 = body } }
    func tell(_ commit: Int64) { observer.withLock { $0 }?(commit) }
  }

  private struct Telling: StoreBackend {
    let store: Teller
    var type: StoreType { StoreType(rawValue: "Teller") }
    var capabilities: StoreCapabilities { store.features.capabilities }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { false }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store { store }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      store
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      try store.snapshot().metadata
    }
  }

  private static let model = try! Model(entities: [
    Entity("Trip", properties: [.attribute(Attribute("name", .string))])
  ])

  @Test("The numbers of commits cross the interface, until the program or the store ends that")
  func tells() throws {
    let teller = Teller(try MemoryStore(Self.model))
    let backend = Boundary.through(Telling(store: teller))
    let heard = Mutex<[Int64]>([])
    do {
      let store = try backend.open("/teller", on: RealDisk(), StoreOpening())
      let announcing = try #require(store.features.announcements)
      teller.tell(1)
      announcing.whenCommitted { number in heard.withLock { $0.append(number) } }
      teller.tell(2)
      teller.tell(.max)
      announcing.whenCommitted { number in heard.withLock { $0.append(-number) } }
      teller.tell(3)
      announcing.whenCommitted(nil)
      #expect(teller.observer.withLock { $0 == nil })
      teller.tell(4)
      announcing.whenCommitted { number in heard.withLock { $0.append(number) } }
      teller.tell(5)
      let kept = teller.observer.withLock { $0 }
      try store.close()
      // The store may be about to announce a commit on another thread.
      kept?(6)
    }
    #expect(heard.withLock { $0 } == [2, .max, -3, 5])
  }

  @Test(
    "A store that learns of no commits announces none, whether its plug-in has the function or not")
  func silent() throws {
    for backend in [
      Boundary.through(Boundary.lasting[0]), Boundary.through(Boundary.lasting[0], .arrays),
    ] {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).store").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let store = try backend.create(
        at: path, model: Self.model, on: RealDisk(), StoreCreation())
      #expect(store.features.announcements == nil)
      try store.close()
    }
  }
}
