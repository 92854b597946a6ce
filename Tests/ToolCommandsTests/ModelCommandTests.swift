import Foundation
import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire model")
struct ModelCommandTests {
  /// Returns a model in two versions, the second of which is current, for every path.
  private static let reader = ModelReader { path in
    if path == "empty" {
      return ModelVersions([.init("Empty", model: try Model(entities: []))], currentName: "Empty")
    }
    let first = try Model(entities: [Entity("Trip")])
    return ModelVersions(
      [
        .init("Trips", model: first),
        .init("Trips 2", model: try Sample.model),
      ], currentName: "Trips 2")
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(["model"] + words, tool: Tool(commands: [ModelCommand.command(Self.reader)]))
  }

  @Test("quire model shows the current version unless another version is named")
  func versions() {
    #expect(run("a").output.contains("\nentity Stop, class TripStop"))
    #expect(run("a", "--version", "Trips").output == "entity Trip, no class\n")
    #expect(
      run("a", "--version=Trips", "--format=json").output.hasPrefix(
        "{\n  \"version\": \"Trips\",\n  \"model\": {"))
  }

  @Test("Warnings about a model are notes, at most twenty of them", arguments: [1, 20, 21, 60])
  func warnings(count: Int) throws {
    var entity = Entity("Trip")
    entity.declaredProperties = (1...count).map {
      .attribute(
        Attribute(
          "n\($0)", .int16, defaultValue: .integer(5), validation: .init(maximum: .integer(3))))
    }
    let model = try Model(entities: [entity])
    let reader = ModelReader { _ in .init([.init("Trips", model: model)], currentName: "Trips") }
    let run = RecordedRun(["model", "a"], tool: Tool(commands: [ModelCommand.command(reader)]))
    let notes = run.messages.split(separator: "\n")

    #expect(run.exitCode == .done)
    #expect(notes.count == min(count, 21))
    #expect(
      notes[0]
        == "note: Trip.n1: The default value 5 is greater than the maximum 3, so a new object is not valid."
    )
    #expect(
      notes.last?.hasSuffix("more warnings about the model.") == (count > 20), "\(run.messages)")
    if count == 60 { #expect(notes.last == "note: 40 more warnings about the model.") }
  }

  @Test("The versions are listed, with a star on the current one")
  func list() {
    #expect(run("a", "--versions").output == "  Trips\n* Trips 2\n")
    #expect(
      run("a", "--versions", "--format", "json").output == """
        {
          "current": "Trips 2",
          "versions": [
            "Trips",
            "Trips 2"
          ]
        }

        """)
  }

  @Test("An unknown version is answered with a known one")
  func unknownVersion() {
    let run = run("a", "--version", "Trips 3")

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("Unknown version 'Trips 3' of 'a'."))
    #expect(run.messages.contains("Did you mean 'Trips 2'?"))
  }

  @Test("Differences are listed, changes of hashes have a star, and the answer is no")
  func differences() {
    let run = run("a", "--version", "Trips", "--diff", "empty")

    #expect(run.exitCode == .no)
    #expect(run.output == "* Trip: removed\n\n1 entity removed. Stores must be migrated.\n")
  }

  @Test("JSON output divides each change into its parts")
  func differencesForPrograms() throws {
    let run = run("a", "--version", "Trips", "--diff", "a", "--format", "json")

    #expect(run.exitCode == .no)
    try expectSnapshot(run.output, "model-diff.json")
  }

  @Test("Equal models have no difference, and the answer is yes", arguments: ["text", "json"])
  func noDifferences(_ format: String) {
    let run = run("a", "--diff", "a", "--format", format)

    #expect(run.exitCode == .done)
    #expect(
      format == "json" ? run.output.contains("\"changes\": []") : run.output == "No differences.\n")
  }

  @Test("A model is printed as Swift with the requested access level")
  func swift() {
    let printed = run("Trips.xcdatamodeld", "--format", "swift")
    #expect(printed.exitCode == .done)
    #expect(
      printed.output.contains("// Made from the model \"Trips\", version \"Trips 2\", by Quire."))
    #expect(printed.output.contains("\nnonisolated public final class TripStop: ManagedObject {\n"))
    #expect(printed.output.contains("\nnonisolated public enum TripsModel {\n"))

    let hidden = run("a/Trips.xcdatamodel/contents", "--format=swift", "--access=internal")
    #expect(hidden.output.contains("\nnonisolated enum TripsModel {\n"))
    #expect(!hidden.output.contains("public "))
    #expect(printed.output.contains("  public static let versions: ModelVersions"))
    let first = run("Trips.xcdatamodeld", "--format=swift", "--version", "Trips")
    #expect(first.exitCode == .done && !first.output.contains("ModelVersions"))
    let none = run("Trips.momd", "--format=swift", "--unmarked=none")
    #expect(!none.output.contains("class TripStop"))
    let placed = run("Trips.xcdatamodeld", "--format=swift", "--module", "App")
    #expect(placed.exitCode == .done && placed.output == printed.output)
  }

  @Test(
    "Code is written to a folder, a file for each class, and unchanged files stay"
  )
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }

    let first = run("Trips.momd", "--format", "swift", "--output", folder.path)
    let second = run("Trips.momd", "--format", "swift", "--output", folder.path)

    let names = [
      "TripStop+Generated.swift", "Trip+Generated.swift", "Place+Generated.swift",
      "Trips+Classes.swift",
    ]
    #expect(first.exitCode == .done && first.output == names.map { $0 + "\n" }.joined())
    #expect(second.exitCode == .done && second.output == "")
    let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(written) == Set(names))
    try Data(contentsOf: folder.appending(path: names[0]))
      .write(to: folder.appending(path: "Gone+Generated.swift"))
    let third = run("Trips.momd", "--format", "swift", "--output", folder.path)
    #expect(third.output == "" && third.messages == "removed: Gone+Generated.swift\n")
    try Data().write(to: folder.appending(path: "file"))
    let blocked = run("Trips.momd", "--format=swift", "--output", folder.path + "/file")
    #expect(blocked.exitCode == .inputOutput)
    #expect(blocked.messages.contains("can't be written"))
  }

  @Test(
    "Options without an effect are refused",
    arguments: [
      (["--access", "public"], "needs '--format swift'"),
      (["--module", "x"], "needs '--format swift'"),
      (["--unmarked=none", "--format", "json"], "needs '--format swift'"),
      (["--format", "swift", "--versions"], "can't be combined with '--format swift'"),
      (["--format", "swift", "--diff", "b"], "can't be combined with '--format swift'"),
      (
        ["--format", "xcdatamodel", "--diff", "b"],
        "can't be combined with '--format xcdatamodel'"
      ),
      (["--format", "json", "--output", "x"], "must end in .json"),
      (["--format", "json", "--versions", "--output", "x"], "needs a whole model"),
      (["--diff", "b", "--output", "x"], "needs a whole model"),
      (["--fix", "--diff", "b"], "can't be combined with '--fix'"),
      (["--output", "x"], "must end in .model"),
      (["--output", ".model"], "must end in .model"),
      (["--format", "xcdatamodel", "--output", "x.model"], "must end in .xcdatamodeld or"),
    ])
  func idleOptions(_ words: [String], _ message: String) {
    let run = RecordedRun(
      ["model", "a"] + words, tool: Tool(commands: [ModelCommand.command(Self.reader)]))

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains(message))
  }

  @Test("A model is written as text and for Apple's editor, and becomes the same model again")
  func conversions() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (text, source) = (
      folder.appending(path: "Trips.model").path, folder.appending(path: "Trips.xcdatamodeld").path
    )

    let written = run("a", "--output", text)
    #expect(written.exitCode == .done && written.output == "")
    #expect(written.messages.hasSuffix("\n\(text): 2 entities\n"))
    let printed = run("a").output
    #expect(try String(contentsOfFile: text, encoding: .utf8) == printed)
    let tool = Tool(commands: [ModelCommand.command(.files)])
    let converted = RecordedRun(
      ["model", text, "--format", "xcdatamodel", "--output", source], tool: tool)
    #expect(converted.exitCode == .done)
    let again = try ModelVersions.read(source)
    #expect(again.currentName == "Trips")
    #expect(again.current == (try ModelVersions.read(text).current))
    #expect(RecordedRun(["model", source], tool: tool).output == printed)
    let xml = RecordedRun(["model", text, "--format", "xcdatamodel"], tool: tool)
    #expect(xml.output.hasPrefix("<?xml") && xml.output.hasSuffix("</model>\n"))
    // Nothing is replaced without --force.
    let refused = run("a", "--output", text)
    #expect(refused.exitCode == .inputOutput && refused.messages.contains("exists"))
    #expect(run("a", "--version", "Trips", "--output", text, "--force").exitCode == .done)
    #expect(try String(contentsOfFile: text, encoding: .utf8) == "entity Trip, no class\n")
  }

  @Test("--fix rewrites a text in the usual layout, and refuses other files")
  func fix() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Trips.model").path
    func fix(_ source: String) throws -> (run: RecordedRun, text: String) {
      try Data(source.utf8).write(to: URL(fileURLWithPath: path))
      let run = RecordedRun(
        ["model", path, "--fix"], tool: Tool(commands: [ModelCommand.command(.files)]))
      return (run, try String(contentsOfFile: path, encoding: .utf8))
    }

    let first = try fix("entity Trip # All trips.\nname:String")
    #expect(first.text == "entity Trip  # All trips.\n  name: String\n")
    #expect(first.run.messages == "\(path): rewritten in the usual layout\n")
    let second = try fix(first.text)
    #expect(second.text == first.text)
    #expect(second.run.messages == "\(path): already in the usual layout\n")
    let wrong = try fix("entity Trip\nname:Strin")
    #expect(wrong.run.exitCode == .unreadable && wrong.text == "entity Trip\nname:Strin")
    #expect(wrong.run.messages.contains("Trips.model:2:6: There is no type"))
    let other = try fix("<?xml version=\"1.0\"?><model/>")
    #expect(other.run.exitCode == .unreadable && other.text.hasPrefix("<?xml"))
  }

  @Test("A template with an unreadable predicate is an error that names the template")
  func brokenTemplate() {
    let reader = ModelReader { _ in
      let template = FetchRequestTemplate("late", entity: "Trip", predicate: "start >")
      let model = try Model(
        Model.Description(entities: [Entity("Trip")], fetchRequestTemplates: [template]))
      return ModelVersions([.init("T", model: model)], currentName: "T")
    }
    let run = RecordedRun(
      ["model", "T.mom", "--format", "swift"], tool: Tool(commands: [ModelCommand.command(reader)]))

    #expect(run.exitCode == .unreadable)
    #expect(run.messages.contains("T.mom") && run.messages.contains("\"late\""))
  }
}
