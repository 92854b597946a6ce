import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import TestEffort
import Testing
import Validation

@Suite("Heads of a document")
struct HeadTests {
  private func open(
    _ world: DocumentWorld, _ head: String = "main", _ access: Document.Access = .exclusive,
    version: Int64? = nil
  ) throws -> Document {
    try Document.open(
      DocumentWorld.path, in: world.places, access: access, head: head, version: version)
  }

  /// Calls `body` with a head of the document, open for writing.
  private func on<R>(
    _ head: String, _ world: DocumentWorld, _ body: (Document) throws -> R
  ) throws -> R {
    let document = try open(world, head)
    defer { try? document.close() }
    return try body(document)
  }

  private func names(
    _ world: DocumentWorld, _ head: String, version: Int64? = nil
  ) throws -> [[String]] {
    let document = try open(world, head, .readOnly, version: version)
    defer { try? document.close() }
    return try world.names(in: document)
  }

  private func numbers(_ world: DocumentWorld, _ head: String) throws -> [Int64] {
    let document = try open(world, head, .readOnly)
    defer { try? document.close() }
    return document.versions.map(\.number)
  }

  private func checkIsValid(
    _ world: DocumentWorld, _ path: String = DocumentWorld.path,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let report = try Validator(backends: world.places.backends).validate(path, on: world.disk)
    #expect(report.findings.isEmpty, "\(report.text)", sourceLocation: location)
  }

  /// Makes a document with the versions 1 (empty) and 2 ("a") on `main`, and the head `draft`.
  private func made(_ mix: Mix) throws -> DocumentWorld {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("a", to: document)
    try document.heads.make("draft")
    try document.close()
    return world
  }

  // MARK: - Making and saving

  @Test("Saves on two heads do not show on each other", arguments: Mix.allCases)
  func apart(_ mix: Mix) throws {
    let world = try made(mix)
    #expect(try names(world, "draft") == .each("a"))
    try on("draft", world) { try world.add("d", to: $0) }
    try on("main", world) { try world.add("m", to: $0) }
    try on("draft", world) { try world.add("e", to: $0) }
    #expect(try names(world, "main") == .each("a", "m"))
    #expect(try names(world, "draft") == .each("a", "d", "e"))
    #expect(try numbers(world, "main") == [1, 2, 4])
    #expect(try numbers(world, "draft") == [1, 2, 3, 5])
    #expect(try names(world, "draft", version: 3) == .each("a", "d"))
    #expect(try names(world, "draft", version: 2) == .each("a"))
    #expect(try names(world, "draft", version: 1) == .each())
    if mix != .plugins { try checkIsValid(world) }
  }

  @Test("A head begins at an earlier version", arguments: Mix.allCases)
  func earlier(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    for name in ["a", "b", "c"] { try world.add(name, to: document) }
    try document.heads.make("old", at: 3)
    try document.heads.make("oldest", at: 1)
    #expect(try document.heads.names == ["main", "old", "oldest"])
    try document.close()
    #expect(try names(world, "old") == .each("a", "b"))
    #expect(try names(world, "oldest") == .each())
    #expect(try numbers(world, "oldest") == [1])
    try on("old", world) { try world.add("o", to: $0) }
    try on("oldest", world) { try world.add("p", to: $0) }
    #expect(try names(world, "old") == .each("a", "b", "o"))
    #expect(try names(world, "old", version: 2) == .each("a"))
    #expect(try names(world, "oldest") == .each("p"))
    #expect(try names(world, "main") == .each("a", "b", "c"))
    #expect(try numbers(world, "old") == [1, 2, 3, 5])
    #expect(try numbers(world, "oldest") == [1, 6])
    if mix != .plugins { try checkIsValid(world) }
  }

  @Test(
    "A head is made from another head, and lists no heads itself", arguments: [Mix.binary, .xml])
  func headOfHead(_ mix: Mix) throws {
    let world = try made(mix)
    try on("draft", world) { draft in
      try world.add("d", to: draft)
      try draft.heads.make("second")
      #expect(try draft.heads.names == ["main", "draft", "second"])
      #expect(draft.head == "draft")
    }
    #expect(try names(world, "second") == .each("a", "d"))
    try checkIsValid(world)
  }

