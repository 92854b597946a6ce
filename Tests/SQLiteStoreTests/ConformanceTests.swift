import DurableFiles
import ObjectModel
import SQLiteStore
import StoreConformance
import StoreInterface
import Synchronization
import Testing

@Suite("The conformance of the SQLite store")
struct ConformanceTests {
  @Test("The SQLite store conforms")
  func conformance() throws {
    let folder = try TemporaryFolder()
    let backend = SQLiteStoreBackend()
    let count = Mutex(0)
    let report = StoreConformance(
      make: { model in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return try backend.create(
          at: folder.file("store\(number).sqlite"), model: model, on: RealDisk(), StoreCreation())
      },
      reopen: { store in
        let path = store.path!
        try store.close()
        return try backend.open(path, on: RealDisk(), StoreOpening())
      }
    ).run()
    #expect(report.failures == [])
  }
}
