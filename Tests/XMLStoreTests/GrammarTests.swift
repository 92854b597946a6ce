import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import ProgramRuns
import SeededRandom
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// Checks written documents against the grammars of the specification with another program, `xmllint`.
@Suite("Documents and the grammars of the specification")
struct GrammarTests {
  private static let xmllint = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private static let spec = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "spec")

  /// Whether a document is valid under a grammar, and the messages of the program if not.
  private static func check(_ text: String, _ grammar: String) throws -> (Bool, String) {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(filePath: path))
    let run = try ProgramRun(
      xmllint!,
      [
        "--noout", "--nonet", "--huge", grammar.hasSuffix(".dtd") ? "--dtdvalid" : "--relaxng",
        spec.appending(path: grammar).path, path,
      ], reading: .errors)
    return (run.status == 0, run.text)
  }

  @Test(
    "A written document is valid",
    .enabled(if: xmllint != nil, "There is no xmllint (Debian: libxml2-utils)."),
    arguments: XMLStoreOptions.Form.allCases, ["xml-store.dtd", "xml-store.rng"])
  func valid(_ form: XMLStoreOptions.Form, _ grammar: String) throws {
    let disk = SimulatedDisk()
    let store = try XMLStoreBackend(form).create(
      at: "/s", model: StoreConformance.model, on: disk, StoreCreation())
    var generator = SeededGenerator(seed: 3)
    try StoreConformance.populate(store, count: 80, &generator)
    let text = try Library.text(store, on: disk)

    let (isValid, words) = try Self.check(text, grammar)

    #expect(isValid, "\(words.prefix(2000))")
  }

  @Test(
    "An invalid document does not pass the grammar",
    .enabled(if: xmllint != nil, "There is no xmllint."),
    arguments: ["xml-store.dtd", "xml-store.rng"])
  func invalid(_ grammar: String) throws {
    let disk = SimulatedDisk()
    let text = try Library.text(try Library.store(on: disk), on: disk)
    for (part, other) in [
      ("<UUID>", "<uuid>x</uuid><UUID>"), ("id=\"z2\"", "name=\"z2\""),
      ("<attribute name=\"pages\"", "<attribute"), ("<plist", "<text/><plist"),
    ] {
      #expect(text.contains(part))
      let changed = text.replacing(part, with: other, maxReplacements: 1)
      #expect(try !Self.check(changed, grammar).0, "\(part)")
    }
  }
}
