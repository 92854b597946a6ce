import Foundation
import InstalledPlugins
import ObjectModel
import Testing

@testable import ToolCommands

/// Models in JSON at each command that reads a model, in files of a real folder.
@Suite("quire model, from and to JSON")
struct ModelJSONCommandTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "json-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: url.appending(path: name))
    }

    /// Runs a command line in which `DIR` is the folder, and returns its output.
    func run(_ line: String) -> RecordedRun {
      quire(line.split(separator: " ").map { String($0).replacing("DIR", with: url.path) })
    }

    /// Returns the output of a command line that must succeed.
    func output(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
      let run = run(line)
      #expect(run.exitCode == .done, "\(line): \(run.messages)", sourceLocation: sourceLocation)
      return run.output
    }
  }

  private let folder: Folder
  private static let source =
    InstalledPlugins.root.appending(path: "Examples/Trips.xcdatamodeld").path

  init() throws { folder = try Folder() }

  @Test("A model becomes JSON, and JSON becomes the same text, XML, Swift and JSON")
  func everyFormat() throws {
    let version = "Trips"
    let json = folder.output("model \(Self.source) --version \(version) --format json")
    try folder.write(json, to: "Trips.json")

    for format in ["text", "xcdatamodel", "swift", "json", "svg", "mermaid"] {
      let expected = folder.output("model \(Self.source) --version \(version) --format \(format)")
      #expect(
        folder.output("model DIR/Trips.json --version \(version) --format \(format)") == expected,
        "\(format)")
    }
    #expect(
      folder.output("hash DIR/Trips.json")
        == folder.output("hash \(Self.source) --version \(version)"))
    #expect(folder.output("model DIR/Trips.json --versions") == "* Trips\n")
    let written = folder.run(
      "model DIR/Trips.json --format xcdatamodel --output DIR/Trips.xcdatamodeld")
    #expect(written.exitCode == .done, "\(written.messages)")
    #expect(folder.output("model DIR/Trips.xcdatamodeld --format json") == json)
  }

  @Test("--output writes JSON to a file, and the file is not replaced without --force")
  func output() throws {
    let line = "model \(Self.source) --format json"
    let run = folder.run(line + " --output DIR/b.json")

    #expect(run.exitCode == .done && run.output.isEmpty, "\(run.messages)")
    #expect(
      try String(contentsOfFile: folder.path("b.json"), encoding: .utf8) == folder.output(line))
    #expect(folder.run(line + " --output DIR/b.json").exitCode == .inputOutput)
    let other = folder.run(line + " --output DIR/b.model")
    #expect(other.exitCode == .wrongUsage)
    #expect(other.messages.contains("must end in .json"))
  }

  @Test("Documents are made and migrated with models in JSON, and models are compared")
  func commands() throws {
    try folder.write(
      #"{"entities":[{"name":"Trip","attributes":[{"name":"title","type":"String"}]}]}"#,
      to: "old.json")
    try folder.write(
      """
      {"version": "New", "model": {"entities": [{"name": "Trip", "attributes": [
        {"name": "name", "type": "String", "renamingIdentifier": "title"},
        {"name": "days", "type": "Integer 16", "default": 7}]}]}}
      """, to: "new.json")

    _ = folder.output("new DIR/d.quire --model DIR/old.json")
    _ = folder.output("insert DIR/d.quire Trip title=Lisbon")
    let diff = folder.run("model DIR/d.quire --diff DIR/new.json")
    #expect(diff.exitCode == .no && diff.output.contains("title"), "\(diff.output)")
    let plan = folder.output("migrate DIR/d.quire --model DIR/new.json --dry-run")
    #expect(plan.contains("to \"New\": inferred"), "\(plan)")
    _ = folder.output("migrate DIR/d.quire --model DIR/new.json")
    #expect(
      folder.output("fetch DIR/d.quire Trip --columns name,days --ids --format csv")
        == "@id,name,days\n1/p1,Lisbon,7\n")
    #expect(folder.run("model DIR/new.json --diff DIR/d.quire").exitCode == .done)
    #expect(
      folder.output("predicate days>3 --model DIR/new.json --entity Trip").contains("days"))
  }

  @Test("A fault of JSON names the file, the place, the path and the word that was meant")
  func faults() throws {
    try folder.write(
      "{\"version\": \"1\",\n \"model\": {\"entities\": [{\"name\": \"A\", \"superentiti\": \"B\"}]}}",
      to: "wrong.json")

    for line in [
      "model DIR/wrong.json", "new DIR/x.quire --model DIR/wrong.json", "hash DIR/wrong.json",
    ] {
      let run = folder.run(line)
      #expect(run.exitCode == .unreadable, "\(line)")
      #expect(
        run.messages.contains(
          "\(folder.path("wrong.json")):2:39: model.entities[0].superentiti: There is no key "
            + "\"superentiti\". Did you mean \"superentity\"?"), "\(run.messages)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.quire")))
  }
}
