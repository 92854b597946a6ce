import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// The templates of `quire plugin new` that a Makefile builds, each with the same test.
@Suite("Templates of plug-ins")
struct PluginTemplateTests {
  /// Cases that call every function of the templates. `./run examples` runs all cases.
  private static let cases = [
    "every-value-stays", "conflicts-are-refused", "metadata-stay", "keys-are-given-once",
    "emptied-and-filled", "history-can-be-opened", "relationships-stay", "model-changes",
    "descriptions-are-true", "occupied-places-are-kept", "cut-files-are-refused", "closing",
  ]

  /// Returns whether a program runs. The sanitizers do not know the programs of other languages.
  private static func has(_ program: String, _ arguments: [String]) -> Bool {
    BuiltTool.exists && ProcessInfo.processInfo.environment["QUIRE_SANITIZER"] == nil
      && (try? ProgramRun(program, arguments))?.status == 0
  }

  private static let hasC = InstalledPlugins.compiler != nil && BuiltTool.exists
  private static let hasCpp = has("c++", ["--version"])
  private static let hasRust = has("cargo", ["--version"]) && has("rustc", ["--version"])
  private static let hasPython =
    hasC && has("pkg-config", ["--exists", "python3-embed"]) && has("python3", ["--version"])

  @Test("A plug-in in C builds and passes", .enabled(if: hasC, "There is no C compiler here."))
  func c() throws { try check(["c"]) }

  @Test(
    "An incremental plug-in in C builds and passes",
    .enabled(if: hasC, "There is no C compiler here."))
  func incremental() throws {
    // The cases that the wrong variants of this template fail.
    let cases = Set(Self.cases + WrongVariant.ofTemplate.map(\.failedCase))
    try check(["c", "--incremental"], cases: cases.sorted(), skippedCount: 0)
  }

  @Test(
    "A plug-in in C++ builds and passes",
    .enabled(if: hasCpp, "There is no C++ compiler here, which Debian's package g++ brings."))
  func cpp() throws { try check(["c++"]) }

  @Test(
    "A plug-in in Rust builds and passes",
    .enabled(if: hasRust, "There is no Rust compiler here, which Debian's package cargo brings."))
  func rust() throws { try check(["rust"]) }

  @Test(
    "A plug-in in Python builds and passes",
    .enabled(
      if: hasPython,
      "The headers of Python are not here, which Debian's package python3-dev brings."))
  func python() throws { try check(["python"]) }

  /// Builds a plug-in from a template without a warning, and runs the cases.
  ///
  /// - Parameters:
  ///   - words: The language, and further options of `quire plugin new`.
  ///   - skippedCount: The number of cases that need a capability that the store does not have.
  private func check(
    _ words: [String], cases: [String] = cases, skippedCount: Int = 1
  ) throws {
    let folder = try ScaffoldFolder()
    let plugin = folder.path + "/Ledger"
    let made = quire(["plugin", "new", "Ledger", "--output", plugin, "--language"] + words)
    try #require(made.exitCode == .done, "\(made.messages)")

    let building = try ProgramRun(
      "env",
      [
        "RUSTFLAGS=--deny warnings", "make", "-C", plugin, "CC=cc -Werror", "CXX=c++ -Werror",
      ])
    try #require(building.status == 0, "\(building.text)")
    for file in ["Ledger", "Ledger/plugin.json", "Ledger/libLedger.so"] {
      try folder.setMode(0o755, file)
    }

    var outcomes: [String] = []
    for name in cases {
      let run = try ProgramRun(
        BuiltTool.url.path, ["plugin", "test", plugin, "--in-process", "--case", name])
      #expect(run.status == 0, "\(run.text)")
      outcomes += run.text.split(separator: "\n").filter { $0.contains("  \(name)") }
        .map { String($0.prefix { $0 != " " }) }
    }
    #expect(outcomes.count { $0 == "passed" } == cases.count - skippedCount)
    #expect(outcomes.count { $0 == "skipped" } == skippedCount)
  }
}
