import BinaryStore
import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("The lines of a session")
struct SessionLineTests {
  private let folder: ScaffoldFolder
  private let store: String

  init() throws {
    folder = try ScaffoldFolder()
    store = folder.path + "/Trips.store"
    let model = try Model(entities: [
      Entity("Trip", properties: [.attribute(Attribute("name", .string, isOptional: false))])
    ])
    try BinaryStoreBackend().create(
      at: store, model: model, on: StoreReader.files.disk, StoreCreation()
    ).close()
  }

  private func script(_ text: String, _ options: String...) -> RecordedRun {
    RecordedRun(["open", store] + options, input: Array(text.utf8))
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: - Several lines

  @Test("An open quote and a backslash at the end of a line continue a command")
  func severalLines() {
    let run = script(
      """
      insert Trip 'name=Lisbon
      and around'
      count Trip --where "name == 'Lisbon\\nand around'"
      fetch Trip \\
        --columns name \\
        --format jsonl
      save
      """)
    #expect(run.exitCode == .done, "\(run)")
    #expect(
      run.output.hasSuffix(
        "1\n{\"@entity\":\"Trip\",\"@id\":\"1/p1\",\"name\":\"Lisbon\\nand around\"}\n"), "\(run)")
  }

  @Test(
    "A command of several lines fails with the number of its first line",
    arguments: [
      ("count Trip\ninsert Trip \\\n  nam=x\n", "line 2: ", "Did you mean 'name'?"),
      ("# it's a comment\n\ncount 'Tri\np'\n", "line 3: ", "Unknown entity 'Tri\\np'"),
      ("count Trip\ncount 'Trip\nsave\n", "line 2: ", "A quote ' is not closed."),
      ("count Trip \\", "line 1: ", "ends with a backslash"),
    ])
  func failing(_ text: String, _ place: String, _ words: String) {
    let run = script(text)
    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("error: " + place) && run.messages.contains(words), "\(run)")
  }

  @Test("The next prompt shows that a command is open, and Ctrl-C abandons all its lines")
  func prompts() {
    var command = GrowingCommand()
    #expect(command.add("insert Trip 'name=a") == nil && command.isOpen)
    #expect(command.add("b\\") == nil && command.isOpen)
    #expect(command.add("c' \\") == nil && command.isOpen)
    #expect(command.add("# it's the end") == "insert Trip 'name=a\nb\\\nc' \\\n# it's the end")
    #expect(!command.isOpen && command.text.isEmpty)
    #expect(command.add("!echo 'a") == "!echo 'a")
    #expect(command.add("count 'a") == nil && command.finish() == "count 'a" && !command.isOpen)
  }

  @Test("Many lines after an open quote are read in linear time")
  func manyLines() {
    let run = script("count 'Trip\n" + String(repeating: "count Trip\n", count: 100_000))
    #expect(run.messages.contains("line 1: A quote ' is not closed."), "\(run.messages)")
  }

  @Test("The history keeps a command of several lines as one entry")
  func history() throws {
    let disk = SimulatedDisk()
    LineHistory("/state/history", on: disk).add("insert Trip 'name=a\nb'")
    LineHistory("/state/history", on: disk).add("save")
    #expect(
      LineHistory("/state/history", on: disk).lines == ["insert Trip 'name=a\nb'", "save"])
  }

  // MARK: - Outputs

  @Test("The output of a command goes to a file, which is replaced only on request")
  func file() {
    let one = "fetch Trip --columns name --ids --format csv"
    #expect(script("insert Trip name=One\nsave\n").exitCode == .done)
    let run = script("\(one) > '\(path("a b.csv"))'\ncount Trip\n")
    #expect(run.exitCode == .done && run.output == "1\n", "\(run)")
    #expect(text("a b.csv") == "@id,name\n1/p1,One\n")

    let refused = script("count Trip >'\(path("a b.csv"))'\n")
    #expect(refused.exitCode == .inputOutput && refused.messages.contains("exists already"))
    #expect(refused.messages.contains("'>|' replaces a file"), "\(refused.messages)")
    #expect(text("a b.csv") == "@id,name\n1/p1,One\n")

    #expect(script("count Trip >| '\(path("a b.csv"))'\n").exitCode == .done)
    #expect(text("a b.csv") == "1\n")
    #expect(script("count Trip >> '\(path("a b.csv"))'\n").exitCode == .done)
    #expect(script("count Trip >> '\(path("new"))'\n").exitCode == .done)
    #expect(text("a b.csv") == "1\n1\n" && text("new") == "1\n")
  }

  @Test("A command that fails leaves no file, and the old file as it was")
  func failedOutput() {
    #expect(script("count Tripp > \(path("new"))\n").exitCode == .wrongUsage)
    #expect(text("new") == nil)
    #expect(script("count Trip > \(path("old"))\n").exitCode == .done)
    #expect(script("count Tripp >| \(path("old"))\n").exitCode == .wrongUsage)
    #expect(text("old") == "0\n")
  }

  @Test("The output is never the session's own store", arguments: [">", ">|", ">>"])
  func ownStore(_ mark: String) throws {
    let before = try Data(contentsOf: URL(filePath: store))
    let run = script("count Trip \(mark) \(store)\n")
    #expect(run.exitCode == .wrongUsage && run.messages.contains("the input"), "\(run)")
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  @Test(
    "A place for the output that is missing or doubled is an error",
    arguments: [
      ("count Trip >", "No file follows '>'."), ("count Trip >> a b", "Only one file"),
      ("count Trip |", "No program follows '|'."), ("> a", "No command is before '>'."),
      ("!", "No command follows '!'."), ("count Trip > ''", "No file follows"),
    ])
  func wrongOutputs(_ line: String, _ words: String) {
    let run = script(line + "\n")
    #expect(run.exitCode == .wrongUsage && run.messages.contains(words), "\(run)")
  }

  @Test("Marks within quotes and words belong to the command")
  func quotedMarks() throws {
    #expect(
      try SessionLine("count Trip --where 'a > 1 | b' x>y | less -S")
        == .command(
          ["count", "Trip", "--where", "a > 1 | b", "x>y"], .program("less -S")))
  }

  @Test("A program reads the output of a command, and may end early")
  func program() {
    var lines = ""
    for number in 0..<3000 { lines += "insert Trip name=\(number)\n" }
    #expect(script(lines + "save\n").exitCode == .done)
    let all = script(
      "fetch Trip --all --columns name --ids --format csv | wc -l > \(path("count"))\n")
    #expect(all.exitCode == .done, "\(all)")
    #expect(text("count")?.filter { $0 != " " } == "3001\n")
    let first = script(
      "fetch Trip --all --columns name --ids --format csv | head -n 1 > \(path("head"))\ncount Trip\n"
    )
    #expect(first.exitCode == .done && first.output == "3000\n", "\(first)")
    #expect(text("head") == "@id,name\n")
  }

  @Test("! runs a command of the shell, and its failure stops a script")
  func shell() {
    let run = script("! printf %s 'it''s' > '\(path("out"))'\n!cat\ncount Trip\n")
    #expect(run.exitCode == .done && run.output == "0\n", "\(run)")
    #expect(text("out") == "its")
    let failed = script("!exit 3\ncount Trip\n")
    #expect(failed.exitCode == .no && failed.output.isEmpty)
    #expect(failed.messages.contains("line 1: The command 'exit 3' ended with exit code 3."))
    #expect(script("!kill -9 $$\n").messages.contains("exit code 137"))
  }

  // MARK: - Undo

  @Test("undo and redo name the changes")
  func undo() {
    let run = script(
      """
      insert Trip name=One
      insert Trip name=Two
      set Trip --where TRUEPREDICATE name=Three
      undo
      undo
      redo
      quit --discard
      """)
    #expect(
      run.messages.hasSuffix(
        "Undone: 2 objects changed.\nUndone: 1 object inserted.\nRedone: 1 object inserted.\n"),
      "\(run.messages)")
  }

  // MARK: - Terminals

  private static let setsid = "/usr/bin/setsid"
  private static let canRun =
    BuiltTool.exists && FileManager.default.isExecutableFile(atPath: setsid)

  /// Starts the tool in a session of its own, with a terminal that sends signals and stops programs in the background.
  private func start(
    _ words: [String], on pair: TerminalPair, _ environment: [String: String]
  ) throws -> Process {
    try pair.start(
      ["--ctty", "--wait", BuiltTool.url.path] + words, program: URL(filePath: Self.setsid),
      environment)
  }

  @Test("A pager can read keys", .enabled(if: canRun))
  func pager() throws {
    #expect(script("insert Trip name=One\nsave\n").exitCode == .done)
    let pair = try TerminalPair()
    let process = try start(
      ["fetch", store, "Trip", "--pager"], on: pair,
      [
        "PAGER": "cat; printf 'key? '; read key < /dev/tty; echo \"read $key\"",
        "PATH": "/usr/bin:/bin",
      ])
    defer { if process.isRunning { process.terminate() } }
    #expect(try pair.read(until: "key? ").contains("One"))
    try pair.type("x\r")
    try #require(pair.read(until: "read x").contains("read x"))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("Ctrl-C ends a command of the shell, and not the session", .enabled(if: canRun))
  func interrupt() throws {
    let pair = try TerminalPair()
    let process = try start(
      ["open", store], on: pair, ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TERM": "dumb"])
    // The end of the terminal ends the session too.
    defer { if process.isRunning { process.terminate() } }
    func expect(_ text: String) throws {
      let seen = try pair.read(until: text)
      try #require(seen.contains(text), "\(seen.debugDescription.suffix(300))")
    }
    try expect("Trips.store> ")
    try pair.type("insert Trip 'name=a\r")
    try expect("... ")
    try pair.type("b'\r")
    try expect("Trips.store*> ")
    try pair.type("undo\r")
    try expect("Undone: 1 object inserted.")
    try expect("Trips.store> ")
    // Nothing that a program reads is fitted to the terminal.
    let name = String(repeating: "n", count: 200) + "end"
    try pair.type("insert Trip name=\(name)\r")
    try expect("Trips.store*> ")
    try pair.type("fetch Trip | tail -n 1 | cut -c 200-\r")
    try expect("nend\"\r\n")
    try expect("Trips.store*> ")
    try pair.type("undo\r")
    try expect("Trips.store> ")
    // The text appears only in the output, and not in the line that the user types.
    try pair.type("!printf 'rea%s' dy; exec sed -u 's/^/line /'\r")
    try expect("ready")
    try pair.type("hello\r")
    try expect("line hello")
    try pair.type("\u{3}")
    try expect("ended with exit code 130")
    try expect("Trips.store> ")
    try pair.type("quit\r")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
