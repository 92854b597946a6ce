import Testing

@testable import ToolCommands

@Suite("quire version")
struct VersionCommandTests {
  @Test(
    "The option --version and the command version print the same text",
    arguments: ["--version", "version"])
  func version(_ word: String) {
    #expect(RecordedRun([word]).output == "quire \(VersionCommand.version)\n")
    #expect(
      RecordedRun([word, "--format", "json"]).output
        == "{\n  \"quire\": \"\(VersionCommand.version)\"\n}\n")
  }
}
