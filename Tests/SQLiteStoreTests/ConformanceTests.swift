import DurableFiles
import ObjectModel
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

@Suite("The conformance of the SQLite store")
struct ConformanceTests {
  @Test("The SQLite store conforms")
  func conformance() throws {
    let folder = try TemporaryFolder()
    let report = StoreConformance(
      SQLiteStoreBackend(), on: RealDisk(), in: folder.path, ending: ".sqlite"
    ).run()
    #expect(report.failures == [])
  }
}
