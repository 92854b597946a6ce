import Archives
import Documents
import DurableFiles
import Interchange
import Quire
import QuireTools
import StoreInterface
import Testing

/// The calls of `QuireTools` besides comparing and merging.
@Suite("Calls of the tools")
struct ToolCallTests {
  private let files = TripFiles()

  @Test("A report names the findings of a damaged document")
  func validation() throws {
    try files.makeDocument()
    let before = try Validator.report(on: "/Trips.quire", in: files.places)
    try files.disk.removeTree("/Trips.quire/stores")
    let after = try Validator.report(on: "/Trips.quire", in: files.places)

    #expect(before.verdict == .valid && before.findings.isEmpty)
    #expect(after.verdict == .invalid)
    #expect(after.findings.first?.rule.id != nil)
    #expect(throws: DiskError.self) {
      try Validator.report(on: "/None.quire", in: files.places)
    }
  }

  @Test("An import reads the export of a document, also of an earlier version")
  func exchange() throws {
    try files.makeDocument()
    try Export(of: "/Trips.quire", in: files.places).write(to: "/all.jsonl")
    let tables = try Export(of: "/Trips.quire", in: files.places).write(to: "/tables", as: .csv)
    let trips = try Export(of: "/Trips.quire", entities: "Trip", in: files.places)
      .write(to: "/trips.csv")
    try Document.create("/Copy.quire", model: TripFiles.model, in: files.places).close()

    let report = try Import("/all.jsonl").write(to: "/Copy.quire", in: files.places)

    #expect(tables.objectCount == 3 && trips.objectCount == 2 && report.insertedCount == 3)
    #expect(try files.text("/trips.csv").contains("Lisbon"))
    #expect(try files.text("/tables/Stop.csv").contains("Porto"))
    #expect(try files.differences("/Trips.quire", "/Copy.quire") == [])
    let document = try Document.open("/Copy.quire", in: files.places)
    let version = try #require(document.versions.last?.number)
    var again = Import("/lines.jsonl")
    again.options.updates = true
    let second = try again.write(to: document, in: files.places)
    #expect(second.updatedCount + second.unchangedCount == 2 && second.unchangedCount > 0)
    try document.close()
    let earlier = try Export(of: "/Copy.quire@\(version)", entities: "Stop", in: files.places)
      .write(to: "/stops.csv")
    let newest = try Export(of: "/Copy.quire", entities: "Stop", in: files.places)
      .write(to: "/stops.csv")
    #expect(earlier.objectCount == 1 && newest.objectCount == 2)
  }

  @Test("A wrong line of an import is an error with its place, and nothing is saved")
  func wrongImport() throws {
    try files.makeDocument()
    try files.write("name,price\nMinho,cheap\n", to: "/trips.csv")

    let error = try #require(throws: ImportError.self) {
      try Import("/trips.csv").write(to: "/Trips.quire", in: files.places)
    }

    #expect(error.problems.first?.file == "/trips.csv" && error.problems.first?.line == 2)
    #expect(try Difference(from: "/Trips.quire", to: "/Trips.quire", in: files.places).isEmpty)
    #expect(throws: DiskError.self) {
      try Import("/none.csv").write(to: "/Trips.quire", in: files.places)
    }
  }

  @Test("A packed document unpacks to an equal document")
  func packing() throws {
    try files.makeDocument()
    let packed = try Archive.pack("/Trips.quire", into: "/Trips.quire.zip", on: files.disk)
    let unpacked = try Archive.unpack("/Trips.quire.zip", to: "/Copy.quire", on: files.disk)

    #expect(packed.fileCount == unpacked.fileCount && packed.archiveByteCount > 0)
    #expect(try files.differences("/Trips.quire", "/Copy.quire") == [])
    #expect(try files.differences("/Trips.quire", "/Trips.quire.zip") == [])
    #expect(throws: DiskError.self) {
      try Archive.pack("/Trips.quire", into: "/Trips.quire.zip", on: files.disk)
    }
    try files.disk.makeDirectory("/empty")
    let error = try #require(throws: DocumentError.self) {
      try Archive.pack("/empty", into: "/empty.zip", on: files.disk)
    }
    #expect(error.code == .notADocument)
  }

  @Test("A rescue of a sound document and of a damaged one reports the losses")
  func rescue() throws {
    try files.makeDocument()
    let sound = try Rescue(of: "/Trips.quire", in: files.places).write(to: "/Sound.quire")
    try files.write("{}", to: "/Trips.quire/manifest.json")
    let damaged = try Rescue(of: "/Trips.quire", in: files.places).write(to: "/Damaged.quire")

    #expect(sound.isComplete && sound.notes.isEmpty && sound.lostAttachments.isEmpty)
    #expect(!damaged.isComplete && damaged.notes.first?.contains("manifest") == true)
    #expect(damaged.stores.values.map(\.objectCount) == [3])
    #expect(try files.differences("/Sound.quire", "/Damaged.quire") == [])
    #expect(try Validator.report(on: "/Damaged.quire", in: files.places).verdict == .valid)
  }

  @Test(
    "A rescue of a single store writes a store of its type, and refuses a file without any object")
  func storeRescue() throws {
    try files.places.create("/Trips.xml", type: .xml, model: TripFiles.model).close()
    try files.write(TripFiles.lines, to: "/lines.jsonl")
    try Import("/lines.jsonl").write(to: "/Trips.xml", in: files.places)
    try files.write("no store", to: "/wrong")

    let report = try Rescue(of: "/Trips.xml", in: files.places).write(to: "/New.xml")

    #expect(report.stores["/Trips.xml"]?.objectCount == 3)
    #expect(try files.places.backend(ofStoreAt: "/New.xml").type == .xml)
    #expect(throws: RecoveryError.self) {
      try Rescue(of: "/wrong", in: files.places).write(to: "/None.store")
    }
  }
}
