import StoreConformance
import Testing

/// The proof that the protocols of the module name everything that differs between databases: a database that has nothing
/// in common with SQLite and PostgreSQL makes a store that conforms.
@Suite("The conformance of a store over a database in memory")
struct ConformanceTests {
  @Test("The store conforms, and the cases of the history are not skipped")
  func conformance() throws {
    let report = StoreConformance(make: { try MemoryDatabaseStore($0) }).run()

    #expect(report.failures == [])
    #expect(!report.description.contains("does not declare the capability 'history'"))
    #expect(report.results.count > 30)
  }
}
