import CommandInterface
import Foundation
import InstalledPlugins
import SQLiteFiles
import Testing

@testable import ToolCommands

/// Command lines that people have typed in their first hours, with a mistake in each. The answer names the cause, and the hint
/// contains what to type instead.
@Suite("Mistakes of the first hours")
struct MistakeTests {
  private let folder: ScaffoldFolder
  private let tool: Tool

  init() throws {
    folder = try ScaffoldFolder()
    tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    try write(
      """
      id,name,price,departure
      1,Along the Douro,950.50,2026-05-01
      2,By train to Berlin,420.00,2026-06-12

      """, to: "trips.csv")
    try write(
      "trip_id,position,name,nights\n1,1,Porto,3\n1,2,Pinhão,2\n2,1,Berlin,4\n", to: "stops.csv")
    try write("a,b\n1,2\n", to: "things.csv")
    try SQLiteConnection(path("plain.db"), for: .creating).execute("CREATE TABLE Note (body TEXT)")
    for line in [
      ["new", "X.quire", "--from", "trips.csv", "stops.csv"], ["convert", "X.quire", "V.store"],
      ["convert", "X.quire", "Cars.sqlite"], ["save-as", "X.quire", "T.quire"],
    ] {
      let made = run(line)
      #expect(made.exitCode == .done, "\(line): \(made.messages)")
    }
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  /// Runs a command line whose names of files are names in the folder, and returns the messages without the folder.
  private func run(_ words: [String]) -> (exitCode: ExitCode, output: String, messages: String) {
    let endings = [".csv", ".quire", ".quir", ".store", ".sqlite", ".db", ".json"]
    let words = words.map { word in
      let name = word.prefix { $0 != "@" }
      return endings.contains { name.hasSuffix($0) } ? path(word) : word
    }
    let run = RecordedRun(words, tool: tool)
    func shown(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }
    return (run.exitCode, shown(run.output), shown(run.messages))
  }

  /// A command line with a mistake, the exit code, and parts of the answer.
  private struct Row {
    let words: [String]
    let exitCode: ExitCode
    let parts: [String]

    /// - Parameters:
    ///   - line: The words, with a blank between them.
    ///   - last: A last word, which may contain blanks.
    init(_ line: String, last: String? = nil, _ exitCode: ExitCode, _ parts: String...) {
      words = line.split(separator: " ").map(String.init) + (last.map { [$0] } ?? [])
      self.exitCode = exitCode
      self.parts = parts
    }
  }

  private func check(_ rows: [Row]) {
    for row in rows {
      let found = run(row.words)
      #expect(found.exitCode == row.exitCode, "\(row.words): \(found)")
      for part in row.parts {
        #expect(
          (found.output + found.messages).contains(part), "\(row.words): \(part): \(found)")
      }
      let lineCount = found.messages.split(separator: "\n").count
      #expect(lineCount <= 20, "\(row.words): \(lineCount) lines")
      // An error names the cause. The help of an argument or of a command is not part of it.
      #expect(!found.messages.contains("Usage:") && found.messages.utf8.count < 500, "\(found)")
    }
  }

  @Test("Words that are not commands")
  func commands() {
    check([
      Row("fecth X.quire", .wrongUsage, "Did you mean 'fetch'?"),
      Row("ls X.quire", .wrongUsage, "'quire fetch STORE'"),
      Row("list X.quire", .wrongUsage, "'quire fetch STORE'"),
      Row("show X.quire", .wrongUsage, "'quire fetch STORE ENTITY --where PREDICATE'"),
      Row("log X.quire", .wrongUsage, "'quire history STORE'"),
      Row("query X.quire", .wrongUsage, "'quire fetch STORE ENTITY --where PREDICATE'"),
      Row("select X.quire", .wrongUsage, "'quire fetch STORE ENTITY --where PREDICATE'"),
      Row("update X.quire", .wrongUsage, "'quire set STORE ENTITY KEY=VALUE"),
      Row("edit X.quire", .wrongUsage, "'quire set STORE ENTITY KEY=VALUE"),
      Row("add X.quire", .wrongUsage, "'quire insert STORE ENTITY KEY=VALUE'"),
      Row("rm X.quire", .wrongUsage, "'quire delete STORE ENTITY --where PREDICATE'"),
      Row("create X.quire", .wrongUsage, "'quire new PATH --from FILE.csv'"),
      Row("schema X.quire", .wrongUsage, "'quire model STORE'"),
      // These two are commands now.
      Row("status X.quire", .done, "The document has no remote."),
      Row("redo X.quire", .no, "There is nothing to redo"),
    ])
  }

