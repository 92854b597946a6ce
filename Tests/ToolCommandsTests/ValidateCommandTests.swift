import BinaryStore
import CommandInterface
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire validate")
struct ValidateCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    var note = Entity("Note")
    note.declaredProperties = [.attribute(Attribute("text", .string, isOptional: false))]
    let store = try BinaryStore.create(
      at: "Notes.store", model: try Model(entities: [note]), on: disk)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...30 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: 1, number: number)
      builder.insert(key)
      if number == 1 { builder.set(.string("one"), column: 0, of: key) }
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    _ = try BinaryStore.create(at: "Empty.store", model: try Model(entities: [note]), on: disk)
    try disk.open("Other", for: .create).append(Array("Something else entirely".utf8))
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(words, tool: Tool(commands: [ValidateCommand.command(on: disk, .files)]))
  }

  @Test("A file without errors gives one line of output")
  func valid() {
    let run = run("validate", "Empty.store")

    #expect(run.exitCode == .done)
    #expect(run.output.hasPrefix("Empty.store: valid; 1 commit, 0 blocks, 0 rows, 0 objects, "))
    #expect(run.messages.isEmpty)
  }

  @Test("A model is not validated, and the hint names the command that checks it")
  func model() throws {
    let model = try Model(entities: [Entity("Note")])
    let reader = ModelReader { path in
      if path == "Other" { return .init([.init("Other", model: model)], currentName: "Other") }
      throw CommandError(.unreadable, "unreadable")
    }
    let tool = Tool(commands: [ValidateCommand.command(on: disk, reader)])
    let run = RecordedRun(["validate", "Other", "Empty.store"], tool: tool)

    #expect(run.exitCode == .unreadable)
    #expect(
      run.messages == "hint: 'Other' is a model. 'quire model Other' checks and prints it.\n")
  }

  @Test("For a rule that is broken often, a few places are shown and the rest are counted")
  func invalid() {
    let run = run("validate", "Notes.store")
    let lines = run.output.split(separator: "\n")

    #expect(run.exitCode == .no)
    #expect(lines.count == 22)
    #expect(
      lines[0]
        == "error: GRAF-002 Notes.store: Note 2, text: The attribute is required, but the object has no value. (spec §6.3.2)"
    )
    #expect(lines[20] == "error: GRAF-002 Notes.store: 9 more of these")
    #expect(lines[21].hasPrefix("Notes.store: not valid: 29 errors; "))
  }

  @Test("JSON output contains the same findings")
  func json() throws {
    let run = run("validate", "Notes.store", "--format", "json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let findings = try #require(object["findings"] as? [[String: Any]])

    #expect(run.exitCode == .no)
    #expect(object["verdict"] as? String == "invalid")
    #expect((object["counts"] as? [String: Int])?["error"] == 29)
    #expect((object["rules"] as? [String: Int]) == ["GRAF-002": 29])
    #expect((object["checked"] as? [String: Int])?["objects"] == 30)
    #expect(findings.count == 20)
    #expect(findings[0]["object"] as? Int == 2)
    #expect(findings[0]["property"] as? String == "text")
    #expect(findings[0]["clause"] as? String == "6.3.2")
  }

  @Test("Each of several files has a report, and the exit code is 0 only if all are valid")
  func several() throws {
    let valid = run("validate", "Empty.store", "Empty.store")
    let mixed = run("validate", "Empty.store", "Notes.store", "--format", "json")
    let verdicts = try mixed.output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return [object?["path"] as? String, object?["verdict"] as? String]
    }

    #expect(valid.exitCode == .done)
    #expect(valid.output.split(separator: "\n").count == 2)
    #expect(mixed.exitCode == .no)
    #expect(verdicts == [["Empty.store", "valid"], ["Notes.store", "invalid"]])
    #expect(run("validate", "Empty.store", "Other").exitCode == .unreadable)
    #expect(run("validate", "Notes.store", "Other").exitCode == .no)
    #expect(run("validate", "Empty.store", "missing").exitCode == .inputOutput)
  }

  @Test("A file that can't be checked has an exit code of its own")
  func exitCodes() throws {
    #expect(run("validate", "Other").exitCode == .unreadable)
    #expect(run("validate", "missing").exitCode == .inputOutput)
    #expect(run("validate").exitCode == .wrongUsage)
    var bytes = try disk.read("Empty.store", byteLimit: 1 << 20)
    bytes[8] = 9
    try disk.open("Newer.store", for: .create).append(bytes)
    #expect(run("validate", "Newer.store").exitCode == .newerFormat)
  }

  @Test("A document is checked with all its files, and each finding names its file")
  func document() throws {
    let places = StorePlaces(StoreBackends([BinaryStoreBackend()]), on: disk)
    let note = Entity(
      "Note", properties: [.attribute(Attribute("text", .string, isOptional: false))])
    let document = try Document.create(
      "Trip.quire", model: try Model(entities: [note]), in: places)
    #expect(run("validate", "Trip.quire").exitCode == .done)
    #expect(
      run("validate", "Trip.quire").output.hasPrefix(
        "Trip.quire: valid; 1 version, 1 store, 0 attachments, 1 commit, 0 blocks, "))

    let store = document.stores[0]
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: 1, number: 1))
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try document.close()
    let invalid = run("validate", "Trip.quire", "--format", "json")
    #expect(invalid.exitCode == .no)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(invalid.output.utf8)) as? [String: Any])
    let findings = try #require(object["findings"] as? [[String: Any]])
    #expect(object["format"] as? String == "document")
    #expect((object["checked"] as? [String: Int])?["versions"] == 2)
    #expect(findings.map { $0["file"] as? String } == ["stores/main.store"])
    #expect(
      run("validate", "Trip.quire").output.hasPrefix(
        "error: GRAF-002 Trip.quire/stores/main.store: Note 1, text: The attribute is required"))

    let manifest = String(
      decoding: try disk.read("Trip.quire/manifest.json", byteLimit: 1 << 20), as: UTF8.self)
    func put(_ text: String) throws {
      try disk.replace("Trip.quire/manifest.json") { try $0.write(text) }
    }
    try put(manifest.replacing("formatVersion\": 1", with: "formatVersion\": 2"))
    #expect(run("validate", "Trip.quire").exitCode == .newerFormat)
    try put(manifest + "}")
    #expect(run("validate", "Trip.quire").exitCode == .unreadable)
    try disk.remove("Trip.quire/manifest.json")
    #expect(run("validate", "Trip.quire").exitCode == .unreadable)
  }

  @Test("No text from a file can control the terminal")
  func controlCharacters() throws {
    let store = try BinaryStore.open("Empty.store", on: disk)
    let base = try store.snapshot()
    var metadata = try base.metadata
    metadata.values["NSStoreType"] = .string("\u{1B}[2J")
    try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))

    let run = run("validate", "Empty.store")

    #expect(run.exitCode == .done)
    #expect(run.output.contains("warning: META-005"))
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test("The rules are listed")
  func rules() {
    let run = run("validate", "--rules")

    #expect(run.exitCode == .done)
    #expect(
      run.output.contains(
        "BLCK-034  error: The record gives the correct number of live bytes (spec §4.4.1)\n"))
    #expect(self.run("validate", "--rules", "--format", "json").output.hasPrefix("[\n  {\n"))
  }

  /// A store type that a plug-in adds: a folder with a marker file, or a file that begins with the marker's name.
  private struct ForeignBackend: StoreBackend {
    let type = StoreType(rawValue: "Foreign")
    let capabilities: StoreCapabilities = []

    func recognizes(_ firstBytes: [UInt8]) -> Bool { firstBytes.starts(with: "foreign".utf8) }
    func recognizesFolder(at path: String, on disk: any Disk) -> Bool {
      (try? disk.exists(path + "/foreign")) == true
    }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store { throw StoreError(.notAStore, "It is never made.") }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      throw StoreError(.notAStore, "It is never opened.")
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      StoreMetadata(values: [:])
    }
  }

  @Test(
    "A store of a type without rules is named with its type, and is not called valid",
    arguments: [true, false])
  func foreignStore(isFolder: Bool) throws {
    if isFolder {
      try disk.makeDirectory("Own")
      try disk.open("Own/foreign", for: .create).append([1])
    } else {
      try disk.open("Own", for: .create).append(Array("foreign bytes".utf8))
    }
    let command = ValidateCommand.command(on: disk, .files) { StoreBackends([ForeignBackend()]) }

    let run = RecordedRun(["validate", "Own"], tool: Tool(commands: [command]))

    #expect(run.exitCode == .plugin)
    #expect(
      run.output.contains(
        "note: Own: The files were not checked: the plug-in for stores of type Foreign has no rules for them.\n"
      ), "\(run.output)")
    #expect(run.output.contains("It is never opened."))
    #expect(!run.output.contains("manifest"))

    let reader = StoreReader(backends: StoreBackends([ForeignBackend()]), disk: disk)
    let recover = RecordedRun(
      ["recover", "Own", "--output", "New"],
      tool: Tool(commands: [RecoverCommand.command(reader, .files)]))
    #expect(recover.exitCode == .plugin)
    #expect(
      recover.messages.hasPrefix(
        "error: 'Own' is a store of type Foreign, which a plug-in implements."),
      "\(recover.messages)")
    #expect(recover.messages.contains("'quire convert Own New' copies the objects"))

    let both = RecordedRun(
      ["validate", "Own", "Own", "--format", "json"], tool: Tool(commands: [command]))
    #expect(both.exitCode == .plugin)
    #expect(both.output.split(separator: "\n").count == 2, "\(both.output)")
  }
}
