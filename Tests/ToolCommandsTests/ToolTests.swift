import CommandInterface
import Foundation
import SystemPrograms
import Testing

@testable import ToolCommands

@Suite("The tool")
struct ToolTests {
  @Test("The environment and the path of the program are those that Foundation finds")
  func program() {
    #expect(ThisProgram.environment == ProcessInfo.processInfo.environment)
    #expect(ThisProgram.path == Bundle.main.executablePath)
  }

  @Test("The exit codes have the numbers that scripts depend on")
  func exitCodes() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 70, 130])
  }

  @Test("Without a command the tool prints its help to standard error, and fails")
  func noCommand() {
    let run = RecordedRun([])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.output == "")
    #expect(run.messages.hasPrefix("quire shows and changes"))
  }

  @Test(
    "A misspelt command is answered with the nearest one",
    arguments: [("hepl", "help"), ("--versoin", "--version")])
  func didYouMean(_ word: String, _ meant: String) {
    let run = RecordedRun([word])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.hasSuffix("hint: Did you mean '\(meant)'?\n"))
  }

  @Test(
    "A word far from every command is answered with the list of commands",
    arguments: ["xyz", "zzzzzz", "q", "--xyz", "comparison"])
  func farWords(_ word: String) {
    let run = RecordedRun([word])

    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.hasSuffix("hint: Run 'quire help' to see all commands.\n"))
  }

  @Test("Arguments that are not valid text are refused by position, not repaired")
  func brokenText() {
    let console = Console(output: Console.Stream { _ in }, messages: Console.Stream { _ in })
    let words = [Array("quire".utf8), Array("help".utf8), [0x61, 0xFF]]

    #expect(Tool.quire.run(arguments: words, on: console) == .wrongUsage)
  }

  @Test("A result that can't be written is an error")
  func fullDisk() {
    struct Full: Error {}
    let console = Console(
      output: Console.Stream { _ in throw CommandError(.inputOutput, "Can't write.") },
      messages: Console.Stream { _ in throw Full() })

    #expect(Tool.quire.run(["version"], on: console) == .inputOutput)
  }

  @Test("An unexpected error is reported as a fault of Quire")
  func unforeseen() {
    struct Surprise: Error {}
    let run = RecordedRun(
      ["burst"], tool: Tool(commands: [Command("burst", "fails") { _ in throw Surprise() }]))

    #expect(run.exitCode == .internalFault)
    #expect(run.messages.contains("Surprise"))
  }

  @Test("Styles are written only to a terminal with colours")
  func colours() {
    #expect(RecordedRun(["nope"], colour: true).messages.hasPrefix("\u{1B}[1;31merror:\u{1B}[0m"))
    #expect(RecordedRun(["nope"]).messages.hasPrefix("error: "))
    #expect(Console.wantsColour(["TERM": "xterm"]))
    #expect(Console.wantsColour(["NO_COLOR": ""]))
    #expect(!Console.wantsColour(["NO_COLOR": "1"]))
    #expect(!Console.wantsColour(["TERM": "dumb"]))
  }

  @Test("A name cannot control the terminal that shows it")
  func controlCharacters() {
    let run = RecordedRun(["\u{1B}[2J"])

    #expect(run.messages.contains("\\u{1B}[2J"))
    #expect(!run.messages.contains("\u{1B}"))
  }
}
