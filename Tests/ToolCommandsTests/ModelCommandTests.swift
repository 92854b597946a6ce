import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire model")
struct ModelCommandTests {
  /// Hands out a model in two versions, the second being current, whatever the path.
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

  @Test("The current version is shown unless another is named")
  func versions() {
    #expect(run("a").output.hasPrefix("model Trips 2\n\nentity Stop"))
    #expect(run("a", "--version", "Trips").output == "model Trips\n\nentity Trip\n")
    #expect(
      run("a", "--version=Trips", "--format=json").output.hasPrefix(
        "{\n  \"version\": \"Trips\",\n  \"model\": {"))
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

  @Test("Differences are listed, those that hashes see with a star, and the answer is no")
  func differences() {
    let run = run("a", "--version", "Trips", "--diff", "empty")

    #expect(run.exitCode == .no)
    #expect(run.output == "* Trip: removed\n\n1 entity removed. Stores must be migrated.\n")
  }

  @Test("Programs get each change in its parts")
  func differencesForPrograms() throws {
    let run = run("a", "--version", "Trips", "--diff", "a", "--format", "json")

    #expect(run.exitCode == .no)
    try expectSnapshot(run.output, "model-diff.json")
  }

  @Test("Equal models differ in nothing, and the answer is yes", arguments: ["text", "json"])
  func noDifferences(_ format: String) {
    let run = run("a", "--diff", "a", "--format", format)

    #expect(run.exitCode == .done)
    #expect(
      format == "json" ? run.output.contains("\"changes\": []") : run.output == "No differences.\n")
  }
}
