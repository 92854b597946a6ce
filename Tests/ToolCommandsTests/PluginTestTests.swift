import Foundation
import InstalledPlugins
import PluginKit
import Testing

@testable import ToolCommands

@Suite("quire plugin test")
struct PluginTestTests {
  private static let quick = "new-store-is-empty"

  private func installed(_ name: String) throws -> String {
    try InstalledPlugins.folder.appending(path: name).path(percentEncoded: false)
  }

  @Test("quire plugin test tries each type of a plug-in, built-in types too, and lists each case")
  func passes() throws {
    let path = try installed("BinaryStore")

    let run = quire(["plugin", "test", path, "--case", Self.quick])

    #expect(run.exitCode == .done, "\(run.messages)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count { $0 == "passed   \(Self.quick)" } == 2)
    #expect(lines.count { $0 == "1 passed, 0 failed, 0 skipped" } == 2)
    #expect(lines.contains { $0.hasPrefix("BinaryStore ") && $0.hasSuffix(": CompressedBinary") })
  }

  @Test("The option for one case also has its former name, which help does not show")
  func formerName() throws {
    let words = ["plugin", "test", try installed("XMLStore")]

    let run = quire(words + ["--only", Self.quick])

    #expect(run.exitCode == .done && run.output == quire(words + ["--case", Self.quick]).output)
    #expect(!quire(["help", "plugin"]).output.contains("--only"))
  }

  @Test("A manifest's path names the plug-in too, and the test can be limited to one type")
  func oneType() throws {
    let path = try installed("BinaryStore") + "/plugin.json"

    let run = quire(
      ["plugin", "test", path, "--type", "Binary", "--case", Self.quick, "--format", "json"])

    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output.contains(#""plugin": "BinaryStore""#))
    #expect(run.output.contains(#""name": "Binary""#))
    #expect(!run.output.contains("CompressedBinary"))
    #expect(run.output.contains(#""outcome": "passed""#))
    #expect(run.output.contains(#""passed": 1"#))
  }

  @Test("A case for an optional capability is skipped, with the reason")
  func skips() throws {
    let run = quire([
      "plugin", "test", try installed("XMLStore"), "--case", "changes-between-snapshots",
    ])

    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output.contains("skipped  changes-between-snapshots: "))
    #expect(run.output.hasSuffix("0 passed, 0 failed, 1 skipped\n"))
  }

