import DurableFiles
import Foundation
import HostileInputs
import ModelNotations
import ObjectModel
import Validation

/// The files of a document, by their paths in it.
struct DocumentFiles {
  var files: [String: [UInt8]] = [:]

  init() {}

  /// Reads the files of a folder.
  init(recordedIn folder: URL) throws {
    let names = FileManager.default.enumerator(atPath: folder.path)
    while let name = names?.nextObject() as? String {
      let file = folder.appending(path: name)
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
        !isFolder.boolValue
      {
        files[name] = Array(try Data(contentsOf: file))
      }
    }
  }

  /// Writes the files into a folder, and replaces the folder's contents.
  func record(in folder: URL) throws {
    try? FileManager.default.removeItem(at: folder)
    for (name, bytes) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  /// Writes the files to a disk.
  func put(at path: String, on disk: any Disk) throws {
    var folders: Set<String> = []
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      let whole = "\(path)/\(name)"
      let parts = whole.split(separator: "/").map(String.init)
      for count in 1..<parts.count {
        let folder = (path.hasPrefix("/") ? "/" : "") + parts[..<count].joined(separator: "/")
        if folders.insert(folder).inserted { try disk.makeDirectory(folder) }
      }
      try disk.open(whole, for: .create).append(bytes)
    }
  }

  /// The text of the manifest. Each change of the text puts the right checksum into it.
  var manifest: String {
    get { String(decoding: files["manifest.json"] ?? [], as: UTF8.self) }
    set { files["manifest.json"] = HostileInputs.withRightChecksum(Array(newValue.utf8)) }
  }

  /// Replaces the first occurrence of a text in the manifest.
  mutating func replace(_ text: String, _ other: String) {
    precondition(manifest.contains(text), "'\(text)' is in the manifest.")
    manifest = manifest.replacing(text, with: other, maxReplacements: 1)
  }

  /// Adds a feature of the given class to the manifest.
  mutating func name(feature: String, _ kind: String) {
    replace("Version\": 1,", "Version\": 1, \"features\": { \"\(feature)\": \"\(kind)\" },")
  }
}

extension DocumentFiles {
  /// Returns a document with the heads `main` and `draft`, which have the same versions.
  static func heads() throws -> DocumentFiles {
    var document = try notes()
    document.files["stores/draft.main-3.store"] = document.files["stores/main.store"]
    var head = document
    head.replace("stores/main.store", "stores/draft.main-3.store")
    head.replace("\"attachments\": [", "\"head\": \"draft\",\n  \"attachments\": [")
    document.files["heads/draft.json"] = head.files["manifest.json"]
    document.replace("\"attachments\": [", "\"heads\": [\"draft\"],\n  \"attachments\": [")
    return document
  }

  /// Replaces the first occurrence of a text in the manifest of the head `draft`.
  mutating func replaceInDraft(_ text: String, _ other: String) {
    var head = DocumentFiles()
    head.files["manifest.json"] = files["heads/draft.json"]
    head.replace(text, other)
    files["heads/draft.json"] = head.files["manifest.json"]
  }

  /// Returns a document with three versions of notes in a block file, and an attachment.
  static func notes() throws -> DocumentFiles {
    var document = DocumentFiles()
    let model = try Model(
      Model.Description(entities: [SmallFile.note], versionIdentifiers: ["1"]))
    document.files = [
      "models/1.xml": try ModelSource.write(model), "stores/main.store": try SmallFile.notes(),
      "attachments/\(abc)": Array("abc".utf8),
    ]
    document.manifest = """
      {
        "format": "quire-document",
        "formatVersion": 1,
        "uuid": "0F6E1A52-8C3B-4A15-A60E-1D2E3F405162",
        "title": "Notes",
        "created": "2026-11-22T01:13:59.250Z",
        "model": "1",
        "models": [
          { "name": "1", "file": "models/1.xml", "entities": { \(hashes(model)) } }
        ],
        "stores": [
          {
            "name": "main", "type": "Binary", "file": "stores/main.store",
            "uuid": "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "commit": 3
          }
        ],
        "attachments": [
          {
            "name": "a.txt", "byteCount": 3, "since": 1,
            "digest": "\(abc)"
          }
        ],
        "versions": [
          { "number": 1, "saved": "2026-11-22T01:13:59.250Z", "model": "1" },
          { "number": 2, "saved": "2026-11-22T02:00:00.000Z", "model": "1" },
          { "number": 3, "saved": "2026-11-22T03:00:00.000Z", "model": "1", "name": "Done" }
        ],
        "checksum": "00000000"
      }

      """
    return document
  }

  /// Returns a document with three versions of notes in a block file, the newest of which only the log contains.
  static func logged() throws -> DocumentFiles {
    var document = try notes()
    document.files["stores/main.store"] = try SmallFile.logged()
    document.replace("\"commit\": 3", "\"commit\": 2")
    document.replace("\"attachments\": [", "\"log\": \"main\",\n  \"attachments\": [")
    document.replace(
      ",\n    { \"number\": 3, \"saved\": \"2026-11-22T03:00:00.000Z\", \"model\": \"1\", \"name\": \"Done\" }",
      "")
    return document
  }

  /// Returns a document with two versions of a library in an XML store, which has one file for each version.
  static func library() throws -> DocumentFiles {
    var document = DocumentFiles()
    let model = try SmallFile.library()
    document.files = [
      "models/1.xml": try ModelSource.write(model), "stores/books-1.xml": try SmallFile.document(),
      "stores/books-2.xml": try SmallFile.document(),
    ]
    document.manifest = """
      {
        "format": "quire-document",
        "formatVersion": 1,
        "uuid": "0F6E1A52-8C3B-4A15-A60E-1D2E3F405162",
        "created": "2026-11-22T01:13:59.250Z",
        "model": "1",
        "models": [
          { "name": "1", "file": "models/1.xml", "entities": { \(hashes(model)) } }
        ],
        "stores": [
          {
            "name": "books", "type": "XML", "file": "stores/books-2.xml",
            "uuid": "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "commit": 2,
            "earlier": [{ "commit": 1, "until": 2, "file": "stores/books-1.xml", "model": "1" }]
          }
        ],
        "versions": [
          { "number": 1, "saved": "2026-11-22T01:13:59.250Z", "model": "1" },
          { "number": 2, "saved": "2026-11-22T02:00:00.000Z", "model": "1" }
        ],
        "checksum": "00000000"
      }

      """
    return document
  }

  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  private static func hashes(_ model: Model) -> String {
    model.versionHashes.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
      .joined(separator: ", ")
  }
}
