import Foundation
import Testing

@testable import ToolCommands

/// Faults that a first hour with documents and their versions has shown.
@Suite("A first hour with documents")
struct FirstHourDocumentTests {
  private let folder: ScaffoldFolder
  private let document: String

  init() throws {
    folder = try ScaffoldFolder()
    document = folder.path + "/d.quire"
    let model = folder.path + "/a.model"
    try Data("entity Author\n  name: String\n  unique name\n".utf8)
      .write(to: URL(filePath: model))
    #expect(quire(["new", document, "--model", model]).exitCode == .done)
    #expect(quire(["insert", document, "Author", "name=Ana"]).exitCode == .done)
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func attach(_ text: String, as name: String, to document: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    let run = quire(["attach", "add", document, path(name), "--force"])
    #expect(run.exitCode == .done, "\(run.messages)")
  }

  @Test("Every command that reads a version says which versions there are")
  func missingVersion() throws {
    let hint = "hint: It contains 1–2.\n"
    for words in [
      ["fetch", document, "Author", "--version", "99"], ["info", document, "--version", "99"],
      ["save-as", document, path("x.quire"), "--version", "99"],
      ["diff", document + "@99", document],
    ] {
      let run = quire(words)
      #expect(run.exitCode == .inputOutput, "\(words)")
      #expect(
        run.messages == "error: '\(document)' does not contain version 99.\n" + hint, "\(words)")
    }
    #expect(quire(["count", document + "@1", "Author"]).output == "0\n")
    #expect(quire(["count", document + "@2", "Author"]).output == "1\n")
    let run = quire(["insert", document + "@1", "Author", "name=Bo"])
    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("take --version 1 after \(document)."), "\(run.messages)")
  }

  @Test("A new document is made of one version, with its objects, model and attachments")
  func documentOfVersion() throws {
    try attach("one", as: "a.txt", to: document)
    try attach("two", as: "a.txt", to: document)
    #expect(quire(["insert", document, "Author", "name=Bo"]).exitCode == .done)
    let versions = quire(["history", document]).output.split(separator: "\n").count

    let run = quire(["save-as", document, path("old.quire"), "--version", "3"])

    #expect(run.exitCode == .done, "\(run.messages)")
    let names = quire([
      "fetch", path("old.quire"), "Author", "--ids", "--format", "csv", "--columns", "name",
    ])
    #expect(names.output.hasSuffix("Ana\n"), "\(names.output)")
    let got = quire(["attach", "get", path("old.quire"), "a.txt", "--output", "-"])
    #expect(got.output == "one", "\(got.output)\(got.messages)")
    #expect(quire(["history", path("old.quire")]).output.split(separator: "\n").count == 1)
    #expect(quire(["validate", path("old.quire")]).exitCode == .done)
    #expect(quire(["history", document]).output.split(separator: "\n").count == versions)
  }

  @Test("A document is made of a store", arguments: ["s.store", "s.xml"])
  func documentOfStore(_ name: String) throws {
    #expect(quire(["convert", document, path(name)]).exitCode == .done)

    let run = quire(["save-as", path(name), path("of-store.quire")])

    #expect(run.output == "\(path("of-store.quire")): main (Binary)\n", "\(run.messages)")
    let diff = quire(["diff", path(name), path("of-store.quire")])
    #expect(diff.output == "No differences.\n", "\(diff.output)")
    #expect(quire(["validate", path("of-store.quire")]).exitCode == .done)
    let xml = quire(["save-as", path(name), path("of-store-2.quire"), "--store", "xml"])
    #expect(xml.output.hasSuffix("main (XML)\n"), "\(xml.messages)")
    #expect(quire(["save-as", path(name), path("of-store.quire")]).exitCode == .inputOutput)
  }

  @Test("Documents that differ in an attachment alone are different")
  func attachments() throws {
    #expect(quire(["save-as", document, path("e.quire")]).exitCode == .done)
    #expect(quire(["diff", document, path("e.quire")]).exitCode == .done)
    try attach("one", as: "b.txt", to: document)
    try attach("other", as: "b.txt", to: path("e.quire"))
    try attach("new", as: "n.txt", to: path("e.quire"))

    let text = quire(["diff", document, path("e.quire")])
    #expect(text.exitCode == .no)
    #expect(
      text.output == """
        ~ attachment "b.txt"
        + attachment "n.txt"

        0 inserted, 0 changed, 0 deleted

        """)
    let stat = quire(["diff", path("e.quire"), document, "--stat"])
    #expect(
      stat.exitCode == .no && stat.output.hasPrefix("attachments  +0  ~1  -1\n"), "\(stat.output)")
    let lines = quire(["diff", document, path("e.quire"), "--format", "jsonl"])
    #expect(
      lines.output.hasPrefix(
        "{\"change\":\"attachment\",\"action\":\"changed\",\"name\":\"b.txt\"}\n"),
      "\(lines.output)")
    let json = quire(["diff", document, path("e.quire"), "--format", "json"])
    #expect(json.output.contains("\"attachments\": [\n"), "\(json.output)")
    let patch = quire(["diff", document, path("e.quire"), "--format", "patch"])
    #expect(patch.messages.contains("which differ: b.txt, n.txt."), "\(patch.messages)")
    // One entity, or one store, has no attachments.
    #expect(quire(["diff", document, path("e.quire"), "--entity", "Author"]).exitCode == .done)
    #expect(quire(["diff", document, path("e.quire"), "--in", "main"]).exitCode == .done)
    #expect(quire(["diff", document, path("e.quire"), "--quiet"]).exitCode == .no)
  }

  @Test("A folder that is not a document is not packed")
  func packing() throws {
    try FileManager.default.createDirectory(
      atPath: path("folder"), withIntermediateDirectories: true)
    let run = quire(["pack", path("folder")])
    #expect(run.exitCode == .unreadable)
    #expect(run.messages.contains("no file 'manifest.json'"), "\(run.messages)")
    #expect(!FileManager.default.fileExists(atPath: path("folder.zip")))
  }

  @Test("A document without its stores is not recovered, and the error suggests no second attempt")
  func recovery() throws {
    try FileManager.default.removeItem(atPath: document + "/stores")
    let run = quire(["recover", document, "--output", path("r.quire")])
    #expect(run.exitCode == .unreadable)
    #expect(
      run.messages.contains("none of its stores can be read")
        && !run.messages.contains("quire recover"),
      "\(run.messages)")
    #expect(!FileManager.default.fileExists(atPath: path("r.quire")))
  }

  @Test("A merge has a message and an author")
  func mergeMessage() throws {
    #expect(quire(["save-as", document, path("b.quire")]).exitCode == .done)
    #expect(quire(["insert", path("b.quire"), "Author", "name=Bo"]).exitCode == .done)
    let run = quire([
      "merge", document + "@2", document, path("b.quire"), "--in-place", "-m", "from Bo",
      "--author", "Cy",
    ])
    #expect(run.exitCode == .done, "\(run.messages)")
    let history = quire(["history", document, "--format", "json"])
    #expect(
      history.output.contains("from Bo") && history.output.contains("\"Cy\""), "\(history.output)")

    // A merge of attachments alone has them too.
    try attach("one", as: "c.txt", to: path("b.quire"))
    let files = quire([
      "merge", document + "@2", document, path("b.quire"), "--in-place", "-m", "a file",
    ])
    #expect(files.exitCode == .done, "\(files.messages)")
    #expect(quire(["history", document, "--format", "json"]).output.contains("a file"))

    for name in ["s.xml", "t.xml"] {
      #expect(quire(["convert", document, path(name)]).exitCode == .done)
    }
    let refused = quire([
      "merge", path("s.xml"), path("s.xml"), path("t.xml"), "--in-place", "-m", "x",
    ])
    #expect(refused.exitCode == .wrongUsage && refused.messages.contains("keeps no messages"))
  }

  @Test("The former name of a version is printed")
  func versionName() {
    #expect(quire(["history", document, "--name", "2=Start"]).messages == "")
    #expect(
      quire(["history", document, "--name", "2=Begin"]).messages
        == "Version 2 was named 'Start'.\n")
    #expect(
      quire(["history", document, "--name", "2"]).messages
        == "Version 2 has lost its name 'Begin'.\n")
    #expect(quire(["history", document, "--name", "2"]).messages == "Version 2 has no name.\n")
  }

  @Test("An error names objects as other commands do")
  func identifiers() throws {
    let run = quire(["insert", document, "Author", "name=Ana"])
    #expect(run.exitCode == .no && !run.messages.contains("x-quire"), "\(run.messages)")
  }
}
