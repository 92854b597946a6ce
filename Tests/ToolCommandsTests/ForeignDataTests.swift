import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import Quire
import SQLiteFiles
import StoreInterface
import Testing

@testable import ToolCommands

/// Databases of other programs and nested JSON, in the hands of somebody with a document and a terminal.
@Suite("Data of other programs")
struct ForeignDataTests {
  // MARK: - Databases

  /// A folder with a database of a shop.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "shop-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let connection = try SQLiteConnection(path("shop.db"), for: .creating)
      for text in [
        "CREATE TABLE guides (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, rating REAL)",
        """
        CREATE TABLE tours (
          id INTEGER PRIMARY KEY, title TEXT NOT NULL, start DATE,
          guide_id INTEGER REFERENCES guides(id))
        """,
        "INSERT INTO guides VALUES (1, 'Ana', 4.5), (2, 'Zoë', NULL)",
        "INSERT INTO tours VALUES (7, 'Douro', '2026-05-01', 2), (9, 'Minho', NULL, NULL)",
      ] { try connection.execute(text) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func run(_ words: String...) throws -> RecordedRun {
      let tool = Tool.quire(
        environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
        executable: nil)
      return RecordedRun(words, tool: tool)
    }
  }

  @Test("A database is one command from a document, and is read as it is")
  func database() throws {
    let folder = try Folder()
    let rows = try folder.run(
      "fetch", folder.path("shop.db"), "Tour", "--columns", "title,start,guide.name", "--ids",
      "--format", "csv")
    #expect(
      cells(rows) == ["title,start,guide.name", "Douro,2026-05-01,Zoë", "Minho,,"],
      "\(rows.output)\(rows.messages)")

    let made = try folder.run("new", folder.path("Shop.quire"), "--from", folder.path("shop.db"))
    #expect(made.exitCode == .done, "\(made.messages)")
    #expect(made.output.contains("  tours: [Tour], inverse guide\n"), "\(made.output)")
    #expect(made.output.hasSuffix("Shop.quire: main (Binary), 4 objects\n"), "\(made.output)")
    let copied = try folder.run(
      "fetch", folder.path("Shop.quire"), "Tour", "--columns", "title,start,guide.name", "--ids",
      "--format", "csv")
    #expect(cells(copied) == cells(rows))
    #expect(try folder.run("validate", folder.path("Shop.quire")).exitCode == .done)

