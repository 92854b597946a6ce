import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// `quire model edit`, with an editor that is a shell command.
@Suite("Editing the model of a document")
struct ModelEditTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "editing-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: url) }
  }
  private let folder = Folder()
  private let document: String

  init() throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    document = folder.url.appending(path: "Todo.quire").path
    #expect(quire(["new", document, "--template", "todo"]).exitCode == .done)
    #expect(quire(["insert", document, "List", "name=Home"]).exitCode == .done)
  }

  private func edit(with editor: String) throws -> ProgramRun {
    try ProgramRun(
      "env",
      [
        "EDITOR=\(editor)", "VISUAL=", "TMPDIR=\(folder.url.path)", BuiltTool.url.path, "model",
        "edit",
        document, "--yes",
      ])
  }

  /// The names of the texts that an edit left behind.
  private var texts: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { $0.hasPrefix("quire-model") }
    }
  }

  @Test("A changed text becomes the model of the document", .enabled(if: BuiltTool.exists))
  func changing() throws {
    let run = try edit(with: "sed -i 's/^  name: String, length 1...100/&\\n  colour: String?/'")

    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("* List.colour: added"), "\(run.text)")
    #expect(run.text.contains("Done."))
    #expect(quire(["model", document]).output.contains("\n  colour: String?\n"))
    #expect(
      quire(["fetch", document, "List", "--columns", "name", "--ids", "--format", "csv"]).output
        .hasSuffix(
          ",Home\n"))
    #expect(quire(["history", document]).output.split(separator: "\n").count == 3)
    #expect(try texts.isEmpty)
  }

  @Test(
    "A change of rules, default values and indexes alone reaches documents and stores",
    arguments: ["Trips.quire", "Trips.store", "Trips.xml"])
  func rules(_ name: String) throws {
    let path = folder.url.appending(path: name).path
    let file = folder.url.appending(path: "Trips.model")
    func migrate(_ nights: String) throws -> RecordedRun {
      let text = "entity Stop\n  name: String\n  nights: \(nights)\n"
      try Data(text.utf8).write(to: file)
      return quire(["migrate", path, "--model", file.path])
    }
    try Data("entity Stop\n  name: String\n  nights: Int32 = 1\n".utf8).write(to: file)
    if name == "Trips.quire" {
      #expect(quire(["new", path, "--model", file.path]).exitCode == .done)
    } else {
      let new = folder.url.appending(path: "New.quire").path
      #expect(quire(["new", new, "--model", file.path]).exitCode == .done)
      #expect(quire(["convert", new, path]).exitCode == .done)
    }
    for nights in 1...9 {
      let words = ["insert", path, "Stop", "name=Stop \(nights)", "nights=\(nights)"]
      #expect(quire(words).exitCode == .done)
    }
    let objects = quire(["export", path]).output

    // An object has more nights than the rule allows.
    let refused = try migrate("Int32 = 2, max 8")
    #expect(refused.exitCode == .no, "\(refused.output)\(refused.messages)")
    #expect(quire(["model", path]).output.contains("nights: Int32 = 1\n"))

    let new = "Int32 = 2, max 9\n  index byNights: nights"
    let done = try migrate(new)
    #expect(done.exitCode == .done, "\(done.messages)")
    #expect(done.output.contains("stays the version: rules, default values, indexes"))
    #expect(quire(["model", path]).output.contains("nights: \(new)\n"))
    #expect(quire(["validate", path]).exitCode == .done)
    #expect(quire(["export", path]).output == objects)
    #expect(quire(["count", path, "Stop", "--where", "nights > 6"]).output == "3\n")
    #expect(quire(["insert", path, "Stop", "name=New"]).exitCode == .done)
    #expect(quire(["count", path, "Stop", "--where", "nights == 2"]).output == "2\n")
    #expect(quire(["insert", path, "Stop", "name=Long", "nights=10"]).exitCode == .no)
    let again = try migrate(new)
    #expect(again.exitCode == .done && again.output.contains("There is nothing to do."))
  }

  @Test(
    "A renamed property keeps its values, and a property without its old name is a note",
    .enabled(if: BuiltTool.exists))
  func renaming() throws {
    let lost = try edit(
      with:
        "sed -i '0,/name: String, length 1...100/s//title: String = \"\", length 0...100/;1,5s/unique name/unique title/'"
    )
    #expect(lost.status != 0)
    #expect(lost.text.contains("write ', was name' after it"), "\(lost.text)")
    #expect(lost.text.contains("The text is kept: "))
    #expect(try texts.count == 1)

    let kept = try edit(
      with:
        "sed -i '1,5s/name: String, length 1...100/title: String, length 1...100, was name/;1,5s/unique name/unique title/'"
    )
    #expect(kept.status == 0, "\(kept.text)")
    #expect(
      quire(["fetch", document, "List", "--columns", "title", "--ids", "--format", "csv"]).output
        .hasSuffix(
          ",Home\n"))
  }

  @Test("An unchanged text changes nothing", .enabled(if: BuiltTool.exists))
  func unchanged() throws {
    let run = try edit(with: "true")
    #expect(run.status == 0 && run.text == "The model is unchanged.\n")
    let comment = try edit(with: "sed -i '1s/^/# A comment.\\n/'")
    #expect(comment.status == 0 && comment.text == "The model is unchanged.\n")
    #expect(try texts.isEmpty)
    #expect(quire(["history", document]).output.split(separator: "\n").count == 2)
  }

  @Test("A wrong text and a failing editor change nothing", .enabled(if: BuiltTool.exists))
  func failures() throws {
    let wrong = try edit(with: "sed -i 's/String/Sting/'")
    #expect(wrong.status == 4)
    #expect(wrong.text.contains("Did you mean \"String\"?"), "\(wrong.text)")
    let failed = try edit(with: "false")
    #expect(failed.status == 3)
    #expect(failed.text.contains("The editor 'false' ended with exit code 1"))
    #expect(quire(["history", document]).output.split(separator: "\n").count == 2)
  }

  @Test("Without a terminal and --yes the command names another way")
  func noTerminal() {
    let run = quire(["model", "edit", document])
    #expect(run.exitCode == .wrongUsage)
    #expect(run.messages.contains("quire migrate"))
    #expect(quire(["model", document, "other"]).messages.contains("Unexpected argument 'other'"))
    #expect(quire(["model", document, "--yes"]).messages.contains("is for 'quire model edit DOC'"))
  }

  @Test(
    "The next version has the next number",
    arguments: [
      ("Trips", "Trips 2"), ("Trips 2", "Trips 3"), ("My Trips", "My Trips 2"), ("2", "2 2"),
      ("Todo.quire", "Todo 2"),
    ])
  func names(_ name: String, _ next: String) {
    #expect(ModelCommand.nextName(name) == next)
  }
}
