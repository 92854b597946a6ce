import Foundation

/// The program `git`, for its configuration.
struct GitProgram {
  /// The folder in which git runs.
  let folder: String

  /// The result of one run.
  struct Run {
    let exitCode: Int32
    /// The output without the last line break.
    let output: String
    let messages: String
  }

  /// Runs git and returns its output.
  ///
  /// - Throws: ``CommandError`` if git can't be started.
  func run(_ words: [String]) throws -> Run {
    let process = Process()
    let (output, messages) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = messages
    do { try process.run() } catch {
      throw CommandError(.inputOutput, "git can't be started: \(error.localizedDescription)")
    }
    // The configuration is short, so neither pipe fills up while the other is read.
    func text(_ pipe: Pipe) throws -> String {
      let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
      let text = String(decoding: bytes, as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    let (printed, said) = (try text(output), try text(messages))
    process.waitUntilExit()
    guard process.terminationStatus != 127 else {
      throw CommandError(
        .inputOutput, "git is not installed, or not in the search path.",
        hint: "Install git, and run the command again.")
    }
    return Run(exitCode: process.terminationStatus, output: printed, messages: said)
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
