import JSONText
import Quire
import QuireTools
import StoreInterface
import Testing

@testable import ToolCommands

/// The library gives the answers of the commands.
@Suite("The library and the tool")
struct LibraryAgreementTests {
  private let trips: ComparedTrips
  private var places: StorePlaces { StorePlaces(.builtIn, on: trips.disk) }

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
    trips.done("save-as", "/Trips.quire", "/Copy.quire")
    trips.done("set", "/Copy.quire", "Trip", "--id", "3/p2", "price=75", "stops=2/p2,2/p3")
    trips.done("delete", "/Copy.quire", "Person", "--id", "1/p1")
    trips.done("insert", "/Copy.quire", "Stop", "name=Pinhão", "trip=3/p1")
  }

  @Test(
    "Differences",
    arguments: [
      ["/Trips.quire", "/Copy.quire"], ["/Trips.quire@3", "/Trips.quire"],
      ["/Copy.quire", "/Trips.quire@main~1"],
    ])
  func differences(_ places: [String]) throws {
    let lines = trips.run(["diff", places[0], places[1], "--format", "jsonl"]).output
    let changes = try Difference(from: places[0], to: places[1], in: self.places).changes

    let made = changes.map { DiffJSON.json($0, $0.store).line + "\n" }.joined()
    #expect(!changes.isEmpty && made == lines)
  }

  @Test("Patches, and documents that are merged from them")
  func patches() throws {
    let text = trips.run(["diff", "/Trips.quire", "/Copy.quire", "--format", "patch"]).output
    let patch = try Patch(from: "/Trips.quire", to: "/Copy.quire", in: places)
    try patch.write(to: "/p.jsonl", on: trips.disk)
    trips.done("save-as", "/Trips.quire", "/One.quire")
    trips.done("save-as", "/Trips.quire", "/Two.quire")

    trips.done("merge", "--patch", "/p.jsonl", "/One.quire", "--in-place")
    try Merge(patch, into: "/Two.quire", in: places).save()

    #expect(patch.text == text)
    #expect(try Difference(from: "/One.quire", to: "/Two.quire", in: places).isEmpty)
    #expect(try Difference(from: "/Copy.quire", to: "/Two.quire", in: places).changes.isEmpty)
  }

  @Test("Merges with and without conflicts")
  func merges() throws {
    trips.done("save-as", "/Trips.quire", "/Theirs.quire")
    trips.done("set", "/Theirs.quire", "Trip", "--id", "3/p2", "price=99", "name=Lissabon")
    let words = ["merge", "/Trips.quire", "/Copy.quire", "/Theirs.quire"]
    let refused = trips.run(words + ["--output", "/Tool.quire", "--format", "json"])
    let merge = try Merge(
      base: "/Trips.quire", ours: "/Copy.quire", theirs: "/Theirs.quire", in: places)

    let json = try JSON.read(Array(refused.output.utf8))
    guard case .array(let conflicts)? = json["conflicts"] else {
      Issue.record("\(refused.output)")
      return
    }
    #expect(
      conflicts.map { $0["property"] } == merge.conflicts.map { $0.property.map(JSON.string) })
    #expect(conflicts.map { $0["kind"] } == merge.conflicts.map { .string($0.kind.rawValue) })
    let done = trips.run(words + ["--output", "/Tool.quire", "--theirs"])
    let counts = try merge.write(to: "/Library.quire") { _ in .theirs }
    #expect(done.output.contains("\(counts.inserted) inserted, \(counts.changed) changed"))
    #expect(try Difference(from: "/Tool.quire", to: "/Library.quire", in: places).isEmpty)
  }

  @Test("Packed documents, byte by byte")
  func packing() throws {
    trips.done("pack", "/Copy.quire", "/Tool.zip")
    try Archive.pack("/Copy.quire", into: "/Library.zip", on: trips.disk)

    let bytes = try trips.disk.read("/Tool.zip", byteLimit: 1 << 24)
    #expect(try trips.disk.read("/Library.zip", byteLimit: 1 << 24) == bytes)
  }
}
