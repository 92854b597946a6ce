import Archives
import CommandInterface
import Documents
import DurableFiles
import Foundation
import QuireTools
import Synchronization
import TestEffort
import Testing

@testable import ToolCommands

/// Commands that change a document take a packed one too, and replace its file.
@Suite("Packed documents are changed in place")
struct PackedChangeTests {
  private let folder: ScaffoldFolder
  private var packed: String { folder.path + "/Trips.zip" }
  private var plain: String { folder.path + "/Trips.quire" }

  init() throws {
    folder = try ScaffoldFolder()
    try write("trip,name,nights\nA,Porto,3\nA,Faro,2\nB,Berlin,5\n", "stops.csv")
    for words in [
      ["new", plain, "--from", folder.path + "/stops.csv"],
      ["insert", plain, "Stop", "trip=C", "name=Lagos", "nights=1"],
      ["branch", plain, "draft"], ["pack", plain, packed],
    ] {
      let run = quire(words)
      #expect(run.exitCode == .done, "\(words): \(run.messages)")
    }
    try folder.setMode(0o640, "Trips.zip")
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + name))
  }

  private var hiddenNames: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix(".") }
    }
  }

  private var status: FileStatus { get throws { try RealDisk().status(of: packed) } }

  /// Each command that changes a document. `DOC` stands for the document.
  private static let changes: [[String]] = [
    ["set", "DOC", "Stop", "nights=9", "--where", "nights=3"],
    ["insert", "DOC", "Stop", "trip=C", "name=Sintra", "nights=1"],
    ["delete", "DOC", "Stop", "--where", "nights=5"],
    ["import", "DOC", "DIR/stops.csv", "--entity", "Stop"],
    ["undo", "DOC"], ["revert", "DOC", "--to", "2"], ["redo", "DOC"],
    ["history", "DOC", "--name", "3=good"], ["history", "DOC", "--thin", "newest"],
    ["branch", "DOC", "other"], ["switch", "DOC", "draft"], ["merge", "DOC", "draft"],
    ["attach", "add", "DOC", "DIR/stops.csv"], ["vacuum", "DOC"],
    ["migrate", "DOC", "--model", "DIR/new.model"],
    ["remote", "add", "DOC", "origin", "DIR/remote"], ["sync", "DOC"],
  ]

  @Test("Each command does the same as with a folder", arguments: changes)
  func command(_ words: [String]) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/remote", withIntermediateDirectories: true)
    try write(
      quire(["model", plain]).output.replacing(
        "nights: Int64", with: "nights: Int64\n  note: String?"),
      "new.model")
    var before: [[String]] = []
    switch words[0] {
    case "redo": before = [["undo", "DOC"]]
    case "merge": before = [["set", "DOC@draft", "Stop", "nights=4", "--where", "nights=2"]]
    case "sync": before = [["remote", "add", "DOC", "origin", "DIR/remote"]]
    default: break
    }
    func run(_ words: [String], _ document: String) -> RecordedRun {
      quire(
        words.map { $0.replacing("DOC", with: document).replacing("DIR", with: folder.path) })
    }
    for words in before {
      for document in [plain, packed] { #expect(run(words, document).exitCode == .done) }
    }
    let old = try status

    let (expected, found) = (run(words, plain), run(words, packed))

    #expect(found.exitCode == .done, "\(found.messages)")
    #expect(expected.exitCode == .done, "\(expected.messages)")
    func contents(_ document: String) -> String {
      [
        ["fetch", document, "Stop", "--format", "csv", "--columns", "trip,name,nights"],
        ["model", document], ["attach", "list", document],
      ].map { quire($0).output }.joined()
    }
    #expect(contents(packed) == contents(plain))
    let versions = [plain, packed].map {
      quire(["history", $0]).output.split(separator: "\n").count
    }
    #expect(words == ["sync", "DOC"] || versions[0] == versions[1])
    #expect(quire(["validate", packed]).exitCode == .done)
    #expect(try status.identity != old.identity && status.permissions == old.permissions)
    #expect(try hiddenNames.isEmpty)
  }

  @Test(
    "A packed document draws one lane, however often it is changed, and its copy draws another",
    arguments: ["binary", "compressed", "xml"])
  func lanes(_ store: String) throws {
    let (typed, copy) = (folder.path + "/Typed.quire", folder.path + "/Copy.zip")
    func number(_ path: String) -> UInt64 {
      let run = quire(["insert", path, "Stop", "trip=C", "name=Sintra", "nights=1"])
      #expect(run.exitCode == .done, "\(run.messages)")
      return run.output.trimmingCharacters(in: .newlines).split(separator: "p").last
        .flatMap { UInt64($0) } ?? 0
    }
    func done(_ words: String...) {
      let run = quire(words)
      #expect(run.exitCode == .done, "\(words): \(run.messages)")
    }
    done("save-as", plain, typed, "--store", store)
    done("pack", typed, packed, "--force")
    let first = number(packed)
    #expect(first > 1 << 47)
    done("set", packed, "Stop", "--all", "nights=7")
    try FileManager.default.copyItem(atPath: packed, toPath: copy)
    done("set", copy, "Stop", "--all", "nights=8")

    let own = (0..<3).map { _ in number(packed) }
    let copied = (0..<3).map { _ in number(copy) }

    let (lane, other) = (first..<first + 65_536, copied[0]..<copied[0] + 65_536)
    #expect(own.allSatisfy(lane.contains), "\(first): \(own)")
    #expect(copied.allSatisfy(other.contains) && !lane.overlaps(other), "\(first): \(copied)")
    done("validate", packed)
    done("validate", copy)
  }

  @Test(
    "A command without an effect, a refused command and a dry run leave the file as it is",
    arguments: [
      (["set", "DOC", "Stop", "nights=3", "--where", "nights=3"], ExitCode.done),
      (["set", "DOC", "Stop", "nights=9", "--where", "nights=3", "--dry-run"], .done),
      (["set", "DOC", "Stop", "nights=9", "--where", "nights=77"], .no),
      (["set", "DOC", "Stop", "nights=x", "--where", "nights=3"], .wrongUsage),
      (["insert", "DOC", "Stop", "name=Nowhere"], .no),
      (["import", "DOC", "DIR/stops.csv", "--entity", "Stop", "--dry-run"], .done),
      (["undo", "DOC", "--dry-run"], .done), (["switch", "DOC", "main"], .done),
      (["merge", "DOC", "draft"], .done), (["history", "DOC", "--thin", "usual"], .done),
      (["branch", "DOC"], .done), (["history", "DOC"], .done),
    ])
  func unchanged(_ words: [String], _ code: ExitCode) throws {
    let before = try status
    let run = quire(
      words.map { $0.replacing("DOC", with: packed).replacing("DIR", with: folder.path) })
    #expect(run.exitCode == code, "\(run.messages)")
    #expect(try status == before)
    #expect(try hiddenNames.isEmpty)
  }

  @Test("A vacuum that frees nothing leaves the file as it is")
  func vacuumTwice() throws {
    #expect(quire(["vacuum", packed]).exitCode == .done)
    let before = try status

    let again = quire(["vacuum", packed])

    #expect(again.exitCode == .done, "\(again.messages)")
    #expect(try status == before)
  }

  @Test(
    "A packed document is saved as a folder, with its heads and attachments",
    arguments: [["DOC"], ["DOC@2"], ["DOC", "--version", "3"], ["DOC", "--store", "xml"]])
  func savedAs(_ words: [String]) throws {
    for document in [plain, packed] {
      #expect(
        quire(["attach", "add", document, folder.path + "/stops.csv"]).exitCode == .done)
    }
    let before = try status
    let copies = [plain, packed].map { $0 + "-copy.quire" }
    for (document, copy) in zip([plain, packed], copies) {
      let given = words.map { $0.replacing("DOC", with: document) }
      let run = quire(["save-as", given[0], copy] + given.dropFirst())
      #expect(run.exitCode == .done, "\(run.messages)")
      #expect(quire(["validate", copy]).exitCode == .done)
    }
    let contents = copies.map { copy in
      [
        ["fetch", copy, "Stop", "--format", "csv", "--columns", "trip,name,nights"],
        ["model", copy], ["attach", "list", copy], ["branch", copy],
      ].map { quire($0).output.replacing(/[0-9]{4}-[0-9TZ:.-]+/, with: "") }.joined()
    }

    #expect(contents[0] == contents[1])
    #expect(contents[0].contains("Porto"))
    #expect(try status == before && hiddenNames.isEmpty)
  }

  @Test("A packed document is not saved over itself")
  func savedOverItself() throws {
    let before = try status
    for more in [[], ["--force"], ["--force", "--store", "xml"]] {
      #expect(quire(["save-as", packed, packed] + more).exitCode != .done)
      #expect(try status == before)
    }
  }

  @Test("A command that changes a packed document writes its file once")
  func once() throws {
    // The output comes after the first new file, and before a second one.
    for words in [["set", packed, "Stop", "nights=9", "--where", "nights=3"], ["undo", packed]] {
      let states = Mutex<Set<FileIdentity>>([])
      let tool = Tool.quire(environment: [:], executable: nil)
      let console = Console(
        output: .init { [packed] _ in
          let identity = try RealDisk().status(of: packed).identity
          states.withLock { _ = $0.insert(identity) }
        }, messages: .init { _ in })
      #expect(tool.run(words, on: console) == .done)
      #expect(try states.withLock { $0 } == [status.identity])
    }
  }

  // MARK: - Other programs

  private func start(_ words: [String]) throws -> Process {
    let process = Process()
    process.executableURL = BuiltTool.url
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  @Test("Several writers at once are all saved", .enabled(if: BuiltTool.exists))
  func writers() throws {
    let processes = try (0..<6).map {
      try start(["insert", packed, "Stop", "trip=W", "name=W\($0)", "nights=1"])
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(quire(["count", packed, "Stop", "--where", "trip = \"W\""]).output == "6\n")
    #expect(try hiddenNames.isEmpty)
  }

  private func session(_ lines: String) -> RecordedRun {
    let text = lines.replacing("TOOL", with: "'\(BuiltTool.url.path)'")
      .replacing("DOC", with: packed).replacing("DIR", with: folder.path)
    return RecordedRun(
      ["open", packed], tool: .quire(environment: [:], executable: nil), input: Array(text.utf8))
  }

  @Test(
    "A session packs at each save, and another writer is refused meanwhile",
    .enabled(if: BuiltTool.exists))
  func session() throws {
    let run = session(
      """
      set Stop --where 'nights = 3' nights=30
      save -m first
      !TOOL count DOC Stop --where 'nights = 30'
      !TOOL set DOC Stop nights=1 --where 'nights = 2' 2> DIR/errors; test $? = 3
      import DIR/stops.csv --entity Stop
      set Stop --where 'nights = 30' nights=31
      save
      """)
    #expect(run.exitCode == .done, "\(run.messages)")
    let errors = try String(contentsOfFile: folder.path + "/errors", encoding: .utf8)
    #expect(errors.contains("Another program is changing the packed document."), "\(errors)")
    #expect(errors.contains("Trips.zip"))
    let history = quire(["history", packed]).output
    #expect(history.contains("\"first\"") && history.split(separator: "\n").count == 5)
    #expect(quire(["count", packed, "Stop", "--where", "nights = 31"]).output == "1\n")
    #expect(try hiddenNames.isEmpty)
  }

  @Test("A file that a program without the lock has changed is not replaced")
  func changedMeanwhile() throws {
    let before = try Data(contentsOf: URL(filePath: packed))
    let run = session(
      """
      !cp DOC DIR/copy.zip
      set Stop --where 'nights = 3' nights=30
      !cp DIR/copy.zip DIR/x.zip; mv DIR/x.zip DOC
      save
      """)
    #expect(run.exitCode == .inputOutput)
    #expect(
      run.messages.contains("Can't save '\(packed)': another program has changed the file"),
      "\(run.messages)")
    #expect(run.messages.contains("Run the command again."))
    #expect(try Data(contentsOf: URL(filePath: packed)) == before)
    #expect(try hiddenNames.isEmpty)
  }

  @Test(
    "A signal at any moment leaves the old or the new file, whole", .enabled(if: BuiltTool.exists))
  func signals() throws {
    var nights = 3
    for round in 0..<Effort.count(40) {
      let signal = [SIGTERM, SIGKILL, SIGINT][round % 3]
      let process = try start(
        ["set", packed, "Stop", "nights=nights+1", "--where", "name = \"Porto\""])
      usleep(UInt32(round % 20) * 2_000)
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      let found = quire(
        [
          "fetch", packed, "Stop", "--where", "name = \"Porto\"", "--columns", "nights", "--format",
          "csv",
        ]
      ).output
      let isNew = found.contains("\(nights + 1)")
      #expect(isNew || found.contains("\(nights)"), "\(found)")
      if process.terminationStatus == 0, process.terminationReason == .exit { #expect(isNew) }
      if isNew { nights += 1 }
      if signal != SIGKILL { #expect(try hiddenNames.isEmpty, "round \(round)") }
      #expect(quire(["validate", packed]).exitCode == .done)
      // The next writer removes what a killed process has left.
      #expect(
        quire(["set", packed, "Stop", "nights=2", "--where", "name = \"Faro\""]).exitCode == .done)
      #expect(try hiddenNames.isEmpty, "round \(round)")
    }
  }

  // MARK: - Programs

  @Test("A program changes a packed document in one call, and an error changes nothing")
  func library() throws {
    struct Stopped: Error {}
    let before = try status
    #expect(throws: Stopped.self) {
      try Document.update(packed: packed, in: .builtIn) { document in
        try document.nameVersion(2, "good")
        throw Stopped()
      }
    }
    #expect(try status == before)
    try Document.update(packed: packed, in: .builtIn) { try $0.nameVersion(2, "good") }
    #expect(quire(["history", packed]).output.contains("\"good\""))
    #expect(try hiddenNames.isEmpty)
    #expect(throws: DocumentError.self) { try Document.open(packed, in: .builtIn) }
  }
}
