import Foundation
import InstalledPlugins
import ProgramRuns
import Synchronization
import TestEffort
import Testing

@testable import ToolCommands

/// Variants of the examples in C, each wrong in one way, in its code or in its manifest. `quire plugin test` must find each in the case about it.
@Suite(
  "Wrong variants of the example stores",
  .enabled(
    if: InstalledPlugins.hasLMDB && BuiltTool.exists,
    "The test needs a C compiler, liblmdb-dev and the tool."))
struct WrongStoreTests {
  private static let patches = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "WrongStores")

  /// A patch of an example. The lines before the difference tell the fault in a sentence, and the case.
  private struct Variant {
    let example: String
    let patch: URL
    /// The case that finds the fault.
    let caseName: String
    /// The files that the patch changes.
    let files: [String]

    init(_ example: String, _ patch: URL) throws {
      let lines = try String(contentsOf: patch, encoding: .utf8).split(separator: "\n")
      func rests(_ start: String) -> [String] {
        lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
      }
      self.example = example
      self.patch = patch
      caseName = try #require(rests("Caught by: ").first, "\(patch.path)")
      files = rests("+++ b/")
    }

    var name: String { "\(example)/\(patch.deletingPathExtension().lastPathComponent)" }
  }

  private static func variants() throws -> [Variant] {
    try ["FolderStore", "LMDBStore"].flatMap { example in
      try FileManager.default.contentsOfDirectory(
        at: patches.appending(path: example), includingPropertiesForKeys: nil
      ).filter { $0.pathExtension == "patch" }.map { try Variant(example, $0) }
    }.sorted { $0.name < $1.name }
  }

  private func run(_ program: String, _ words: [String], in place: URL) throws {
    let run = try ProgramRun(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", place.path, program] + words)
    try #require(run.status == 0, "\(program) \(words.joined(separator: " ")): \(run.text)")
  }

  /// Compiles files of an example to object files beside them.
  private func compile(_ files: [String], in place: URL) throws {
    let headers = ["CStorePlugin", "CArrow"].map {
      "-I" + InstalledPlugins.root.appending(path: "Sources/\($0)/include").path
    }
    try run(
      InstalledPlugins.compiler ?? "cc",
      ["-std=c11", "-D_DEFAULT_SOURCE", "-fPIC", "-fvisibility=hidden", "-c"] + headers + files,
      in: place)
  }

  /// Copies an example and compiles all its files.
  private func build(_ example: String, in scaffold: ScaffoldFolder) throws -> URL {
    let place = URL(filePath: scaffold.path).appending(path: "sound-\(example)")
    let sources = InstalledPlugins.root.appending(path: "Examples/\(example)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") || $0 == "plugin.json" }
    for file in files {
      try FileManager.default.copyItem(
        at: sources.appending(path: file), to: place.appending(path: file))
    }
    try compile(files.filter { $0.hasSuffix(".c") }, in: place)
    return place
  }

  /// Makes a plug-in of a variant, and runs the case. Returns the output if the case fails; otherwise `nil`.
  private func failure(
    of variant: Variant, from sound: URL, in folder: String
  ) throws -> String? {
    let files = FileManager.default
    let place = URL(filePath: folder).appending(path: UUID().uuidString)
    defer { try? files.removeItem(at: place) }
    try files.copyItem(at: sound, to: place)
    try run("git", ["apply", "--whitespace=nowarn", variant.patch.path], in: place)
    let sources = variant.files.filter { $0.hasSuffix(".c") }
    if !sources.isEmpty { try compile(sources, in: place) }
    let plugin = place.appending(path: "plugins/\(variant.example)")
    try files.createDirectory(
      at: plugin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let objects = try files.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".o") }
    try run(
      InstalledPlugins.compiler ?? "cc",
      ["-shared", "-o", "plugins/\(variant.example)/lib\(variant.example).so"] + objects
        + ["-llmdb", "-lm", "-pthread"], in: place)
    try files.copyItem(
      at: place.appending(path: "plugin.json"), to: plugin.appending(path: "plugin.json"))
    let tool = Tool.quire(environment: [:], executable: BuiltTool.url.path)
    let run = RecordedRun(
      ["plugin", "test", plugin.path, "--case", variant.caseName, "--limit", "60"], tool: tool)
    return run.exitCode == .no && run.output.contains("FAILED   \(variant.caseName)")
      ? run.output : nil
  }

  @Test("Each variant that is wrong in one way fails in the case about it")
  func caught() throws {
    let scaffold = try ScaffoldFolder()
    let variants = try Self.variants()
    let sound = try Dictionary(
      uniqueKeysWithValues: Set(variants.map(\.example)).map {
        ($0, try build($0, in: scaffold))
      })
    let count = Mutex(0)
    let folder = scaffold.path
    // Each case is a process of its own.
    let tried = Effort.part(of: variants)
    DispatchQueue.concurrentPerform(iterations: tried.count) { index in
      let variant = tried[index]
      guard let place = sound[variant.example] else { return }
      do {
        let output = try failure(of: variant, from: place, in: folder)
        #expect(output != nil, "\(variant.name) passes \(variant.caseName).")
        if output != nil { count.withLock { $0 += 1 } }
      } catch {
        Issue.record(error, "\(variant.name)")
      }
    }
    print(
      "Conformance: \(count.withLock { $0 }) of \(tried.count) wrong variants of the examples in C are caught."
    )
    #expect(variants.count >= 60)
  }
}