    let set = try folder.run("set", folder.path("shop.db"), "Tour", "title=x")
    #expect(set.exitCode != .done && set.messages.contains("another program"), "\(set.messages)")
    let two = try folder.run(
      "new", folder.path("Two.quire"), "--from", folder.path("shop.db"), folder.path("shop.db"))
    #expect(two.exitCode == .wrongUsage && two.messages.contains("quire import"))
  }

  @Test("Rows of a database are imported by their names, or by the names that are given")
  func databaseImport() throws {
    let folder = try Folder()
    try Data(
      """
      entity Tour
        name: String
        start: Date?
        guide: Person?, inverse tours
      entity Person
        name: String
        tours: [Tour], inverse guide
        unique name

      """.utf8
    ).write(to: folder.url.appending(path: "a.model"))
    let document = folder.path("A.quire")
    #expect(try folder.run("new", document, "--model", folder.path("a.model")).exitCode == .done)

    let refused = try folder.run("import", document, folder.path("shop.db"))
    #expect(refused.exitCode == .no, "\(refused.messages)")
    #expect(refused.messages.contains("shop.db: Guide:1: '@entity': The entity 'Guide'"))
    #expect(refused.messages.contains("shop.db: Tour:1: 'id'"), "\(refused.messages)")
    #expect(refused.messages.contains("--map"))
    #expect(try folder.run("count", document, "Tour").output == "0\n")

    let names = "Guide=Person,rating=,id=,title=name"
    let done = try folder.run("import", document, folder.path("shop.db"), "--map", names)
    #expect(done.output == "4 objects inserted.\n", "\(done.messages)")
    let rows = try folder.run(
      "fetch", document, "Tour", "--columns", "name,guide.name", "--ids", "--format", "csv")
    #expect(cells(rows) == ["name,guide.name", "Douro,Zoë", "Minho,"])

    for (names, word) in [("Guide=Person,rating=,id=,title=name,none=x", "'none'"), ("a", "'a'")] {
      let unused = try folder.run("import", document, folder.path("shop.db"), "--map", names)
      #expect(unused.exitCode != .done && unused.messages.contains(word), "\(unused.messages)")
    }
  }

  // MARK: - JSON

  private let disk = SimulatedDisk()

  /// Returns the lines of a table without the identifiers, which come first.
  private func cells(_ run: RecordedRun) -> [String] {
    run.output.split(separator: "\n").map { String($0.drop { $0 != "," }.dropFirst()) }
  }

  private func write(_ text: String, to path: String) throws {
    try disk.open(path, for: .create).append(Array(text.utf8))
  }

  private func run(_ words: String..., input: String = "") -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        NewCommand.command(reader, .files(andStores: reader)), ImportCommand.command(reader),
        ExportCommand.command(reader), FetchCommand.command(reader), CountCommand.command(reader),
      ]), input: Array(input.utf8))
  }

  @Test("Nested JSON goes into an existing document, with the names that are given")
  func nested() throws {
    try write(
      """
      [{"name": "Douro", "guide": {"name": "Ana"}, "stops": [{"place": "Porto"}, {"place": "Régua"}]},
       {"name": "Minho", "guide": {"name": "Ana"}, "stops": []}]
      """, to: "/trips.json")
    #expect(run("new", "/A.quire", "--from", "/trips.json").exitCode == .done)
    try write(
      """
      {"trips": [{"titel": "Algarve", "guide": {"name": "Rui"}, "halte": [{"place": "Faro"}], "x": 1}]}
      """, to: "/more.json")
    let refused = run("import", "/A.quire", "/more.json")
    #expect(refused.exitCode == .no && refused.messages.contains("more.json: trips:"))
    #expect(run("count", "/A.quire", "Trip").output == "2\n")

    let done = run("import", "/A.quire", "/more.json", "--map", "titel=name,halte=Stop,trips.x=")
    #expect(done.output == "3 objects inserted.\n", "\(done.messages)")
    let rows = run(
      "fetch", "/A.quire", "Stop", "--columns", "place,trip.name,trip.guide.name",
      "--ids", "--format", "csv")
    #expect(rows.output.hasSuffix("Faro,Algarve,Rui\n"), "\(rows.output)")
  }

  @Test("A store makes a document, and its objects go into another")
  func stores() throws {
    try write("[{\"name\": \"Douro\", \"stops\": [{\"place\": \"Porto\"}]}]", to: "/trips.json")
    #expect(run("new", "/A.quire", "--from", "/trips.json").exitCode == .done)
    let made = run("new", "/B.quire", "--from", "/A.quire")
    #expect(made.exitCode == .done && made.output.contains("2 objects"), "\(made.messages)")
    #expect(run("import", "/B.quire", "/A.quire").output == "2 objects inserted.\n")
    #expect(run("count", "/B.quire", "Stop").output == "2\n")
    // An export of lines is not nested JSON, whatever its name is.
    let lines = run("export", "/A.quire").output
    try write(lines, to: "/lines.json")
    #expect(run("import", "/B.quire", "/lines.json").output == "2 objects inserted.\n")
  }

  @Test("Columns of a table get other names, or are left out")
  func columns() throws {
    try write("name,nights\nPorto,3\n", to: "/stops.csv")
    #expect(run("new", "/A.quire", "--from", "/stops.csv").exitCode == .done)
    try write("Ort,N,extra\nFaro,2,x\n", to: "/halte.csv")
    let done = run(
      "import", "/A.quire", "/halte.csv", "--map", "halte=Stop,halte.Ort=name,N=nights,extra=")
    #expect(done.output == "1 object inserted.\n", "\(done.messages)")
    let rows = run(
      "fetch", "/A.quire", "Stop", "--ids", "--format", "csv", "--columns", "name,nights")
    #expect(cells(rows) == ["name,nights", "Porto,3", "Faro,2"])
    try write("{\"Ort\": \"Évora\", \"nights\": 1, \"extra\": [1]}\n", to: "/in.jsonl")
    let lines = run(
      "import", "/A.quire", "/in.jsonl", "--entity", "Stop", "--map", "Ort=name,extra=")
    #expect(lines.output == "1 object inserted.\n", "\(lines.messages)")
  }

  // MARK: - Text of other programs

  @Test("Numbers with decimal commas are noticed, and read with --decimal")
  func decimalCommas() throws {
    let table =
      "name;price;count;label;size\n\"Map, small\";9,90;1.000;007;1,234\nPass;1.220,00;2;12,5;-2,125\n"
    try write(table, to: "/goods.csv")
    let plain = run("new", "/A.quire", "--from", "/goods.csv")
    #expect(plain.output.contains("  price: String\n"), "\(plain.output)")
    #expect(
      plain.messages.contains("'price' of Good looks like numbers with decimal commas")
        && plain.messages.contains("--decimal ,"), "\(plain.messages)")
    // A comma before three digits may be that of thousands, and the name is not a number.
    #expect(!plain.messages.contains("'size'") && !plain.messages.contains("'name'"))

    let made = run("new", "/B.quire", "--from", "/goods.csv", "--decimal", ",")
    for line in ["price: Decimal, places 2", "count: Int64", "label: String", "size: Decimal"] {
      #expect(made.output.contains("  \(line)"), "\(line): \(made.output)")
    }
    #expect(!made.messages.contains("decimal commas"), "\(made.messages)")
    func rows() -> [String] {
      cells(
        run(
          "fetch", "/B.quire", "Good", "--ids", "--format", "csv", "--columns",
          "price,count,label,size", "--sort", "price"))
    }
    #expect(
      rows() == [
        "price,count,label,size", "9.90,1000,007,1.234", "1220.00,2,\"12,5\",-2.125",
      ])

    let again = run(
      "import", "/B.quire", "/goods.csv", "--entity", "Good", "--decimal", ",")
    #expect(again.output == "2 objects inserted.\n", "\(again.messages)")
    try write("name;price\nAxe;1,2,3\nBar;1.5\nCan;1.50,0\nDye;,5\nEel;5,\n", to: "/wrong.csv")
    let wrong = run(
      "import", "/B.quire", "/wrong.csv", "--entity", "Good", "--decimal", ",")
    #expect(wrong.exitCode == .no, "\(wrong.messages)")
    for text in ["1,2,3", "1.5", "1.50,0", ",5", "5,"] {
      #expect(
        wrong.messages.contains("with a decimal comma, not \"\(text)\"."),
        "\(text): \(wrong.messages)")
    }
  }

  @Test("Other separators and encodings are found, or given")
  func encodings() throws {
    try write("name;nights\nPorto;3\n", to: "/stops.csv")
    let made = run("new", "/A.quire", "--from", "/stops.csv")
    #expect(made.exitCode == .done && made.messages.contains("has ';' between its cells"))
    #expect(made.output.contains("  nights: Int64\n"), "\(made.output)")
    let plain = run("new", "/B.quire", "--from", "/stops.csv", "--delimiter", ",")
    #expect(plain.output.contains("1 object") && !plain.output.contains("nights: Int64"))

    try write("name\tnights\n\"a\tb\"\t2\n", to: "/more.csv")
    let more = run("import", "/A.quire", "/more.csv", "--entity", "Stop")
    #expect(
      more.output == "1 object inserted.\n" && more.messages.contains("a tab"), "\(more.messages)")

    let bytes: [UInt8] =
      Array("name,nights\nR".utf8) + [0xE9] + Array("gua ".utf8) + [0x80] + Array(",1\n".utf8)
    try disk.open("/latin.csv", for: .create).append(bytes)
    let refused = run("import", "/A.quire", "/latin.csv", "--entity", "Stop")
    #expect(
      refused.exitCode != .done && refused.messages.contains("--encoding"), "\(refused.messages)")
    let read = run(
      "import", "/A.quire", "/latin.csv", "--entity", "Stop", "--encoding", "windows-1252")
    #expect(read.output == "1 object inserted.\n", "\(read.messages)")

    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in "name,nights\nÉvora 🚆,4\n".utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    try disk.open("/wide.csv", for: .create).append(wide)
    let found = run("import", "/A.quire", "/wide.csv", "--entity", "Stop")
    #expect(
      found.output == "1 object inserted.\n" && found.messages.contains("utf-16"),
      "\(found.messages)")
    try disk.open("/half.csv", for: .create).append(wide + [0x3D])
    #expect(run("import", "/A.quire", "/half.csv", "--entity", "Stop").exitCode == .unreadable)

    let rows = run(
      "fetch", "/A.quire", "Stop", "--columns", "name", "--ids", "--format", "csv", "--sort",
      "nights")
    for name in ["Régua €", "Évora 🚆", "Porto", "a\tb"] {
      #expect(rows.output.contains(name), "\(rows.output)")
    }
  }

  @Test("Types and unique columns can be chosen")
  func choices() throws {
    try write("id,zip,name\n1,02134,a\n2,10001,b\n", to: "/people.csv")
    let made = run(
      "new", "/A.quire", "--from", "/people.csv", "--unique", "none", "--type", "id=String")
    #expect(
      made.output.contains("  id: String\n") && !made.output.contains("unique"), "\(made.output)")
    for (option, value) in [("--type", "id"), ("--type", "id=Nothing"), ("--unique", "x")] {
      let wrong = run("new", "/B.quire", "--from", "/people.csv", option, value)
      #expect(
        wrong.exitCode != .done && wrong.messages.contains("id") || wrong.messages.contains("'x'"))
    }
  }
}