  @Test(
    "A store that fails a case gives the answer no, with the failure",
    .enabled(if: InstalledPlugins.compiler != nil))
  func fails() throws {
    let folder = try ScaffoldFolder()
    // No other test has a plug-in with this name, so the folders with the name are from this test.
    let name = "refusing"
    try folder.addRefusingPlugin(name)

    let run = quire(["plugin", "test", folder.path + "/" + name, "--case", Self.quick])
    let json = quire([
      "plugin", "test", folder.path + "/" + name, "--case", Self.quick, "--format", "json",
    ])

    #expect(run.exitCode == .no, "\(run.messages)")
    #expect(
      run.output.contains("FAILED   \(Self.quick): A new store contains its model and no objects"))
    #expect(run.output.contains("This plug-in is for tests and keeps nothing."))
    #expect(run.output.hasSuffix("0 passed, 1 failed, 0 skipped\n"))
    let left = try FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.temporaryDirectory.path)
    #expect(left.filter { $0.hasPrefix("quire-plugin-test-\(name)-") } == [])
    #expect(json.exitCode == .no)
    #expect(json.output.contains(#""outcome": "failed""#))
    #expect(json.output.contains("keeps nothing"))
  }

  @Test(
    "A plug-in that crashes or hangs fails each case, and the report names the function that was called last",
    .enabled(if: InstalledPlugins.compiler != nil && BuiltTool.exists),
    arguments: [
      (
        "abort()",
        "The process ended by signal 6 (Aborted). The last function that was called is 'create'."
      ),
      (
        "for (;;) pause()",
        "The case did not end within 1 seconds, so its process was killed. The last function that was called is "
          + "'create'."
      ),
      ("exit(3)", "The process ended with exit code 3."),
    ])
  func crashes(_ statement: String, _ sentence: String) throws {
    let folder = try ScaffoldFolder()
    try folder.addRefusingPlugin(creating: statement)
    let tool = Tool.quire(environment: [:], executable: BuiltTool.url.path)

    let words = ["plugin", "test", folder.path + "/bad", "--limit", "1"]
    let run = RecordedRun(words + ["--case", Self.quick], tool: tool)
    let traced = RecordedRun(
      words + ["--case", Self.quick, "--trace", "--format", "json"], tool: tool)

    #expect(run.exitCode == .no, "\(run.messages)")
    #expect(run.output.contains("FAILED   \(Self.quick)"))
    #expect(run.output.contains(sentence), "\(run.output)")
    #expect(run.output.hasSuffix("0 passed, 1 failed, 0 skipped\n"))
    #expect(traced.messages == "\(Self.quick):\ncall: create\n")
    #expect(traced.output.contains(#""outcome": "failed""#))
  }

  @Test(
    "Cases in processes of their own give the results that they give in one process",
    .enabled(if: BuiltTool.exists))
  func processes() throws {
    let words = ["plugin", "test", try installed("XMLStore"), "--seed", "7"]
    let apart = RecordedRun(words, tool: .quire(environment: [:], executable: BuiltTool.url.path))
    let together = RecordedRun(
      words + ["--in-process"], tool: .quire(environment: [:], executable: BuiltTool.url.path))

    #expect(apart.exitCode == .done, "\(apart.output)\(apart.messages)")
    #expect(apart.output == together.output)
    let features = try #require(apart.output.split(separator: "\nfeatures\n").last)
    #expect(
      features == """
          incremental   no   A save writes all objects.
          durable       yes  Saves outlive the program, a kill and a power cut.
          shared        yes  Several programs may save at the same time.
          history       no   Only the newest save can be opened.
          querying      no   Quire reads the rows, and finds and sorts them.
          confirmation  yes  The store can be a part of a document.
          vacuum        yes  Unused space is freed on request.
          recognition   yes  Programs recognise the store without its type.

        """)
    // Both cases start further processes.
    for name in ["two-processes-agree", "confirmed-commits-survive-kills"] {
      #expect(apart.output.contains("passed   \(name)\n"))
    }
    // The trace has the names of the plug-in's functions.
    let traced = quire(words + ["--in-process", "--trace", "--case", "commit-numbers-rise"])
    let names = Set(
      traced.messages.split(separator: "\n").map { $0.dropFirst(CaseProcess.callMark.count) })
    let called: Set<Substring> = [
      "create", "open", "snapshot", "describe", "tables", "commit", "close",
    ]
    #expect(names.isSuperset(of: called), "\(names)")
    #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z_]+/) != nil }, "\(names)")
    #expect(quire(["plugin", "test", words[2], "--seed", "x"]).exitCode == .wrongUsage)
  }

  @Test(
    "A store in C and a store with an incremental file pass the cases of several processes",
    .enabled(if: InstalledPlugins.compiler != nil && BuiltTool.exists),
    arguments: ["FolderStore", "BinaryStore"],
    ["two-processes-agree", "confirmed-commits-survive-kills"])
  func severalProcesses(_ plugin: String, _ name: String) throws {
    let run = RecordedRun(
      ["plugin", "test", try installed(plugin), "--case", name, "--seed", "3"],
      tool: .quire(environment: [:], executable: BuiltTool.url.path))

    #expect(run.exitCode == .done, "\(run.output)\(run.messages)")
    #expect(run.output.contains("passed   \(name)\n"))
  }

  @Test("A part of a case reports an error of its store, and refuses words that name no part")
  func parts() throws {
    let words = ["conformance-part", try installed("XMLStore"), "XML"]

    let missing = quire(words + ["session", "/no-such-folder/store"])
    let wrong = quire(words + ["sessions", "/no-such-folder/store"])
    let foreign = quire(words.dropLast() + ["XLM", "session", "/no-such-folder/store"])

    #expect(missing.exitCode == .done)
    #expect(missing.output.hasPrefix("refused notFound "))
    #expect(missing.output.hasSuffix("\n"))
    #expect(wrong.exitCode == .wrongUsage)
    #expect(wrong.messages.contains("which start it"))
    #expect(foreign.exitCode == .wrongUsage)
  }

  @Test(
    "The messages that a plug-in logs are printed with --verbose, and in the process of the command"
  )
  func messages() throws {
    let folder = try ScaffoldFolder()
    try folder.addRefusingPlugin(
      creating: #"host->log(host->context, QUIRE_LOG_WARNING, "The drawer is full.")"#)
    let path = folder.path + "/bad"

    let bench = quire(["plugin", "bench", path, "--count", "10"])
    let verbose = quire(["--verbose", "plugin", "bench", path, "--count", "10"])
    let test = quire(["plugin", "test", path, "--case", "new-store-is-empty"])

    #expect(!bench.messages.contains("drawer"))
    #expect(verbose.messages.contains("bad: warning: The drawer is full.\n"))
    #expect(test.messages.contains("message: bad: warning: The drawer is full.\n"))
  }

  @Test(
    "A folder above a plug-in that a group may write is named with the command that corrects it")
  func groupFolder() throws {
    let folder = try ScaffoldFolder()
    try folder.add("ledger", library: "abc")
    try folder.setMode(0o775, "")

    let run = quire(["plugin", "test", folder.path + "/ledger"])

    #expect(run.exitCode == .plugin)
    #expect(run.messages.contains("'chmod g-w \(folder.path)' corrects this."), "\(run.messages)")
    #expect(!run.messages.contains("is not searched"))
  }

  @Test("A plug-in that is missing, can't be loaded or is writable by other users is refused")
  func refusals() throws {
    let folder = try ScaffoldFolder()
    try folder.add("open", library: "abc")
    try folder.setMode(0o777, "open")
    try folder.add("broken", library: "abc")

    let open = quire(["plugin", "test", folder.path + "/open"])
    let broken = quire(["plugin", "test", folder.path + "/broken"])
    let missing = quire(["plugin", "test", folder.path + "/missing"])

    #expect(open.exitCode == .plugin)
    #expect(open.messages.contains("can be written by every user"))
    #expect(broken.exitCode == .plugin)
    #expect(broken.messages.contains("\(folder.path)/broken/lib.so, can't be loaded"))
    #expect(missing.exitCode == .plugin)
    #expect(missing.messages.contains("contains no plug-in"))
    #expect([open, broken, missing].allSatisfy { $0.output.isEmpty })
  }

  @Test("Disabled plug-ins are not tried")
  func off() throws {
    let run = quire(
      ["plugin", "test", try installed("XMLStore"), "--no-plugins"])

    #expect(run.exitCode == .plugin)
    #expect(run.messages.contains("Plug-ins are disabled"))
  }

  @Test("Unknown cases, types and options are wrong usage")
  func words() throws {
    let path = try installed("XMLStore")

    let unknownCase = quire(["plugin", "test", path, "--case", "new-store-is-emty"])
    let unknownType = quire(["plugin", "test", path, "--type", "XLM"])
    let foreign = quire(["plugin", "list", "--case", Self.quick])

    #expect(unknownCase.exitCode == .wrongUsage)
    #expect(unknownCase.messages.contains("Did you mean '\(Self.quick)'?"))
    #expect(unknownType.exitCode == .wrongUsage)
    #expect(foreign.exitCode == .wrongUsage)
    #expect(foreign.messages.contains("Option '--case' belongs to 'quire plugin test'."))
    #expect(quire(["plugin", "test"]).exitCode == .wrongUsage)
  }
}
