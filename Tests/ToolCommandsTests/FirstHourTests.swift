import Foundation
import Testing

@testable import ToolCommands

/// Faults that a first hour with the tool has shown.
@Suite("A first hour with the tool")
struct FirstHourTests {
  private let folder: ScaffoldFolder

  init() throws { folder = try ScaffoldFolder() }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  @Test("The damaged bytes of an attachment are not passed on")
  func damagedAttachment() throws {
    try write("original", to: "o.txt")
    #expect(quire(["new", path("d.quire"), "--template", "todo"]).exitCode == .done)
    #expect(quire(["attach", "add", path("d.quire"), path("o.txt")]).exitCode == .done)
    let attachments = path("d.quire/attachments")
    let digest = try #require(
      try FileManager.default.contentsOfDirectory(atPath: attachments).first)
    try write("CORRUPT!", to: "d.quire/attachments/" + digest)

    let got = quire(["attach", "get", path("d.quire"), "o.txt", "--output", path("got.txt")])
    #expect(
      got.exitCode == .unreadable && got.messages.contains("not those that were added"),
      "\(got.messages)")
    #expect(!FileManager.default.fileExists(atPath: path("got.txt")))
    #expect(quire(["save-as", path("d.quire"), path("copy.quire")]).exitCode == .unreadable)
    #expect(!FileManager.default.fileExists(atPath: path("copy.quire")))
    #expect(quire(["pack", path("d.quire")]).exitCode == .unreadable)
    let recovered = quire(["recover", path("d.quire"), "--output", path("r.quire")])
    #expect(
      recovered.exitCode == .no && recovered.output.hasSuffix("No object of this store is lost.\n"),
      "\(recovered.output)")
    // The bytes can be added again.
    #expect(quire(["attach", "add", path("d.quire"), path("o.txt"), "--force"]).exitCode == .done)
    #expect(
      quire(["attach", "get", path("d.quire"), "o.txt", "--output", path("got.txt")]).exitCode
        == .done)
  }

  @Test(
    "A column of numbers with more digits than a Double keeps is no Double",
    arguments: [
      ("9007199254740993\n1.5", "Decimal", "9007199254740993"),
      ("12345678901234567.89\n0.1", "Decimal", "12345678901234567.89"),
      ("0.3333333333333333\n1.5", "Double", "0.3333333333333333"),
      ("1e300\n1.5", "Double", "1e+300"),
    ])
  func digits(_ values: String, _ type: String, _ shown: String) throws {
    try write("v\n\(values)\n", to: "number.csv")
    let new = quire(["new", path("n.quire"), "--from", path("number.csv")])
    #expect(
      new.exitCode == .done && new.output.contains("v: \(type)"), "\(new.output)\(new.messages)")
    let found = quire(["fetch", path("n.quire"), "Number", "--ids", "--format", "csv"]).output
    #expect(found.contains(",\(shown)\n"), "\(found)")
  }

  @Test("An import of exported objects refuses references to objects that only this store has")
  func foreignReferences() throws {
    try write(
      "entity Author\n  name: String\n  books: [Book], inverse author\n\nentity Book\n  title: String\n  author: Author?, inverse books\n",
      to: "a.model")
    #expect(quire(["new", path("d.quire"), "--model", path("a.model")]).exitCode == .done)
    #expect(quire(["insert", path("d.quire"), "Book", "title=Own"]).exitCode == .done)
    let own = try #require(
      quire(["fetch", path("d.quire"), "Book", "--ids", "--format", "csv"]).output.firstMatch(
        of: /\d+\/p\d+/)
    ).output
    let author = own.hasPrefix("2") ? "1/p7" : "2/p7"
    try write(
      "{\"@entity\":\"Author\",\"@id\":\"\(author)\",\"name\":\"A\",\"books\":[\"\(own)\"]}\n",
      to: "a.jsonl")
    let exported = quire(["import", path("d.quire"), path("a.jsonl")])
    #expect(
      exported.exitCode == .no
        && exported.messages.contains("The object '\(own)' is not in the imported files"),
      "\(exported.exitCode) \(exported.messages)")
    let accepted = quire(["import", path("d.quire"), path("a.jsonl"), "--stored-references"])
    #expect(
      accepted.output == "1 object inserted, 1 changed.\n",
      "\(accepted.output)\(accepted.messages)")
    // A file without identifiers of its own was written for this store.
    try write("{\"@entity\":\"Author\",\"name\":\"B\",\"books\":[\"\(own)\"]}\n", to: "b.jsonl")
    let written = quire(["import", path("d.quire"), path("b.jsonl")])
    #expect(
      written.output == "1 object inserted, 1 changed.\n" && written.messages == "",
      "\(written.output)\(written.messages)")
  }

  @Test("A column with the name of a keyword is noted, and the tree of imported tables has levels")
  func inferredModel() throws {
    try write("code,null\nLIS,1\nOPO,2\n", to: "airports.csv")
    try write("number,airport\n7,LIS\n", to: "flights.csv")
    let new = quire([
      "new", path("n.quire"), "--from", path("airports.csv"), path("flights.csv"),
    ])
    #expect(
      new.messages == "note: The property 'null' of Airport has the name of a word of predicates. "
        + "Predicates and columns write it as #null.\n")
    let found = quire(["count", path("n.quire"), "Airport", "--where", "#null == 2"])
    #expect(found.output == "1\n", "\(found.messages)")
    let tree = quire(["tree", path("n.quire")]).output.split(separator: "\n")
    #expect(tree.count == 3 && tree[1].contains("Flight"), "\(tree)")
    #expect(tree[1].firstMatch(of: /^\W+Flight/) != nil, "\(tree)")
    // Further rows come with the names that the first files have.
    try write("number,airport\n8,OPO\n", to: "flights.csv")
    let imported = quire(["import", path("n.quire"), path("flights.csv")])
    #expect(imported.output == "1 object inserted.\n", "\(imported.messages)")
  }

  @Test("A property that is given twice is wrong usage")
  func twice() throws {
    #expect(quire(["new", path("d.quire"), "--template", "todo"]).exitCode == .done)
    let run = quire(["insert", path("d.quire"), "List", "name=first", "name=second"])
    #expect(
      run.exitCode == .wrongUsage && run.messages.contains("'name' is given twice."),
      "\(run.messages)")
  }

  @Test("A dry run has the exit code of the migration, and names the option that permits it")
  func dryRun() throws {
    try write("entity Stop\n  name: String\n  nights: Int32 = 1\n", to: "a.model")
    try write("entity Stop\n  name: String\n  nights: Int32 = 1, min 5\n", to: "b.model")
    try write("entity Stop\n  name: String\n", to: "c.model")
    #expect(quire(["new", path("d.quire"), "--model", path("a.model")]).exitCode == .done)
    #expect(quire(["insert", path("d.quire"), "Stop", "name=x", "nights=3"]).exitCode == .done)
    for (model, option) in [("b.model", "--allow-invalid"), ("c.model", "--allow-loss")] {
      let words = ["migrate", path("d.quire"), "--model", path(model)]
      let dry = quire(words + ["--dry-run"])
      #expect(dry.messages.contains("would be refused without \(option)."), "\(dry.messages)")
      #expect(quire(words + ["--dry-run", option]).exitCode == .done)
      let real = quire(words)
      #expect(dry.exitCode == real.exitCode && real.exitCode != .done)
    }
  }
}
