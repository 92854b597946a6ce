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

  @Test("--map names entities and properties, and leaves columns out, of tables and of JSON")
  func givenNames() throws {
    try write("Nr,Beginn,alt,Ort\n1,2026-05-01,x,1\n2,2026-06-01,y,1\n", to: "/touren.csv")
    try write(#"[{"ort_id": 1, "Ort": "Porto", "alt": "z"}]"#, to: "/orte.json")
    let map =
      "touren=Trip,orte=Place,Beginn=startsAt,Nr=ID,touren.alt=,touren.Ort=place,ort_id=id,orte.Ort=name,orte.alt="
    let made = run("new", "/T.quire", "--from", "/touren.csv", "/orte.json", "--map", map)

    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(
      made.output == """
        entity Trip
          ID: Int64
          startsAt: Day
          place: Place, inverse touren
          unique ID

        entity Place
          id: Int64
          name: String
          touren: [Trip], inverse place, delete deny
          unique id

        /T.quire: main (Binary), 3 objects

        """)
    let fetched = run("fetch", "/T.quire", "Trip", "--columns", "ID, place.name", "--format", "csv")
    #expect(fetched.output == "ID,place.name\n1,Porto\n2,Porto\n", "\(fetched.messages)")
  }

  @Test("A column of --map may be the identifier, and two columns can't have one name")
  func identifiersAndEqualNames() throws {
    try write("Nr,name,next\nA,Porto,B\nB,Faro,A\n", to: "/stops.csv")
    let made = run("new", "/T.quire", "--from", "/stops.csv", "--map", "Nr=@id")
    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(made.output.contains("entity Stop\n  name: String\n"), "\(made.output)")
    #expect(run("count", "/T.quire", "Stop").output == "2\n")

    let twice = run("new", "/U.quire", "--from", "/stops.csv", "--map", "Nr=x,name=x")
    #expect(twice.exitCode == .unreadable)
    #expect(twice.messages.contains("The columns 'Nr' and 'name' both mean 'x'."))
    #expect(try disk.statusIfThere("/U.quire") == nil)
  }

  @Test("Names that no file has are refused, and nothing is created")
  func unknownNames() throws {
    try writeTrips()
    let made = run("new", "/T.quire", "--from", "/trips.csv", "--map", "start=begin,nothing=x")

    #expect(made.exitCode == .no)
    #expect(made.messages.contains("No file has a table or a column 'nothing'."))
    #expect(try disk.statusIfThere("/T.quire") == nil)
  }

  @Test(
    "Options about the columns of files are refused where they have no effect",
    arguments: [
      ["--type", "a=String"], ["--unique", "a"], ["--map", "a=b"], ["--delimiter", ";"],
      ["--decimal", ","], ["--encoding", "latin1"],
    ])
  func uselessOptions(_ option: [String]) throws {
    let template = RecordedRun(
      ["new", "/T.quire", "--template", "todo"] + option,
      tool: Tool(commands: [NewCommand.command(StoreReader.files(on: disk), .files)]))
    #expect(template.exitCode == .wrongUsage)
    #expect(template.messages.contains("Option '\(option[0])' is for the files of --from."))

    #expect(run("new", "/Todo.quire", "--template", "todo").exitCode == .done)
    let store = RecordedRun(
      ["new", "/T.quire", "--from", "/Todo.quire"] + option,
      tool: Tool(commands: [NewCommand.command(StoreReader.files(on: disk), .files)]))
    #expect(store.exitCode == .wrongUsage)
    #expect(store.messages.contains("Option '\(option[0])' is for files: '/Todo.quire' is a store"))
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
          start: Day?
          stops: [Stop], inverse trip, delete deny
          unique id

        entity Stop
          name: String
          nights: Int64
          trip: Trip, inverse stops

        /Trips.quire: main (Binary), 5 objects

        """)
    let fetched = run(
      "fetch", "/Trips.quire", "Stop", "--columns", "name, nights, trip.name", "--sort", "name",
      "--ids", "--format", "csv")
    #expect(
      fetched.output.split(separator: "\n").map { $0.drop { $0 != "," } } == [
        ",name,nights,trip.name", ",Köln,1,By train", ",Porto,3,Douro", ",Régua,2,Douro",
      ])
  }

  @Test("Nested JSON becomes a document with relationships, and equal objects are one")
  func json() throws {
    let text = """
      [{"id": 1, "name": "Douro", "code": "007", "paid": true, "tags": ["a", "b"], "note": null,
        "guide": {"name": "Ana", "email": "ana@example.com"},
        "stops": [{"name": "Porto", "nights": 3}, {"name": "Régua", "nights": 1.5}]},
       {"id": 2, "name": "By \\"train\\"", "code": "12", "paid": false,
        "guide": {"name": "Ana", "email": "ana@example.com"}, "stops": []}]
      """
    try write(text, to: "/trips.json")
    let made = run("new", "/Trips.quire", "--from", "/trips.json")
    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(
      made.output == """
        entity Trip
          id: Int64
          name: String
          code: String
          paid: Bool
          tags: String?
          guide: Guide, inverse trips
          stops: [Stop], inverse trip, delete deny
          unique id
          unique code

        entity Guide
          name: String
          email: String
          trips: [Trip], inverse guide, delete deny
          unique email

        entity Stop
          name: String
          nights: Double
          trip: Trip, inverse stops

        /Trips.quire: main (Binary), 5 objects

        """)
    let fetched = run(
      "fetch", "/Trips.quire", "Stop", "--columns", "name, nights, trip.name, trip.guide.email",
      "--sort", "name", "--ids", "--format", "csv")
    #expect(
      fetched.output.split(separator: "\n").map { $0.drop { $0 != "," } } == [
        ",name,nights,trip.name,trip.guide.email", ",Porto,3.0,Douro,ana@example.com",
        ",Régua,1.5,Douro,ana@example.com",
      ], "\(fetched.output)")
    let tags = run("fetch", "/Trips.quire", "Trip", "--columns", "tags,code", "--format", "jsonl")
    #expect(tags.output.contains(#""tags":"[\"a\",\"b\"]""#), "\(tags.output)")
    #expect(tags.output.contains(#""code":"007""#), "\(tags.output)")
  }

  @Test("JSON lines, an object of tables, standard input and a folder are read too")
  func jsonForms() throws {
    let lines = "{\"name\": \"A\"}\n\n{\"name\": \"B\", \"size\": 2}\n"
    try write(lines, to: "/things.jsonl")
    let tables = #"{"people": [{"name": "Ada"}], "pets": [{"name": "Rex"}, {"name": "Tom"}]}"#
    #expect(run("new", "/a.quire", "--from", "/things.jsonl").output.contains("2 objects"))
    let two = run("new", "/b.quire", "--from", "-", input: tables)
    #expect(two.output.contains("entity Person\n  name: String\n"), "\(two.output)")
    #expect(two.output.contains("entity Pet\n") && two.output.contains("3 objects"))
    try disk.makeDirectory("/folder")
    try write(lines, to: "/folder/things.jsonl")
    try write("name\nX\n", to: "/folder/others.csv")
    try write("no data", to: "/folder/readme.txt")
    let all = run("new", "/c.quire", "--from", "/folder")
    #expect(all.output.contains("entity Thing") && all.output.contains("entity Other"))
    #expect(all.output.contains("3 objects"), "\(all.output)")
    try disk.makeDirectory("/empty")
    let none = run("new", "/d.quire", "--from", "/empty")
    #expect(none.exitCode == .unreadable && none.messages.contains("contains no file"))
    // A tree of objects within objects of the same kind.
    let tree = #"{"name": "root", "children": [{"name": "a", "children": [{"name": "b"}]}]}"#
    let nodes = run("new", "/e.quire", "--from", "-", input: tree)
    #expect(nodes.exitCode == .done && nodes.output.contains("3 objects"), "\(nodes.output)")
  }

  @Test(
    "JSON that is none, or that contains no objects, is an error with its place",
    arguments: [
      ("[{\"a\": 1},\n {\"a\": }]", "standard input:2:8"),
      ("{\"a\": 1}\n{\"a\": x}", "standard input:2:7"),
      ("[1, 2]", "contains a number"), ("[{\"a\": 1}, [2]]", "contains an array"),
      ("{\"a\": 1, \"a\": 2}", "standard input:1:"),
    ])
  func wrongJSON(_ text: String, _ words: String) throws {
    let run = run("new", "/a.quire", "--from", "-", input: text)
    #expect(run.exitCode == .unreadable && run.messages.contains(words), "\(run.messages)")
    #expect(try !disk.exists("/a.quire"))
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
        == "entity Trip\n  id: Int64\n  name: String\n  start: Day?\n  unique id\n")
    // Neither the document nor the model is replaced.
    let again = run("new", "/Other.quire", "--from", "/trips.csv", "--model-output", "/Trips.model")
    #expect(again.exitCode == .inputOutput && again.messages.contains("'/Trips.model'"))
    #expect(try !disk.exists("/Other.quire"))
  }

  @Test("The address of a database is not a place for a document")
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

  @Test("A value that refers to no object is a note")
  func notes() throws {
    try write("id\n1\n", to: "/trips.csv")
    try write("name,trip\nPorto,1\nKöln,7\n", to: "/stops.csv")
    let made = run("new", "/Trips.quire", "--from", "/trips.csv", "/stops.csv")

    #expect(made.exitCode == .done)
    #expect(
      made.messages
        == "note: The column 'trip' of '/stops.csv' is not a reference to Trip: 1 of its 2 values refer to "
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
