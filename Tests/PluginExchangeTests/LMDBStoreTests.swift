import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import ObjectQuery
import PluginHost
import SeededRandom
import StoreConformance
import StoreInterface
import Testing

/// The example of a plug-in in C that keeps its objects in LMDB.
@Suite(
  "The LMDB store",
  .enabled(if: InstalledPlugins.hasLMDB, "The header of LMDB is missing: install liblmdb-dev."))
struct LMDBStoreTests {
  /// A folder that exists during one test.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "quire-lmdb-\(UUID().uuidString)").path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test("The LMDB store conforms")
  func conformance() throws {
    let folder = try Folder()

    let report = StoreConformance(
      try InstalledPlugins.backend("LMDB"), on: RealDisk(), in: folder.path, ending: ".lmdb"
    ).run()

    #expect(report.failures == [])
  }

  @Test("On a disk without files of the system, the LMDB store is refused with the reason")
  func packed() throws {
    let backend = try InstalledPlugins.backend("LMDB")

    let error = #expect(throws: StoreError.self) {
      try backend.create(
        at: "/store", model: StoreConformance.model, on: SimulatedDisk(), StoreCreation())
    }

    #expect(error?.code == .notSupported)
    #expect(error?.message.contains("LMDB needs one") == true)
  }

  @Test("The store answers conditions on attributes, and finds the candidates of other conditions")
  func requests() throws {
    let folder = try Folder()
    let store = try InstalledPlugins.backend("LMDB").create(
      at: folder.path + "/things.lmdb", model: StoreConformance.model, on: RealDisk(),
      StoreCreation())
    var generator = SeededGenerator(seed: 5)
    try StoreConformance.populate(store, count: 400, &generator)
    let snapshot = try store.snapshot()
    let querying = try #require(store.features.querying)
    let source = ViewSource(
      snapshot.view, model: try snapshot.model, schema: snapshot.schema, store: store.tag)

    for text in [
      "large > 100 AND large < 5000", "name BEGINSWITH '<1'", "name == nil OR flag == YES",
      "NOT real >= 1.5", "large BETWEEN {-100, 4000} AND name LIKE '*7*'",
      "small IN {1, 2, 3} AND money > 10",
    ] {
      let request = QueryRequest("Thing", where: try QueryPredicate(text))
      let plan = try QueryPlan(
        request, model: snapshot.model, schema: snapshot.schema, store: store.tag)

      let found = try #require(try querying.keys(answering: request, in: snapshot), "\(text)")

      #expect(found == (try plan.keys(in: source)), "\(text)")
    }
    let unknown = QueryRequest("Thing", where: try QueryPredicate("name MATCHES '.*7.*'"))
    #expect(try querying.keys(answering: unknown, in: snapshot) == nil)
    try store.close()
  }
}
