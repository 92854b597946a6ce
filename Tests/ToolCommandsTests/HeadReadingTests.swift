import Documents
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import Rows
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("Commands read the heads of a document")
struct HeadReadingTests {
  private let folder: ScaffoldFolder
  private var path: String { folder.path + "/Trip.quire" }

  /// Makes a document with the versions 1, 2 ("Lisbon") and 4 ("Rome") on `main`, and 3 ("Porto") and 5 ("Faro") on `draft`,
  /// which begins at version 2.
  init() throws {
    folder = try ScaffoldFolder()
    let path = folder.path + "/Trip.quire"
    var trip = Entity("Trip")
    trip.declaredProperties = [.attribute(Attribute("name", .string))]
    let model = try Model(entities: [trip])
    try Document.create(path, model: model, in: StoreReader.files.places).close()
    try insert("Lisbon")
    try onHead("main") { try $0.heads.make("draft") }
    try onHead("draft") { try add("Porto", $0) }
    try insert("Rome")
    try onHead("draft") { try add("Faro", $0) }
  }

  private func onHead(_ head: String, _ body: (Document) throws -> Void) throws {
    let document = try Document.open(path, in: StoreReader.files.places, head: head)
    defer { try? document.close() }
    try body(document)
  }

  private func insert(_ name: String) throws {
    #expect(quire(["insert", path, "Trip", "name=\(name)"]).exitCode == .done)
  }

  private func add(_ name: String, _ document: Document) throws {
    let store = document.stores[0]
    let base = try store.snapshot()
    let layout = try #require(base.schema["Trip"])
    let key = ObjectKey(
      entity: layout.entityNumber,
      number: try store.leaseKeys(ofEntity: layout.entityNumber, count: 1).lowerBound)
    let builder = LayerBuilder(base.schema)
    builder.insert(key)
    builder.set(.string(name), column: try #require(layout.index(of: "name")), of: key)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }

  private func names(_ word: String, _ more: String...) -> Set<String> {
    let run = quire(
      ["fetch", word, "Trip", "--columns", "name", "--ids", "--format", "csv"] + more)
    #expect(run.exitCode == .done, "\(word): \(run.messages)")
    return Set(
      run.output.split(separator: "\n").dropFirst().map {
        String($0.drop { $0 != "," }.dropFirst())
      })
  }

  @Test("A head and steps back behind the path name a version")
  func fetching() throws {
    #expect(names(path) == ["Lisbon", "Rome"])
    #expect(names("\(path)@main") == ["Lisbon", "Rome"])
    #expect(names("\(path)@draft") == ["Lisbon", "Porto", "Faro"])
    #expect(names("\(path)@draft~1") == ["Lisbon", "Porto"])
    #expect(names("\(path)@draft~2") == ["Lisbon"])
    #expect(names("\(path)@3") == ["Lisbon", "Porto"])
    #expect(names("\(path)@4~1") == ["Lisbon"])
    #expect(names(path, "--version", "draft") == ["Lisbon", "Porto", "Faro"])
    #expect(names(path, "--version", "5") == ["Lisbon", "Porto", "Faro"])
  }

  @Test("Two heads are compared")
  func comparing() throws {
    let run = quire(["diff", path, "\(path)@draft"])
    #expect(run.exitCode == .no)
    for name in ["Rome", "Porto", "Faro"] { #expect(run.output.contains(name), "\(run.output)") }
    #expect(!run.output.contains("Lisbon"))
    #expect(quire(["diff", "\(path)@2", "\(path)@draft~2"]).exitCode == .done)
  }

  @Test("The versions of a head are listed, and a document tells its heads")
  func listing() throws {
    let main = quire(["history", path, "--format", "json"])
    let draft = quire(["history", "\(path)@draft", "--format", "json"])
    #expect(
      main.output.contains("\"number\": 4") && !main.output.contains("\"number\": 5"),
      "\(main.output)")
    #expect(
      draft.output.contains("\"number\": 5") && !draft.output.contains("\"number\": 4"),
      "\(draft.output)")
    #expect(quire(["info", path]).output.contains("main, draft"))
    #expect(quire(["info", path, "--format", "json"]).output.contains("\"heads\""))
    #expect(quire(["validate", path]).exitCode == .done)
    let run = quire(["history", "\(path)@draft~1"])
    #expect(run.exitCode == .wrongUsage)
  }

  @Test("A head or a version that is not there is an error, and never an answer")
  func errors() throws {
    for word in ["draught", "draft~4", "main~9", "9", "9~1"] {
      let run = quire(["fetch", "\(path)@\(word)", "Trip"])
      #expect(run.exitCode == .inputOutput && run.output.isEmpty, "\(word): \(run.messages)")
      #expect(quire(["diff", "\(path)@\(word)", path]).exitCode == .inputOutput, "\(word)")
    }
    for word in ["dra ft", "draft~x", "draft~", "a.b"] {
      let run = quire(["fetch", "\(path)@\(word)", "Trip"])
      #expect(run.exitCode == .wrongUsage, "\(word): \(run.messages)")
    }
    #expect(quire(["fetch", "\(path)@draught", "Trip"]).messages.contains("\"main\", \"draft\""))
  }

  @Test("A head is packed, copied and recovered with its versions")
  func wholeDocuments() throws {
    let packed = folder.path + "/Trip.zip"
    #expect(quire(["pack", path, packed]).exitCode == .done)
    #expect(names("\(packed)@draft") == ["Lisbon", "Porto", "Faro"])
    let copy = folder.path + "/Copy.quire"
    #expect(quire(["save-as", path, copy]).exitCode == .done)
    #expect(names("\(copy)@draft~1") == ["Lisbon", "Porto"])
    let one = quire(["save-as", path, folder.path + "/One.quire", "--version", "draft"])
    #expect(
      one.exitCode == .done && one.messages.contains("and no version of 'main'"), "\(one.messages)")
    #expect(names(folder.path + "/One.quire") == ["Lisbon", "Porto", "Faro"])
    let run = quire(["recover", path, "--output", folder.path + "/Main.quire"])
    #expect(run.exitCode == .no && run.messages.contains("@draft"), "\(run.messages)")
    let recovered = folder.path + "/Draft.quire"
    #expect(quire(["recover", "\(path)@draft", "--output", recovered]).exitCode == .done)
    #expect(names(recovered) == ["Lisbon", "Porto", "Faro"])
  }

