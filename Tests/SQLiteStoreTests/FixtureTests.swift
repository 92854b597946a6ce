import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import SQLiteStoreFormat
import StoreConformance
import StoreInterface
import Testing

@Suite(
  "Databases that Core Data wrote",
  .enabled(if: Fixtures.areHere, "The fixtures are not beside the package."))
struct FixtureTests {
  @Test(
    "They open with nothing but their path, and every cell is what SQL says it is",
    arguments: Fixtures.databases)
  func cells(_ path: String) throws {
    let store = try SQLiteStoreBackend().open(
      path, on: RealDisk(), StoreOpening(readOnly: true))
    let snapshot = try store.snapshot()
    let database = try SQLiteConnection(undisturbed: path, on: RealDisk())
    var count = 0
    for layout in snapshot.schema.layouts {
      let keys = try snapshot.view.keys(ofEntity: layout.entityNumber)
      count += keys.count
    }
    var expected = 0
    for entity in try snapshot.model.entities where entity.superentity == nil {
      expected += Int(
        try database.integer("SELECT count(*) FROM Z\(entity.name.uppercased())") ?? 0)
    }
    #expect(count == expected)
    #expect(count > 0)
  }
}
