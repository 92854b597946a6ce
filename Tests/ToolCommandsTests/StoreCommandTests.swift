import BinaryStore
import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface
import Testing

@testable import ToolCommands

/// `quire info`, `quire fetch` and `quire count` on a small store.
@Suite("Commands on stores")
struct StoreCommandTests {
  private let disk = SimulatedDisk()
  private let reader: StoreReader

  init() throws {
    reader = .files(on: disk)
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int16)),
      .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
    ]
    var stop = Entity("Stop")
    stop.declaredProperties = [
      .attribute(Attribute("place", .string)),
      .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
    ]
    let store = try BinaryStore.create(
      at: "/Trips.store", model: try Model(entities: [trip, stop]),
      uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!, on: disk)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    func set(_ entity: String, _ number: UInt64, _ values: [String: Value]) {
      let layout = base.schema[entity]!
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      for (name, value) in values { builder.set(value, column: layout.index(of: name)!, of: key) }
    }
    let trips = base.schema["Trip"]!.entityNumber
    for (number, name, days) in [(1, "Lisboa, \"Sé\"", 3), (2, "Porto", 5), (3, "Évora", 5)] {
      set(
        "Trip", UInt64(number), ["name": .string(name), "days": .integer(Int64(days))])
    }
    for (number, trip) in [(1, 2), (2, 2), (3, 1)] as [(UInt64, UInt64)] {
      set(
        "Stop", number,
        [
          "place": .string("stop \(number)"),
          "trip": .object(ObjectKey(entity: trips, number: trip)),
        ])
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(
      words,
      tool: Tool(commands: [
        InfoCommand.command(reader), FetchCommand.command(reader), CountCommand.command(reader),
      ]))
  }

  @Test("quire info shows the store's type, model and contents")
  func info() throws {
    let lines = run("info", "/Trips.store").output.split(separator: "\n")
    #expect(lines[0] == "type       Binary, format 1.0")
    #expect(lines[1] == "UUID       6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")
    #expect(lines[2] == "saves      2")
    #expect(lines.suffix(2) == ["Stop  3 objects", "Trip  3 objects"])
    let json = run("info", "/Trips.store", "--format", "json").output
    #expect(json.contains("\"entities\": {\n    \"Stop\": 3,\n    \"Trip\": 3\n  }"))
    #expect(json.contains("\"strayByteCount\": 0"))
  }

  @Test("The remains of an unfinished save are shown, and are not a fault")
  func stray() throws {
    try disk.open("/Trips.store", for: .update).append([1, 2, 3])
    let run = run("info", "/Trips.store")
    #expect(run.exitCode == .done)
    #expect(run.output.contains("after the last save  3 bytes"))
  }

  @Test("quire fetch prints objects as a table")
  func text() {
    #expect(
      run("fetch", "/Trips.store", "Trip", "--where", "days == 5", "--sort", "-name").output
        == """
        @id   name     days  stops
        2/p3  "Évora"     5
        2/p2  "Porto"     5  1/p1 1/p2

        """)
  }

  @Test("quire fetch prints objects as JSON")
  func programs() {
    #expect(
      run(
        "fetch", "/Trips.store", "Trip", "--limit", "2", "--sort", "days,name", "--format", "jsonl"
      )
      .output == """
        {"@entity":"Trip","@id":"2/p1","name":"Lisboa, \\"Sé\\"","days":3,"stops":["1/p3"]}
        {"@entity":"Trip","@id":"2/p2","name":"Porto","days":5,"stops":["1/p1","1/p2"]}

        """)
    #expect(
      run(
        "fetch", "/Trips.store", "Trip", "--columns", "name, stops.@count, max(days, 4)",
        "--offset",
        "0", "--ids", "--format", "csv"
      ).output == """
        @id,name,stops.@count,"max(days, 4)"
        2/p1,"Lisboa, ""Sé""\",1,4
        2/p2,Porto,2,5
        2/p3,Évora,0,5

        """)
    #expect(
      run("fetch", "/Trips.store", "Stop", "--where", "trip.name == 'Porto'", "--format", "json")
        .output == """
          [
            {
              "@entity": "Stop",
              "@id": "1/p1",
              "place": "stop 1",
              "trip": "2/p2"
            },
            {
              "@entity": "Stop",
              "@id": "1/p2",
              "place": "stop 2",
              "trip": "2/p2"
            }
          ]

          """)
  }

  @Test("quire count prints the number of objects")
  func count() {
    #expect(run("count", "/Trips.store", "Trip").output == "3\n")
    #expect(
      run("count", "/Trips.store", "Trip", "--where", "ANY stops.place ENDSWITH '1'").output
        == "1\n")
    #expect(
      run("count", "/Trips.store", "Trip", "--where", "days > 3", "--format", "json").output
        == "{\n  \"count\": 2\n}\n")
  }

  @Test("Each error has the exit code that scripts expect")
  func wrong() throws {
    func check(
      _ run: RecordedRun, _ code: ExitCode, _ words: String, at: SourceLocation = #_sourceLocation
    ) {
      #expect(run.exitCode == code, sourceLocation: at)
      #expect(run.output.isEmpty, sourceLocation: at)
      #expect(run.messages.contains(words), "\(run.messages)", sourceLocation: at)
    }
    check(run("info", "/none"), .inputOutput, "/none")
    check(run("fetch", "/Trips.store", "Tripp"), .wrongUsage, "Did you mean 'Trip'?")
    check(
      run("fetch", "/Trips.store", "Trip", "--where", "nam == 'x'"), .wrongUsage,
      "Did you mean \"name\"?\nnam == 'x'\n^")
    check(
      run("count", "/Trips.store", "Trip", "--where", "name ="), .wrongUsage, "name =\n      ^")
    check(run("fetch", "/Trips.store", "Trip", "--sort", "dayz"), .wrongUsage, "\"days\"")
    check(run("fetch", "/Trips.store", "Trip", "--limit", "-1"), .wrongUsage, "--limit")
    check(run("fetch", "/Trips.store", "Trip", "--columns", "name +"), .wrongUsage, "name +")
    try disk.open("/text", for: .create).append(Array("hello".utf8))
    check(run("info", "/text"), .unreadable, "not a store of a known type")
    try disk.open("/sqlite", for: .create).append(Array("SQLite format 3\0....".utf8))
    check(run("info", "/sqlite"), .unreadable, "SQLite")
    let bytes = try disk.read("/Trips.store", byteLimit: 1 << 20)
    var newer = bytes
    newer[8] = 9
    try disk.open("/newer", for: .create).append(newer)
    check(run("info", "/newer"), .newerFormat, "version 9")
    try disk.open("/cut", for: .create).append(Array(bytes.prefix(100)))
    check(run("info", "/cut"), .unreadable, "/cut")
  }
}
