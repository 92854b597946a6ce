import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// Tests `quire plugin test` itself: with stores in C that are wrong in one way each.
@Suite("Wrong variants of a template")
struct WrongTemplateTests {
  private static let compiler = InstalledPlugins.compiler ?? "cc"
  private static let flags = ["-std=c11", "-O0", "-fPIC", "-fvisibility=hidden"]

  @Test(
    "Each wrong variant of the incremental template fails the case that is about it",
    .enabled(
      if: InstalledPlugins.compiler != nil && BuiltTool.exists, "There is no C compiler here."))
  func fails() throws {
    let folder = try ScaffoldFolder()
    let template = folder.path + "/template"
    let objects = try buildTemplate(template)
    var caughtCount = 0

    for (index, variant) in WrongTemplate.all.enumerated() {
      let plugin = "\(folder.path)/\(index)/Ledger"
      try build(variant, of: template, objects, in: plugin)
      for file in ["\(index)", "\(index)/Ledger"] { try folder.setMode(0o755, file) }
      for file in ["plugin.json", "libLedger.so"] {
        try folder.setMode(0o755, "\(index)/Ledger/\(file)")
      }

      let run = try ProgramRun(
        BuiltTool.url.path,
        ["plugin", "test", plugin, "--only", variant.failedCase, "--limit", "60"])

      let isCaught = run.status == 1 && run.text.contains("FAILED   \(variant.failedCase)")
      #expect(isCaught, "A store that \(variant) passes \(variant.failedCase): \(run.text)")
      if isCaught { caughtCount += 1 }
    }
    print(
      "Wrong variants of the incremental template: \(caughtCount) of \(WrongTemplate.all.count) caught"
    )
  }

  /// Writes the template and compiles each of its files. Returns the paths of the object files.
  private func buildTemplate(_ template: String) throws -> [String] {
    let made = quire([
      "plugin", "new", "Ledger", "--language", "c", "--incremental", "--output", template,
    ])
    try #require(made.exitCode == .done, "\(made.messages)")
    let sources = try FileManager.default.contentsOfDirectory(atPath: template)
      .filter { $0.hasSuffix(".c") }
    let building = try ProgramRun(
      Self.compiler, Self.flags + ["-Iinclude", "-c"] + sources, in: URL(filePath: template))
    try #require(building.status == 0, "\(building.text)")
    return sources.map { "\(template)/\($0.dropLast())o" }
  }

  /// Builds a variant from its changed file and the object files of all others.
  private func build(
    _ variant: WrongTemplate, of template: String, _ objects: [String], in plugin: String
  ) throws {
    try FileManager.default.createDirectory(atPath: plugin, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: template + "/plugin.json", toPath: plugin + "/plugin.json")
    let sound = try String(contentsOfFile: "\(template)/\(variant.file)", encoding: .utf8)
    let parts = sound.split(separator: variant.text, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(variant.text) occurs \(parts.count - 1) times.")
    let changed = "\(plugin)/\(variant.file)"
    try Data(parts.joined(separator: variant.replacement).utf8).write(to: URL(filePath: changed))
    let building = try ProgramRun(
      Self.compiler,
      Self.flags + ["-I\(template)", "-I\(template)/include", "-shared"]
        + ["-o", plugin + "/libLedger.so", changed]
        + objects.filter { $0 != "\(template)/\(variant.file.dropLast())o" })
    try #require(building.status == 0, "\(building.text)")
  }
}
