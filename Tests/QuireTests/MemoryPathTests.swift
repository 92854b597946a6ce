import Foundation
import Quire
import Testing

@Suite("The path of stores in memory")
struct MemoryPathTests {
  @Test("The path /dev/null means a new store in memory")
  func throwaway() throws {
    func context() throws -> ManagedObjectContext {
      let container = try PersistentContainer(name: "Voyages", for: Voyage.self, Port.self)
      container.persistentStoreDescriptions = [.init("/dev/null", type: .xml)]
      // A second call opens no second store.
      for _ in 0..<2 { container.loadPersistentStores { _, error in #expect(error == nil) } }
      #expect(container.coordinator.stores.map(\.type) == [.memory])
      #expect(container.coordinator.stores.map(\.path) == ["/dev/null"])
      let context = container.newBackgroundContext()
      // The container is gone when this function returns, and the context keeps the store.
      return context
    }
    let (one, two) = (try context(), try context())
    try one.performAndWait {
      try Voyage(context: one).code = "LIS"
      try one.save()
    }
    #expect(try one.performAndWait { try one.count(for: Voyage.all) } == 1)
    #expect(try two.performAndWait { try two.count(for: Voyage.all) } == 0)
    #expect(throws: ContextError.self) {
      try one.coordinator.replaceStore(at: "/dev/null", withStoreAt: "/nowhere")
    }
    try one.coordinator.destroyStore(at: "/dev/null")
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
    #expect(kind as? FileAttributeType == .typeCharacterSpecial)
  }
}