  @Test("Objects of two heads never share an identifier", arguments: Mix.ours)
  func identifiers(_ mix: Mix) throws {
    let world = try made(mix)
    func keys(_ head: String) throws -> Set<ObjectID> {
      try on(head, world) { document in
        let context = try world.context(document)
        return Set(
          try ["Trip", "Person", "Note"].flatMap { entity in
            try context.fetch(FetchRequest(entity)).map(\.objectID)
          })
      }
    }
    let common = try keys("main")
    for _ in 0..<3 {
      try on("draft", world) { try world.add("d", to: $0) }
      try on("main", world) { try world.add("m", to: $0) }
    }
    let (main, draft) = (try keys("main"), try keys("draft"))
    #expect(main.count == 12 && draft.count == 12)
    #expect(main.intersection(draft) == common)
  }

  @Test(
    "A save of one store on a head goes to the log of the head",
    arguments: [Mix.binary, .compressed])
  func logs(_ mix: Mix) throws {
    let world = try made(mix)
    for head in ["draft", "main"] {
      try on(head, world) { document in
        for name in ["x", "y", "z"] { try world.add("\(head) \(name)", to: document) }
        #expect(document.manifest.log == "main")
      }
    }
    let text = try world.text(of: "heads/draft.json")
    #expect(!text.contains("\"number\": 5"), "The last versions are only in the log.")
    #expect(try numbers(world, "draft") == [1, 2, 3, 4, 5])
    #expect(try numbers(world, "main") == [1, 2, 6, 7, 8])
    try checkIsValid(world)
  }

  @Test("Two programs share a document on two heads", arguments: [Mix.binary, .xml, .binaryAndXML])
  func shared(_ mix: Mix) throws {
    let world = try made(mix)
    let main = try open(world, "main", .shared)
    let draft = try open(world, "draft", .shared)
    for name in ["1", "2", "3"] {
      try world.add("m\(name)", to: main)
      try world.add("d\(name)", to: draft)
    }
    #expect(main.versions.map(\.number) == [1, 2, 3, 5, 7])
    #expect(draft.versions.map(\.number) == [1, 2, 4, 6, 8])
    try main.heads.make("third", at: 5)
    try world.add("d4", to: draft)
    try main.close()
    try draft.close()
    #expect(try names(world, "main") == .each("a", "m1", "m2", "m3"))
    #expect(try names(world, "draft") == .each("a", "d1", "d2", "d3", "d4"))
    #expect(try names(world, "third") == .each("a", "m1", "m2"))
    try checkIsValid(world)
  }

  @Test("Only one head is open for writing with exclusive access")
  func exclusive() throws {
    let world = try made(.binary)
    let main = try open(world)
    let error = #expect(throws: DocumentError.self) { try open(world, "draft") }
    #expect(error?.code == .locked)
    try main.close()
  }

  // MARK: - Errors

  @Test("A head that is not there is an error that names the heads")
  func unknown() throws {
    let world = try made(.binary)
    let error = #expect(throws: DocumentError.self) { try open(world, "draught", .readOnly) }
    #expect(error?.code == .noHead)
    #expect(error?.message == "The document has no head \"draught\". It has: \"main\", \"draft\".")
  }

  @Test(
    "A name that a head can't have is refused",
    arguments: [
      "", "12", "a.b", "a b", "a/b", "../a", "a~1", "a@b", "é", "main", "Main", "aux", "-a", "1a",
      "_a", "d65",
    ])
  func badNames(_ name: String) throws {
    let world = try made(.binary)
    try on("main", world) { document throws in
      let name = name == "d65" ? String(repeating: "d", count: 65) : name
      let error = #expect(throws: DocumentError.self) { try document.heads.make(name) }
      #expect(error?.code == .noHead, "\(name)")
      #expect(try document.heads.names == ["main", "draft"])
    }
    try checkIsValid(world)
  }

  @Test(
    "A head of the same name in letters of either case is refused, and a version that is not there")
  func taken() throws {
    let world = try made(.binary)
    try on("main", world) { document in
      for name in ["draft", "DRAFT"] {
        let error = #expect(throws: DocumentError.self) { try document.heads.make(name) }
        #expect(error?.code == .exists)
      }
      let error = #expect(throws: DocumentError.self) { try document.heads.make("x", at: 9) }
      #expect(error?.code == .noVersion)
      try document.heads.make("a-12_B")
      try document.heads.make(String(repeating: "d", count: 64))
    }
    try checkIsValid(world)
  }

  @Test("The manifest of another head or of another document is refused")
  func exchanged() throws {
    let world = try made(.binary)
    try on("main", world) { try $0.heads.make("second") }
    let draft = try world.text(of: "heads/draft.json")
    try world.write(draft, to: "heads/second.json")
    let error = #expect(throws: DocumentError.self) { try open(world, "second", .readOnly) }
    #expect(error?.code == .damaged)
    try world.write(draft, to: "manifest.json")
    #expect(throws: DocumentError.self) { try open(world, "main", .readOnly) }
  }

