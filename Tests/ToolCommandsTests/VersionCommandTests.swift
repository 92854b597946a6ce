import Testing

@testable import ToolCommands

@Suite("quire version")
struct VersionCommandTests {
  @Test("The option and the command print the same", arguments: ["--version", "version"])
  func version(_ word: String) {
    #expect(RecordedRun([word]).output == "quire \(VersionCommand.version)\n")
    #expect(
      RecordedRun([word, "--format", "json"]).output
        == "{\n  \"quire\": \"\(VersionCommand.version)\"\n}\n")
  }
}
