import DurableFiles
import Foundation
import InstalledPlugins
import TestEffort
import Testing

@testable import ToolCommands

/// The files that several processes of the tool, and processes that end early, leave behind.
@Suite("Outputs of several processes")
struct OutputProcessTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "processes-\(UUID().uuidString)")
    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
    var hiddenNames: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasPrefix(".") }
      }
    }
  }

  /// The number of objects in a store that takes a command some time.
  private static let largeCount = Effort.count(20_000)
  private let folder: Folder
  private let small: String
  private let large: String

  init() throws {
    folder = try Folder()
    small = InstalledPlugins.root.appending(path: "Examples/Trips.store").path
    large = folder.path("large.store")
    let text = (0..<Self.largeCount).map {
      "{\"@entity\":\"Person\",\"fullName\":\"Person \($0)\"}"
    }
    try Data(text.joined(separator: "\n").utf8).write(to: folder.url.appending(path: "in.jsonl"))
    #expect(quire(["convert", small, large]).exitCode == .done)
    let imported = quire(["import", large, folder.path("in.jsonl")])
    #expect(imported.exitCode == .done, "\(imported.messages)")
  }

  private func start(_ words: [String]) throws -> Process {
    let process = Process()
    process.executableURL = BuiltTool.url
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func count(_ path: String) -> Int {
    quire(["export", path]).output.split(separator: "\n").count
  }

  @Test(
    "If two processes make one file, each process with exit code 0 has made it",
    .enabled(if: BuiltTool.exists),
    arguments: [false, true])
  func pairs(_ force: Bool) throws {
    for number in 0..<6 {
      let path = folder.path("pair-\(number).store")
      let sources = [small, large]
      let counts = [count(small), count(large)]
      let processes = try sources.map {
        try start(["convert", $0, path] + (force ? ["--force"] : []))
      }
      for process in processes { process.waitUntilExit() }
      let codes = processes.map(\.terminationStatus)
      let made = count(path)
      let winners = codes.indices.filter { codes[$0] == 0 }
      #expect(winners.contains { counts[$0] == made }, "\(codes): \(made)")
      #expect(codes.allSatisfy { $0 == 0 || $0 == 3 })
      if !force { #expect(winners.count == 1, "\(codes)") }
    }
    #expect(try folder.hiddenNames.isEmpty)
  }

  @Test(
    "A signal removes temporary files, and the next run removes a killed process's files",
    .enabled(if: BuiltTool.exists),
    arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGKILL, Int32(9))])
  func signals(_ signal: Int32, _ code: Int32) throws {
    for words in [
      ["convert", large, folder.path("out.xml")],
      ["export", large, "--output", folder.path("out.jsonl")],
    ] {
      let process = try start(words)
      // The process writes as soon as its private folder exists.
      while process.isRunning,
        try !folder.hiddenNames.contains(where: { $0.hasSuffix(".quire-tmp") })
      { usleep(1000) }
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      let isThere = FileManager.default.fileExists(atPath: words.last!)
      if signal != SIGKILL {
        #expect(process.terminationStatus == code || isThere)
        #expect(try folder.hiddenNames.isEmpty)
      }
      guard !isThere else { continue }
      #expect(quire(words).exitCode == .done)
      #expect(try folder.hiddenNames.isEmpty)
    }
  }

  @Test(
    "A signal at any moment leaves neither an attachment's bytes nor a lock file",
    .enabled(if: BuiltTool.exists))
  func signalsAtAnyMoment() throws {
    let document = folder.path("Trips.quire")
    #expect(quire(["save-as", small, document]).exitCode == .done)
    let picture = folder.path("picture.jpg")
    _ = FileManager.default.createFile(atPath: picture, contents: nil)
    // Long enough to be interrupted, and without bytes on the disk.
    try FileHandle(forWritingTo: URL(filePath: picture)).truncate(atOffset: 300 << 20)
    var found = 0
    for round in 0..<Effort.count(24) {
      let process = try start(
        round % 2 == 0
          ? ["attach", "add", document, picture, "--force"]
          : ["convert", small, folder.path("out.xml"), "--force"])
      usleep(UInt32(round) * 3_000)
      kill(process.processIdentifier, [SIGTERM, SIGINT, SIGHUP][round % 3])
      process.waitUntilExit()
      if process.terminationStatus > 128 || process.terminationReason == .uncaughtSignal {
        found += 1
      }
      #expect(try folder.hiddenNames.isEmpty, "round \(round)")
      let names = try FileManager.default.contentsOfDirectory(atPath: document + "/attachments")
      #expect(!names.contains { $0.hasPrefix(".") }, "round \(round): \(names)")
    }
    #expect(found > Effort.count(4))
    #expect(quire(["validate", document]).exitCode == .done)
  }

  @Test(
    "A folder that a killed process had moved away is back for every command",
    .enabled(if: BuiltTool.exists))
  func movedAway() throws {
    for words in [["info"], ["count"], ["validate"], ["history"], ["export"], ["attach", "list"]] {
      let document = folder.path("Away.quire")
      #expect(quire(["save-as", small, document, "--force"]).exitCode == .done)
      // What a process leaves that ended between the two renames of --force. The last eight digits of its origin are
      // of the boot, so this process ran before the system was started last.
      let aside = RealDisk().temporaryPath(for: document)
        .replacing(#/\.([0-9a-f]{8})[0-9a-f]{8}-/#) { ".\($0.1)00000000-" }
      try FileManager.default.createDirectory(
        atPath: aside + "/old", withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: document, toPath: aside + "/old/Away.quire")

      let run = quire(words + [document] + (words == ["count"] ? ["Person"] : []))

      #expect(run.exitCode == .done, "\(words): \(run.messages)")
      #expect(try folder.hiddenNames.isEmpty)
    }
    // A command does not touch the folder of a path that does not exist.
    #expect(quire(["info", folder.path("None.quire")]).exitCode == .inputOutput)
    #expect(try folder.hiddenNames.isEmpty)
  }

  @Test(
    "A signal that ends the output of a saved change says that the change is saved",
    .enabled(if: BuiltTool.exists))
  func interruptedOutput() throws {
    let document = folder.path("D.quire")
    let name = String(repeating: "x", count: 100)
    for words in [
      ["save-as", large, document],
      ["set", document, "Person", "--where", "TRUEPREDICATE", "fullName=\(name)"],
    ] { #expect(quire(words).exitCode == .done) }
    let process = Process()
    process.executableURL = BuiltTool.url
    process.arguments = ["undo", document]
    // Nobody reads this pipe, so the command waits in the middle of its output.
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    while process.isRunning, !quire(["history", document]).output.contains("undone to") {
      usleep(10_000)
    }
    usleep(200_000)
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()

    #expect(process.terminationStatus == 130)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == "Interrupted. The version is taken back.\n")
    withExtendedLifetime(output) {}
  }

  @Test(
    "An interrupt does not end a session that has unsaved changes", .enabled(if: BuiltTool.exists))
  func interruptedSession() throws {
    let pair = try TerminalPair()
    let process = try pair.start(["open", large], ["HOME": folder.path("home")])

    _ = try pair.read(until: "> ")
    try pair.type("insert Person fullName=Unsaved\r")
    _ = try pair.read(until: "inserted.")
    _ = try pair.read(until: "*> ")
    kill(process.processIdentifier, SIGINT)
    usleep(200_000)
    #expect(process.isRunning)
    try pair.type("save\r")
    _ = try pair.read(until: "Saved.")
    _ = try pair.read(until: "> ")
    try pair.type("quit\r")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(
      quire(["count", large, "Person", "--where", "fullName == 'Unsaved'"]).output == "1\n")
  }

  @Test(
    "A terminal shows a part of the objects, and a pager all of them",
    .enabled(if: BuiltTool.exists),
    arguments: [nil, "sed -u s/^/page:/", "head -n 3", "exit 1"])
  func pager(_ pager: String?) throws {
    let run = try TerminalRun(
      ["fetch", large, "Person"] + (pager == nil ? [] : ["--pager"]), in: folder.url,
      environment: ["LINES": "10", "PAGER": pager ?? ""])

    switch pager {
    case nil: #expect(run.text.contains("more objects. '--all' shows all"))
    case "sed -u s/^/page:/":
      #expect(run.text.contains("\"Person \(Self.largeCount - 1)\""))
      #expect(run.text.contains("page:@id") && !run.text.contains("--all"))
    default: break
    }
    #expect(run.exitCode == 0)
  }

  @Test("A leftover log is never read into a new database")
  func leftLogs() throws {
    let path = folder.path("new.sqlite")
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    for ending in ["-wal", "-journal", "-shm"] {
      try Data("left".utf8).write(to: URL(filePath: path + ending))
      let refused = RecordedRun(["convert", small, path], tool: tool)
      #expect(refused.exitCode == .inputOutput && refused.messages.contains(path + ending))
      #expect(!FileManager.default.fileExists(atPath: path))
      let forced = RecordedRun(["convert", small, path, "--force"], tool: tool)
      #expect(forced.exitCode == .done, "\(forced.messages)")
      #expect(RecordedRun(["validate", path], tool: tool).exitCode == .done)
      #expect(!FileManager.default.fileExists(atPath: path + ending))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("A migrated database keeps its permissions, and the migration leaves no other file")
  func migratedDatabase() throws {
    let path = folder.path("App.sqlite")
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    #expect(RecordedRun(["convert", small, path], tool: tool).exitCode == .done)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let model = folder.path("Trips.xcdatamodeld")
    try FileManager.default.copyItem(
      atPath: InstalledPlugins.root.appending(path: "Examples/Trips.xcdatamodeld").path,
      toPath: model)
    for name in try FileManager.default.subpathsOfDirectory(atPath: model)
    where name.hasSuffix("contents") {
      let file = URL(filePath: model + "/" + name)
      let text = try String(contentsOf: file, encoding: .utf8)
      try Data(text.replacing("\"Integer 32\"", with: "\"Integer 64\"").utf8).write(to: file)
    }

    let migrated = RecordedRun(["migrate", path, "--model", model], tool: tool)
    #expect(migrated.exitCode == .done, "\(migrated.messages)")

    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("quire-tmp") || $0.hasSuffix("-shm") }, "\(names)")
    for name in names where name.hasPrefix("App.sqlite") {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }
}
