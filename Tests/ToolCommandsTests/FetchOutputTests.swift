import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// The text that `quire fetch` and `quire export` print for values that are easily lost, or that could control a
/// terminal.
@Suite("The output of fetch")
struct FetchOutputTests {
  private let disk = SimulatedDisk()
  private let lines = """
    {"@entity":"Person","@id":"1/p1","id":"A-1","name":"Ada \\"the\\" first\\nof\\\\all","price":"1234567890.12345678901234567890","when":"2001-01-01T00:00:00.1234567Z","home":{"lat":1.5,"lon":-0.25},"rank":null,"tags":["3/p2","3/p1"]}
    {"@entity":"Person","@id":"1/p2","friends":["1/p1"],"name":"","tags":["3/p1"]}
    {"@entity":"Pilot","@id":"2/p1","name":"Zoë","licence":"L-7"}
    {"@entity":"Tag","@id":"3/p1","title":"東京 😀"}
    {"@entity":"Tag","@id":"3/p2","title":"x"}

    """

  init() throws {
    var person = Entity("Person")
    person.declaredProperties = [
      .attribute(Attribute("id", .string)), .attribute(Attribute("name", .string)),
      .attribute(Attribute("price", .decimal)), .attribute(Attribute("when", .date)),
      .attribute(Attribute("rank", .int32, defaultValue: .integer(7))),
      .attribute(Attribute("home", .composite, compositeName: "Place")),
      .relationship(Relationship("friends", to: "Person", inverse: "friendOf", count: .toMany)),
      .relationship(Relationship("friendOf", to: "Person", inverse: "friends", count: .toMany)),
      .relationship(
        Relationship("tags", to: "Tag", inverse: "people", count: .toMany, isOrdered: true)),
    ]
    var pilot = Entity("Pilot")
    pilot.superentity = "Person"
    pilot.declaredProperties = [.attribute(Attribute("licence", .string, isOptional: false))]
    var tag = Entity("Tag")
    tag.declaredProperties = [
      .attribute(Attribute("title", .string)),
      .relationship(Relationship("people", to: "Person", inverse: "tags", count: .toMany)),
    ]
    let model = try Model(
      .init(
        entities: [person, pilot, tag],
        composites: [
          CompositeType(
            "Place", attributes: [Attribute("lat", .double), Attribute("lon", .double)])
        ]))
    for path in ["/a.store", "/b.store"] {
      try BinaryStoreBackend().create(at: path, model: model, on: disk, StoreCreation()).close()
    }
    let run = run("import", "/a.store", "-", input: lines)
    #expect(run.exitCode == .done, "\(run.messages)")
  }

