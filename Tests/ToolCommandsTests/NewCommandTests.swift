import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

/// Documents that are created from files of comma-separated values and from templates.
@Suite("quire new")
struct NewCommandTests {
  private let disk = SimulatedDisk()

  private func write(_ text: String, to path: String) throws {
    let file = try disk.open(path, for: .create)
    try file.append(Array(text.utf8))
  }

  private func run(_ words: String..., input: String = "") -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        NewCommand.command(reader, .files(andStores: reader)), FetchCommand.command(reader),
        CountCommand.command(reader), ModelCommand.command(.files(andStores: reader)),
      ]), input: Array(input.utf8))
  }

  private func writeTrips() throws {
    try write("id,name,start\n1,Douro,2026-05-01\n2,\"By train\",\n", to: "/trips.csv")
    try write("name,nights,trip_id\nPorto,3,1\nKöln,1,2\nRégua,2,1\n", to: "/stops.csv")
  }

  @Test("Files become a document with a model that the command prints")
  func files() throws {
    try writeTrips()
    let made = run("new", "/Trips.quire", "--from", "/trips.csv", "/stops.csv")

    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(
      made.output == """
        entity Trip
          id: Int64
          name: String
          start: Date?
          stops: [Stop], inverse trip, delete deny
          unique id

        entity Stop
          name: String
          nights: Int64
          trip: Trip, inverse stops
          unique name

        /Trips.quire: main (Binary), 5 objects

        """)
    let fetched = run(
      "fetch", "/Trips.quire", "Stop", "--columns", "name, nights, trip.name", "--sort", "name",
      "--format", "csv")
    #expect(
      fetched.output.split(separator: "\n").map { $0.drop { $0 != "," } } == [
        ",name,nights,trip.name", ",Köln,1,By train", ",Porto,3,Douro", ",Régua,2,Douro",
      ])
  }

  @Test("The model is written as text, and JSON contains it")
  func modelOutput() throws {
    try writeTrips()
    let made = run(
      "new", "/Trips.quire", "--from", "/trips.csv", "--model-output", "/Trips.model", "--format",
      "json")

    #expect(made.exitCode == .done, "\(made.messages)")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any])
    #expect(object["objects"] as? Int == 2)
    #expect((object["model"] as? [String: Any])?["entities"] != nil)
    let text = try disk.read("/Trips.model", byteLimit: 1 << 20)
    #expect(
      String(decoding: text, as: UTF8.self)
        == "entity Trip\n  id: Int64\n  name: String\n  start: Date?\n  unique id\n")
    // Neither the document nor the model is replaced.
    let again = run("new", "/Other.quire", "--from", "/trips.csv", "--model-output", "/Trips.model")
    #expect(again.exitCode == .inputOutput && again.messages.contains("'/Trips.model'"))
    #expect(try !disk.exists("/Other.quire"))
  }

  @Test("The address of a database is no place for a document")
  func address() {
    let made = run("new", "postgresql:///trips", "--template", "todo")

    #expect(made.exitCode == .wrongUsage)
    #expect(made.messages.contains("'postgresql:///trips' is the address of a store"))
  }

  @Test("Standard input is a file too")
  func standardInput() {
    let made = run("new", "/Words.quire", "--from", "-", input: "word,count\na,1\nb,2\n")

    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(made.output.hasPrefix("entity StandardInput\n  word: String\n"))
    #expect(run("count", "/Words.quire", "StandardInput").output == "2\n")
  }

  @Test("A value that leads to no object is a note")
  func notes() throws {
    try write("id\n1\n", to: "/trips.csv")
    try write("name,trip\nPorto,1\nKöln,7\n", to: "/stops.csv")
    let made = run("new", "/Trips.quire", "--from", "/trips.csv", "/stops.csv")

    #expect(made.exitCode == .done)
    #expect(
      made.messages
        == "note: The column 'trip' of '/stops.csv' is no reference to Trip: 1 of its 2 values lead to "
        + "no object, the first is '7'.\n")
  }

  @Test("A file that is unreadable leaves nothing behind")
  func unreadable() throws {
    try write("id,name\n1\n", to: "/trips.csv")
    let made = run("new", "/Trips.quire", "--from", "/trips.csv")

    #expect(made.exitCode == .unreadable)
    #expect(made.messages.contains("/trips.csv:2:1: The line has 1 cells"))
    #expect(try disk.list("/").map(\.name) == ["trips.csv"])
  }

  @Test("Each template is a model without warnings", arguments: ModelTemplate.allCases)
  func templates(_ template: ModelTemplate) throws {
    #expect(try template.model.warnings.isEmpty)
    #expect(try ModelText.formatted(Array(template.text.utf8)) == template.text)
    let made = run("new", "/New.quire", "--template", template.rawValue)
    #expect(made.exitCode == .done && made.output == "/New.quire: main (Binary)\n")
    #expect(run("model", "/New.quire").output == template.text)
  }

  @Test(
    "A command line without one source of the model is refused",
    arguments: [
      (["/a.quire"], "needs a model"),
      (["/a.quire", "--template", "todo", "--from", "/trips.csv"], "--from and --template"),
      (["/a.quire", "/trips.csv", "--template", "todo"], "Unexpected argument '/trips.csv'"),
      (["/a.quire", "--template", "other"], "other"),
      (["/a.quire", "--from", "/trips.jsonl"], "contains JSON"),
      (["/a.quire", "--from", "/trips.csv", "--model-output", "/m.txt"], "must end in .model"),
      (["/a.quire", "--model", "/m.model", "--model-output", "/n.model"], "--model-output is for"),
      (["/a.quire", "--from", "-", "-"], "only once"),
    ])
  func wrongUsage(_ words: [String], _ message: String) throws {
    try writeTrips()
    let reader = StoreReader.files(on: disk)
    let run = RecordedRun(
      ["new"] + words, tool: Tool(commands: [NewCommand.command(reader, .files)]))

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains(message), "\(run.messages)")
    #expect(try !disk.exists("/a.quire"))
  }
}
