import Documents
import DurableFiles
import Foundation
import ObjectModel
import Quire
import QuireTools
import SQLiteStore
import StoreInterface
import Testing

/// The comparison of documents and stores by a program.
@Suite("Differences")
struct DifferenceTests {
  private let files = TripFiles()

  @Test("Two versions of a document differ in the objects that a save has changed")
  func versions() throws {
    try files.makeDocument()
    let first = try version("/Trips.quire")
    try files.setPrice(80, of: "Lisbon", in: "/Trips.quire")
    try files.edit("/Trips.quire") { context in
      try context.insert("Stop")["name"] = .string("Pinhão")
      context.delete(try context.trip("Douro"))
    }

    let difference = try Difference(
      from: "/Trips.quire@\(first)", to: "/Trips.quire", in: files.places)

    let changes = try difference.changes
    #expect(
      changes.map { "\($0.kind) \($0.entity)" } == [
        "changed Stop", "inserted Stop", "deleted Trip", "changed Trip",
      ])
    guard case .value(let prices)? = changes.last?.properties.first?.content else {
      Issue.record("The price is not a value: \(changes)")
      return
    }
    #expect(prices.old == .null && prices.new == .double(80))
    #expect(changes[1].old == nil && changes[1].object.id == changes[1].new?.id)
    #expect(difference.models.isEmpty && difference.attachments.isEmpty)
    #expect(try !difference.isEmpty)
    var trips = 0
    try difference.forEachChange(of: ["Trip"]) { _ in trips += 1 }
    #expect(trips == 2)
  }

  @Test("A document differs from itself in nothing, and its copy in attachments alone")
  func equal() throws {
    try files.makeDocument()
    try files.copy("/Trips.quire", to: "/Copy.quire")
    let document = try Document.open("/Copy.quire", in: files.places)
    try document.addAttachment(named: "map.png") { try $0([1, 2, 3]) }
    try document.save()
    try document.close()

    #expect(try Difference(from: "/Trips.quire", to: "/Trips.quire", in: files.places).isEmpty)
    let difference = try Difference(from: "/Trips.quire", to: "/Copy.quire", in: files.places)
    #expect(try difference.changes.isEmpty)
    #expect(difference.attachments.map(\.name) == ["map.png"])
    #expect(difference.attachments.map(\.kind) == [.inserted])
    #expect(try !difference.isEmpty)
  }

  @Test("Stores of other kinds compare by unique values, or by the given properties")
  func kinds() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quire-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let places = StorePlaces(
      StoreBackends(StoreBackends.builtIn.backends + [SQLiteStoreBackend()]), on: RealDisk())
    func path(_ name: String) -> String { folder.appending(path: name).path }
    try Data(TripFiles.lines.utf8).write(to: folder.appending(path: "lines.jsonl"))
    for (name, type) in [("A.xml", StoreType.xml), ("B.sqlite", SQLiteStoreBackend().type)] {
      try places.create(path(name), type: type, model: TripFiles.model).close()
      try Import(path("lines.jsonl")).write(to: path(name), in: places)
    }

    let unique = try Difference(from: path("A.xml"), to: path("B.sqlite"), in: places)
    let named = try Difference(
      from: path("A.xml"), to: path("B.sqlite"), in: places,
      matching: .properties(["Stop": ["trip", "name"], "Trip": ["name"]]))

    // Stops have no unique value, so they match by their identifiers, which the two types of stores number apart.
    #expect(try unique.changes.allSatisfy { $0.entity == "Stop" || $0.kind == .changed })
    #expect(try named.changes.isEmpty)
  }

  // MARK: - Errors

  @Test("A missing file, a damaged file and a wrong version are errors with codes")
  func unreadable() throws {
    try files.makeDocument()
    try files.write("no store", to: "/Wrong.store")
    func error(_ path: String) throws -> (any Error)? {
      do {
        _ = try Difference(from: path, to: "/Trips.quire", in: files.places)
        return nil
      } catch { return error }
    }

    #expect((try error("/None.store") as? StoreError)?.code == .notFound)
    #expect((try error("/Wrong.store") as? StoreError)?.code == .notAStore)
    #expect((try error("/Trips.quire@999") as? DocumentError)?.code == .noVersion)
    let place = try #require(try error("/Trips.quire@no name") as? ComparisonError)
    #expect(place.code == .badPlace && place.path == "/Trips.quire")
    #expect(place.hint == "Write '/Trips.quire@NUMBER'.")
    #expect(place.description.hasSuffix("head. Write '/Trips.quire@NUMBER'."))
  }

  @Test("A key that does not exist and a key of several objects are errors")
  func keys() throws {
    try files.makeDocument()
    try files.edit("/Trips.quire") { context in
      try context.insert("Stop")["name"] = .string("Porto")
    }
    try files.copy("/Trips.quire", to: "/Copy.quire")
    func error(_ keys: [String: [String]]) throws -> ComparisonError {
      let difference = try Difference(
        from: "/Trips.quire", to: "/Copy.quire", in: files.places, matching: .properties(keys))
      return try #require(throws: ComparisonError.self) { _ = try difference.changes }
    }

    #expect(try error(["Trip": ["nane"]]).code == .badKey)
    #expect(try error(["Trip": ["nane"]]).hint == "Did you mean 'name'?")
    #expect(try error(["Trip": ["stops"]]).message.contains("a to-many relationship"))
    #expect(try error(["Trop": ["name"]]).message == "Unknown entity 'Trop' in the keys.")
    let doubled = try error(["Stop": ["name"]])
    #expect(doubled.code == .duplicateKeys && doubled.path == "/Trips.quire")
    #expect(doubled.message.contains("has 2 objects of 'Stop' with name \"Porto\": 1/p1, 1/p2."))
  }

  @Test("Models may differ, and the difference of the models is part of the difference")
  func models() throws {
    try files.makeDocument()
    try files.makeDocument("/Next.quire", model: TripFiles.model(isRated: true))

    let difference = try Difference(from: "/Trips.quire", to: "/Next.quire", in: files.places)

    #expect(difference.models.isSeenByHashes && difference.models.changes.count == 1)
    #expect(try difference.changes.filter { $0.entity == "Trip" }.isEmpty)
  }

  private func version(_ path: String) throws -> Int64 {
    let document = try Document.open(path, in: files.places, access: .readOnly)
    defer { try? document.close() }
    return try #require(document.versions.last?.number)
  }
}
