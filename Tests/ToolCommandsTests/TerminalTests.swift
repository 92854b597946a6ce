import CommandInterface
import Foundation
import Testing

@testable import ToolCommands

/// The tool in a real terminal: wide, narrow and dumb, with texts in wide characters and with texts that would control
/// the terminal.
@Suite("The tool in a terminal", .enabled(if: BuiltTool.exists))
struct TerminalTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "terminal-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: url.appending(path: name))
    }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
  }

  private static let model = """
    entity Trip
      name: String
      notes: String?
      start: Date?
      stops: [Stop], inverse trip, delete cascade

    entity Stop
      name: String
      nights: Int32 = 1
      trip: Trip?, inverse stops

    """

  /// Wide characters, an emoji, a long text, and a text that would colour the terminal and ring its bell.
  private static let objects = #"""
    {"@entity":"Trip","@id":"2/p1","name":"東京から京都までの旅","notes":"朝食と夕食、旅館と温泉、電車と自転車、友人と家族、山と海"}
    {"@entity":"Trip","@id":"2/p2","name":"Red \u001b[31m and \u0007 bell","notes":"\u001b]0;title\u0007"}
    {"@entity":"Trip","@id":"2/p3","name":"👩‍👩‍👧 Lisbon","notes":"A long note about a long trip, with more words than a narrow terminal has columns for."}
    {"@entity":"Stop","@id":"1/p1","name":"Kyōto 京都","nights":3,"trip":"2/p1"}

    """#

  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Self.model, to: "Trips.model")
    try folder.write(Self.objects, to: "trips.jsonl")
    try folder.write("id,name\n1,東京\n2,Köln\n", to: "cities.csv")
    done("new", folder.path("Trips.quire"), "--model", folder.path("Trips.model"))
    done("import", folder.path("Trips.quire"), folder.path("trips.jsonl"))
    done("save-as", folder.path("Trips.quire"), folder.path("Base.quire"))
    done("save-as", folder.path("Trips.quire"), folder.path("Copy.quire"))
    set("Trips.quire", "name=Ours 北海道")
    set("Copy.quire", "name=Theirs 沖縄")
  }

  private func done(_ words: String...) {
    let run = quire(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)")
  }

  private func set(_ document: String, _ value: String) {
    done("set", folder.path(document), "Trip", "--where", "notes BEGINSWITH '朝'", value)
  }

  /// The commands that print a value of a file, or a table.
  private static let commands: [(words: String, exitCode: Int32)] = [
    ("attach list Trips.quire", 0),
    ("count Trips.quire Trip", 0),
    ("diff Trips.quire Copy.quire", 1),
    ("diff Trips.quire Copy.quire --format json", 1),
    ("diff Trips.quire Copy.quire --stat", 1),
    ("export Trips.quire --format csv --entity Trip", 0),
    ("export Trips.quire", 0),
    ("fetch Trips.quire", 0),
    ("fetch Trips.quire Trip", 0),
    ("fetch Trips.quire Trip --format json", 0),
    ("fetch Trips.quire Trip --format jsonl", 0),
    ("fetch Trips.quire Trip --format line", 0),
    ("fetch Trips.quire Trip --format markdown", 0),
    ("fetch Trips.quire Nothing", 2),
    ("hash Trips.model", 0),
    ("help", 0),
    ("help fetch", 0),
    ("history Trips.quire", 0),
    ("history Trips.quire --changes", 0),
    ("info Trips.quire", 0),
    ("merge Base.quire Trips.quire Copy.quire --dry-run", 1),
    ("model Trips.quire", 0),
    ("model Trips.quire --diff Trips.model", 0),
    ("new Cities.quire --from cities.csv", 0),
    ("new Cities.quire --from missing.csv", 3),
    ("plugin list", 0),
    ("predicate 'name == \"東京\"' --model Trips.quire --entity Trip", 0),
    ("tree Trips.quire", 0),
    ("undo Trips.quire --dry-run", 0),
    ("validate Trips.quire", 0),
  ]

  /// The commands whose tables are cut to the width of the terminal.
  private static let fitted = [
    "fetch Trips.quire", "fetch Trips.quire Trip", "help", "help fetch", "tree Trips.quire",
  ]

  @Test("Values control no terminal, and a dumb terminal receives no controls", arguments: commands)
  func controls(_ command: (words: String, exitCode: Int32)) throws {
    let words = try ShellWords.split(command.words)
    for kind in ["xterm", "dumb"] {
      let run = try TerminalRun(words, in: folder.url, kind: kind)
      try? FileManager.default.removeItem(at: folder.url.appending(path: "Cities.quire"))
      #expect(run.exitCode == command.exitCode, "\(kind): \(run.text)")
      let controls = run.lines.joined().unicodeScalars.filter {
        $0.properties.generalCategory == .control
      }
      #expect(controls.isEmpty, "\(kind): \(run.lines)")
      if kind == "dumb" { #expect(!run.text.contains("\u{1B}"), "\(run.text)") }
    }
  }

  @Test("Tables and help fit into a terminal", arguments: fitted, [45, 57, 80, 132])
  func widths(_ command: String, _ width: Int) throws {
    let run = try TerminalRun(try ShellWords.split(command), in: folder.url, width: width)
    #expect(run.exitCode == 0, "\(run.text)")
    // The terminal breaks the lines of a note.
    for line in run.lines where !line.hasPrefix("Columns without room") {
      #expect(line.displayWidth <= width, "\(line)")
    }
  }

  @Test("A merge asks about a conflict, and takes the answer")
  func merge() throws {
    let words = ["merge", "Base.quire", "Trips.quire", "Copy.quire", "--interactive"]
    let question = "(o)urs, (t)heirs, (b)ase, (q)uit? "
    let stopped = try TerminalRun(
      words + ["--output", "Merged.quire"], in: folder.url, answers: [(question, "q\r")])
    #expect(stopped.exitCode == 1 && stopped.text.contains("北海道"), "\(stopped.text)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("Merged.quire")))

    let merged = try TerminalRun(
      words + ["--output", "Merged.quire"], in: folder.url, width: 40,
      answers: [(question, "what\r"), (question, "t\r")])

    #expect(merged.exitCode == 0, "\(merged.text)")
    let found = quire([
      "count", folder.path("Merged.quire"), "Trip", "--where", "name == 'Theirs 沖縄'",
    ])
    #expect(found.output == "1\n", "\(found.messages)")
  }

  @Test("model edit opens an editor, asks, and migrates")
  func edit() throws {
    let words = ["model", "edit", "Trips.quire"]
    let editor = ["EDITOR": "sed -i 's/nights: Int32 = 1/nights: Int32 = 2/'"]
    let refused = try TerminalRun(
      words, in: folder.url, environment: editor, answers: [("[y/N] ", "n\r")])
    #expect(refused.exitCode == 0, "\(refused.text)")

    let edited = try TerminalRun(
      words, in: folder.url, kind: "dumb", environment: editor, answers: [("[y/N] ", "y\r")])

    #expect(edited.exitCode == 0, "\(edited.text)")
    #expect(edited.text.contains("default value changed from 1 to 2"), "\(edited.text)")
    let model = quire(["model", folder.path("Trips.quire")]).output
    #expect(model.contains("nights: Int32 = 2"), "\(edited.text)")
  }

  @Test("new shows the model that it inferred, and makes a document")
  func new() throws {
    let run = try TerminalRun(
      ["new", "Cities.quire", "--from", "cities.csv"], in: folder.url, width: 40)
    #expect(run.exitCode == 0, "\(run.text)")
    #expect(run.lines.contains("  name: String"), "\(run.text)")
    let again = try TerminalRun(
      ["new", "Cities.quire", "--from", "cities.csv"], in: folder.url, kind: "dumb")
    #expect(again.exitCode == 3 && again.text.contains("exists already"), "\(again.text)")
  }
}