  // MARK: - Removing

  @Test("A removed head leaves no file, and the others stay", arguments: Mix.allCases)
  func removing(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("a", to: document)
    try document.addAttachment(named: "both") { try $0([1]) }
    try document.save()
    let before = Set(try world.files())
    try document.heads.make("draft")
    try document.close()
    try on("draft", world) { draft in
      try world.add("d", to: draft)
      try draft.addAttachment(named: "own") { try $0([2]) }
      try draft.removeAttachment(named: "both")
      try draft.save()
    }
    try on("main", world) { main in
      #expect(main.attachments.map(\.name) == ["both"])
      try main.heads.remove("draft")
      #expect(try main.heads.names == ["main"])
    }
    #expect(Set(try world.files()).subtracting([".lock"]) == before.subtracting([".lock"]))
    #expect(try names(world, "main") == .each("a"))
    let error = #expect(throws: DocumentError.self) { try open(world, "draft", .readOnly) }
    #expect(error?.code == .noHead)
    // The name is free again.
    try on("main", world) { try $0.heads.make("draft") }
    #expect(try names(world, "draft") == .each("a"))
  }

  @Test(
    "A head with a damaged manifest is removed, and hinders no save before",
    arguments: [Mix.binary, .xml])
  func removingDamaged(_ mix: Mix) throws {
    let world = try made(mix)
    try world.write("{", to: "heads/draft.json")
    try on("main", world) { try world.add("m", to: $0) }
    #expect(try names(world, "main") == .each("a", "m"))
    #expect(throws: DocumentError.self) { try open(world, "draft", .readOnly) }
    let report = try Validator(backends: world.places.backends).validate(
      DocumentWorld.path, on: world.disk)
    #expect(report.counts.keys.map(\.id).contains("CONT-024"), "\(report.text)")
    try on("main", world) { try $0.heads.remove("draft") }
    #expect(try world.files().filter { $0.contains("draft") } == [])
    try checkIsValid(world)
  }

  @Test("The first head and the open head can't be removed")
  func notRemoved() throws {
    let world = try made(.binary)
    try on("draft", world) { draft in
      for name in ["main", "draft"] {
        let error = #expect(throws: DocumentError.self) { try draft.heads.remove(name) }
        #expect(error?.code == .notSupported)
      }
      let error = #expect(throws: DocumentError.self) { try draft.heads.remove("x") }
      #expect(error?.code == .noHead)
    }
  }

  @Test("A store with the name of a head keeps its file", arguments: [false, true])
  func storeWithNameOfHead(_ removes: Bool) throws {
    let world = DocumentWorld(.binary)
    let document = try Document.create(
      DocumentWorld.path, model: DocumentWorld.model, stores: [.init("draft", type: .binary)],
      in: world.places)
    try world.add("a", to: document)
    try document.heads.make("draft")
    if removes { try document.heads.remove("draft") }
    try document.close()
    #expect(try names(world, "main") == .each("a"))
    try checkIsValid(world)
  }

  // MARK: - Versions of a head

  @Test("Thinning one head keeps what another needs", arguments: Mix.ours)
  func thinning(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    for name in ["a", "b", "c"] {
      try document.addAttachment(named: "file") { try $0(Array(name.utf8)) }
      try world.add(name, to: document)
    }
    try document.heads.make("draft")
    try document.thin(.newestOnly)
    try document.vacuum()
    #expect(document.versions.count == 1)
    try document.close()
    let all = try numbers(world, "draft")
    #expect(all.count == 4)
    for (number, count) in zip(all, 0...) {
      let draft = try open(world, "draft", .readOnly, version: number)
      #expect(try world.names(in: draft)[0].count == count)
      if let attachment = draft.attachments.first {
        let bytes = try draft.openAttachment(named: attachment.name).read(byteCount: 9, at: 0)
        #expect(bytes == Array(["a", "b", "c"][count - 1].utf8))
      }
      try draft.close()
    }
    try on("draft", world) { draft in
      try draft.thin(.newestOnly)
      try draft.vacuum()
    }
    #expect(try names(world, "main") == .each("a", "b", "c"))
    #expect(try names(world, "draft") == .each("a", "b", "c"))
    #expect(try world.files().filter { $0.hasPrefix("attachments/") }.count == 1)
    try checkIsValid(world)
  }

