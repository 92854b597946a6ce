import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Quire
import Testing

@testable import ToolCommands

@Suite("quire attach")
struct AttachCommandTests {
  private let disk = SimulatedDisk()
  private let picture = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

  init() throws {
    #expect(run("new", "/Trips.quire", "--model", "Trips").exitCode == .done)
    try write("/in/lisbon.jpg", picture)
    try write("/in/note.txt", Array("A note\n".utf8))
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    if try !disk.exists("/in") { try disk.makeDirectory("/in") }
    try disk.replace(path, overwriting: true) { try $0.write(bytes) }
  }

  private func run(_ words: String..., input: String = "", terminal: Bool = false) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    let models = ModelReader { _ in
      try ModelVersions(
        [.init("Trips", model: Model(entities: [Entity("Trip")]))], currentName: "Trips")
    }
    return RecordedRun(
      words,
      tool: Tool(commands: [
        NewCommand.command(reader, models), AttachCommand.command(reader),
        PackCommand.command(on: disk), HistoryCommand.command(reader, models),
      ]), terminal: terminal, input: Array(input.utf8))
  }

  private func list(_ words: String...) -> [String] {
    let run = RecordedRun(
      ["attach", "list"] + words,
      tool: Tool(commands: [AttachCommand.command(StoreReader.files(on: disk))]))
    #expect(run.exitCode == .done, "\(run.messages)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test("Files are added, listed, written and removed, and each change is one version")
  func round() throws {
    let added = run("attach", "add", "/Trips.quire", "/in/lisbon.jpg", "/in/note.txt")
    #expect(added.exitCode == .done && added.output.isEmpty)
    #expect(added.messages == "2 attachments added.\n")
    #expect(list("/Trips.quire") == ["lisbon.jpg  700000 bytes", "note.txt    7 bytes"])

    #expect(
      run("attach", "get", "/Trips.quire", "lisbon.jpg", "--output", "/in/out.jpg").messages
        == "700000 bytes are in '/in/out.jpg'.\n")
    #expect(try disk.read("/in/out.jpg", byteLimit: 1 << 20) == picture)
    #expect(run("attach", "get", "/Trips.quire", "note.txt", "--output", "-").output == "A note\n")

    #expect(run("attach", "remove", "/Trips.quire", "lisbon.jpg").exitCode == .done)
    #expect(list("/Trips.quire") == ["note.txt  7 bytes"])
    let versions = run("history", "/Trips.quire").output.split(separator: "\n").count
    #expect(list("/Trips.quire", "--version", "2").count == 2, "\(versions) versions")
    #expect(
      run("attach", "get", "/Trips.quire", "lisbon.jpg", "--output", "/in/old", "--version", "2")
        .exitCode == .done)
    let json = run("attach", "list", "/Trips.quire", "--format", "json").output
    #expect(json.contains("\"byteCount\": 7") && json.contains("\"name\": \"note.txt\""))
  }

  @Test("An attachment comes from the standard input under a given name")
  func input() {
    let named = run("attach", "add", "/Trips.quire", "-", "--name", "a/b", input: "from a pipe")
    #expect(named.exitCode == .done, "\(named.messages)")
    #expect(list("/Trips.quire") == ["a/b  11 bytes"])
    let unnamed = run("attach", "add", "/Trips.quire", "-", input: "x")
    #expect(unnamed.exitCode == .wrongUsage && unnamed.messages.contains("Give it with --name."))
  }

  @Test("A packed document is read, and not changed")
  func packed() {
    #expect(run("attach", "add", "/Trips.quire", "/in/note.txt").exitCode == .done)
    #expect(run("pack", "/Trips.quire", "/Trips.zip").exitCode == .done)
    #expect(list("/Trips.zip") == ["note.txt  7 bytes"])
    #expect(run("attach", "get", "/Trips.zip", "note.txt", "--output", "-").output == "A note\n")
    #expect(run("attach", "remove", "/Trips.zip", "note.txt").exitCode != .done)
    #expect(list("/Trips.zip") == ["note.txt  7 bytes"])
  }

  @Test("Nothing is replaced unasked, and nothing is written into the document")
  func refusals() throws {
    #expect(run("attach", "add", "/Trips.quire", "/in/note.txt").exitCode == .done)
    try write("/in/note.txt", Array("Another\n".utf8))
    let again = run("attach", "add", "/Trips.quire", "/in/note.txt")
    #expect(again.exitCode == .inputOutput && again.messages.contains("Give --force to replace it"))
    #expect(list("/Trips.quire") == ["note.txt  7 bytes"])
    #expect(run("attach", "add", "/Trips.quire", "/in/note.txt", "--force").exitCode == .done)
    #expect(list("/Trips.quire") == ["note.txt  8 bytes"])

    let onto = ["attach", "get", "/Trips.quire", "note.txt", "--output", "/in/lisbon.jpg"]
    #expect(run(onto[0], onto[1], onto[2], onto[3], onto[4], onto[5]).exitCode == .inputOutput)
    #expect(try disk.read("/in/lisbon.jpg", byteLimit: 1 << 20) == picture)
    #expect(
      run("attach", "get", "/Trips.quire", "note.txt", "--output", "/Trips.quire/x").exitCode
        == .wrongUsage)
    #expect(
      run("attach", "get", "/Trips.quire", "note.txt", "--output", "-", terminal: true).exitCode
        == .wrongUsage)
  }

  @Test("A name from a document never chooses a path outside of the current folder")
  func names() {
    for name in ["../up", "/in/over", "a/..", "a/b/", "-rf"] {
      #expect(
        run("attach", "add", "/Trips.quire", "-", "--name=\(name)", input: "x").exitCode == .done)
    }
    let words = { name in self.run("attach", "get", "/Trips.quire", "--", name) }
    #expect(words("a/..").exitCode == .wrongUsage)
    #expect(words("-rf").exitCode == .wrongUsage)
    for (name, file) in [("../up", "'up'"), ("/in/over", "'over'"), ("a/b/", "'b'")] {
      let run = words(name)
      #expect(
        run.messages.contains("are in \(file)") || run.messages.contains(file), "\(run.messages)")
    }
  }

  @Test(
    "Wrong words are refused with the reason",
    arguments: [
      (["attach", "lst", "/Trips.quire"], "Did you mean 'list'?"),
      (["attach", "add", "/Trips.quire"], "Missing argument NAME"),
      (["attach", "list", "/Trips.quire", "x"], "Unexpected argument 'x'"),
      (["attach", "get", "/Trips.quire", "a", "b"], "'get' writes one attachment"),
      (["attach", "get", "/Trips.quire", "nix"], "has no attachment 'nix'"),
      (["attach", "remove", "/Trips.quire", "nix"], "has no attachment 'nix'"),
      (
        ["attach", "remove", "/Trips.quire", "nix", "--force"],
        "belongs to 'quire attach add' and 'quire attach get'"
      ),
      (["attach", "add", "/Trips.quire", "/in/nix"], "/in/nix"),
      (["attach", "add", "/Trips.quire", "/in/note.txt", "/in/note.txt"], "would have the name"),
      (
        ["attach", "add", "/Trips.quire", "/in/a", "/in/b", "--name", "c"], "--name is the name of"
      ),
    ])
  func wrongWords(_ words: [String], _ message: String) {
    let reader = StoreReader.files(on: disk)
    let run = RecordedRun(words, tool: Tool(commands: [AttachCommand.command(reader)]))
    #expect(run.exitCode != .done && run.messages.contains(message), "\(run.messages)")
    #expect(list("/Trips.quire").isEmpty)
  }
}
