import DurableFiles
import NoteSearches
import ObjectGraph
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface
import Testing

@Suite(
  "Searches for words in a database",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct NoteSearchTests {
  @Test("A store finds the notes that the naive search finds, in the same order")
  func naive() throws {
    for seed in NoteSearches.seeds {
      let site = try StoreSite()
      try site.create(NoteSearches.model).close()
      let coordinator = PersistentStoreCoordinator(
        model: NoteSearches.model,
        places: StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk()))
      try coordinator.addStore(at: site.address, type: .postgreSQL)
      var searches = NoteSearches(
        seed: seed, in: ManagedObjectContext(coordinator, concurrency: .confined))

      let differences = try searches.differences()

      for difference in differences { Issue.record("seed \(seed), \(difference)") }
    }
  }
}
