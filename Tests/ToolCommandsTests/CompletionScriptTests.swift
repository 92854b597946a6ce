import CommandInterface
import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// The scripts of the shells, run by the shells with the real tool. A shell that is not installed is skipped.
@Suite("Completion scripts")
struct CompletionScriptTests {
  private static let root = packageRoot.path(percentEncoded: false)
  private static let store = "Examples/Trips.store"
  /// The folder with the tool from the build of the tests.
  private static let tools = BuiltTool.url.deletingLastPathComponent().path(percentEncoded: false)

  private static func has(_ shell: String) -> Bool {
    (try? ProgramRun(shell, ["-c", "exit 0"]).status) == 0
  }

  /// Runs a script in a shell that finds the tool of the build first.
  private func run(_ shell: [String], _ script: String) throws -> String {
    let path = "PATH='\(Self.tools)':\"$PATH\""
    let setting = shell[0] == "fish" ? "set -x PATH '\(Self.tools)' $PATH" : "export \(path)"
    let run = try ProgramRun(
      shell[0], shell.dropFirst() + ["-c", "\(setting)\n\(script)"], in: packageRoot)
    #expect(run.status == 0, "\(run.text)")
    return run.text
  }

  @Test("Each script is printed as it is, and an unknown shell is refused")
  func printing() {
    for shell in Shell.allCases {
      #expect(quire(["completion", shell.rawValue]).output == shell.script)
    }
    let refused = quire(["completion", "tcsh"])
    #expect(refused.exitCode == .wrongUsage)
    #expect(
      refused.messages
        == "error: Unknown shell 'tcsh' for 'quire completion'.\nhint: It is 'bash', 'zsh' or 'fish'.\n"
    )
    #expect(quire(["completion", "bahs"]).messages.contains("Did you mean 'bash'?"))
    #expect(quire(["completion"]).exitCode == .wrongUsage)
  }

  // MARK: - bash

  /// Returns the words that bash would put in place of the last of the given words.
  private func bash(_ words: [String], line: String? = nil, point: Int? = nil) throws -> [String] {
    let quoted = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    let setting = line.map {
      "COMP_LINE='\($0.replacing("'", with: "'\\''"))'; COMP_POINT=\(point ?? $0.count)"
    }
    return try run(
      ["bash", "--norc", "--noprofile"],
      """
      source <(quire completion bash)
      COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); \(setting ?? "")
      _quire
      [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
      """
    ).split(separator: "\n").map(String.init).sorted()
  }

  @Test(
    "bash completes commands, options, values and names",
    .enabled(if: BuiltTool.exists && has("bash"), "bash is not installed"))
  func bashWords() throws {
    #expect(try bash(["quire", "fe"]) == ["fetch"])
    #expect(try bash(["quire", "attach", ""]) == ["add", "get", "list", "remove"])
    #expect(try bash(["quire", "fetch", "--gr"]) == ["--group-by="])
    #expect(try bash(["quire", "fetch", "--format", "js"]) == ["json", "jsonl"])
    #expect(try bash(["quire", "fetch", Self.store, "Tr"]) == ["Trip"])
    #expect(try bash(["quire", "insert", Self.store, "Trip", "nam"]) == ["name="])
    #expect(try bash(["quire", "fetch", Self.store, "zzz"]) == [])
    #expect(try bash(["\(Self.tools)/quire", "fe"]) == ["fetch"])
  }

  @Test(
    "bash completes words that it splits at = and other characters",
    .enabled(if: BuiltTool.exists && has("bash"), "bash is not installed"))
  func bashParts() throws {
    let fetch = ["quire", "fetch", Self.store, "Trip"]
    #expect(try bash(fetch + ["--format", "="]).contains("jsonl"))
    #expect(try bash(fetch + ["--format", "=", "jsonl"]) == ["jsonl"])
    #expect(try bash(fetch + ["--sort", "=", "-nam"]) == ["-name"])
    let line = "quire fetch \(Self.store) Trip --columns stops.@c"
    #expect(try bash(fetch + ["--columns", "stops.", "@", "c"], line: line) == ["@count"])
    #expect(
      try bash(["quire", "attach", "add", "a", "@", "b"], line: "quire attach add a @b") == [])
    // The cursor is within the word.
    #expect(try bash(["quire", "fetxyz"], line: "quire fetxyz", point: 9) == ["fetch"])
    #expect(try bash(["quire", "xyz"], line: "quire xyz", point: 6).contains("fetch"))
  }

  @Test(
    "bash completes words with quotes, and paths",
    .enabled(if: BuiltTool.exists && has("bash"), "bash is not installed"))
  func bashQuotes() throws {
    let fetch = ["quire", "fetch", Self.store, "Trip"]
    #expect(
      try bash(fetch + ["--where", "\"name == 'x' AND nam"]) == ["name == 'x' AND name"])
    #expect(
      try bash(fetch + ["--where", "=", "\"name == 'x' AND nam"]) == ["name == 'x' AND name"])
    #expect(try bash(fetch + ["--aggregate", "su"]) == ["sum\\("])
    #expect(try bash(["quire", "fetch", "Examples/Trips.st"]) == [Self.store])
    #expect(try bash(["quire", "export", "a", "--output", "=", "Exam"]) == ["Examples"])
    #expect(try bash(["quire", "migrate", "a", "--mapping", "b,Exam"]) == ["b,Examples"])
    #expect(try bash(["quire", "plugin", "test", "READ"]) == [])
    #expect(try bash(["quire", "plugin", "test", "Exam"]) == ["Examples"])
    #expect(try bash(["quire", "fetch", "$(touch /nowhere)/a", ""]) == [])
  }

  // MARK: - zsh

  @Test("zsh accepts the script", .enabled(if: has("zsh"), "zsh is not installed"))
  func zshSyntax() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "_quire-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Shell.zsh.script.utf8).write(to: file)

    #expect(try run(["zsh", "-f"], "zsh -n '\(file.path(percentEncoded: false))'") == "")
  }

  @Test(
    "zsh completes commands, options, values, names and paths",
    .enabled(if: BuiltTool.exists && has("zsh"), "zsh is not installed"))
  func zsh() throws {
    let fetch = "quire fetch \(Self.store) Trip"
    let cases = [
      ("quire fe", "quire fetch "), ("quire attach re", "quire attach remove "),
      ("quire fetch --gr", "quire fetch --group-by="),
      ("quire fetch --format=cs", "quire fetch --format=csv "),
      ("quire fetch \(Self.store) Tr", "\(fetch) "),
      ("\(fetch) --sort=-nam", "\(fetch) --sort=-name "),
      ("\(fetch) --columns name,stops.@c", "\(fetch) --columns name,stops.@count "),
      ("quire insert \(Self.store) Trip nam", "quire insert \(Self.store) Trip name="),
      ("\(fetch) --where \"name == 'x' AND nam", "\(fetch) --where \"name == 'x' AND name\" "),
      (
        "\(fetch) --where name\\ ==\\ 1\\ AND\\ nam", "\(fetch) --where name\\ ==\\ 1\\ AND\\ name "
      ),
      ("quire fetch Examples/Trips.sto", "quire fetch \(Self.store) "),
      ("quire export a --output=Examples/Trips.sto", "quire export a --output=\(Self.store) "),
      ("quire fetch zzz.store T", "quire fetch zzz.store T"),
    ]
    for (typed, completed) in cases {
      let line = try zsh(typed)
      #expect(line == completed, "\(typed)")
    }
  }

  /// Returns the line after a user has typed a line and the tab key in a zsh with a terminal.
  private func zsh(_ line: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "line-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let quoted = "'" + line.replacing("'", with: "'\\''") + "'"
    // A widget completes the line and writes it to a file, so the test does not read a terminal's screen.
    let output = try run(
      ["zsh", "-f"],
      """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'autoload -Uz compinit; compinit -u -D; unsetopt automenu'
      zpty -w shell 'source <(quire completion zsh)'
      zpty -w shell 'check() { zle complete-word; print -rn -- "$BUFFER" > \(file.path).new; mv \(file.path).new \(file.path); zle kill-buffer }'
      zpty -w shell 'zle -N check; bindkey "^X^X" check; print rea""dy'
      zpty -r -m shell seen '*ready*'
      zpty -w -n shell \(quoted)$'\\x18\\x18'
      for i in {1..300}; do [[ -e \(file.path) ]] && break; zpty -r -t shell seen; sleep 0.1; done
      zpty -d shell
      """)
    return (try? String(contentsOf: file, encoding: .utf8)) ?? "no line: \(output)"
  }

  // MARK: - fish

  /// Returns the candidates of fish for a line.
  private func fish(_ line: String) throws -> [String] {
    let quoted = "'" + line.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    return try run(
      ["fish", "--no-config"], "quire completion fish | source; complete -C \(quoted)"
    ).split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted()
  }

  @Test(
    "fish completes commands, options, values, names and paths",
    .enabled(if: BuiltTool.exists && has("fish"), "fish is not installed"))
  func fish() throws {
    let fetch = "quire fetch \(Self.store) Trip"
    #expect(try fish("quire fe") == ["fetch"])
    #expect(try fish("quire attach ") == ["add", "get", "list", "remove"])
    #expect(try fish("quire fetch --gr") == ["--group-by="])
    #expect(try fish("quire fetch --format=js") == ["--format=json", "--format=jsonl"])
    #expect(try fish("quire fetch \(Self.store) Tr") == ["Trip"])
    #expect(try fish("\(fetch) --sort=-nam") == ["--sort=-name"])
    #expect(try fish("\(fetch) --columns name,stops.@c") == ["name,stops.@count"])
    #expect(try fish("quire insert \(Self.store) Trip nam") == ["name="])
    #expect(try fish("\(fetch) --where \"name == 'x' AND nam") == ["name == 'x' AND name"])
    #expect(try fish("quire fetch Examples/Trips.st") == [Self.store])
    #expect(try fish("quire export a --output=Exam") == ["--output=Examples/"])
    #expect(try fish("quire plugin test Exam") == ["Examples/"])
    #expect(try fish("quire fetch zzz.store T") == [])
  }
}