  @Test("Entities, files and conditions in the wrong place")
  func places() {
    check([
      Row("fetch X.quire stop", .wrongUsage, "Did you mean 'Stop'?"),
      Row("fetch X.quire Stops", .wrongUsage, "Did you mean 'Stop'?"),
      Row("fetch X.quire Sotp", .wrongUsage, "Did you mean 'Stop'?"),
      Row(
        "fetch Stop X.quire", .inputOutput, "error: Can't open 'Stop'",
        "The store comes before the entity: 'quire fetch X.quire Stop'."),
      Row("fetch X.quire Stop", last: "nights > 2", .wrongUsage, "--where 'nights > 2'"),
      Row("fetch X.quire Stop nights=2", .wrongUsage, "--where nights=2"),
      Row("count X.quire Stop nights=2", .wrongUsage, "--where nights=2"),
      Row("fetch T.quir", .inputOutput, "error: Can't open 'T.quir'", "Did you mean 'T.quire'?"),
      Row("undo T.quir", .inputOutput, "Did you mean 'T.quire'?"),
      Row("fetch trips.csv Trip", .unreadable, "'quire new trips.quire --from trips.csv'"),
      Row(
        "fetch X.quire/manifest.json Trip", .unreadable, "part of the document 'X.quire'",
        "'quire fetch X.quire'"),
      Row("info plain.db", .done, "Note  0 objects"),
      Row(
        "set X.quire nights=1", .wrongUsage, "Missing argument ENTITY: ",
        "Write 'quire set X.quire ENTITY nights=1'."),
      Row(
        "insert X.quire Stop", .wrongUsage, "Missing argument KEY=VALUE: ",
        "Write 'quire insert X.quire Stop KEY=VALUE'."),
    ])
  }

  @Test("Predicates")
  func predicates() {
    func row(_ text: String, _ part: String, _ code: ExitCode = .wrongUsage) -> Row {
      Row("fetch X.quire Stop --where", last: text, code, part)
    }
    check([
      row("night > 2", "Did you mean \"nights\"?"),
      row("nights > two", "compared with a number"),
      row("name = Porto", "A text is written in quotes: \"Porto\"."),
      row("name = \"Porto", "no closing quote"),
      row("nights > \"abc\"", "> can't compare a number with text."),
      row("nights > 1 and", "Expected a value, found the end"),
      row("trip = \"Along the Douro\"", "such as trip.name"),
      row("trip.nam = \"x\"", "Did you mean \"name\"?"),
      row("name LIKE \"%x%\"", "LIKE \"*x*\"", .done),
      row("name ILIKE \"x\"", "LIKE[c]"),
      row("name IS NULL", "Write == NULL."),
      row("name IS NOT NULL", "Write != NULL."),
      row("name NOT NULL", "NOT must precede"),
      row("trip.departure > 2026", "compare YEAR of the date"),
      row("trip.departure > \"June 2026\"", "2026-01-31"),
      row("nights BETWEEN 1 AND 50", "BETWEEN {1, 50}"),
      row("name IN (\"a\",\"b\")", "{\"a\", \"b\"}"),
      row("lower(name) = \"porto\"", "Porto", .done),
      row("nights > AVG(nights)", "FETCH(\"Stop\", TRUEPREDICATE, NO).@avg.nights"),
      Row("fetch X.quire Trip --where", last: "stops.nights > 2", .wrongUsage, "ANY, ALL or NONE"),
      Row("fetch X.quire Trip --where", last: "stops.count > 2", .wrongUsage, "\"@count\""),
    ])
  }

  @Test("Options")
  func options() {
    func row(_ words: String, _ part: String) -> Row {
      Row("fetch X.quire Stop " + words, .wrongUsage, part)
    }
    check([
      row("--order-by nights", "--sort KEYS"), row("--sort nights desc", "--sort=-nights"),
      Row("fetch X.quire Stop --sort", last: "nights DESC", .wrongUsage, "-nights"),
      row("--sort nigths", "Did you mean \"nights\"?"),
      row("--limit ten", "needs a whole number, not 'ten'"),
      row("--limit -1", "a whole number of at least 0, not '-1'"),
      row("--format yaml", "json"), row("--json", "'--format json'"), row("-n 5", "--limit"),
      row("-q", "'--quiet'"), row("-v", "'--verbose'"), row("-V", "'quire --version'"),
      row("--columns trip.nme", "Did you mean \"name\"?"),
    ])
  }

  @Test("Values")
  func values() {
    check([
      Row("insert X.quire Stop night=3", .wrongUsage, "Did you mean 'nights'?"),
      Row(
        "insert X.quire Stop name=a position=1 nights=1 trip=9", .wrongUsage,
        "no object of 'Trip' has it as id", "trip={name == \"9\"}"),
      Row("insert X.quire Stop nights=3.5", .wrongUsage, "a whole number"),
      Row("insert X.quire Stop nights=9999999999999999999", .wrongUsage, "a whole number"),
      Row("insert X.quire Trip departure=31.12.2026", .wrongUsage, "2026-01-31"),
      Row("set X.quire Stop nights=1", .wrongUsage, "--all takes all objects"),
      Row("set X.quire Stop nights=1 --where", last: "nights > 99", .no, "0 objects changed"),
    ])
  }

