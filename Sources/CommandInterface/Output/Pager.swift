import Foundation
import SystemPrograms

/// A program that shows long output page by page: the one that the variable `PAGER` names, or `less`.
package enum Pager {
  /// Calls `body` with a console whose output a pager shows.
  ///
  /// - Parameter isWanted: Whether a pager is used, if the output is a terminal.
  /// - Throws: ``CommandError`` if the pager can't be started; the error of `body`. If the user ends the pager early,
  ///   the rest of the output is dropped without an error.
  package static func show(
    _ isWanted: Bool, on console: Console, _ body: (Console) throws -> Void
  ) throws {
    guard isWanted, console.output.isTerminal else { return try body(console) }
    var environment = ThisProgram.environment
    let command = environment["PAGER"].flatMap { $0.isEmpty ? nil : $0 } ?? "less"
    // Lines longer than the terminal are not wrapped, and short output does not fill the terminal.
    environment["LESS"] = environment["LESS"] ?? "FRSX"
    try ShellProgram(role: "pager", command: command, environment: environment)
      .read(from: console, showsPages: true, body)
  }
}