  @Test(
    "Undo and revert on a head return to versions before the head was made", arguments: Mix.ours)
  func undo(_ mix: Mix) throws {
    let world = try made(mix)
    try on("draft", world) { draft in
      try world.add("d", to: draft)
      try draft.undo()
      #expect(try world.names(in: draft) == .each("a"))
      try draft.undo()
      #expect(try world.names(in: draft) == .each())
      try draft.revert(to: 3)
      #expect(try world.names(in: draft) == .each("a", "d"))
    }
    #expect(try names(world, "main") == .each("a"))
    try checkIsValid(world)
  }

  @Test(
    "A version names the versions that it has merged as further parents",
    arguments: [Mix.binary, .xml])
  func merging(_ mix: Mix) throws {
    let world = try made(mix)
    try on("draft", world) { try world.add("d", to: $0) }
    try on("main", world) { main in
      try world.add("m", to: main)
      try main.heads.commit([], merging: [3, 2, 3], author: "Ada", message: "Both")
      let version = try #require(main.versions.last)
      #expect(version.number == 5 && version.merged == [2, 3] && version.author == "Ada")
      #expect(try main.heads.parents(ofVersion: 5) == [4, 2, 3])
      #expect(try main.heads.parents(ofVersion: 4) == [2])
      #expect(try main.heads.parents(ofVersion: 1) == [])
      #expect(throws: DocumentError.self) { try main.heads.parents(ofVersion: 3) }
      let error = #expect(throws: DocumentError.self) { try main.heads.commit([], merging: [9]) }
      #expect(error?.code == .noVersion)
      #expect(main.versions.count == 4)
    }
    #expect(try numbers(world, "main") == [1, 2, 4, 5])
    try checkIsValid(world)
  }

  @Test("A head is migrated by itself", arguments: Mix.ours)
  func migrating(_ mix: Mix) throws {
    let world = try made(mix)
    func model(_ entity: String, with attribute: String) throws -> Model {
      var description = DocumentWorld.model.description
      let index = try #require(description.entities.firstIndex { $0.name == entity })
      let properties =
        description.entities[index].properties + [.attribute(Attribute(attribute, .string))]
      description.entities[index] = Entity(entity, properties: properties)
      return try Model(description)
    }
    let (model, main) = (try model("Trip", with: "code"), try model("Note", with: "text"))
    #expect(try Document.migrate(DocumentWorld.path, to: model, in: world.places, head: "draft"))
    #expect(try Document.migrate(DocumentWorld.path, to: main, in: world.places))
    let hashes = try ["draft", "main"].map { head in
      try on(head, world) { try $0.model.versionHashes }
    }
    #expect(hashes == [model.versionHashes, main.versionHashes])
    try on("draft", world) { try world.add("d", to: $0) }
    #expect(try names(world, "draft") == .each("a", "d"))
    #expect(try names(world, "draft", version: 2) == .each("a"))
    #expect(try names(world, "main") == .each("a"))
    try checkIsValid(world)
  }

  // MARK: - The whole document

  @Test("A copy has all heads, whichever head is open", arguments: Mix.ours, ["main", "draft"])
  func copying(_ mix: Mix, _ head: String) throws {
    let world = try made(mix)
    try on("draft", world) { draft in
      try draft.addAttachment(named: "own") { try $0([2]) }
      try world.add("d", to: draft)
    }
    try on(head, world) { try $0.copy(to: "/Copy.quire") }
    for (name, expected) in [("main", [[String]].each("a")), ("draft", .each("a", "d"))] {
      let copy = try Document.open("/Copy.quire", in: world.places, head: name)
      #expect(try world.names(in: copy) == expected)
      try world.add("c", to: copy)
      try copy.close()
    }
    try checkIsValid(world, "/Copy.quire")
    try checkIsValid(world)
  }

  @Test("Opening for writing removes what a head that was never finished has left")
  func remains() throws {
    let world = try made(.binaryAndXML)
    let draft = try world.text(of: "heads/draft.json")
    let before = try world.files()
    // As if the program had ended before the manifest of `main` named the heads.
    try world.write(
      draft.replacingOccurrences(of: "\"draft\"", with: "\"second\""), to: "heads/second.json")
    try world.write("torn", to: "heads/second.recovery.json")
    for file in before where file.hasPrefix("stores/draft.") {
      try world.write("torn", to: file.replacingOccurrences(of: "draft.", with: "second."))
    }
    try world.write("mine", to: "stores/second.txt")
    try world.write("mine", to: "heads/notes.txt")
    try world.open().close()
    #expect(
      Set(try world.files()).subtracting(before).subtracting([".lock"])
        == ["stores/second.txt", "heads/notes.txt"])
    #expect(try names(world, "draft") == .each("a"))
  }
}
