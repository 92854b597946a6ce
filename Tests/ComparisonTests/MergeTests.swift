import Documents
import DurableFiles
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import StoreInterface
import Testing

/// Merges and patches by a program.
@Suite("Merges")
struct MergeTests {
  private let files = TripFiles()

  init() throws {
    try files.makeDocument("/Base.quire")
    try files.copy("/Base.quire", to: "/Ours.quire")
    try files.copy("/Base.quire", to: "/Theirs.quire")
  }

  private func merge(
    _ base: String = "/Base.quire", _ ours: String = "/Ours.quire",
    _ theirs: String = "/Theirs.quire", renumbers: Bool = false
  ) throws -> QuireTools.Merge {
    try Merge(base: base, ours: ours, theirs: theirs, in: files.places, renumbers: renumbers)
  }

  @Test(
    "A head merges into an open document and into one that is not open, with conflicts or without")
  func heads() throws {
    let document = try Document.open("/Ours.quire", in: files.places)
    try document.heads.make("draft")
    try document.close()
    try files.setPrice(80, of: "Lisbon", in: "/Ours.quire@draft")
    try files.setPrice(950, of: "Douro", in: "/Ours.quire")
    let open = try Document.open("/Ours.quire", in: files.places)
    let counts = try open.merge(from: "draft", author: "Ada", message: "Prices")
    #expect(counts.changed == 1 && counts.inserted == 0 && counts.deleted == 0)
    let version = try #require(open.versions.last)
    #expect(version.author == "Ada" && version.message == "Prices" && version.merged.count == 1)
    #expect(try open.merge(from: "draft").changed == 0)
    #expect(open.versions.last == version)
    #expect(throws: DocumentError.self) { try open.merge(from: "draught") }
    #expect(throws: ComparisonError.self) { try open.merge(from: "main") }
    // A save after the merge names nothing as merged.
    try open.save(message: "later") { $0.title = "Trips" }
    #expect(open.versions.last?.merged == [])
    try open.close()
    let expected = ["changed Trip price", "changed Trip price"]
    #expect(try files.differences("/Base.quire", "/Ours.quire") == expected)

    try files.setPrice(85, of: "Lisbon", in: "/Ours.quire@draft")
    try files.setPrice(90, of: "Lisbon", in: "/Ours.quire")
    let merge = try Merge(of: "draft", into: "/Ours.quire", in: files.places)
    #expect(merge.conflicts.count == 1)
    #expect(throws: ComparisonError.self) { try merge.save() }
    try merge.save { _ in .theirs }
    #expect(try files.differences("/Ours.quire", "/Ours.quire@draft") == ["changed Trip price"])
    #expect(try Validator.report(on: "/Ours.quire", in: files.places).verdict == .valid)
  }

  @Test("Changes of different values merge into a new document, a packed one, and in place")
  func clean() throws {
    try files.setPrice(80, of: "Lisbon", in: "/Ours.quire")
    try files.setPrice(950, of: "Douro", in: "/Theirs.quire")
    try files.edit("/Theirs.quire") { try $0.insert("Stop")["name"] = .string("Pinhão") }
    let merge = try merge()
    merge.message = "both prices"

    let counts = try merge.write(to: "/Merged.quire")

    #expect(merge.conflicts.isEmpty)
    #expect(counts == (try merge.write(to: "/Merged.quire.zip")))
    #expect(counts.inserted == 1 && counts.changed == 1 && counts.deleted == 0)
    let expected = ["inserted Stop name", "changed Trip price", "changed Trip price"]
    #expect(try files.differences("/Base.quire", "/Merged.quire") == expected)
    #expect(try files.differences("/Merged.quire", "/Merged.quire.zip") == [])
    #expect(try files.differences("/Base.quire", "/Ours.quire") == ["changed Trip price"])
    #expect(try Validator.report(on: "/Merged.quire", in: files.places).verdict == .valid)
    try merge.save()
    #expect(try files.differences("/Merged.quire", "/Ours.quire") == [])
    let document = try Document.open("/Ours.quire", in: files.places, access: .readOnly)
    #expect(document.versions.last?.message == "both prices")
    try document.close()
  }

  @Test("A conflict writes nothing until a side wins")
  func conflicts() throws {
    try files.setPrice(80, of: "Lisbon", in: "/Ours.quire")
    try files.setPrice(95, of: "Lisbon", in: "/Theirs.quire")
    try files.edit("/Theirs.quire") { $0.delete(try $0.trip("Douro")) }
    try files.setPrice(1000, of: "Douro", in: "/Ours.quire")
    let merge = try merge()

    let error = try #require(throws: ComparisonError.self) { try merge.write(to: "/Merged.quire") }

    #expect(error.code == .conflict && error.message.contains("2 conflicts"))
    #expect(try !files.disk.exists("/Merged.quire"))
    #expect(merge.conflicts.map(\.kind) == [.deletion, .value])
    let price = merge.conflicts[1]
    #expect(price.entity == "Trip" && price.property == "price" && price.store == nil)
    #expect(price.value(.ours) == .double(80) && price.value(.theirs) == .double(95))
    #expect(price.value(.base) == .null)
    #expect(price.description == "value Trip 2/p2 price (ours 80.0, theirs 95.0)")
    #expect(merge.conflicts[0].property == nil && merge.conflicts[0].value(.ours) == nil)
    try merge.save { conflict in conflict.kind == .value ? .theirs : .ours }
    let prices = try files.differences("/Base.quire", "/Ours.quire").filter {
      $0.hasPrefix("changed Trip price")
    }
    #expect(prices.count == 2)
  }

