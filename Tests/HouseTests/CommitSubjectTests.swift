import Foundation
import ProgramRuns
import Testing

/// Tests scripts/hooks/commit-msg, which checks the subject and the body of each commit. No test reads the history, because a clone
/// may contain commits that are not part of the project.
@Suite("Commit subjects")
struct CommitSubjectTests {
  private static let hook = "scripts/hooks/commit-msg"

  /// Returns the hook's message about a subject; an empty text if the hook accepts the subject.
  private func complaint(
    about subject: String, body: String = "\nThe reason.\n"
  ) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "quire-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("\(subject)\n\(body)# A comment of the editor.\n".utf8).write(to: file)
    let run = try ProgramRun("sh", [Self.hook, file.path], in: House.root)
    return run.status == 0 ? "" : run.text
  }

  @Test(
    "The hook accepts an imperative subject",
    arguments: [
      "Add a hook", "Rows: Keep the order of links", "Process changes once",
      "Merge the saves of two contexts", "Pass the model to the store",
      "Make the length of this subject exactly as long as the hook allows it!!!",
    ])
  func accepted(_ subject: String) throws {
    #expect(try complaint(about: subject) == "")
  }

  @Test(
    "The hook refuses any other subject",
    arguments: [
      "The test of a context that is gone fails", "Added a hook", "Adding a hook", "Fixes the hook",
      "What is known of objects goes when they go", "Rows: The order of links", "42 rows",
      "Make the length of this subject one more than the hook allows, which is 72",
    ])
  func refused(_ subject: String) throws {
    #expect(try complaint(about: subject).contains("hint: Begin with a verb"))
  }

  @Test("The hook refuses a commit without a reason", arguments: ["", "\n", "\n\n# Why\n"])
  func bare(_ body: String) throws {
    #expect(try complaint(about: "Add a hook", body: body).contains("The commit has no body"))
  }
}