  private func run(
    _ words: String..., input: String = "", isTerminal: Bool = false
  ) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        ExportCommand.command(reader), ImportCommand.command(reader), FetchCommand.command(reader),
        InsertCommand.command(reader), SetCommand.command(reader),
      ]), colour: isTerminal, input: Array(input.utf8))
  }

  @Test("CSV has the columns in the order of the model, and identifiers only with --ids")
  func identifiers() {
    func csv(_ words: String...) -> [Substring] {
      let all = ["fetch", "/a.store"] + words + ["--format", "csv"]
      let tool = Tool(commands: [FetchCommand.command(.files(on: disk))])
      return RecordedRun(all, tool: tool).output.split(separator: "\n")
    }
    #expect(csv("Tag", "--sort", "title") == ["title,people", "x,1/p1", "東京 😀,1/p1 1/p2"])
    #expect(csv("Tag", "--columns", "title", "--sort", "title").first == "title")
    #expect(
      csv("Tag", "--ids", "--sort", "title").prefix(2) == ["@id,title,people", "3/p2,x,1/p1"])
    // The entity still tells the subentities apart.
    let people = csv("Person", "--columns", "id", "--sort", "id")
    #expect(people == ["@entity,id", "Person,", "Pilot,", "Person,A-1"], "\(people)")
  }

  @Test("Decimals are numbers in JSON with --numbers, and texts without it")
  func numbers() {
    func price(_ words: String...) -> Bool? {
      let all =
        ["fetch", "/a.store", "Person", "--id", "1/p1", "--columns", "price", "--format"] + words
      let tool = Tool(commands: [FetchCommand.command(.files(on: disk))])
      let text = RecordedRun(all, tool: tool).output
      guard let match = text.firstMatch(of: /"price": ?("?)1234567890\.12345/) else { return nil }
      return match.1.isEmpty
    }
    for form in ["json", "jsonl"] {
      #expect(price(form) == false && price(form, "--numbers") == true)
    }
  }

  @Test("A table has every property in the order of the model, aligned by the width in a terminal")
  func table() {
    let name = #""Ada \"the\" first\nof\\all""#
    func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
    #expect(
      run("fetch", "/a.store", "Person", "--columns", "id,name,friends,tags").output == """
        @id   id     name\(spaces(name.count - 2))friends  tags
        1/p1  "A-1"  \(name)           3/p2 3/p1
        1/p2         ""\(spaces(name.count))1/p1     3/p1
        2/p1         "Zoë"

        """)
    let all = run("fetch", "/a.store", "Person").output.split(separator: "\n")[0]
    #expect(
      all.split(separator: " ") == [
        "@id", "id", "name", "price", "when", "rank", "home.lat", "home.lon", "friends",
        "friendOf", "tags",
      ])
    // Programs get the columns in the same order.
    let forPrograms = run("fetch", "/a.store", "Person", "--ids", "--format", "csv").output
    #expect(
      forPrograms.hasPrefix(
        "@id,@entity,id,name,price,when,rank,home.lat,home.lon,friends,friendOf,tags\n"),
      "\(forPrograms)")
    #expect(
      run("fetch", "/a.store", "Tag", "--columns", "title,people").output == """
        @id   title      people
        3/p1  "東京 😀"  1/p1 1/p2
        3/p2  "x"        1/p1

        """)
  }

  @Test("Dates and decimals have all their digits", arguments: ["text", "json", "jsonl", "csv"])
  func digits(_ format: String) {
    let output = run(
      "fetch", "/a.store", "Person", "--columns", "price,when", "--format", format
    ).output
    #expect(output.contains("1234567890.1234567890123456789"))
    #expect(output.contains("2001-01-01T00:00:00.1234567Z"))
    if format.hasPrefix("json") { #expect(output.contains("\"1234567890.1234567890123456789\"")) }
  }

  @Test("No object is shown for --limit 0, and the predicate is still checked")
  func limitZero() {
    #expect(run("fetch", "/a.store", "Tag", "--limit", "0").output == "@id  title  people\n")
    #expect(run("fetch", "/a.store", "Tag", "--limit", "0", "--format", "json").output == "[]\n")
    #expect(run("fetch", "/a.store", "Tag", "--limit", "0", "--format", "jsonl").output == "")
    #expect(
      run("fetch", "/a.store", "Tag", "--limit", "0", "--ids", "--format", "csv").output
        == "@id,title,people\n")
    #expect(
      run("fetch", "/a.store", "Tag", "--limit", "0", "--where", "nix == 1").exitCode == .wrongUsage
    )
    #expect(
      run("fetch", "/a.store", "Tag", "--limit", "1").output.split(separator: "\n").count == 2)
  }

  @Test("Exported lines of JSON are imported as equal objects")
  func roundTrip() throws {
    let all = run("export", "/a.store").output
    let people = run("fetch", "/a.store", "Person", "--format", "jsonl").output
    let tags = run("fetch", "/a.store", "Tag", "--format", "jsonl").output

    let imported = run("import", "/b.store", "-", input: people + tags)

    #expect(imported.output == "5 objects inserted.\n", "\(imported.messages)")
    #expect(run("export", "/b.store").output == all)
    #expect(people.contains("\"licence\":\"L-7\"") && people.contains("\"rank\":null"))
    #expect(people.contains("\"home\":{\"lat\":1.5,\"lon\":-0.25}"))
  }

  @Test("An exported table of comma-separated values is imported as equal objects")
  func tableRoundTrip() throws {
    let tags = run("fetch", "/a.store", "Tag", "--columns", "title", "--ids", "--format", "csv")
      .output
    #expect(tags == "@id,title\n3/p1,東京 😀\n3/p2,x\n")
    let entities = run(
      "fetch", "/a.store", "Person", "--columns", "name", "--ids", "--format", "csv"
    ).output
    #expect(entities.hasPrefix("@id,@entity,name\n") && entities.contains("2/p1,Pilot,Zoë\n"))
    #expect(
      run("import", "/b.store", "-", "--format", "csv", "--entity", "Tag", input: tags).output
        == "2 objects inserted.\n")
    #expect(run("export", "/b.store", "--entity", "Tag", "--format", "csv").output.contains("東京 😀"))
  }

  @Test("JSON output is one array of objects")
  func json() throws {
    let text = run("fetch", "/a.store", "Person", "--format", "json").output

    let objects = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(objects.map { $0["@id"] as? String } == ["1/p1", "1/p2", "2/p1"])
    #expect(objects[0]["id"] as? String == "A-1")
    #expect(objects[0]["tags"] as? [String] == ["3/p2", "3/p1"])
    #expect((objects[0]["home"] as? [String: Double]) == ["lat": 1.5, "lon": -0.25])
    #expect(objects[2]["@entity"] as? String == "Pilot")
    #expect(text.hasPrefix("[\n  {\n    \"@entity\": \"Person\",\n    \"@id\": \"1/p1\","))
    #expect(text.hasSuffix("\n  }\n]\n"))
  }

  private static let dangerous = "\u{1B}[31m\u{9B}2J\u{202E}\u{2066}\u{7}\u{7F}"

  @Test(
    "A terminal gets no character that would control it, and a file gets them all",
    arguments: [
      (["fetch", "/a.store", "Tag"], false),
      (["fetch", "/a.store", "Tag", "--ids", "--format", "csv"], false),
      (["export", "/a.store", "--entity", "Tag", "--format", "csv"], false),
      (["fetch", "/a.store", "Tag", "--format", "json"], true),
      (["fetch", "/a.store", "Tag", "--format", "jsonl"], true),
      (["export", "/a.store", "--entity", "Tag"], true),
    ])
  func terminal(_ words: [String], isJSON: Bool) throws {
    let dangerous = "\u{1B}[31m\u{9B}2J\u{202E}\u{2066}\u{7}\u{7F}"
    let steering: Set<Unicode.Scalar> = [
      "\u{1B}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{7}", "\u{7F}",
    ]
    let set = run("set", "/a.store", "Tag", "title=\(dangerous)", "--where", "title == 'x'")
    #expect(set.exitCode == .done, "\(set.messages)")
    let reader = StoreReader.files(on: disk)
    let tool = Tool(commands: [ExportCommand.command(reader), FetchCommand.command(reader)])

    let shown = RecordedRun(words, tool: tool, colour: true).output
    let written = RecordedRun(words, tool: tool).output

    #expect(!shown.unicodeScalars.contains { steering.contains($0) }, "\(shown.debugDescription)")
    #expect(shown.lowercased().contains("202e"), "\(shown)")
    guard isJSON else {
      #expect(written.contains(dangerous), "\(written.debugDescription)")
      return
    }
    // JSON itself escapes only the characters below the space.
    #expect(written.contains("\u{202E}\u{2066}") && written.contains("\u{9B}"))
    func values(_ text: String) throws -> [NSObject] {
      let parts = words.last == "json" ? [text] : text.split(separator: "\n").map(String.init)
      return try parts.map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSObject)
      }
    }
    #expect(try values(shown) == values(written))
  }

  @Test("Rows after the first five hundred are shown in the same column widths")
  func longTable() throws {
    let many = (1...1300).map { "{\"title\":\"\($0 == 1200 ? "a much longer title" : "t\($0)")\"}" }
    #expect(
      run("import", "/b.store", "-", "--entity", "Tag", input: many.joined(separator: "\n"))
        .exitCode
        == .done)

    let lines = run("fetch", "/b.store", "Tag", "--columns", "title,people").output
      .split(separator: "\n")

    #expect(lines.count == 1301)
    #expect(lines[1200].hasSuffix("\"a much longer title\""))
    #expect(
      run("fetch", "/b.store", "Tag", "--format", "jsonl").output.split(separator: "\n").count
        == 1300)
  }
}