  @Test("Both sides of an attachment are a conflict")
  func attachments() throws {
    for (index, path) in ["/Ours.quire", "/Theirs.quire"].enumerated() {
      let document = try Document.open(path, in: files.places)
      try document.addAttachment(named: "map.png") { try $0([UInt8(index)]) }
      try document.save()
      try document.close()
    }
    let merge = try merge()

    #expect(merge.conflicts.map(\.kind) == [.attachment])
    #expect(merge.conflicts[0].property == "map.png" && merge.conflicts[0].object == nil)
    try merge.save { _ in .theirs }

    let difference = try Difference(from: "/Theirs.quire", to: "/Ours.quire", in: files.places)
    #expect(difference.attachments.isEmpty)
  }

  // MARK: - Errors

  @Test("Other models, versions that can't be changed, and paths in use are errors")
  func refused() throws {
    try files.makeDocument("/Next.quire", model: TripFiles.model(isRated: true))
    func code(_ body: () throws -> Void) -> ComparisonError.Code? {
      do { try body() } catch { return (error as? ComparisonError)?.code }
      return nil
    }

    #expect(code { _ = try merge("/Base.quire", "/Ours.quire", "/Next.quire") } == .differentModels)
    let document = try Document.open("/Ours.quire", in: files.places, access: .readOnly)
    let version = try #require(document.versions.last?.number)
    try document.close()
    let old = try merge("/Base.quire", "/Ours.quire@\(version)", "/Theirs.quire")
    #expect(code { try old.save() } == .badPlace)
    #expect(throws: StoreError.self) { try merge().write(to: "/Base.quire") }
    #expect(throws: StoreError.self) { try merge("/None.store") }
  }

  @Test("Different objects with one identifier are an error, unless they get new identifiers")
  func renumbering() throws {
    for (path, name) in [("/A.store", "Douro"), ("/B.store", "Minho")] {
      try files.places.create(path, type: .binary, model: TripFiles.model).close()
      try files.write("{\"@entity\":\"Trip\",\"name\":\"\(name)\"}\n", to: "/one.jsonl")
      try Import("/one.jsonl").write(to: path, in: files.places)
    }
    try files.write("", to: "/empty")

    let error = try #require(throws: ComparisonError.self) {
      _ = try Merge(
        base: "/empty", ours: "/A.store", theirs: "/B.store", in: files.places,
        matching: .identifier)
    }
    let merge = try Merge(
      base: "/empty", ours: "/A.store", theirs: "/B.store", in: files.places,
      matching: .identifier, renumbers: true)

    #expect(error.code == .sameIdentifiers)
    #expect(try merge.write(to: "/C.store").inserted == 1)
  }

  // MARK: - Patches

  @Test("A patch makes the changes of one copy in another")
  func patches() throws {
    try files.setPrice(950, of: "Douro", in: "/Theirs.quire")
    try files.setPrice(80, of: "Lisbon", in: "/Ours.quire")
    let made = try Patch(from: "/Base.quire", to: "/Theirs.quire", in: files.places)
    try made.write(to: "/changes.jsonl", on: files.disk)
    let read = try Patch(contentsOf: "/changes.jsonl", on: files.disk)

    let merge = try Merge(read, into: "/Ours.quire", in: files.places)
    try merge.save()

    #expect(made.changeCount == 1 && read.text == made.text)
    #expect(try files.text("/changes.jsonl") == made.text)
    #expect(
      try files.differences("/Base.quire", "/Ours.quire") == [
        "changed Trip price", "changed Trip price",
      ])
    try files.setPrice(1, of: "Douro", in: "/Ours.quire")
    let again = try Merge(read, into: "/Ours.quire", in: files.places)
    #expect(again.conflicts.map(\.property) == ["price"])
  }

  @Test("A file that is not a patch, and a patch of another model, are errors")
  func badPatches() throws {
    func error(_ text: String) throws -> ComparisonError {
      try #require(throws: ComparisonError.self) { _ = try Patch(Array(text.utf8), name: "p") }
    }
    let header = try Patch(from: "/Base.quire", to: "/Base.quire", in: files.places).text

    #expect(try error("").code == .badPatch && error("{}\n").code == .badPatch)
    #expect(try error(header + "{\"change\":\"lost\"}\n").message.hasPrefix("p: line 2: 'change'"))
    #expect(try error(header.replacing("\"version\":1", with: "\"version\":9")).code == .newerPatch)
    #expect(throws: DiskError.self) { try Patch(contentsOf: "/none", on: files.disk) }
    try files.makeDocument("/Next.quire", model: TripFiles.model(isRated: true))
    let patch = try Patch(Array(header.utf8))
    let mismatch = try #require(throws: ComparisonError.self) {
      _ = try Merge(patch, into: "/Next.quire", in: files.places)
    }
    #expect(mismatch.code == .differentModels)
  }
}