  @Test("A store of a document is not changed by itself")
  func storeOfDocument() throws {
    let store = "\(path)/stores/main.store"
    let before = try Data(contentsOf: URL(filePath: store))
    for words in [
      ["insert", store, "Trip", "name=x"], ["set", store, "Trip", "--id", "1/p1", "name=x"],
      ["delete", store, "Trip", "--id", "1/p1"], ["vacuum", store],
    ] {
      let run = quire(words)
      #expect(
        run.exitCode != .done && run.messages.contains("part of a document"),
        "\(words): \(run.messages)")
    }
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "\(path)/stores")
    for spelling in [
      "\(path)/stores//main.store", "\(path)/stores/./main.store",
      "\(path)/models/../stores/main.store", "\(link)/main.store",
    ] {
      let run = quire(["insert", spelling, "Trip", "name=x"])
      #expect(run.messages.contains("part of a document"), "\(spelling): \(run.messages)")
    }
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
    #expect(quire(["count", store, "Trip"]).output == "2\n")
    let draft = try #require(
      FileManager.default.contentsOfDirectory(atPath: "\(path)/stores").first {
        $0.hasPrefix("draft.")
      })
    #expect(quire(["insert", "\(path)/stores/\(draft)", "Trip", "name=x"]).exitCode != .done)
  }

  @Test("A merge takes in a head, and keeps the identifiers of its objects")
  func merging() throws {
    let run = quire(["merge", "\(path)@2", path, "\(path)@draft", "--in-place"])
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(names(path) == ["Lisbon", "Rome", "Porto", "Faro"])
    let output = folder.path + "/Merged.quire"
    let other = quire(["merge", "\(path)@2", "\(path)@draft", path, "--output", output])
    #expect(other.exitCode == .done, "\(other.messages)")
    // The copy shows the head that it was made from.
    #expect(names(output) == ["Lisbon", "Rome", "Porto", "Faro"])
    #expect(names("\(output)@main") == ["Lisbon", "Rome", "Porto", "Faro"])
    #expect(names("\(path)@draft") == ["Lisbon", "Porto", "Faro"])
  }
}
