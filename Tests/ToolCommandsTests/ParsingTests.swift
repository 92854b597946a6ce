import CommandInterface
import Testing

@testable import ToolCommands

@Suite("The command line")
struct ParsingTests {
  static let path = Argument("PATH", "What to read.")
  static let other = Argument("OTHER", "What to compare with.", isRequired: false)
  static let limit = Option("limit", value: "N", "How many.")
  static let all = Option("all", "Everything.")
  static let sort = Option("sort", value: "KEYS", kind: .sortKeys, "The order.")
  static let message = Option("message", short: "m", value: "TEXT", "A message.")
  static let command = Command(
    "show", "shows", arguments: [path, other], options: [limit, all, sort, message, .format]
  ) { _ in .done }

  private func parse(_ words: String...) throws -> Invocation {
    try Self.command.parse(
      words, on: Console(output: Console.Stream { _ in }, messages: Console.Stream { _ in }))
  }

  @Test(
    "A value follows its option or is attached to it",
    arguments: [["--limit", "3", "a"], ["--limit=3", "a"], ["a", "--limit", "3"]])
  func values(_ words: [String]) throws {
    let invocation = try Self.command.parse(
      words, on: Console(output: Console.Stream { _ in }, messages: Console.Stream { _ in }))

    #expect(invocation.value(of: Self.limit) == "3")
    #expect(invocation[Self.path] == "a")
    #expect(invocation.value(of: Self.other) == nil)
    #expect(!invocation.has(Self.all))
  }

  @Test("The last value of a repeated option counts")
  func lastCounts() throws {
    #expect(try parse("a", "--limit=1", "--limit=2").value(of: Self.limit) == "2")
  }

  @Test("An attached value may be empty, begin with a dash, or contain an equals sign")
  func attachedValues() throws {
    #expect(try parse("a", "--limit=").value(of: Self.limit) == "")
    #expect(try parse("a", "--limit=-1").value(of: Self.limit) == "-1")
    #expect(try parse("a", "--limit=x=y").value(of: Self.limit) == "x=y")
  }

  @Test("A sort key may begin with a dash, unless it is an option")
  func sortKeys() throws {
    #expect(try parse("a", "--sort", "-start").value(of: Self.sort) == "-start")
    #expect(try parse("--sort", "-start,name", "a")[Self.path] == "a")
    #expect(throws: CommandError.self) { try parse("a", "--sort", "--all") }
    #expect(throws: CommandError.self) { try parse("a", "--sort", "-m") }
  }

  @Test("Two dashes end the options, and one dash alone is an argument")
  func dashes() throws {
    #expect(try parse("--", "--limit", "-h").value(of: Self.other) == "-h")
    #expect(try parse("-")[Self.path] == "-")
    #expect(try parse("a", "--limit", "-").value(of: Self.limit) == "-")
  }

  @Test("The output format is text by default")
  func format() throws {
    #expect(try parse("a").format == .text)
    #expect(try parse("a", "--format", "json").format == .json)
  }

  @Test(
    "A wrong command line is refused with a hint",
    arguments: [
      (
        [], "Missing argument PATH: What to read.", "Write 'quire show PATH'."
      ),
      (
        ["a", "b", "c"], "Unexpected argument 'c'.",
        "Run 'quire help show' to see its arguments and options."
      ),
      (
        ["a", "-z"], "Unknown option '-z' for 'quire show'.",
        "Run 'quire help show' to see its arguments and options."
      ),
      (
        ["a", "--limti=3"], "Unknown option '--limti' for 'quire show'.", "Did you mean '--limit'?"
      ),
      (
        ["a", "-q"], "Unknown option '-q' for 'quire show'.", "Did you mean '--quiet'?"
      ),
      (["a", "--limit"], "Option '--limit' needs a value.", "Write '--limit N'."),
      (
        ["a", "--limit", "--all"], "Option '--limit' needs a value.",
        "Write '--limit=--all' if '--all' is the value."
      ),
      (
        ["a", "--all=yes"], "Option '--all' takes no value.",
        "Run 'quire help show' to see its arguments and options."
      ),
      (["a", "--format=jsn"], "Option '--format' does not accept 'jsn'.", "Did you mean 'json'?"),
      (
        ["a", "--format=yaml"], "Option '--format' does not accept 'yaml'.",
        "It accepts text or json."
      ),
    ] as [([String], String, String)])
  func refusals(_ words: [String], _ message: String, _ hint: String) {
    let run = RecordedRun(["show"] + words, tool: Tool(commands: [Self.command]))

    #expect(run.exitCode == .wrongUsage)
    #expect(run.output == "")
    #expect(run.messages == "error: \(message)\nhint: \(hint)\n")
  }
}
