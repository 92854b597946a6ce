import Foundation

/// A program of the system with a short output, which this process reads.
package struct CapturedProgram {
  /// The name of the program, which the search path contains.
  package let name: String

  package init(name: String) { self.name = name }

  /// The result of one run.
  package struct Run {
    package let exitCode: Int32
    /// The output without the last line break.
    package let output: String
    package let messages: String
  }

  /// Runs the program and returns its output, which must be short.
  ///
  /// - Parameter input: The path of the file that the program reads as its standard input; `nil` for an empty input.
  /// - Throws: ``ProgramError`` if the program is not installed or can't be started.
  package func run(_ words: [String], input: String? = nil) throws -> Run {
    let process = Process()
    let (output, messages) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + words
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: URL(filePath: $0)) }
      ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = messages
    do { try process.run() } catch {
      throw ProgramError("\(name) can't be started: \(error.localizedDescription)")
    }
    // Neither pipe fills up while the other is read, because the output is short.
    func text(_ pipe: Pipe) throws -> String {
      let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
      let text = String(decoding: bytes, as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    let (printed, said) = (try text(output), try text(messages))
    process.waitUntilExit()
    guard process.terminationStatus != 127 else {
      throw ProgramError(
        "\(name) is not installed, or not in the search path.",
        hint: "Install \(name), and run the command again.")
    }
    return Run(exitCode: process.terminationStatus, output: printed, messages: said)
  }
}
