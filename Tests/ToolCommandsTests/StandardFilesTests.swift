import CommandInterface
import Foundation
import InstalledPlugins
import Synchronization
import Testing

@testable import ToolCommands

@Suite("Standard input and output in place of files")
struct StandardFilesTests {
  private let folder: ScaffoldFolder
  private let store = packageRoot.appending(path: "Examples/Trips.store").path
  private let model = packageRoot.appending(path: "Examples/Trips.xcdatamodeld").path

  init() throws { folder = try ScaffoldFolder() }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func run(_ words: [String], input: [UInt8] = []) -> RecordedRun {
    RecordedRun(words, tool: .quire(environment: [:], executable: nil), input: input)
  }

  /// The names in the folder for temporary files that are copies of standard input or output.
  private var leftovers: [String] {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter {
      $0.contains("standard-input") && $0.contains("\(ProcessInfo.processInfo.processIdentifier)")
    }
  }

  @Test("A store, a packed document and a model are read from standard input")
  func inputs() throws {
    let trips = try bytes(store)
    #expect(run(["count", "-", "Trip"], input: trips).output == "5\n")
    #expect(run(["tree", "-", "Trip"], input: trips).exitCode == .done)
    #expect(run(["diff", "-", store], input: trips).exitCode == .done)
    let document = path("Trips.quire")
    #expect(run(["new", document, "--template", "todo"]).exitCode == .done)
    #expect(run(["pack", document, path("Todo.zip")]).exitCode == .done)
    #expect(
      run(["info", "-"], input: try bytes(path("Todo.zip"))).output.contains("versions   1"))
    let text = run(["model", model, "--format", "text"]).output
    #expect(run(["model", "-", "--format", "text"], input: Array(text.utf8)).output == text)
    #expect(
      run(["hash", "-"], input: Array(text.utf8)).output == run(["hash", model]).output)
    let new = run(["new", path("New.quire"), "--model", "-"], input: Array(text.utf8))
    #expect(new.exitCode == .done, "\(new)")
  }

  @Test("A model can be piped into a command with another input")
  func modelBesideStore() throws {
    let text = run(["model", model, "--format", "text"]).output
    let run = run(["model", model, "--diff", "-"], input: Array(text.utf8))
    #expect(run.exitCode == .done, "\(run)")
  }

  @Test(
    "A command that changes a file refuses standard input",
    arguments: [
      ["insert", "-", "Trip", "name=x"], ["set", "-", "Trip", "name=x", "--id", "4/p1"],
      ["delete", "-", "Trip", "--id", "4/p1"], ["import", "-", "a.jsonl"], ["open", "-"],
      ["revert", "-"], ["undo", "-"], ["attach", "add", "-", "a"], ["vacuum", "-"],
      ["migrate", "-"], ["history", "-"], ["watch", "-"], ["merge", "-", "a", "b"],
      ["model", "edit", "-"],
    ])
  func changes(_ words: [String]) throws {
    let run = run(words, input: try bytes(store))
    #expect(
      run.exitCode == .wrongUsage && run.messages.contains("can't be standard input"), "\(run)")
  }

  @Test("Every command that saves names the input that it changes")
  func changedInputs() {
    for command in Tool.quire.commands where command.options.contains(.message) {
      #expect(!command.changed.isEmpty, "\(command.name)")
    }
  }

  @Test("Only one input can be standard input")
  func two() throws {
    let run = run(["diff", "-", "-"], input: try bytes(store))
    #expect(run.exitCode == .wrongUsage && run.messages.contains("Only one input"), "\(run)")
  }

  @Test("Errors about standard input name it, and no copy is left")
  func errors() throws {
    for words in [["count", "-", "Trip"], ["model", "-"], ["validate", "-"]] {
      let run = run(words, input: Array("nothing".utf8))
      #expect(run.exitCode != .done, "\(run)")
      let all = run.output + run.messages
      #expect(all.contains("standard input"), "\(all)")
      #expect(!all.contains("standard-input"), "\(all)")
    }
    var damaged = try bytes(store)
    damaged[5000] ^= 1
    let run = run(["validate", "-"], input: damaged)
    #expect(
      run.exitCode != .done && !(run.output + run.messages).contains("standard-input"), "\(run)")
    #expect(leftovers.isEmpty)
  }

  @Test("A new file goes to standard output, and the messages elsewhere")
  func outputs() throws {
    let document = path("Todo.quire")
    #expect(run(["new", document, "--template", "todo"]).exitCode == .done)
    #expect(run(["pack", document, path("Todo.zip")]).exitCode == .done)
    let packed = try recorded(["pack", document, "-"])
    #expect(packed.bytes.starts(with: Array("PK".utf8)) && packed.code == .done)
    try Data(packed.bytes).write(to: URL(filePath: path("Other.zip")))
    #expect(run(["diff", path("Todo.zip"), path("Other.zip")]).exitCode == .done)
    let xml = try recorded(["convert", store, "-", "--store", "xml"])
    #expect(xml.bytes.starts(with: Array("<?xml".utf8)), "\(xml)")
    #expect(xml.bytes.suffix(20).contains(UInt8(ascii: ">")) && !xml.messages.isEmpty)
    let exported = try recorded(["export", store, "--output", "-"])
    #expect(String(decoding: exported.bytes, as: UTF8.self) == run(["export", store]).output)
    let model = try recorded(["model", store, "--format", "text", "--output", "-"])
    #expect(
      String(decoding: model.bytes, as: UTF8.self)
        == run(["model", store, "--format", "text"]).output)
    #expect(leftovers.isEmpty)
  }

  @Test("A terminal gets no bytes of a file, and a folder is not an output")
  func refusedOutputs() throws {
    let terminal = RecordedRun(["convert", store, "-", "--store", "xml"], terminal: true)
    #expect(terminal.exitCode == .wrongUsage && terminal.messages.contains("a terminal"))
    let folder = try recorded(["new", "-", "--template", "todo"])
    #expect(folder.code == .wrongUsage && folder.messages.contains("can't write"), "\(folder)")
    #expect(folder.bytes.isEmpty)
  }

  @Test("--quiet leaves the results and the errors")
  func quiet() throws {
    let loud = run(["convert", store, path("a.store"), "--format", "text"])
    #expect(!loud.messages.isEmpty || !loud.output.isEmpty)
    let quiet = run(["--quiet", "fetch", store, "Trip", "--columns", "name"])
    #expect(quiet.output == run(["fetch", store, "Trip", "--columns", "name"]).output)
    #expect(quiet.messages.isEmpty)
    let export = run(["export", store, "--output", path("b.jsonl")])
    #expect(export.messages.contains("objects"), "\(export)")
    let quietExport = run(["export", store, "--output", path("c.jsonl"), "--quiet"])
    #expect(quietExport.exitCode == .done && quietExport.messages.isEmpty, "\(quietExport)")
    let failing = run(["count", "--quiet", store, "Tripp"])
    #expect(failing.messages.contains("Did you mean 'Trip'?"))
    // The option of `diff` has more effect.
    #expect(run(["diff", store, store, "--quiet"]).exitCode == .done)
  }

  /// Runs the tool with a recording of the bytes of its output.
  private func recorded(
    _ words: [String]
  ) throws -> (code: ExitCode, bytes: [UInt8], messages: String) {
    let bytes = Recorded()
    let code = Tool.quire(environment: [:], executable: nil).run(
      words,
      on: Console(
        output: .init(byteSink: { bytes.add($0) }, sink: { bytes.add(Array($0.utf8)) }),
        messages: .init { bytes.say($0) }))
    return (code, bytes.all.withLock { $0.bytes }, bytes.all.withLock { $0.messages })
  }
}

/// The output and the messages of a run.
private final class Recorded: Sendable {
  let all = Mutex((bytes: [UInt8](), messages: ""))

  func add(_ bytes: [UInt8]) { all.withLock { $0.bytes += bytes } }
  func say(_ text: String) { all.withLock { $0.messages += text } }
}
