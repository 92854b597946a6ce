import AppleFixtures
import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

@Suite("Commands agree with the validator")
struct AgreementTests {
  /// Stores and documents that break one rule each, and the files beside the project that tests may read.
  private static let paths: [String] = {
    let rules = InstalledPlugins.root.appending(path: "spec/vectors/rules")
    var folders = [rules, InstalledPlugins.root.appending(path: "Examples")]
    if let fixtures = AppleFixtures.folder {
      folders += ["faults", "sqlitestore", "xmlstore"].map { fixtures.appending(path: $0) }
    }
    let endings = [".store", ".quire", ".xml", ".sqlite", ".zip"]
    var paths: [String] = []
    for folder in folders {
      let all = FileManager.default.enumerator(atPath: folder.path)
      while let name = all?.nextObject() as? String {
        // Models are XML too. The files in a `.quire` folder are part of a document.
        guard endings.contains(where: { name.hasSuffix($0) }), !name.contains(".quire/"),
          !name.contains("xcdatamodel")
        else { continue }
        paths.append(folder.appending(path: name).path)
      }
    }
    return paths.sorted()
  }()

  private func run(_ words: String...) throws -> RecordedRun {
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    return RecordedRun(words, tool: tool)
  }

  @Test(
    "Valid files are read to their end, and no file causes an internal error of the tool",
    arguments: paths)
  func agreement(_ path: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "agree-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A copy, so that the files beside the project stay unchanged.
    let copy = folder.appending(path: URL(filePath: path).lastPathComponent).path
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    for ending in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }

    let verdict = try run("validate", copy)
    let runs = try [("info", run("info", copy)), ("export", run("export", copy))]
    for (name, run) in [("validate", verdict)] + runs {
      #expect(run.exitCode != .internalFault, "\(name): \(run.messages)")
    }
    guard verdict.exitCode == .done else { return }
    for (name, run) in runs where !run.messages.contains("several stores") {
      #expect(run.exitCode == .done, "\(name): \(run.messages)\n\(verdict.output)")
    }
  }

  @Test(
    "info shows the features that Quire does not know",
    arguments: ["BLCK-009.store", "MANI-027.quire"])
  func features(_ name: String) throws {
    let path = InstalledPlugins.root.appending(path: "spec/vectors/rules/\(name)").path

    #expect(try run("info", path).output.contains("thumbnails (ignore)"))
    let json = try run("info", "--format", "json", path).output
    #expect(json.contains(#""thumbnails": "ignore""#), "\(json)")
  }
}

@Suite("Damaged documents")
struct DamagedDocumentTests {
  /// Makes a document with three owners of 400 items in one save, and changes a bit of its store.
  ///
  /// - Parameters:
  ///   - text: The bytes of which the first is changed. The first QBLK begins the block of the items.
  ///   - savesAgain: Whether another save follows the one with the text.
  private static func document(
    damaging text: String, savingAgain savesAgain: Bool, in folder: URL
  ) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = folder.appending(path: "m.model")
    let lines = [
      "entity Item", "    text: String", "    owner: Owner?", "",
      "entity Owner", "    name: String", "    items: [Item], delete cascade", "",
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: model)
    var objects = (0..<3).map {
      #"{"@entity": "Owner", "@id": "o\#($0)", "name": "Owner \#($0)"}"#
    }
    objects += (0..<400).map {
      #"{"@entity": "Item", "text": "The text of item \#($0)", "owner": "o\#($0 % 3)"}"#
    }
    let rows = folder.appending(path: "all.jsonl")
    try Data(objects.joined(separator: "\n").utf8).write(to: rows)
    let document = folder.appending(path: "Items.quire").path
    for command in [
      ["new", document, "--model", model.path], ["import", document, rows.path],
      savesAgain ? ["insert", document, "Owner", "name=Last"] : ["info", document],
    ] {
      let run = quire(command)
      #expect(run.exitCode == .done, "\(run.messages)")
    }
    let store = URL(filePath: document).appending(path: "stores/main.store")
    var bytes = try [UInt8](Data(contentsOf: store))
    let place = try #require(bytes.firstRange(of: Array(text.utf8))).lowerBound
    bytes[place] ^= 1
    try Data(bytes).write(to: store)
    return document
  }

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "damaged-\(UUID().uuidString)")

  @Test("A packed document is recovered in its place")
  func recovery() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let document = try Self.document(damaging: "Owner 1", savingAgain: false, in: folder)
    let packed = document + ".zip"
    #expect(quire(["pack", document]).exitCode == .done)
    let made = folder.appending(path: "made.quire").path

    let export = quire(["export", packed])
    #expect(export.exitCode == .unreadable)
    #expect(export.messages.contains("quire recover"), "\(export.messages)")
    let recovered = quire(["recover", packed, "--output", made])
    #expect(recovered.exitCode == .no, "\(recovered.messages)")
    let objects = quire(["export", made])
    #expect(objects.exitCode == .done && objects.output.split(separator: "\n").count >= 400)
    #expect(quire(["validate", made]).exitCode == .done)
  }

  @Test("A deletion that fails in a session is undone, and the session continues")
  func deletion() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let document = try Self.document(damaging: "QBLK", savingAgain: true, in: folder)

    let run = RecordedRun(
      ["open", document, "--keep-going", "--discard"],
      tool: .quire(environment: [:], executable: nil),
      input: Array("delete Owner --where TRUEPREDICATE\nundo\ncount Owner\n".utf8))

    #expect(run.exitCode == .unreadable, "\(run)")
    #expect(run.messages.contains("line 1: "), "\(run.messages)")
    #expect(run.output.hasSuffix("4\n"), "\(run.output)")
  }
}
