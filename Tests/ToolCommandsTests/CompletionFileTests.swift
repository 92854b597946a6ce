import CommandInterface
import DurableFiles
import Foundation
import InstalledPlugins
import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

/// The files that completion reads: it never changes them, never waits and reports no error.
@Suite("Files on a completed line")
struct CompletionFileTests {
  private let folder: String
  private let disk = RealDisk()

  init() throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "completion-\(UUID().uuidString)").path(percentEncoded: false)
    try disk.makeDirectory(folder)
    let examples = packageRoot.appending(path: "Examples")
    for name in ["Trips.store", "Trips.xcdatamodeld"] {
      try FileManager.default.copyItem(
        atPath: examples.appending(path: name).path, toPath: path(name))
    }
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  private func cleanUp() { try? disk.removeTree(folder) }

  private func candidates(_ words: String..., tool: Tool = .quire) -> [String] {
    let run = RecordedRun(["complete", "--"] + words, tool: tool)
    #expect(run.exitCode == .done && run.messages == "", "\(words): \(run.messages)")
    return run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
  }

  /// The names, bytes and times of change of all files below the folder.
  private func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let status = try disk.status(of: path(name), followingLinks: false)
      let date = try FileManager.default.attributesOfItem(atPath: path(name))[.modificationDate]
      let bytes = status.kind == .file ? try disk.read(path(name), byteLimit: 1 << 24) : []
      contents[name] = "\(date ?? "") \(bytes.hashValue)"
    }
    return contents
  }

  @Test("Each kind of file gives its entities, and stays as it is")
  func kinds() throws {
    defer { cleanUp() }
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    func run(_ words: String...) {
      let run = RecordedRun(words, tool: tool)
      #expect(run.exitCode == .done, "\(run.messages)")
    }
    run("convert", path("Trips.store"), path("Trips.xml"))
    run("convert", path("Trips.store"), path("Trips.sqlite"))
    run("new", path("Trips.quire"), "--model", path("Trips.xcdatamodeld"))
    run("attach", "add", path("Trips.quire"), path("Trips.store"), "--name", "a b.store")
    run("pack", path("Trips.quire"), path("Trips.zip"))
    let before = try contents()

    let names = ["Trips.store", "Trips.xml", "Trips.sqlite", "Trips.quire", "Trips.zip"]
    for name in names {
      #expect(candidates("fetch", path(name), "Tr", tool: tool) == ["Trip"], "\(name)")
      #expect(
        candidates("set", path(name), "Trip", "nam", tool: tool) == ["name="], "\(name)")
    }
    #expect(
      candidates("--no-plugins", "fetch", path("Trips.sqlite"), "Tr", tool: tool) == [])
    #expect(candidates("convert", "a", "b", "--store=SQ", tool: tool) == ["--store=SQLite"])
    for name in ["Trips.quire", "Trips.zip"] {
      #expect(candidates("attach", "get", path(name), "") == ["a b.store"])
      #expect(candidates("attach", "list", path(name), "--version", "") == ["1", "2"])
      #expect(candidates("fetch", path(name), "--in", "") == ["main"])
    }
    #expect(try contents() == before)
  }

  @Test("A document gives its names while another process writes to it")
  func locked() throws {
    defer { cleanUp() }
    #expect(
      quire(["new", path("Trips.quire"), "--model", path("Trips.xcdatamodeld")]).exitCode == .done)
    // A child process that another test starts may hold the lock of the first command for a moment.
    let lock = try disk.lock(path("Trips.quire/.lock"), waiting: .upTo(.seconds(10)))
    defer { try? lock.release() }
    let start = Date()

    #expect(candidates("insert", path("Trips.quire"), "Tr") == ["Trip"])
    #expect(Date().timeIntervalSince(start) < 1.5)
  }

  @Test("A file that can't be read gives no candidates and no message")
  func unreadable() throws {
    defer { cleanUp() }
    try disk.replace(path("damaged.store")) { writer in
      try writer.write(Array(disk.read(path("Trips.store"), byteLimit: 1 << 24).prefix(700)))
    }
    try disk.replace(path("empty")) { _ in }
    try disk.makeDirectory(path("folder"))
    try disk.makeSymbolicLink(path("loop"), to: "loop")
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    let before = try contents()

    let names = ["damaged.store", "empty", "folder", "loop", "pipe", "missing", "a\u{0}b", ""]
    for name in names {
      #expect(candidates("fetch", path(name), "") == [], "\(name)")
      #expect(candidates("fetch", path(name), "Trip", "--sort", "") == [], "\(name)")
      #expect(candidates("attach", "get", path(name), "") == [], "\(name)")
    }
    #expect(candidates("fetch", "/dev/zero", "") == [])
    #expect(candidates("fetch", "-", "") == [])
    #expect(try contents() == before)
  }

  @Test("A file that takes long to read gives no candidates")
  func slow() throws {
    defer { cleanUp() }
    let model = path("Trips.xcdatamodeld")
    func names(after seconds: TimeInterval) -> FileNames {
      let reader = ModelReader { path in
        Thread.sleep(forTimeInterval: seconds)
        return try ModelVersions.read(path)
      }
      return FileNames(.files, reader, .none, patience: seconds == 0 ? 60 : 0.2)
    }
    let line = PartialLine(PredicateCommand.command(.files), ["--model", model])
    let start = Date()

    #expect(names(after: 6).model(of: line) == nil)
    #expect(Date().timeIntervalSince(start) < 5)
    #expect(names(after: 0).model(of: line)?["Trip"] != nil)
  }

  @Test("A wrong call of the hidden command prints nothing")
  func wrongCalls() {
    defer { cleanUp() }
    for words in [[], ["--nix"], ["nix"], ["--"], ["--", "--", ""], ["bash"], ["--help"]] {
      let run = quire(["complete"] + words)
      #expect(run.exitCode == .done && run.messages == "", "\(words): \(run.messages)")
    }
    let console = Console(
      output: Console.Stream { _ in throw CommandError(.inputOutput, "Full.") },
      messages: Console.Stream { Issue.record("\($0)") })
    let words = [Array("quire".utf8), Array("complete".utf8), Array("--".utf8), [0x61, 0xFF]]
    #expect(Tool.quire.run(arguments: words, on: console) == .done)
    #expect(Tool.quire.run(["complete", "--", ""], on: console) == .done)
    #expect(quire(["help", "complete"]).exitCode == .wrongUsage)
  }
}
