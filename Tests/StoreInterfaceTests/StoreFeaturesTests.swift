import Foundation
import ObjectModel
import StoreInterface
import Testing

@Suite("Features of an open store")
struct StoreFeaturesTests {
  private func store(keepsHistory: Bool) throws -> MemoryStore {
    try MemoryStore(
      Model(entities: [Entity("Note", properties: [.attribute(Attribute("text", .string))])]),
      keepsHistory: keepsHistory)
  }

  @Test("A store has the functions of its capabilities, and the capabilities of its functions")
  func agreement() throws {
    let store = try store(keepsHistory: true)

    let features = StoreFeatures([.incremental, .history, .querying], history: store)
    #expect(features.capabilities == [.incremental, .history])
    #expect(features.isIncremental && !features.isDurable && !features.isShared)
    #expect(features.history === store)

    let without = StoreFeatures(.durable, history: store)
    #expect(without.capabilities == .durable)
    #expect(without.history == nil)
  }

  @Test("A store without a history has its newest commit only, and lists none")
  func noHistory() throws {
    let store: any Store = try store(keepsHistory: false)

    #expect(store.features.history == nil)
    #expect(try store.commits().isEmpty)
    #expect(try store.snapshot(ofCommit: store.snapshot().commit).commit == 0)
    let error = #expect(throws: StoreError.self) { try store.snapshot(ofCommit: 7) }
    #expect(error?.code == .notFound)
    #expect(error?.message == "Commit 7 does not exist or is not kept any more.")
  }

  @Test("Asking a store for confirmation that has none is an error with the type of the store")
  func noConfirmation() throws {
    let store: any Store = try store(keepsHistory: true)

    let error = #expect(throws: StoreError.self) { try store.confirming }
    #expect(error?.code == .notConfirmable)
    #expect(
      error?.message == "A store of type \"InMemory\" does not support confirmation of commits.")
  }
}
