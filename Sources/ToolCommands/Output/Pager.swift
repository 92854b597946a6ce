import Foundation

/// A program that shows long output page by page: the one that the variable `PAGER` names, or `less`.
enum Pager {
  /// Calls `body` with a console whose output a pager shows.
  ///
  /// - Parameter isWanted: Whether a pager is used, if the output is a terminal.
  /// - Throws: ``CommandError`` if the pager can't be started; the error of `body`. If the user ends the pager early,
  ///   the rest of the output is dropped without an error.
  static func show(
    _ isWanted: Bool, on console: Console, _ body: (Console) throws -> Void
  ) throws {
    guard isWanted, console.output.isTerminal else { return try body(console) }
    let pager = Process()
    let pipe = Pipe()
    var environment = ProcessInfo.processInfo.environment
    let command = environment["PAGER"].flatMap { $0.isEmpty ? nil : $0 } ?? "less"
    // Lines longer than the terminal are not wrapped, and short output does not fill the terminal.
    environment["LESS"] = environment["LESS"] ?? "FRSX"
    pager.environment = environment
    pager.executableURL = URL(filePath: "/bin/sh")
    pager.arguments = ["-c", command]
    pager.standardInput = pipe
    do { try pager.run() } catch {
      throw CommandError(.inputOutput, "The pager '\(oneLine(command))' can't be started.")
    }
    // If the user ends the pager early, a write must fail and not end the tool. The pager itself needs the signal.
    let usual = signal(SIGPIPE, SIG_IGN)
    let end = pipe.fileHandleForWriting
    let stream = Console.Stream(isTerminal: true, usesColour: console.output.usesColour) { text in
      do { try end.write(contentsOf: Data(text.utf8)) } catch { throw Ended() }
    }
    defer {
      try? end.close()
      pager.waitUntilExit()
      _ = signal(SIGPIPE, usual)
    }
    do { try body(Console(console, output: stream)) } catch is Ended {}
  }

  /// The pager reads no more.
  private struct Ended: Error {}
}
