import BinaryStore
import DiskSimulation
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire tree")
struct TreeCommandTests {
  private let disk = SimulatedDisk()
  private let store = "/trips.store"

  /// Two trips: the first with two stops, of which the second has a leg. Parts contain parts, and tags are shared.
  init() throws {
    let model = try Model(entities: [
      Entity(
        "Leg",
        properties: [
          .attribute(Attribute("carrier", .string)), .attribute(Attribute("number", .int32)),
          .relationship(Relationship("stop", to: "Stop", inverse: "legs")),
        ]),
      Entity(
        "Part",
        properties: [
          .attribute(Attribute("code", .int32)), .attribute(Attribute("title", .string)),
          .relationship(
            Relationship(
              "parts", to: "Part", inverse: "wholes", count: .toMany, deleteRule: .cascade)),
          .relationship(Relationship("wholes", to: "Part", inverse: "parts", count: .toMany)),
        ]),
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("area", .string)), .attribute(Attribute("name", .string)),
          .relationship(
            Relationship("legs", to: "Leg", inverse: "stop", count: .toMany, deleteRule: .cascade)),
          .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
        ]),
      Entity(
        "Ticket",
        properties: [
          .attribute(Attribute("price", .double)),
          .relationship(Relationship("trip", to: "Trip", inverse: "tickets")),
        ]),
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string)), .attribute(Attribute("slug", .string)),
          .relationship(
            Relationship(
              "stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true,
              deleteRule: .cascade)),
          .relationship(
            Relationship(
              "tickets", to: "Ticket", inverse: "trip", count: .toMany, deleteRule: .cascade)),
        ], uniquenessConstraints: [["slug"]]),
    ])
    try BinaryStoreBackend().create(at: store, model: model, on: disk, StoreCreation()).close()
    let imported = run(
      [
        "import", store, "-",
      ],
      input: """
        {"@entity":"Trip","@id":"5/p1","name":"Douro","slug":"douro"}
        {"@entity":"Trip","@id":"5/p2","name":"Lisbon\\nand more"}
        {"@entity":"Stop","@id":"3/p1","name":"Porto","area":"North","trip":"5/p1"}
        {"@entity":"Stop","@id":"3/p2","name":"Régua","trip":"5/p1"}
        {"@entity":"Leg","@id":"1/p1","carrier":"CP","number":7,"stop":"3/p2"}
        {"@entity":"Ticket","@id":"4/p1","price":9.5,"trip":"5/p1"}
        {"@entity":"Part","@id":"2/p1","title":"Engine","parts":["2/p2","2/p3"]}
        {"@entity":"Part","@id":"2/p2","title":"Pump","parts":["2/p3"]}
        {"@entity":"Part","@id":"2/p3","title":"Valve","parts":["2/p4"]}
        {"@entity":"Part","@id":"2/p4","parts":["2/p3"]}

        """)
    #expect(imported.exitCode == .done, "\(imported.messages)")
  }

  private static let utf8 = ["LANG": "en_US.UTF-8"]

  /// Runs the tool.
  ///
  /// - Parameter height: The number of lines of the terminal; `nil` for an output that is not a terminal.
  private func run(
    _ words: [String], width: Int = 80, height: Int? = nil, input: String = "",
    environment: [String: String] = TreeCommandTests.utf8
  ) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        ImportCommand.command(reader), TreeCommand.command(reader), SetCommand.command(reader),
        InsertCommand.command(reader), FetchCommand.command(reader),
        ConvertCommand.command(reader, .files),
      ]), terminal: height != nil, width: width, height: height, input: Array(input.utf8),
      environment: environment)
  }

  private func tree(
    _ words: String..., width: Int = 80, height: Int? = nil,
    environment: [String: String] = TreeCommandTests.utf8
  ) -> RecordedRun {
    run(["tree", store] + words, width: width, height: height, environment: environment)
  }

  private let trip = """
    Trip 5/p1 "douro"
    ├── stops: Stop 3/p1 "Porto"
    ├── stops: Stop 3/p2 "Régua"
    │   └── Leg 1/p1 "CP"
    └── tickets: Ticket 4/p1

    """

  private let second = "Trip 5/p2 \"Lisbon\\nand more\"\n"

  @Test("Objects are a tree along the relationships with the rule cascade")
  func cascade() {
    let one = tree("--id", "5/p1", height: 40)
    #expect(one.output == trip, "\(one.output)")
    #expect(one.exitCode == .done && one.messages.isEmpty, "\(one.messages)")
    // Without a value for the uniqueness constraint, the name of the object is the next candidate.
    #expect(tree("Trip", height: 40).output == trip + second)
    // Without an entity, the topmost objects are those that are below no other entity's objects.
    let all = tree(height: 40)
    #expect(all.output == trip + second, "\(all.output)")
  }

  @Test("Files, pipes and terminals without UTF-8 have lines in ASCII")
  func ascii() {
    let plain = trip.replacing("├── ", with: "|-- ").replacing("└── ", with: "`-- ")
      .replacing("│   ", with: "|   ")
    #expect(tree("--id", "5/p1").output == plain)
    for environment in [[:], ["LANG": "C"], ["LC_ALL": "POSIX", "LANG": "en_US.UTF-8"]] {
      #expect(tree("--id", "5/p1", height: 40, environment: environment).output == plain)
    }
    for environment in [["LC_CTYPE": "pt_PT.utf8"], ["LC_ALL": "", "LANG": "C.UTF-8"]] {
      #expect(tree("--id", "5/p1", height: 40, environment: environment).output == trip)
    }
  }

  @Test("Cycles and repeated objects are marked and not followed")
  func cycles() {
    let parts = tree("--id", "2/p1")
    #expect(
      parts.output == """
        Part 2/p1 "Engine"
        |-- Part 2/p2 "Pump"
        |   `-- Part 2/p3 "Valve"
        |       `-- Part 2/p4
        |           `-- Part 2/p3 "Valve" (cycle)
        `-- Part 2/p3 "Valve" (shown above)

        """, "\(parts.output)")
    let json = tree("--id", "2/p1", "--format", "json").output
    #expect(json.contains("\"mark\": \"cycle\"") && json.contains("\"mark\": \"shownAbove\""))
  }

  @Test("--along chooses the relationships, and their order")
  func along() {
    #expect(
      tree("Trip", "--along", "tickets,stops").output == """
        Trip 5/p1 "douro"
        |-- tickets: Ticket 4/p1
        |-- stops: Stop 3/p1 "Porto"
        `-- stops: Stop 3/p2 "Régua"
        Trip 5/p2 "Lisbon\\nand more"

        """)
    // A to-one relationship has one object.
    #expect(
      tree("Leg", "--along", "stop,trip").output == """
        Leg 1/p1 "CP"
        `-- Stop 3/p2 "Régua"
            `-- Trip 5/p1 "douro"

        """)
    let wrong = tree("Trip", "--along", "stop,lags")
    #expect(wrong.exitCode == .wrongUsage && wrong.output.isEmpty)
    #expect(wrong.messages.contains("'lags'") && wrong.messages.contains("'legs'"), "\(wrong)")
  }

  @Test("--depth limits the levels, and the objects below are counted")
  func depth() {
    #expect(
      tree("Trip", "--depth", "1").output.split(separator: "\n").map(String.init) == [
        "Trip 5/p1 \"douro\"", "|-- stops: Stop 3/p1 \"Porto\"",
        "|-- stops: Stop 3/p2 \"Régua\" (1 below)", "`-- tickets: Ticket 4/p1",
        "Trip 5/p2 \"Lisbon\\nand more\"",
      ])
    #expect(tree("Trip", "--depth", "0").output == "Trip 5/p1 \"douro\" (3 below)\n" + second)
    #expect(tree("Trip", "--depth", "x").exitCode == .wrongUsage)
    #expect(tree("Trip", "--depth", "201").exitCode == .wrongUsage)
  }

  @Test("A chain that is longer than the most levels ends")
  func chain() {
    let lines = (5...300).map { number in
      "{\"@entity\":\"Part\",\"@id\":\"2/p\(number)\",\"parts\":[\"2/p\(number + 1)\"]}"
    }
    let imported = run(
      ["import", store, "-"],
      input: (lines + ["{\"@entity\":\"Part\",\"@id\":\"2/p301\",\"title\":\"End\"}"])
        .joined(separator: "\n"))
    #expect(imported.exitCode == .done, "\(imported.messages)")
    let shown = tree("Part").output.split(separator: "\n")
    #expect(shown.contains { $0.hasSuffix("(1 below)") }, "\(shown.count)")
    #expect(tree("Part", "--format", "json").exitCode == .done)
  }

  @Test("JSON is a list of objects with children")
  func json() throws {
    let run = tree("Trip", "--format", "json", height: 5)
    let trips = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    #expect(run.messages.isEmpty && trips.map { $0["id"] as? String } == ["5/p1", "5/p2"])
    #expect(
      trips[0]["name"] as? String == "douro" && trips[1]["name"] as? String == "Lisbon\nand more")
    let children = try #require(trips[0]["children"] as? [[String: Any]])
    #expect(children.map { $0["entity"] as? String } == ["Stop", "Stop", "Ticket"])
    #expect(children.map { $0["relationship"] as? String } == ["stops", "stops", "tickets"])
    let legs = try #require(children[1]["children"] as? [[String: Any]])
    #expect(legs.map { $0["id"] as? String } == ["1/p1"] && legs[0]["children"] == nil)
    let flat = tree("Trip", "--format", "json", "--depth", "0").output
    #expect(flat.contains("\"childCount\": 3") && !flat.contains("children\""))
    #expect(tree("Ticket", "--along", "stops", "--format", "json", "--limit", "0").output == "[]\n")
  }

  @Test("A terminal shows as many objects as it has lines, and cuts long lines")
  func terminal() {
    let short = tree("Trip", height: 9)
    #expect(short.output.split(separator: "\n").count == 5)
    #expect(short.messages.hasPrefix("There are more objects. '--all' shows all"))
    #expect(tree("Trip", "--all", height: 9).messages.isEmpty)
    #expect(tree("Trip", "--all", height: 9).output == trip + second)
    let two = tree("Trip", "--limit", "2", height: 9)
    #expect(two.output.split(separator: "\n").count == 2 && two.messages.isEmpty)
    // Exactly as many objects as lines is not too many.
    #expect(tree("--id", "5/p1", height: 9).messages.isEmpty)

    let long = String(repeating: "大", count: 40)
    #expect(run(["set", store, "Stop", "--id", "3/p1", "name=\(long)"]).exitCode == .done)
    let cut = tree("Trip", width: 40, height: 40).output.split(separator: "\n")
    #expect(cut.allSatisfy { String($0).displayWidth <= 40 } && cut[1].hasSuffix("…"), "\(cut)")
    #expect(tree("Trip").output.contains(long))
  }

  @Test("Line breaks and control characters in names stay on one line")
  func names() {
    #expect(
      run(["set", store, "Trip", "--id", "5/p2", "slug=a\nb\u{1B}[2J"]).exitCode == .done)
    let shown = tree("Trip", height: 40).output
    #expect(shown.hasSuffix("Trip 5/p2 \"a\\nb\\u{1B}[2J\"\n"), "\(shown)")
  }

  @Test("Documents, versions and stores of a document are read too")
  func documents() throws {
    #expect(run(["convert", store, "/trips.xml", "--store", "xml"]).exitCode == .done)
    let other = run(["tree", "/trips.xml", "Trip"])
    #expect(other.output.contains("stops: Stop 3/p") && other.output.contains("\"Porto\""))
    let trips = try ComparedTrips()
    trips.makeDocument()
    func tree(_ words: String...) -> RecordedRun {
      RecordedRun(
        ["tree"] + words,
        tool: Tool(commands: [TreeCommand.command(.files(on: trips.disk))]))
    }
    #expect(
      tree("/Trips.quire", "Trip", "--along", "stops", "--version", "5").output == """
        Trip 3/p1 "Douro"
        `-- Stop 2/p1 "Porto"
        Trip 3/p2 "Lisbon"

        """)
    // No relationship has the rule cascade.
    #expect(tree("/Trips.quire", "Person").output == "Person 1/p1 \"a@b.c\"\n")
    trips.done("new", "/Two.quire", "--model", "Trips", "--store", "a=binary:Trips,b=xml:Vouchers")
    let voucher = trips.done("insert", "/Two.quire", "Voucher", "code=X")
      .trimmingCharacters(in: .newlines)
    #expect(tree("/Two.quire", "Voucher").output == "Voucher \(voucher) \"X\"\n")
    #expect(tree("/Two.quire", "--in", "b").output == "Voucher \(voucher) \"X\"\n")
    let unclear = tree("/Two.quire")
    #expect(unclear.exitCode == .wrongUsage && unclear.messages.contains("has several stores"))
  }

  @Test("Errors name the object, the entity and the relationship")
  func errors() {
    let missing = tree("--id", "5/p9")
    #expect(missing.exitCode == .no && missing.messages.contains("There is no object 5/p9."))
    #expect(tree("--id", "9/p1").exitCode == .no)
    #expect(tree("--id", "trip").exitCode == .wrongUsage)
    #expect(tree("Trip", "--id", "5/p1").exitCode == .wrongUsage)
    let unknown = tree("Trips")
    #expect(unknown.exitCode == .wrongUsage && unknown.messages.contains("'Trip'"), "\(unknown)")
    #expect(run(["tree", "/none.store"]).exitCode == .inputOutput)
  }
}
