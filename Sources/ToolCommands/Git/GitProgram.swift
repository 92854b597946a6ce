import CommandInterface
import SystemPrograms

/// The program `git`, for its configuration.
struct GitProgram {
  /// The folder in which git runs.
  let folder: String

  /// Runs git and returns its output.
  ///
  /// - Throws: ``CommandError`` if git is not installed.
  func run(_ words: [String]) throws -> CapturedProgram.Run {
    try CapturedProgram(name: "git").run(["-C", folder] + words)
  }

  /// Runs git, which must succeed.
  ///
  /// - Throws: ``CommandError`` with the message of git.
  @discardableResult
  func output(_ words: [String]) throws -> String {
    let run = try run(words)
    guard run.exitCode == 0 else {
      let reason = run.messages.isEmpty ? "exit code \(run.exitCode)" : run.messages
      throw CommandError(
        .inputOutput, "'git \(words.joined(separator: " "))' failed: \(reason)",
        hint: run.messages.contains("not a git repository")
          ? "Run 'git init' first, or give the folder of a repository, or --global." : nil)
    }
    return run.output
  }
}
