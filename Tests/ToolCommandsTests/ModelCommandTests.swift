import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire model")
struct ModelCommandTests {
  /// Hands out a model in two versions, the second being current, whatever the path.
  private static let reader = ModelReader { _ in
    let first = try Model(entities: [Entity("Trip")])
    return ModelVersionList(
      versions: [
        NamedModel(name: "Trips", model: first),
        NamedModel(name: "Trips 2", model: try Sample.model),
      ], current: 1)
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
}
