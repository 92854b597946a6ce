import AppleFixtures
import BlockFileFormat
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
  /// A packed document with one bit changed in the newest commit of its store.
  private static let packed = AppleFixtures.folder?.appending(path: "faults/flip.zip").path

  @Test(
    "A packed document is recovered in its place",
    .enabled(if: packed.map(FileManager.default.fileExists(atPath:)) ?? false, "No fixtures."))
  func recovery() throws {
    let path = try #require(Self.packed)
    let made = FileManager.default.temporaryDirectory.appending(
      path: "made-\(UUID().uuidString).quire")
    defer { try? FileManager.default.removeItem(at: made) }
    let export = quire(["export", path])
    #expect(export.exitCode == .unreadable)
    #expect(export.messages.contains("quire recover"), "\(export.messages)")
    let recovered = quire(["recover", path, "--output", made.path])
    #expect(recovered.exitCode == .no, "\(recovered.messages)")
    let objects = quire(["export", made.path])
    #expect(objects.exitCode == .done && objects.output.split(separator: "\n").count > 100)
    #expect(quire(["validate", made.path]).exitCode == .done)
  }

  /// A document with damaged rows, and a script that deletes the rows and undoes the deletion.
  private static let undone = AppleFixtures.folder?.appending(path: "faults/undo-crash.quire.tgz")
    .path

  @Test(
    "A deletion that fails in a session is undone, and the session continues",
    .enabled(if: undone.map(FileManager.default.fileExists(atPath:)) ?? false, "No fixtures."))
  func deletion() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "undo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let unpacking = try ProgramRun("tar", ["xzf", try #require(Self.undone), "-C", folder.path])
    #expect(unpacking.status == 0, "\(unpacking.text)")
    let script = try Data(contentsOf: folder.appending(path: "undo-crash.txt"))
    let document = folder.appending(path: "undo-crash.quire").path
    try update(document)
    let run = RecordedRun(
      ["open", document, "--keep-going", "--discard"],
      tool: .quire(environment: [:], executable: nil),
      input: Array(script) + Array("\ncount Owner\n".utf8))
    #expect(run.exitCode == .unreadable, "\(run)")
    #expect(run.messages.contains("line 1: "), "\(run.messages)")
  }

  /// Makes a document of format 1 out of a document of an earlier build. The manifest gets the line with the checksum
  /// that the error names, and the store gets a slot that names its last commit.
  private func update(_ document: String) throws {
    let refusal = quire(["info", document]).messages
    let line = try #require(refusal.firstMatch(of: /the line '(.*)'/)?.1)
    let manifest = URL(filePath: document).appending(path: "manifest.json")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try Data("\(text.dropLast(3)),\n\(line)\n}\n".utf8).write(to: manifest)

    let store = URL(filePath: document).appending(path: "stores/main.store")
    var bytes = try [UInt8](Data(contentsOf: store))
    let header = try #require(try FileHeader(Array(bytes.prefix(BlockFile.headerByteCount))))
    let slot = AcknowledgementSlots.bytes(
      namingTrailerAt: UInt64(bytes.count - BlockFile.trailerByteCount), salt: header.salt)
    let start = AcknowledgementSlots.offset
    bytes.replaceSubrange(start..<start + slot.count, with: slot)
    try Data(bytes).write(to: store)
  }
}
