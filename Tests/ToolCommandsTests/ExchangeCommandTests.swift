import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire export and import")
struct ExchangeCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string, isOptional: false)),
          .attribute(Attribute("cost", .decimal)),
          .relationship(
            Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
        ], uniquenessConstraints: [["name"]]),
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("place", .string)),
          .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
        ]),
    ])
    for path in ["/Trips.store", "/Other.store"] {
      try BinaryStoreBackend().create(at: path, model: model, on: disk, StoreCreation()).close()
    }
    try write(
      """
      {"@entity":"Trip","@id":"lisbon","name":"Lisbon","cost":"12.50","stops":["b","a"]}
      {"@entity":"Stop","@id":"a","place":"Belém, \\"Torre\\""}
      {"@entity":"Stop","@id":"b","place":""}
      {"@entity":"Trip","name":"Porto"}
      """, "/in.jsonl")
    #expect(run("import", "/Trips.store", "/in.jsonl").output == "4 objects inserted.\n")
  }

  private func write(_ text: String, _ path: String) throws {
    try disk.open(path, for: .create).append(Array(text.utf8))
  }

  private func read(_ path: String) throws -> String {
    String(decoding: try disk.read(path, byteLimit: 1 << 20), as: UTF8.self)
  }

  private func run(_ words: String..., input: String = "") -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        ExportCommand.command(reader), ImportCommand.command(reader), CountCommand.command(reader),
        FetchCommand.command(reader),
      ]), input: Array(input.utf8))
  }

  private let lines = """
    {"@entity":"Stop","@id":"1/p1","place":"Belém, \\"Torre\\"","trip":"2/p1"}
    {"@entity":"Stop","@id":"1/p2","place":"","trip":"2/p1"}
    {"@entity":"Trip","@id":"2/p1","cost":"12.5","name":"Lisbon","stops":["1/p2","1/p1"]}
    {"@entity":"Trip","@id":"2/p2","name":"Porto"}

    """

  @Test("Objects exported as lines of JSON are imported again")
  func jsonLines() throws {
    #expect(run("export", "/Trips.store").output == lines)
    let piped = run("import", "/Other.store", "-", "--report", "json", input: lines)
    #expect(piped.exitCode == .done && piped.output.contains("\"inserted\": 4"))
    #expect(run("export", "/Other.store").output == lines)
    #expect(try disk.list("/").map(\.name).allSatisfy { !$0.contains("quire-tmp") })
    #expect(
      run("export", "/Trips.store", "--entity", "Trip").output.split(separator: "\n").count == 2)
  }

  @Test("The first line decides the line ending of the file", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    // A quoted cell may contain each of the line endings.
    let text = ["place", "Porto", "\"a\rb\nc\r\nd\"", "", "Faro"].joined(separator: end)
    for (path, suffix) in [("/Stop-1.csv", ""), ("/Stop-2.csv", end)] {
      try write("\u{FEFF}" + text + suffix, path)
      let run = run("import", "/Other.store", path, "--entity", "Stop")
      #expect(run.output == "3 objects inserted.\n" && run.exitCode == .done, "\(run.messages)")
    }
    let places = run("export", "/Other.store", "--format", "csv", "--entity", "Stop").output
    #expect(places.contains("\"a\rb\nc\r\nd\""))

    // The first line may be long.
    try write("place,\"\(String(repeating: "x", count: 300_000))\"\(end)Porto,1\(end)", "/long.csv")
    #expect(run("import", "/Other.store", "/long.csv", "--entity", "Stop").messages.contains("xxx"))
  }

  @Test("A file without an object gives a message")
  func noObjects() throws {
    try write("place", "/Stop.csv")
    let header = run("import", "/Other.store", "/Stop.csv")
    #expect(header.exitCode == .no && header.messages.contains("'/Stop.csv' contains no object"))
    try write("", "/empty.csv")
    #expect(run("import", "/Other.store", "/empty.csv").exitCode == .done)
  }

  @Test("Objects exported as tables are imported again")
  func tables() throws {
    let refused = run("export", "/Trips.store", "--format", "csv")
    #expect(refused.exitCode == .wrongUsage && refused.messages.contains("--output"))
    #expect(
      run("export", "/Trips.store", "--format", "csv", "--entity", "Stop").output == """
        @id,place,trip
        1/p1,"Belém, ""Torre\""",2/p1
        1/p2,"",2/p1

        """)
    let folder = run("export", "/Trips.store", "--format", "csv", "--output", "/tables")
    #expect(folder.exitCode == .done && folder.messages == "4 objects exported.\n")
    #expect(try read("/tables/Trip.csv").contains("2/p1,Lisbon,12.5,1/p2 1/p1\n2/p2,Porto,,\n"))
    #expect(
      run("import", "/Other.store", "/tables/Trip.csv", "/tables/Stop.csv").exitCode == .done)
    #expect(run("export", "/Other.store").output == lines)
  }

  @Test("A table has the columns of the model in its order, and identifiers only where needed")
  func columns() throws {
    let model = try Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("title", .string)),
          .attribute(Attribute("author", .string)),
        ]),
      // An empty line would be no object.
      Entity("Mark", properties: [.attribute(Attribute("colour", .string))]),
    ])
    for path in ["/Notes.store", "/Again.store"] {
      try BinaryStoreBackend().create(at: path, model: model, on: disk, StoreCreation()).close()
    }
    try write(
      """
      {"@entity":"Note","title":"A","author":"Ada"}
      {"@entity":"Note","title":"B"}
      {"@entity":"Mark"}

      """, "/notes.jsonl")
    #expect(run("import", "/Notes.store", "/notes.jsonl").exitCode == .done)
    #expect(
      run("export", "/Notes.store", "--format", "csv", "--entity", "Note").output
        == "title,author\nA,Ada\nB,\n")
    #expect(
      run("export", "/Notes.store", "--format", "csv", "--entity", "Note", "--ids").output
        .hasPrefix("@id,title,author\n"))
    #expect(
      run("export", "/Notes.store", "--format", "csv", "--output", "/notes").exitCode == .done)
    #expect(
      run("import", "/Again.store", "/notes/Note.csv", "/notes/Mark.csv").output
        == "3 objects inserted.\n")
  }

  @Test("import reports dry runs, updates and errors")
  func wrong() throws {
    let trial = run("import", "/Other.store", "/in.jsonl", "--dry-run")
    #expect(trial.output == "4 objects would be inserted.\n")
    #expect(run("count", "/Other.store", "Trip").output == "0\n")
    let again = run("import", "/Trips.store", "/in.jsonl")
    #expect(
      again.exitCode == .no
        && again.messages.contains("/in.jsonl:1: 'name': The value must be unique"))
    let update = run(
      "import", "/Trips.store", "-", "--update", "--format", "csv", "--entity", "Trip",
      input: "name,cost\nPorto,7\nFaro,\n")
    #expect(update.output == "1 object inserted, 1 changed.\n")
    #expect(
      run("fetch", "/Trips.store", "Trip", "--where", "name == 'Porto'", "--columns", "cost").output
        .contains("7"))
    #expect(run("import", "/Trips.store", "-", input: "{").exitCode == .unreadable)
    #expect(run("import", "/Trips.store", "/none").exitCode == .inputOutput)
    #expect(run("import", "/Trips.store", "-", "--batch", "0").exitCode == .wrongUsage)
    #expect(run("import", "/Trips.store", "-", "--entity", "Tripp").messages.contains("Trip"))
    #expect(run("export", "/Trips.store", "--entity", "Nobody").exitCode == .wrongUsage)
    #expect(run("export", "/none").exitCode == .inputOutput)
  }

  @Test("An import in batches gives the same objects")
  func batches() {
    let run1 = run("import", "/Other.store", "/in.jsonl", "--batch", "1")
    #expect(run1.output == "4 objects inserted.\n")
    #expect(
      run("export", "/Other.store", "--entity", "Stop").output
        == run("export", "/Trips.store", "--entity", "Stop").output)
  }
}
