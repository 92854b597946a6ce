import DiskSimulation
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Validation

/// A document that breaks exactly one rule, as in `spec/vectors/rules`.
struct BrokenDocument: CustomStringConvertible, Sendable {
  let rule: String
  let make: @Sendable () throws -> DocumentFiles

  init(
    _ rule: String, _ base: @escaping @Sendable () throws -> DocumentFiles = DocumentFiles.notes,
    _ change: @escaping @Sendable (inout DocumentFiles) throws -> Void
  ) {
    self.rule = rule
    make = {
      var document = try base()
      try change(&document)
      return document
    }
  }

  var description: String { rule }

  /// Returns the validator's report of a document.
  static func report(_ document: DocumentFiles, as name: String) throws -> ValidationReport {
    let disk = SimulatedDisk()
    try document.put(at: name, on: disk)
    return try Validator().validate(name, on: disk)
  }

  static let all = manifests + folders

  static let manifests = [
    BrokenDocument("MANI-001") { $0.replace("\"versions\":", "\"versions\"") },
    BrokenDocument("MANI-002") { $0.replace("quire-document", "quire-notes") },
    BrokenDocument("MANI-003") { $0.replace("Version\": 1", "Version\": 2") },
    BrokenDocument("MANI-004") { $0.replace("\"created\": \"2026-11-22T01:13:59.250Z\",", "") },
    BrokenDocument("MANI-005") { $0.replace("\"title\": \"Notes\"", "\"title\": 7") },
    BrokenDocument("MANI-006") { $0.replace("\"byteCount\": 3", "\"byteCount\": -3") },
    BrokenDocument("MANI-007") {
      $0.replace("2026-11-22T01:13:59.250Z", "2026-11-31T01:13:59.250Z")
    },
    BrokenDocument("MANI-008") { $0.replace("\"0F6E1A52", "\"F6E1A52") },
    BrokenDocument("MANI-009") { $0.replace("{ \"Note\": \"36", "{ \"Note\": \"") },
    BrokenDocument("MANI-010") { $0.replace("\"name\": \"main\"", "\"name\": \"\"") },
    BrokenDocument("MANI-011") { $0.replace("models/1.xml", "models/../models/1.xml") },
    BrokenDocument("MANI-012") {
      $0.replace("\"commit\": 3", "\"commit\": 3, \"colour\": \"red\"")
    },
    BrokenDocument("MANI-013") {
      $0.files["models/2.xml"] = $0.files["models/1.xml"]
      $0.replace(
        "\"models\": [",
        "\"models\": [{ \"name\": \"1\", \"file\": \"models/2.xml\", \"entities\": { "
          + "\"Note\": \"369de20f7bd643887bb19326f515cf0946fb04c3b823c0736ed08a84355c438b\" } },")
    },
    BrokenDocument("MANI-014") {
      $0.files["stores/more.store"] = $0.files["stores/main.store"]
      $0.replace(
        "\"stores\": [",
        """
        "stores": [
            {
              "name": "more", "type": "Binary", "file": "stores/more.store",
              "uuid": "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "commit": 3
            },
        """)
    },
    BrokenDocument("MANI-015") {
      $0.replace(
        "\"models\": [",
        "\"models\": [{ \"name\": \"2\", \"file\": \"models/1.xml\", \"entities\": { "
          + "\"Note\": \"369de20f7bd643887bb19326f515cf0946fb04c3b823c0736ed08a84355c438b\" } },")
    },
    BrokenDocument("MANI-016") { $0.replace("\"model\": \"1\"", "\"model\": \"2\"") },
    BrokenDocument("MANI-017") {
      let stores = $0.manifest.range(of: "\"stores\": [")!.upperBound
      let end = $0.manifest.range(of: "],\n  \"attachments\"")!.lowerBound
      $0.manifest.removeSubrange(stores..<end)
    },
    BrokenDocument("MANI-018") { $0.replace("\"number\": 2", "\"number\": 1") },
    BrokenDocument("MANI-019") {
      $0.replace(
        "},\n    { \"number\": 3, \"saved\": \"2026-11-22T03:00:00.000Z\", \"model\": \"1\", \"name\": \"Done\" }",
        "}")
    },
    BrokenDocument("MANI-020", DocumentFiles.library) {
      $0.replace("\"until\": 2", "\"until\": 3")
    },
    BrokenDocument("MANI-021") { $0.replace("\"since\": 1", "\"since\": 4") },
    BrokenDocument("MANI-022") {
      $0.replace(
        "\"attachments\": [",
        "\"attachments\": [{ \"name\": \"a.txt\", \"byteCount\": 3, "
          + "\"since\": 2, \"until\": 3, \"digest\": \"\(DocumentFiles.abc)\" },")
    },
    BrokenDocument("MANI-023") {
      $0.replace(
        "\"since\": 1,\n      \"digest\": \"\(DocumentFiles.abc)\"\n    }",
        "\"since\": 1,\n      \"digest\": \"\(DocumentFiles.abc)\"\n    },\n    { \"name\": \"b.txt\", "
          + "\"byteCount\": 4, \"since\": 2, \"digest\": \"\(DocumentFiles.abc)\" }")
    },
    BrokenDocument("MANI-024") {
      $0.files["manifest.json"] = Array(
        $0.manifest.replacing(#/"checksum": "[0-9a-f]{8}"/#, with: #""checksum": "0123abcd""#).utf8)
    },
    BrokenDocument("MANI-025") {
      $0.replace("\"attachments\": [", "\"log\": \"other\",\n  \"attachments\": [")
    },
    BrokenDocument("MANI-026") { $0.name(feature: "Thumbnails", "ignore") },
    BrokenDocument("MANI-028") {
      $0.replace("\"attachments\": [", "\"heads\": [\"draft.1\"],\n  \"attachments\": [")
    },
    BrokenDocument("MANI-027") { $0.name(feature: "thumbnails", "ignore") },
  ]

  static let folders = [
    BrokenDocument("CONT-001") { $0.files["manifest.json"] = nil },
    BrokenDocument("CONT-002") {
      $0.files["stores/main.store"] = nil
      $0.files["stores/main.store/inside"] = Array("A file within a folder".utf8)
    },
    BrokenDocument("CONT-003") { $0.files["stores/main.store"] = nil },
    BrokenDocument("CONT-004") { $0.files["models/1.xml"] = nil },
    BrokenDocument("CONT-005") { $0.files["attachments/\(DocumentFiles.abc)"] = nil },
    BrokenDocument("CONT-006") { $0.files["attachments/\(DocumentFiles.abc)"] = Array("ab".utf8) },
    BrokenDocument("CONT-007") { $0.files["attachments/\(DocumentFiles.abc)"] = Array("abd".utf8) },
    BrokenDocument("CONT-008") { $0.files["models/1.xml"]!.removeLast(20) },
    BrokenDocument("CONT-009") {
      $0.files["models/1.xml"] = try ModelSource.write(try SmallFile.library())
    },
    BrokenDocument("CONT-010") { $0.replace("6FB9DF54", "7FB9DF54") },
    BrokenDocument("CONT-011") { $0.replace("\"Binary\"", "\"CompressedBinary\"") },
    BrokenDocument("CONT-012") { $0.files["stores/main.store"] = try SmallFile.one() },
    BrokenDocument("CONT-013") {
      $0.files["stores/main.store"] = try SmallFile.pair()
      $0.replace("\"commit\": 3", "\"commit\": 2")
    },
    BrokenDocument("CONT-014", DocumentFiles.library) {
      $0.files["stores/books-1.xml"] = nil
      $0.replace(
        ",\n      \"earlier\": [{ \"commit\": 1, \"until\": 2, \"file\": \"stores/books-1.xml\", \"model\": \"1\" }]",
        "")
    },
    BrokenDocument("CONT-015") { $0.replace("\"commit\": 3", "\"commit\": 2") },
    BrokenDocument("CONT-016") { $0.files["stores/main-4.store"] = Array("A torn file".utf8) },
    BrokenDocument("CONT-017") { $0.files["notes.txt"] = Array("Mine".utf8) },
    BrokenDocument("CONT-018") { $0.files["recovery.json"] = Array("{".utf8) },
    BrokenDocument("CONT-019") { document in
      var recovery = document
      recovery.replace("{ \"number\": 3,", "{ \"number\": 4,")
      document.files["recovery.json"] = recovery.files["manifest.json"]
    },
    BrokenDocument("CONT-023") {
      // A block file contains no address.
      $0.files["stores/main.address"] = $0.files["stores/main.store"]
      $0.files["stores/main.store"] = nil
      $0.replace("stores/main.store", "stores/main.address")
    },
    BrokenDocument("CONT-024", DocumentFiles.heads) {
      $0.replaceInDraft("\"head\": \"draft\"", "\"head\": \"draught\"")
      $0.files["stores/draft.main-3.store"] = nil
    },
    BrokenDocument("CONT-025", DocumentFiles.heads) {
      $0.replaceInDraft("2026-11-22T03:00:00.000Z", "2026-11-22T03:00:00.001Z")
    },
    BrokenDocument("CONT-026", DocumentFiles.heads) {
      $0.files["stores/draft.main-3.store"] = nil
      $0.replaceInDraft("stores/draft.main-3.store", "stores/main.store")
    },
    BrokenDocument("CONT-027", DocumentFiles.heads) {
      $0.files["heads/current"] = Array("drafts\n".utf8)
    },
    BrokenDocument("CONT-022", DocumentFiles.logged) {
      // The version in the log follows version 2.
      $0.replace(
        ",\n    { \"number\": 2, \"saved\": \"2026-11-22T02:00:00.000Z\", \"model\": \"1\" }", "")
      $0.replace("\"commit\": 2", "\"commit\": 1")
    },
  ]
}