  @Test("Many objects with one value are one conflict, which names a few of them")
  func conflicts() throws {
    let rows = (1...3000).map { "\($0),\($0 % 50)" }
    try write("id,kind\n" + rows.joined(separator: "\n") + "\n", to: "items.csv")
    #expect(run(["new", "I.quire", "--from", "items.csv"]).exitCode == .done)
    let start = ContinuousClock.now
    let one = run(["set", "I.quire", "Item", "id=1", "--where", "TRUEPREDICATE"])
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(one.exitCode == .no && one.messages.split(separator: "\n").count == 2)
    #expect(
      one.messages.contains("1/p1 and 1/p3 and 1/p4 and 2996 more objects have the same 1."),
      "\(one.messages)")
    let many = run(["set", "I.quire", "Item", "id=kind", "--where", "TRUEPREDICATE"])
    #expect(many.exitCode == .no)
    #expect(many.messages.split(separator: "\n").count == 20, "\(many.messages)")
    #expect(many.messages.contains("There are 32 more conflicts."), "\(many.messages)")
  }

  @Test("Versions")
  func versions() {
    check([
      Row("fetch X.quire@99 Stop", .inputOutput, "does not contain version 99", "It contains 2."),
      Row(
        "revert X.quire --to 99", .inputOutput, "does not contain version 99", "It contains 2."),
      Row("undo X.quire 3", .wrongUsage, "Write '--steps 3'."),
      Row("merge X.quire X.quire", .wrongUsage, "'quire merge BASE A B --output NEW'"),
      Row("migrate X.quire", .wrongUsage, "'migrate' needs --model."),
      Row("history Cars.sqlite", .done, "1  20"),
      Row("undo Cars.sqlite", .wrongUsage, "'quire save-as Cars.sqlite Cars.quire'"),
      Row("revert V.store --to 1", .wrongUsage, "'quire save-as V.store V.quire'"),
      Row("branch V.store", .wrongUsage, "'quire save-as V.store V.quire'"),
    ])
    // The command of the hint works.
    #expect(run(["save-as", "Cars.sqlite", "Cars.quire"]).exitCode == .done)
  }

  @Test("Habits from SQL and from spreadsheets")
  func habits() {
    check([
      Row("fetch X.quire Stop --columns *", .wrongUsage, "shows all properties", "name, nights"),
      Row(
        "fetch X.quire Stop --columns COUNT(*)", .wrongUsage,
        "Write --aggregate in place of --columns."),
      Row(
        "fetch X.quire Stop --group-by trip.name --columns trip.name,COUNT(*)", .wrongUsage,
        "Write --group-by trip.name --aggregate 'COUNT(*)'."),
      Row(
        "fetch X.quire Stop --where", last: "nights > 2 order by name", .wrongUsage,
        "given beside the condition"),
      Row("fetch X.quire Stop --output out.csv", .wrongUsage, "Write '> FILE' at the end"),
      Row("fetch X.quire 1/p1", .wrongUsage, "'1/p1' is an identifier.", "Write --id 1/p1."),
      Row("fetch X.quire Trip.stops", .wrongUsage, "Write Trip --columns stops."),
      Row("delete X.quire 2/p1", .wrongUsage, "Write --id 2/p1."),
      Row(
        "fetch X.quire Trip --group-by departure.month", .wrongUsage, "Write MONTH(departure)."),
      Row(
        "fetch X.quire Trip --group-by TRUNC(departure,month)", .wrongUsage,
        "A text is written in quotes: \"month\"."),
      Row("set X.quire Trip price=+10% --all", .wrongUsage, "Write 'price=price*1.1'."),
      Row("set X.quire Trip price=-5% --all", .wrongUsage, "Write 'price=price*0.95'."),
      Row("set X.quire Trip price+=1 --all", .wrongUsage, "or price=price+1 for the sum."),
      Row("set X.quire Trip price=1,50 --all", .wrongUsage, "Write price=1.50"),
      Row(
        "set X.quire Trip departure=2026-13-01 --all", .wrongUsage,
        "needs a date, not '2026-13-01'"),
      Row("revert X.quire 2", .wrongUsage, "Write '--to 2'."),
      Row("export X.quire out.csv", .wrongUsage, "Write '--output out.csv'."),
      Row("unpack X.quire", .wrongUsage, "is a folder already", "'quire save-as'"),
      Row("branch X.quire", last: "my idea", .inputOutput, "it contains a space"),
    ])
  }

  @Test("Files that come in and go out")
  func files() {
    check([
      Row("import X.quire nofile.csv", .inputOutput, "Can't open 'nofile.csv'", "no such file"),
      Row("import X.quire trip.csv", .inputOutput, "Did you mean 'trips.csv'?"),
      Row("import X.quire things.csv", .no, "names no entity", "Give the entity with --entity"),
      Row("import X.quire trips.csv", .no, "With --update, the import changes that object."),
      Row("convert X.quire out.csv", .wrongUsage, "'quire export X.quire --output out.csv'"),
      Row("new Y.quire", .wrongUsage, "Give --model MODEL, --from FILE or --template NAME."),
      Row(
        "new Y.quire --store sqlite --model X.quire", .wrongUsage, "can't be part of a document",
        "'quire convert'"),
      Row("pack Cars.sqlite", .wrongUsage, "takes the folder of a document", "'quire save-as'"),
      Row("attach X.quire", .wrongUsage, "It is 'list', 'add', 'get' or 'remove'."),
    ])
  }
}
