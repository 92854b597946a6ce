import BinaryStore
import CommandInterface
import DiskSimulation
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// The objects and values that `quire fetch` selects, and the tables that it shows on a terminal.
@Suite("quire fetch")
struct FetchCommandTests {
  private let disk = SimulatedDisk()
  private let store = "/trips.store"

  /// Sixty trips: to Lisbon, Ōsaka and Oslo in turn, with 1 to 60 nights, one a day from 2026-01-01, the first with two
  /// stops.
  init() throws {
    let model = try Model(
      Model.Description(
        entities: [
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("name", .string)), .attribute(Attribute("place", .string)),
              .attribute(Attribute("nights", .int32)), .attribute(Attribute("start", .date)),
              .relationship(
                Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
            ]),
          Entity(
            "Stop",
            properties: [
              .attribute(Attribute("name", .string)),
              .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
            ]),
        ],
        fetchRequestTemplates: [
          FetchRequestTemplate(
            "longTrips", entity: "Trip", predicate: "nights >= $NIGHTS AND start >= $FROM",
            sortKeys: [.init("nights", isAscending: false)])
        ]))
    try BinaryStoreBackend().create(at: store, model: model, on: disk, StoreCreation()).close()
    let places = ["Lisbon", "Ōsaka 大阪", "Oslo"]
    let day = 86_400.0
    var lines = (1...60).map { number in
      let start = 788_918_400 + Double(number - 1) * day
      return """
        {"@entity":"Trip","@id":"2/p\(number)","name":"A trip with number \(number)",\
        "place":"\(places[number % 3])","nights":\(number),"start":"@\(start)"}
        """
    }
    lines += ["Porto", "Sintra"].map {
      "{\"@entity\":\"Stop\",\"name\":\"\($0)\",\"trip\":\"2/p1\"}"
    }
    let run = run(["import", store, "-"], input: lines.joined(separator: "\n"))
    #expect(run.exitCode == .done, "\(run.messages)")
  }

  /// Runs the tool.
  ///
  /// - Parameter height: The number of lines of the terminal; `nil` for an output that is not a terminal.
  private func run(
    _ words: [String], width: Int = 80, height: Int? = nil, input: String = ""
  ) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        ImportCommand.command(reader), FetchCommand.command(reader), CountCommand.command(reader),
        SetCommand.command(reader), OpenCommand.command(reader),
      ]), terminal: height != nil, width: width, height: height, input: Array(input.utf8))
  }

  private func fetch(_ words: String..., width: Int = 80, height: Int? = nil) -> RecordedRun {
    run(["fetch", store] + words, width: width, height: height)
  }

  private func rows(_ run: RecordedRun) -> [String] {
    run.output.split(separator: "\n").map(String.init)
  }

  @Test("--explain shows the way to the objects, and neither shows nor changes one")
  func explained() throws {
    let bytes = try disk.read(store, byteLimit: 1 << 24)
    let long = run([
      "fetch", store, "Trip", "--where", "nights > 58", "--sort", "-name", "--explain",
    ])
    #expect(long.exitCode == .done)
    let lines = long.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines[0] == "Trip where nights > 58, sorted by -name: 2 results")
    #expect(lines[1] == "scan: 60 rows of Trip")
    #expect(lines[2] == "read: 1 of 1 block, 60 of 60 rows")
    #expect(lines[3] == "sort in memory: 2 rows by -name")
    #expect(lines[4].hasPrefix("time: ") && lines.count == 5)
    let grouped = run(["fetch", store, "Trip", "--group-by", "place", "--explain"])
    #expect(grouped.output.hasPrefix("Trip, grouped by place: 3 results\n"), "\(grouped.output)")
    for words in [
      ["set", store, "Trip", "nights=0", "--where", "nights > 58"],
      ["set", store, "Trip", "nights=0", "--id", "2/p59,2/p60"], ["count", store, "Trip"],
    ] {
      let run = run(words + ["--explain"])
      #expect(
        run.exitCode == .done && run.output.contains("time: "), "\(run.output)\(run.messages)")
    }
    #expect(try disk.read(store, byteLimit: 1 << 24) == bytes)
    let wrong = run(["set", store, "Trip", "nights=0", "--explain"])
    #expect(wrong.exitCode == .wrongUsage)
  }

  @Test("A terminal shows as many objects as it has lines, and the number of the rest")
  func height() {
    let short = fetch("Trip", height: 14)
    #expect(rows(short).count == 11)
    #expect(
      short.messages
        == "50 more objects. '--all' shows all, '--pager' all in a pager, '--limit COUNT' some of them.\n"
    )
    #expect(
      fetch("Trip", "--where", "nights > 40", "--offset", "5", height: 14).messages
        .hasPrefix("5 more objects."))
    let exact = fetch("Trip", "--where", "nights <= 10", height: 14)
    #expect(rows(exact).count == 11 && exact.messages.isEmpty)

    #expect(rows(fetch("Trip", "--all", height: 14)).count == 61)
    #expect(rows(fetch("Trip", "--limit", "20", height: 14)).count == 21)
    #expect(fetch("Trip", "--limit", "20", height: 14).messages.isEmpty)
    // Other formats, files and pipes have all objects.
    #expect(rows(fetch("Trip", "--ids", "--format", "csv", height: 14)).count == 61)
    #expect(rows(fetch("Trip")).count == 61)
  }

  @Test("No line is wider than the terminal", arguments: [40, 50, 64, 80, 200])
  func width(_ width: Int) {
    let run = fetch("Trip", "--all", width: width, height: 30)
    #expect(rows(run).count == 61)
    #expect(rows(run).allSatisfy { $0.displayWidth <= width }, "\(run.output)")
    #expect(run.output.contains("…") == (width < 100))
    // All columns have room, because each may be cut.
    #expect(run.messages.isEmpty == (width >= 64), "\(run.messages)")
  }

  @Test("Columns without room are named")
  func columns() {
    let run = fetch("Trip", width: 40, height: 30)
    #expect(rows(run)[0].split(separator: " ") == ["@id", "name", "place", "nights"])
    #expect(
      run.messages.hasPrefix(
        """
        34 more objects. '--all' shows all, '--pager' all in a pager, '--limit COUNT' some of them.
        Columns without room: start, stops. '--columns' selects columns, '--format line' shows all.
        """), "\(run.messages)")
    #expect(fetch("Trip", "--columns", "name", width: 40, height: 99).messages.isEmpty)
  }

  @Test("Forms for people mark the words that TEXT has found, and programs get the text itself")
  func foundWords() throws {
    let words = [
      "fetch", store, "Trip", "--where", "place TEXT 'osaka' AND nights < 5", "--columns", "place",
    ]
    for (form, wanted) in [
      ("table", "\"[Ōsaka] 大阪\""), ("line", "\"[Ōsaka] 大阪\""), ("markdown", "[Ōsaka] 大阪"),
      ("csv", "Ōsaka 大阪"), ("jsonl", "\"Ōsaka 大阪\""),
    ] {
      let output = run(words + ["--format", form], height: 30).output
      #expect(output.contains(wanted), "\(form): \(output)")
      #expect(output.contains("[Ō") == wanted.contains("["))
    }
    // A column of another text has no marks, and an excluded word is not marked.
    let predicate = "name TEXT 'trip -word' AND nights == 2"
    let other = fetch("Trip", "--where", predicate, height: 30).output
    #expect(other.contains("A [trip] with number 2") && other.contains("\"Oslo\""), "\(other)")
    let run = fetch("Trip", "--where", "place TEXT '\"lisbon'", height: 30)
    #expect(run.exitCode != .done)
    #expect(
      run.messages.contains("At character 1: The phrase after this \" does not end"),
      "\(run.messages)")
  }

  @Test("--sort relevance begins with the texts that answer TEXT best")
  func relevance() {
    func first(_ keys: String) -> String {
      fetch(
        "Trip", "--where", "place TEXT 'os*'", "--sort", keys, "--columns", "place,nights",
        "--limit", "1", "--ids", "--format", "csv"
      ).output
    }

    // The shorter text comes first.
    #expect(first("relevance").hasSuffix("Oslo,2\n"), "\(first("relevance"))")
    #expect(first("relevance,-nights").hasSuffix("Oslo,59\n"))
    #expect(first("-relevance").hasSuffix("Ōsaka 大阪,1\n"))
    let run = fetch("Trip", "--where", "nights > 3", "--sort", "relevance")
    #expect(run.exitCode != .done)
    #expect(run.messages.contains("looks for no words"), "\(run.messages)")
  }

  @Test("A table on a terminal has the number of objects of a to-many relationship")
  func counts() {
    let words = ["Trip", "--columns", "nights,stops", "--limit", "2"]
    let run = run(["fetch", store] + words, height: 30)
    #expect(
      run.output
        == "@id   nights  stops\n1/p1       1  2 objects\n1/p2       2\n".replacing("1/p", with: id)
    )
    #expect(self.run(["fetch", store] + words).output.contains("/p1 "))
  }

  private var id: String {
    String(rows(fetch("Trip", "--limit", "1"))[1].prefix { $0 != "p" }) + "p"
  }

  @Test("--format line shows each value on a line of its own, and whole")
  func lines() {
    let run = fetch(
      "Trip", "--columns", "name,place,stops", "--limit", "2", "--format", "line", width: 40,
      height: 10)
    #expect(
      run.output.replacing(id, with: "2/p").replacing(/[0-9]+\/p1 [0-9]+\/p2/, with: "STOPS") == """
        @id    2/p1
        name   "A trip with number 1"
        place  "Ōsaka 大阪"
        stops  STOPS

        @id    2/p2
        name   "A trip with number 2"
        place  "Oslo"

        """)
  }

  @Test("--format markdown is a table in Markdown")
  func markdown() {
    #expect(
      run(["set", store, "Trip", "name=a|b\\c", "--where", "nights == 1"]).exitCode == .done)
    #expect(
      fetch("Trip", "--columns", "name,nights", "--limit", "1", "--format", "markdown").output
        .replacing(id, with: "2/p")
        == "| @id | name | nights |\n| --- | --- | ---: |\n| 2/p1 | a\\|b\\\\c | 1 |\n")
    #expect(
      fetch("Trip", "--where", "nights > 99", "--columns", "name", "--format", "markdown").output
        == "| @id | name |\n| --- | --- |\n")
  }

  @Test("--id fetches objects by their identifiers, without an entity")
  func identifiers() {
    let found = fetch("--id", "\(id)3,\(id)1", "--columns", "nights", "--ids", "--format", "csv")
    #expect(found.output == "@id,nights\n\(id)1,1\n\(id)3,3\n")
    let missing = fetch("--id", "\(id)3,\(id)99,\(id)98")
    #expect(missing.exitCode == .no && missing.output.isEmpty)
    #expect(missing.messages == "error: There is no object \(id)99, \(id)98.\n")
    #expect(fetch("Stop", "--id", "\(id)3").messages.contains("is not an object of 'Stop'"))
    #expect(fetch("--id", "3").messages.contains("'3' is not an identifier."))
    #expect(fetch("Trip", "--id", "\(id)3", "--where", "nights > 1").exitCode == .wrongUsage)
  }

  @Test("A path through a to-many relationship shows a value of each of its objects")
  func related() {
    func show(_ format: String) -> String {
      fetch(
        "Trip", "--columns", "nights,stops.name", "--limit", "2", "--format", format
      ).output.replacing(id, with: "2/p")
    }
    #expect(
      show("table") == """
        @id   nights  stops.name
        2/p1       1  "Porto", "Sintra"
        2/p2       2

        """)
    #expect(show("csv") == "nights,stops.name\n1,Porto; Sintra\n2,\n")
    #expect(
      show("jsonl") == """
        {"@entity":"Trip","@id":"2/p1","nights":1,"stops.name":["Porto","Sintra"]}
        {"@entity":"Trip","@id":"2/p2","nights":2,"stops.name":[]}

        """)
  }

  @Test("Columns that lack little room get it before wider ones")
  func room() {
    #expect(ColumnWidths.fitted([4, 30, 9, 30], to: 79) == [4, 30, 9, 30])
    #expect(ColumnWidths.fitted([4, 30, 9, 30], to: 45) == [4, 13, 9, 13])
    #expect(ColumnWidths.fitted([4, 9, 10, 30], to: 37) == [4, 9, 9, 9])
    #expect(ColumnWidths.fitted([4, 30, 30, 30], to: 29) == [4, 11, 10])
    #expect(ColumnWidths.fitted([50], to: 40) == [40])
    #expect(ColumnWidths.fitted([], to: 40) == [])
    #expect("大阪城".cut(to: 4) == "大…" && "大阪城".cut(to: 6) == "大阪城" && "a大".cut(to: 2) == "a…")
  }

  @Test("--group-by and --aggregate show a row for each group")
  func groups() {
    #expect(
      fetch(
        "Trip", "--group-by", "place", "--aggregate", "count, sum(nights), max(nights)",
        "--sort", "place"
      ).output == """
        place         count  sum(nights)  max(nights)
        "Lisbon"         20          630           60
        "Oslo"           20          610           59
        "Ōsaka 大阪"     20          590           58

        """)
    #expect(
      fetch("Trip", "--aggregate", "avg(nights)", "--format", "jsonl").output
        == "{\"avg(nights)\":30.5}\n")
    #expect(
      fetch(
        "Trip", "--group-by", "place", "--having", "sum(nights) > 600", "--ids", "--format", "csv"
      )
      .output
      .split(separator: "\n").sorted() == ["Lisbon,20", "Oslo,20", "place,count"])
    #expect(
      fetch("Trip", "--group-by", "place", height: 6).output.split(separator: "\n").count == 4)
    #expect(
      fetch("Trip", "--group-by", "nights", height: 10).messages
        .hasPrefix("There are more results."))
    #expect(fetch("Trip", "--group-by", "nix").exitCode == .wrongUsage)
    #expect(fetch("Trip", "--having", "nights > 1").exitCode == .wrongUsage)
    #expect(fetch("Trip", "--group-by", "place", "--columns", "name").exitCode == .wrongUsage)
  }

  @Test("--distinct shows each combination of values once")
  func distinct() {
    #expect(
      fetch(
        "Trip", "--columns", "place", "--distinct", "--sort", "place", "--ids", "--format", "csv"
      ).output
        == "place\nLisbon\nOslo\nŌsaka 大阪\n")
    #expect(fetch("Trip", "--distinct").messages.contains("--distinct needs --columns."))
    #expect(
      fetch("Trip", "--columns", "stops", "--distinct").messages.contains("'stops.@count' is"))
  }

  @Test("--template fetches what a template of the model describes, with values for its variables")
  func templates() {
    let run = fetch(
      "--template", "longTrips", "NIGHTS=55", "FROM=2026-02-28", "--columns", "nights", "--ids",
      "--format", "csv")
    #expect(rows(run).map { $0.split(separator: ",")[1] } == ["nights", "60", "59"])
    #expect(
      fetch("--template", "longTrips", "NIGHTS=55").messages
        == "error: The variable $FROM has no value.\nhint: Add FROM=VALUE to the command.\n")
    #expect(
      fetch("--template", "longTrips", "NIGHTS=x", "FROM=today").messages
        .contains("'nights' needs a whole number of 32 bits, not 'x'"))
    #expect(
      fetch("--template", "longTrip", "NIGHTS=1").messages.contains("'longTrips'"))
    #expect(
      fetch("--template", "longTrips", "NIGHTS=1", "FROM=today", "TO=today").messages
        .contains("'TO'"))
    #expect(
      fetch("Stop", "--template", "longTrips", "NIGHTS=1", "FROM=now").exitCode == .wrongUsage)
    #expect(
      rows(fetch("Trip", "--where", "nights > $N", "N=58", "--ids", "--format", "csv")).count == 3)
  }

  @Test("A text that is compared with a date is a date in the words of 'quire set'")
  func dates() {
    func count(_ condition: String) -> String {
      run(["count", store, "Trip", "--where", condition]).output
    }
    #expect(count("start >= '2026-02-01'") == "29\n")
    #expect(count("start > '2026-02-01' AND NOT (start >= '2026-02-03T00:00:00Z')") == "1\n")
    #expect(count("start BETWEEN {'2026-01-01', '2026-01-03'}") == "3\n")
    // The test runs after the trips.
    #expect(count("'today' < start") == "0\n")
    #expect(count("start < 'now'") == "60\n")
    let bad = run(["count", store, "Trip", "--where", "start > 'soon'"])
    #expect(
      bad.exitCode == .wrongUsage && bad.messages.contains("'start' needs a date, not 'soon'"))
    // A text that is compared with a text stays one.
    #expect(count("name == 'today'") == "0\n")
    let set = run(["set", store, "Trip", "nights=0", "--where", "start < '2026-01-03'"])
    #expect(set.exitCode == .done && count("nights == 0") == "2\n")
  }

  @Test("Without an entity the entities are listed, each with its number of objects")
  func entities() {
    #expect(fetch().output == "Stop  2 objects\nTrip  60 objects\n")
    #expect(
      fetch("--format", "json").output.filter { !$0.isWhitespace } == "{\"Stop\":2,\"Trip\":60}")
    #expect(fetch("Trp").messages.contains("Did you mean 'Trip'?"))
  }

  @Test("An error in --columns is not shown in the predicate")
  func columnError() {
    let wrong = fetch("Trip", "--where", "nights > 1 AND nights < 9", "--columns", "name,1 +")
    #expect(
      wrong.exitCode == .wrongUsage && !wrong.messages.contains("nights"), "\(wrong.messages)")
    let predicate = fetch("Trip", "--where", "nights >", "--columns", "name")
    #expect(predicate.messages.contains("nights >"), "\(predicate.messages)")
  }

  @Test("A change prints the number of objects, and their identifiers only with --ids")
  func changed() {
    let words = ["set", store, "Trip", "nights=0", "--where", "nights < 3"]
    let counted = run(words + ["--dry-run"])
    #expect(counted.output == "2 objects would be changed.\n" && counted.messages.isEmpty)
    let listed = run(words + ["--ids"])
    #expect(listed.output == "\(id)1\n\(id)2\n" && listed.messages == "2 objects changed.\n")
  }

  @Test("A session fetches in the same ways")
  func session() {
    let run = run(
      ["open", store],
      input: """
        fetch
        fetch Trip --group-by place --ids --format csv --sort place
        fetch --template longTrips NIGHTS=60 FROM=2026-01-01 --columns nights --ids --format csv
        """)
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(
      run.output.replacing(id, with: "2/p")
        == "Stop  2 objects\nTrip  60 objects\nplace,count\nLisbon,20\nOslo,20\nŌsaka 大阪,20\n@id,nights\n2/p60,60\n"
    )
  }
}
