import AppleFixtures
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

/// Each SQL statement is written by hand, from the known layout of Core Data's tables. No statement is derived from the
/// store's own view of the model.
@Suite(
  "Databases that Core Data wrote",
  .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
struct FixtureTests {
  /// Opens a fixture by its path alone, and checks that the file and its folder are unchanged afterwards.
  private func read(
    _ name: String, _ body: (ShownCells, RawDatabase) throws -> Void
  ) throws {
    let path = try #require(AppleFixtures.databases.first { $0.hasSuffix("/\(name).sqlite") })
    let folder = (path as NSString).deletingLastPathComponent
    let bytes = try Data(contentsOf: URL(filePath: path))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let store = try SQLiteStoreBackend().open(
      path, on: RealDisk(), StoreOpening(readOnly: true))
    try body(ShownCells(store.snapshot()), RawDatabase(path, isReadOnly: true))
    try store.close()
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
  }

  private func checkMetadata(
    _ cells: ShownCells, uuid: String, hashes: [String: String], identifiers: [String],
    framework: Int64
  ) throws {
    let metadata = try cells.snapshot.metadata
    #expect(metadata.uuid == UUID(uuidString: uuid))
    #expect(metadata.values["NSStoreType"] == .string("SQLite"))
    #expect(metadata.versionIdentifiers == identifiers)
    #expect(metadata.values["NSPersistenceFrameworkVersion"] == .integer(framework))
    #expect(metadata.values["_NSAutoVacuumLevel"] == .string("2"))
    guard case .dictionary(let found)? = metadata.values["NSStoreModelVersionHashes"] else {
      Issue.record("There are no hashes.")
      return
    }
    let shown = found.mapValues { value -> String in
      guard case .data(let bytes) = value else { return "none" }
      return bytes.map { String(format: "%02x", $0) }.joined()
    }
    #expect(shown == hashes)
  }

  @Test("There are five databases that Core Data wrote")
  func all() {
    #expect(
      Set(AppleFixtures.databases.map { ($0 as NSString).lastPathComponent }) == [
        "SampleModel_V1.sqlite", "SampleModel_V2.sqlite", "SampleModel2_V1.sqlite",
        "SampleModel2_V2.sqlite", "SampleModel3_V1.sqlite",
      ])
  }

  @Test("The store reads cars and people: inheritance, relationships, UUIDs, dates and bytes")
  func sampleModel1() throws {
    try read("SampleModel_V1") { cells, database in
      let cars =
        "ZMAKER, ZMODEL, ZNUMBERPLATE, CAST(ZMARKEDFORDELETIONASOF AS REAL), ZCOLOR, 'Person/' || ZOWNER"
      let names = ["maker", "model", "numberPlate", "markedForDeletionAsOf", "color", "owner"]
      for (entity, number) in [("Car", 1), ("SportCar", 2)] {
        try cells.check(
          entity, names, database,
          "SELECT Z_PK, \(cars) FROM ZCAR WHERE Z_ENT = \(number) ORDER BY Z_PK")
      }
      try cells.check(
        "ExpensiveSportCar", names + ["isLimitedEdition"], database,
        "SELECT Z_PK, \(cars), ZISLIMITEDEDITION FROM ZCAR WHERE Z_ENT = 3 ORDER BY Z_PK")
      try cells.check(
        "Person", ["firstName", "lastName", "updatedAt", "id"], database,
        "SELECT Z_PK, ZFIRSTNAME, ZLASTNAME, CAST(ZUPDATEDAT AS REAL), ZID FROM ZPERSON ORDER BY Z_PK"
      )
      #expect(try cells.rows("Car", []).count == 115)
      #expect(try cells.rows("SportCar", []).count == 5)
      #expect(try cells.rows("ExpensiveSportCar", []).count == 5)
      #expect(try cells.rows("Person", []).count == 20)
      try checkMetadata(
        cells, uuid: "753753D3-A961-4901-AB05-8CC48B1D3853",
        hashes: [
          "SportCar": "514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313",
          "Person": "164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b",
          "ExpensiveSportCar": "3dc7e32b1be45b5a4c795ac9af3e1d10aa7222d3c69ae805bbeb4408bdeba480",
          "Car": "9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f",
        ], identifiers: ["1"], framework: 1044)
    }
  }

  @Test("The store reads migrated cars: a renamed entity keeps its old name in the number table")
  func sampleModel2() throws {
    try read("SampleModel_V2") { cells, database in
      #expect(
        try database.value("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 3")
          == .text("ExpensiveSportCar"))
      let cars =
        "ZMAKER, ZMODEL, ZNUMBERPLATE, CAST(ZMARKEDFORDELETIONASOF AS REAL), 'Person/' || ZOWNER"
      let names = ["maker", "model", "numberPlate", "markedForDeletionAsOf", "owner"]
      for (entity, number) in [("Car", 1), ("SportCar", 2)] {
        try cells.check(
          entity, names, database,
          "SELECT Z_PK, \(cars) FROM ZCAR WHERE Z_ENT = \(number) ORDER BY Z_PK")
      }
      try cells.check(
        "LuxuryCar", names + ["isLimitedEdition"], database,
        "SELECT Z_PK, \(cars), ZISLIMITEDEDITION FROM ZCAR WHERE Z_ENT = 3 ORDER BY Z_PK")
      try cells.check(
        "Person", ["firstName", "lastName", "updatedAt"], database,
        "SELECT Z_PK, ZFIRSTNAME, ZLASTNAME, CAST(ZUPDATEDAT AS REAL) FROM ZPERSON ORDER BY Z_PK")
      #expect(try cells.rows("LuxuryCar", []).count == 5)
      try checkMetadata(
        cells, uuid: "753753D3-A961-4901-AB05-8CC48B1D3853",
        hashes: [
          "SportCar": "722a55b5bbcd51d74876a4dd8f8f7bbde57ddc61cb65a577ec5b0fbe978d7b8c",
          "Person": "067ae62e1bd1014cb6559d990803ae58f354dd1b7ba7b7722a361c0c39f2134e",
          "LuxuryCar": "a873c5590010e4ea3f7bdf846786dfbf5cb095526b86aa0de2c569c4bb121886",
          "Car": "7e503efbf4b63cd93ff729e9675e21c63c65262d85a9889f59a2440af6481b93",
        ], identifiers: ["2"], framework: 1044)
    }
  }

  /// Checks books, pages, feedback and authors, in both versions of the model.
  private func checkBooks(_ cells: ShownCells, _ database: RawDatabase, cover: String) throws {
    let books =
      "ZPAGESCOUNT, CAST(ZPUBLISHEDAT AS REAL), ZPRICE, ZTITLE, ZUNIQUEID, Z\(cover.uppercased()), 'Author/' || ZAUTHOR"
    let names = [
      "pagesCount", "publishedAt", "price", "title", "uniqueID", cover, "author",
    ]
    try cells.check(
      "Book", names, database, "SELECT Z_PK, \(books) FROM ZBOOK WHERE Z_ENT = 1 ORDER BY Z_PK",
      decimals: ["price"])
    try cells.check(
      "GraphicNovel", names + ["isBlackAndWhite"], database,
      "SELECT Z_PK, \(books), ZISBLACKANDWHITE FROM ZBOOK WHERE Z_ENT = 2 ORDER BY Z_PK",
      decimals: ["price"])
    try cells.check(
      "Feedback", ["rating", "authorAlias", "comment", "bookID"], database,
      "SELECT Z_PK, ZRATING, ZAUTHORALIAS, ZCOMMENT, ZBOOKID FROM ZFEEDBACK ORDER BY Z_PK")
    try cells.check(
      "Page", ["isBookmarked", "number", "content", "book"], database,
      "SELECT Z_PK, ZISBOOKMARKED, ZNUMBER, ZCONTENT, CASE Z1_BOOK WHEN 1 THEN 'Book/' WHEN 2 THEN 'GraphicNovel/' END || ZBOOK FROM ZPAGE ORDER BY Z_PK"
    )
    #expect(try cells.rows("Writer", []) == [])
    // Derived values are shown as the database stores them, and the stored values are correct.
    #expect(
      try database.rows(
        "SELECT Z_PK FROM ZBOOK b WHERE ZPAGESCOUNT <> (SELECT count(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)"
      ) == [])
  }

  @Test(
    "The store reads books: decimal numbers, URIs, derived values and a to-one to a superentity")
  func books1() throws {
    try read("SampleModel2_V1") { cells, database in
      try checkBooks(cells, database, cover: "cover")
      try cells.check(
        "Author", ["age", "alias", "siteURL"], database,
        "SELECT Z_PK, ZAGE, ZALIAS, ZSITEURL FROM ZWRITER WHERE Z_ENT = 6 ORDER BY Z_PK")
      #expect(try cells.rows("Page", []).count == 4970)
      #expect(try cells.rows("Feedback", []).count == 444)
      // One price was 3.3333333333 in the program, and the database keeps the nearest real number.
      #expect(
        try Set(cells.rows("Book", ["price"]).map { $0[1] })
          == [.text("10.11"), .text("3.3333333332999993")])
      try checkMetadata(
        cells, uuid: "C9CB0B35-ED6A-4042-BE5C-1B911AC00B2A",
        hashes: [
          "GraphicNovel": "a6863b3ebf06bded0c0d93ebd416e74ef2f4df96b69cb070206a2d39592f3316",
          "Book": "01e4ee17f1b2903db05607419b4a713d72df80c90b4510b83a60b9135323f5e7",
          "Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc",
          "Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171",
          "Author": "07b88ab76fbdf3d701c85688e9b0820f0cdae6bc2c31d24d1fdc115251d13d12",
          "Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25",
        ], identifiers: [], framework: 1344)
    }
  }

  @Test("The store reads books of the second model version, with a graphic novel")
  func books2() throws {
    try read("SampleModel2_V2") { cells, database in
      try checkBooks(cells, database, cover: "frontCover")
      try cells.check(
        "Author", ["age", "alias"], database,
        "SELECT Z_PK, ZAGE, ZALIAS FROM ZWRITER WHERE Z_ENT = 6 ORDER BY Z_PK")
      #expect(
        try cells.rows("Book", ["price", "author", "pagesCount"]) == [
          [.integer(1), .text("3.3333333332999993"), .text("Author/1"), .integer(1)],
          [.integer(2), .text("10.11"), .text("Author/1"), .integer(99)],
        ])
      #expect(try cells.rows("GraphicNovel", []).count == 1)
      #expect(try cells.rows("Page", []).count == 119)
      try checkMetadata(
        cells, uuid: "4B0F5331-DE87-4D61-9947-8A976CCEB627",
        hashes: [
          "GraphicNovel": "7073b5a03ae1be6509a5e88664a1a68805503b112176c4cceee9f30fdcdb72cc",
          "Book": "33ac3733a780db28955479ba9f9989cd9acd0ee1dade9b545e4b746751730100",
          "Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc",
          "Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171",
          "Author": "a5af92dcedca236241e01baf51c0e97d806bcc3d28500abc6d03926d7e065b28",
          "Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25",
        ], identifiers: [], framework: 1344)
    }
  }

  @Test("The store reads a database that only has users")
  func users() throws {
    try read("SampleModel3_V1") { cells, database in
      try cells.check(
        "User", ["name", "petName"], database,
        "SELECT Z_PK, ZNAME, ZPETNAME FROM ZUSER ORDER BY Z_PK")
      #expect(try cells.rows("User", []).count == 12)
      try checkMetadata(
        cells, uuid: "5443A63D-EF0E-44C2-B216-AE8B5ED2FD09",
        hashes: ["User": "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798"],
        identifiers: ["1"], framework: 1344)
    }
  }
}
