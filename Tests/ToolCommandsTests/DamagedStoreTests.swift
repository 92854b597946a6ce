import Foundation
import Testing

@testable import ToolCommands

/// Commands on stores with a damaged last save: no command shows or extends an older state without being asked to.
@Suite("Stores with a damaged last save")
final class DamagedStoreTests {
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Examples").standardizedFileURL
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a copy of the shipped store with one more save, in which four bytes are changed.
  private func damagedStore() throws -> URL {
    let store = folder.appending(path: "bad.store")
    try FileManager.default.copyItem(at: Self.examples.appending(path: "Trips.store"), to: store)
    #expect(run("insert", store.path, "Person", "fullName=Ada").exitCode == .done)
    try change(store) { bytes in
      for place in bytes.count - 204..<bytes.count - 200 { bytes[place] ^= 0x55 }
    }
    return store
  }

  private func change(_ file: URL, _ change: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  private func run(_ words: String...) -> RecordedRun { RecordedRun(words) }

  @Test("Every command refuses with exit code 4 and changes nothing")
  func refusals() throws {
    let store = try damagedStore()
    let bytes = try Data(contentsOf: store)
    let rows = folder.appending(path: "rows.jsonl")
    try Data("{\"entity\": \"Person\", \"fullName\": \"Ada\"}\n".utf8).write(to: rows)
    let target = folder.appending(path: "target").path
    let path = store.path

    let commands = [
      ["info", path], ["count", path, "Person"], ["fetch", path, "Person"], ["export", path],
      ["insert", path, "Person", "fullName=Zoë"],
      ["set", path, "Person", "--where", "fullName == \"Ada\"", "fullName=Zoë"],
      ["delete", path, "Person", "--where", "fullName == \"Ada\""],
      ["import", path, rows.path], ["convert", path, target], ["vacuum", path],
      ["open", path],
      ["migrate", path, "--model", Self.examples.appending(path: "Trips.xcdatamodeld").path],
    ]
    for words in commands {
      let result = RecordedRun(words)
      #expect(result.exitCode == .unreadable, "\(words): \(result)")
      #expect(result.messages.contains("damaged"), "\(words): \(result.messages)")
      #expect(result.output.isEmpty, "\(words): \(result.output)")
    }

    #expect(try Data(contentsOf: store) == bytes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["bad.store", "rows.jsonl"])
    #expect(run("validate", path).exitCode == .no)
    #expect(run("recover", path, "--output", target).exitCode != .done)
  }

  @Test("With --damaged a command shows the save before, and still ends with exit code 4")
  func acceptedDamage() throws {
    let store = try damagedStore().path

    for words in [["info"], ["count", "Trip"], ["fetch", "Trip"], ["export"]] {
      let result = RecordedRun([words[0], store] + words.dropFirst() + ["--damaged"])
      #expect(result.exitCode == .unreadable, "\(words): \(result)")
      #expect(!result.output.isEmpty, "\(words)")
      #expect(result.messages.contains("The last save is damaged"), "\(result.messages)")
      #expect(result.messages.contains("quire recover \(store) --output"), "\(result.messages)")
    }
    #expect(run("count", store, "Person", "--damaged").output == "3\n")
  }

  @Test("A document with a damaged store opens only with --damaged")
  func document() throws {
    let document = folder.appending(path: "Trip.quire")
    let model = Self.examples.appending(path: "Trips.xcdatamodeld").path
    #expect(run("new", document.path, "--model", model).exitCode == .done)
    for name in ["Ada", "Zoë"] {
      #expect(run("insert", document.path, "Person", "fullName=\(name)").exitCode == .done)
    }
    try change(document.appending(path: "stores/main.store")) { $0[$0.count - 60] ^= 1 }

    let refused = run("count", document.path, "Person")
    let accepted = run("count", document.path, "Person", "--damaged")

    #expect(refused.exitCode == .unreadable && refused.output.isEmpty, "\(refused)")
    #expect(accepted.exitCode == .unreadable && accepted.output == "1\n", "\(accepted)")
    #expect(accepted.messages.contains("quire recover \(document.path) --output"))
  }
}
