import DurableFiles
import Foundation

/// Standard input in place of a file of the command line, and standard output in place of a new file.
///
/// A store or a packed document is read at any offset, and a pipe can only be read once. So the input is copied into a
/// temporary file first, and an output is made as a temporary file and then written.
package enum StandardFiles {
  /// The word of the command line for standard input and standard output.
  package static let word = "-"
  /// The name of the temporary file, which messages replace.
  private static let name = "standard-input"

  /// The path that stands for standard input in the names of temporary files.
  package static var target: String {
    FileManager.default.temporaryDirectory.appending(path: name).path(percentEncoded: false)
  }

  /// Returns whether a path is that of a copy of standard input.
  package static func isCopy(_ path: String) -> Bool {
    path.split(separator: "/").last?.hasPrefix(".\(name).") ?? false
  }

  /// Returns a text with standard input in place of the path of its copy.
  package static func named(
    _ text: String, _ path: String = target, by word: String = "standard input"
  ) -> String {
    text.replacing("'\(path)'", with: word).replacing(path, with: word)
  }

  /// Calls `body` with the invocation of a command line in which `-` is replaced by the path of a file with the bytes
  /// of standard input. The file is removed afterwards.
  ///
  /// If an output is standard output, the command writes its messages to standard error alone.
  ///
  /// - Parameter companionEndings: The endings of files that `body` may write beside the copy. They are removed too.
  /// - Throws: The error of `body`; ``CommandError`` if the command changes its input or reads two files from
  ///   standard input.
  package static func run(
    _ invocation: Invocation, companionEndings: [String] = [],
    _ body: (Invocation) throws -> ExitCode
  ) throws -> ExitCode {
    let command = invocation.command
    var invocation = invocation
    let console = invocation.console
    if invocation.writesToStandardOutput {
      invocation = invocation.on(Console(console, output: console.messages))
    }
    let arguments = command.arguments.filter {
      $0.role == .input && invocation.values(of: $0).contains(word)
    }
    let options = command.options.filter {
      $0.role == .input && invocation.value(of: $0) == word
    }
    guard !arguments.isEmpty || !options.isEmpty else { return try body(invocation) }
    let count =
      arguments.reduce(options.count) { count, argument in
        count + invocation.values(of: argument).count { $0 == word }
      } + (invocation.streams.contains(word) ? 1 : 0)
    guard count == 1 else {
      throw CommandError.wrongUsage("Only one input can be standard input.")
    }
    if let argument = arguments.first, command.changed.contains(argument) {
      throw CommandError.wrongUsage(
        "'quire \(command.name)' changes the file \(argument.name), so it can't be standard input.",
        hint: "Give the path of a file.")
    }
    let disk = RealDisk()
    let path = disk.temporaryPath(for: target)
    // A database may have received a log beside it.
    defer { for ending in [""] + companionEndings { try? disk.remove(path + ending) } }
    let file = try disk.open(path, for: .create, permissions: .ownerOnly)
    while true {
      let bytes = try console.input.read()
      if bytes.isEmpty { break }
      try file.append(bytes)
    }
    try file.close()
    let reworded: @Sendable (String) -> String = { named($0, path) }
    let outer = invocation.console
    return try body(
      invocation.replacing(word, by: path, in: arguments, options).on(
        Console(
          outer, output: outer.output.rewording(reworded),
          messages: outer.messages.rewording(reworded))))
  }
}

extension Invocation {
  /// Whether an output of the command is standard output, in place of a file.
  fileprivate var writesToStandardOutput: Bool {
    command.options.contains { $0.role == .file && path(ofOutput: $0) == StandardFiles.word }
      || command.arguments.contains {
        $0.role == .file && path(ofOutput: $0) == StandardFiles.word
      }
  }

  /// The paths that the command reads as they come, without a copy.
  fileprivate var streams: [String] {
    command.arguments.filter { $0.role == .stream }.flatMap { values(of: $0) }
      + command.options.filter { $0.role == .stream }.compactMap { value(of: $0) }
  }
}
