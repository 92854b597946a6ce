import ModelNotations
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire hash")
struct HashCommandTests {
  /// Returns the same model for every path: two entities with hashes of real stores.
  private static let reader = ModelReader { _ in
    let model = try Model(
      entities: [Entity("Bare", isAbstract: true), Entity("AutoClassGen")])
    return ModelVersions([.init("Small", model: model)], currentName: "Small")
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(["hash"] + words, tool: Tool(commands: [HashCommand.command(Self.reader)]))
  }

  @Test("One line for each entity, sorted by name, shows the hash that Core Data computes")
  func lines() throws {
    let lines = run("a").output.split(separator: "\n")

    #expect(lines.count == 2)
    #expect(
      lines.first == "AutoClassGen 78c13046fdf5b8719b0332614d0e5967335e5bd0fa9eedb8bbaa30fe8b9b1c25"
    )
  }

  @Test("JSON output contains the same hashes as members of an object")
  func json() {
    #expect(
      run("a", "--format", "json").output.hasPrefix(
        """
        {
          "version": "Small",
          "entities": {
            "AutoClassGen": "78c13046
        """))
    #expect(run("a", "--format", "json", "--digest").output.contains("\"checksum\": "))
  }

  @Test("The digests equal the digests of the model")
  func digest() throws {
    let model = try Self.reader.model(at: "a").model

    #expect(
      run("a", "--digest").output
        == "digest \(model.versionHashesDigest)\nchecksum \(model.versionChecksum)\n")
  }

  @Test("An inconsistent model is refused with every fault")
  func broken() {
    let reader = ModelReader { _ in
      let model = try Model(
        entities: [Entity("A", superentity: "Nowhere"), Entity("B", superentity: "Nowhere")])
      return ModelVersions([.init("", model: model)], currentName: "")
    }

    let run = RecordedRun(["hash", "a"], tool: Tool(commands: [HashCommand.command(reader)]))

    #expect(run.exitCode == .unreadable)
    #expect(run.messages.hasPrefix("error: The model is not consistent.\nA: "))
    #expect(run.messages.contains("\nB: "))
  }
}
