import DurableFiles
import PostgreSQLServer
import PostgreSQLStore
import StoreConformance
import StoreInterface
import Testing

@Suite(
  "The conformance of the PostgreSQL store",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct ConformanceTests {
  @Test("The PostgreSQL store conforms", arguments: ["", "&foreign_keys=off&announcements=off"])
  func conformance(parameters: String) throws {
    let server = try PostgreSQLServer.shared.get()
    // The name of a store ends the address, so it is a part of the schema's name.
    let folder = "\(server.address)\(parameters)&schema=\(server.newSchema())"
    let report = StoreConformance(
      PostgreSQLStoreBackend(), on: RealDisk(), in: folder, keepsRows: !parameters.isEmpty
    ).run()
    for failure in report.failures { Issue.record("\(failure)") }
    #expect(report.results.count > 30)
  }
}
