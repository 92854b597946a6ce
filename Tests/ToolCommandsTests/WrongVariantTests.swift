import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// Tests `quire plugin test` itself: with stores in C that are wrong in one way each.
@Suite(
  "Wrong variants of the incremental template",
  .enabled(
    if: InstalledPlugins.compiler != nil && BuiltTool.exists, "There is no C compiler here."))
struct WrongVariantTests {
  private static let compiler = InstalledPlugins.compiler ?? "cc"

  /// A store with its object files.
  private struct Compiled {
    let sources: URL
    let library: String
    let flags: [String]
    /// The object files, by the names of their sources.
    let objects: [String: String]
  }

  @Test("Each wrong variant of the incremental template fails the case that is about it")
  func template() throws {
    let folder = try ScaffoldFolder()
    let template = folder.path + "/template"
    let made = quire([
      "plugin", "new", "Ledger", "--language", "c", "--incremental", "--output", template,
    ])
    try #require(made.exitCode == .done, "\(made.messages)")

    let compiled = try compile(
      URL(filePath: template), "libLedger.so", headers: ["\(template)/include"], in: folder)
    try check(WrongVariant.ofTemplate, of: compiled, "the incremental template", in: folder)
  }

  /// Builds each variant, and checks that its case fails.
  private func check(
    _ variants: [WrongVariant], of compiled: Compiled, _ name: String, in folder: ScaffoldFolder
  ) throws {
    var caughtCount = 0
    for (index, variant) in variants.enumerated() {
      let plugin = "\(index)/Store"
      try build(variant, of: compiled, in: "\(folder.path)/\(plugin)")
      for file in ["\(index)", plugin, "\(plugin)/plugin.json", "\(plugin)/\(compiled.library)"] {
        try folder.setMode(0o755, file)
      }

      let run = try ProgramRun(
        BuiltTool.url.path,
        [
          "plugin", "test", "\(folder.path)/\(plugin)", "--case", variant.failedCase,
          "--limit", "60",
        ])

      let isCaught = run.status == 1 && run.text.contains("FAILED   \(variant.failedCase)")
      #expect(isCaught, "A store that \(variant) passes \(variant.failedCase): \(run.text)")
      if isCaught { caughtCount += 1 }
    }
    print("Wrong variants of \(name): \(caughtCount) of \(variants.count) caught")
  }

  /// Compiles each file of a sound store.
  private func compile(
    _ sources: URL, _ library: String, headers: [String], in folder: ScaffoldFolder
  ) throws -> Compiled {
    let objects = folder.path + "/objects"
    try FileManager.default.createDirectory(atPath: objects, withIntermediateDirectories: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".c") }
    let flags =
      ["-std=c11", "-O0", "-fPIC", "-fvisibility=hidden", "-I\(sources.path)"]
      + headers.map { "-I\($0)" }
    let building = try ProgramRun(
      Self.compiler, flags + ["-c"] + names.map { "\(sources.path)/\($0)" },
      in: URL(filePath: objects))
    try #require(building.status == 0, "\(building.text)")
    return Compiled(
      sources: sources, library: library, flags: flags,
      objects: Dictionary(
        uniqueKeysWithValues: names.map { ($0, "\(objects)/\($0.dropLast())o") }))
  }

  /// Builds a variant from its changed file and the object files of all others.
  private func build(_ variant: WrongVariant, of compiled: Compiled, in plugin: String) throws {
    try FileManager.default.createDirectory(atPath: plugin, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: compiled.sources.appending(path: "plugin.json"),
      to: URL(filePath: plugin + "/plugin.json"))
    let sound = try String(
      contentsOf: compiled.sources.appending(path: variant.file), encoding: .utf8)
    let parts = sound.split(separator: variant.text, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(variant.text) occurs \(parts.count - 1) times.")
    let changed = "\(plugin)/\(variant.file)"
    try Data(parts.joined(separator: variant.replacement).utf8).write(to: URL(filePath: changed))
    let building = try ProgramRun(
      Self.compiler,
      compiled.flags + ["-shared", "-o", "\(plugin)/\(compiled.library)", changed]
        + compiled.objects.filter { $0.key != variant.file }.values)
    try #require(building.status == 0, "\(building.text)")
  }
}
