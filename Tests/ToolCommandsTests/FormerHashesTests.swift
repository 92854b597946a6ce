import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import PropertyLists
import Quire
import SQLiteFiles
import StoreInterface
import Testing

@testable import ToolCommands

/// Files that Quire wrote before the rules of the version hash were corrected (spec §2.5.4, decision 0018).
///
/// They are in the folder `FormerHashes`, with the two versions of their model. `Person` has two
/// uniqueness constraints, a version hash modifier and relationships that are their own inverse, so
/// its former hash differs from its version hash in each way.
@Suite("Files with former version hashes")
struct FormerHashesTests {
  static let names = ["people.store", "people.xml", "people.sqlite", "people.quire"]
  private static let source = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "FormerHashes")

  /// Copies of the files, in a folder that is removed at the end of the test.
  fileprivate final class Copies {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "former-\(UUID().uuidString)")
    let models = source.appending(path: "People.xcdatamodeld").path

    init() throws {
      try FileManager.default.copyItem(at: source, to: folder)
      try Data().write(to: folder.appending(path: "people.sqlite"))
      let connection = try SQLiteConnection(path("people.sqlite"), for: .writing)
      let text = try String(contentsOf: folder.appending(path: "people.sql"), encoding: .utf8)
      for line in text.split(separator: "\n") where !line.hasPrefix("--") {
        try connection.execute(String(line))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func run(_ words: String...) throws -> RecordedRun { try run(words) }

    func run(_ words: [String]) throws -> RecordedRun {
      let tool = Tool.quire(
        environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
        executable: nil)
      return RecordedRun(words, tool: tool)
    }
  }

  private static func expect(_ run: RecordedRun, _ part: String) {
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output.contains(part), "\(run.output) \(run.messages)")
  }

  @Test(
    "The files are valid, and are read with their own model and with the program's",
    arguments: names)
  func reading(_ name: String) throws {
    let copies = try Copies()
    let path = copies.path(name)

    Self.expect(try copies.run("validate", path), "\(name): valid")
    if name != "people.xml" {
      Self.expect(try copies.run("history", path, "--changes"), "1  2026-11-24T22:47:04.")
    }
    for model in [[], ["--model", copies.models]] where name != "people.quire" || model.isEmpty {
      let friends = try copies.run(
        ["fetch", path, "Person", "--where", "friends.@count == 2 AND spouse.name == 'Bob'"] + model
          + ["--columns", "name,email", "--format", "csv"])
      Self.expect(friends, "Ada,ada@x")
    }
  }

  @Test("Another version of the model does not fit, and the difference is named", arguments: names)
  func otherVersion(_ name: String) throws {
    let copies = try Copies()
    let models = try ModelVersions.read(copies.models)
    let recorded = try #require(
      try copies.recordedHashes(name == "people.quire" ? "people.quire/stores/main.store" : name))

    #expect(models["1"]!.differences(from: recorded).isEmpty)
    #expect(models["1"]!.versionHashes != recorded)
    #expect(models["2"]!.differences(from: recorded).changed == ["Employee", "Person"])
  }

  @Test(
    "The files are migrated to the next version of their model, and are valid afterwards",
    arguments: names)
  func migrating(_ name: String) throws {
    let copies = try Copies()
    let path = copies.path(name)

    let plan = try copies.run(
      "migrate", path, "--model", copies.models, "--to", "2", "--dry-run")
    Self.expect(plan, "1. \"1\" to \"2\": inferred")
    Self.expect(
      try copies.run("migrate", path, "--model", copies.models, "--to", "2"), "Done.")
    Self.expect(try copies.run("validate", path), "\(name): valid")
    Self.expect(
      try copies.run("fetch", path, "Person", "--where", "phone == nil", "--columns", "name"), "Ada"
    )
  }

  @Test(
    "The files can be saved to, and databases and XML documents get current hashes",
    arguments: names)
  func saving(_ name: String) throws {
    let copies = try Copies()
    let path = copies.path(name)

    Self.expect(try copies.run("insert", path, "Person", "name=Dee"), "2/p")
    Self.expect(try copies.run("validate", path), "\(name): valid")
    Self.expect(try copies.run("count", path, "Person"), "4")
    if name == "people.xml" || name == "people.sqlite" {
      let metadata = try #require(try copies.metadata(name))
      let model = try ModelVersions.read(copies.models)["1"]!
      #expect(metadata.versionHashes == model.versionHashes)
      #expect(
        metadata.values[StoreMetadata.Key.versionHashesDigest]
          == .string(model.versionHashesDigest))
    }
  }

  @Test("A damaged block file is recovered with the model that it contains")
  func recovering() throws {
    let copies = try Copies()
    let output = copies.path("recovered.store")

    let run = try copies.run("recover", copies.path("people.store"), "--output", output)

    #expect(run.exitCode == .done, "\(run.messages)")
    Self.expect(try copies.run("validate", output), "recovered.store: valid")
  }
}

extension FormerHashesTests.Copies {
  fileprivate func metadata(_ name: String) throws -> StoreMetadata? {
    let path = path(name)
    guard name.hasSuffix(".sqlite") else {
      return try StorePlaces(.builtIn, on: RealDisk()).metadata(at: path)
    }
    let statement = try SQLiteConnection(path, for: .reading).prepare(
      "SELECT Z_PLIST FROM Z_METADATA")
    guard try statement.step(),
      case .dictionary(let values) = try BinaryPropertyList.read(statement.bytes(0))
    else { return nil }
    return StoreMetadata(values: values)
  }

  fileprivate func recordedHashes(_ name: String) throws -> [String: VersionHash]? {
    try metadata(name)?.versionHashes
  }
}
