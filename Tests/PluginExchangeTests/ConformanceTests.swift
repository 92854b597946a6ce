import DurableFiles
import Foundation
import PluginHost
import StoreConformance
import StoreInterface
import Synchronization
import Testing

@Suite("Stores through the C interface")
struct ConformanceTests {
  private static let ways: [(StoreType, Crossing)] = [
    (.binary, .blocks), (.compressed, .blocks), (.xml, .blocks), (.binary, .arrays), (.xml, .arrays),
  ]

  @Test("Conform as they do without it", arguments: ways)
  func conformance(_ type: StoreType, _ crossing: Crossing) throws {
    let plain = try #require(Boundary.lasting.first { $0.type == type })
    let backend = Boundary.through(plain, crossing)
    let disk = SimulatedDisk()
    let count = Mutex(0)
    try StoreConformance(
      keepsRows: type != .xml,
      make: { model in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return try backend.create(at: "/store\(number)", model: model, on: disk, StoreCreation())
      },
      reopen: { store in
        let path = store.path!
        try store.close()
        return try backend.open(path, on: disk, StoreOpening())
      }
    ).run()
    #expect(disk.openFileCount < 100)
  }
}
