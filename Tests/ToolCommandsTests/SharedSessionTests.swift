import CommandInterface
import Foundation
import Testing

@testable import ToolCommands

/// A session on a document that other programs change too, and the commands of a session that read and write the saved state.
@Suite("A session beside other programs", .enabled(if: BuiltTool.exists))
struct SharedSessionTests {
  private let folder: ScaffoldFolder
  private var document: String { folder.path + "/d.quire" }

  init() throws {
    folder = try ScaffoldFolder()
    #expect(quire(["new", document, "--template", "todo"]).exitCode == .done)
  }

  /// Runs the lines of a session. `TOOL` stands for the tool, and `DOC` for the document.
  private func session(_ lines: String) -> RecordedRun {
    let text = lines.replacing("TOOL", with: "'\(BuiltTool.url.path)'")
      .replacing("DOC", with: document).replacing("DIR", with: folder.path)
    return RecordedRun(
      ["open", document], tool: .quire(environment: [:], executable: nil), input: Array(text.utf8))
  }

  @Test("Other programs save while a session is open, before its first save and after it")
  func sharing() {
    let run = session(
      """
      !TOOL insert DOC List name=First
      insert List name=Second
      save
      !TOOL insert DOC List name=Third
      insert List name=Fourth
      save
      count List
      !TOOL insert DOC List name=Fifth
      count List
      """)
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output.hasSuffix("4\n5\n"), "\(run.output)")
    let names = quire(["fetch", document, "List", "--columns", "name", "--format", "csv"]).output
    for name in ["First", "Second", "Third", "Fourth"] { #expect(names.contains(name)) }
    #expect(quire(["validate", document]).exitCode == .done)
  }

  @Test("A save that meets a change of the same object is an error, and changes nothing")
  func conflict() {
    #expect(quire(["insert", document, "List", "name=A"]).exitCode == .done)
    let run = session(
      """
      set List --where 'name = "A"' name=B
      !TOOL set DOC List --where 'name = "A"' name=C >/dev/null
      save
      """)
    #expect(run.exitCode == .no, "\(run.exitCode) \(run.messages)")
    #expect(quire(["count", document, "List", "--where", "name = \"C\""]).output == "1\n")
  }

  @Test("A session has the history, the tree, the differences, the export and the import")
  func savedState() throws {
    try Data("name\nFrom a file\n".utf8).write(to: URL(filePath: folder.path + "/lists.csv"))
    let run = session(
      """
      insert List name=One
      save
      tree
      history
      diff DOC@1
      export
      import DIR/lists.csv
      count List
      insert List name=Two
      """)
    #expect(
      run.exitCode == .no && run.messages.contains("did not save its changes"), "\(run.messages)")
    for part in [
      "List", "2  20", "- List", "{\"@entity\":\"List\"", "1 object inserted.\n2\n",
    ] { #expect(run.output.contains(part), "\(part): \(run.output)") }
    let refused = session("insert List name=Two\nhistory\nimport DIR/lists.csv\n")
    #expect(refused.messages.contains("'history' reads the last save"), "\(refused.messages)")
    #expect(refused.messages.contains("'import' saves at once"), "\(refused.messages)")
    #expect(quire(["count", document, "List"]).output == "2\n")
    let help = session("help\nhelp tree\n").output
    for word in ["tree", "history", "diff", "export", "import"] {
      #expect(help.contains("\n  \(word) "), "\(help)")
    }
  }

  @Test("Each command numbers new objects without a gap")
  func numbers() {
    var found: [String] = []
    for name in ["A", "B", "C"] {
      found.append(quire(["insert", document, "List", "name=\(name)"]).output)
    }
    let numbers = found.compactMap { $0.split(separator: "p").last }
      .compactMap { Int($0.dropLast()) }
    #expect(numbers.count == 3 && numbers[1] == numbers[0] + 1 && numbers[2] == numbers[0] + 2)
  }

  @Test("A version with a name is read by its name, and a document returns to it by its name")
  func names() {
    for name in ["A", "B"] {
      #expect(quire(["insert", document, "List", "name=\(name)"]).exitCode == .done)
    }
    #expect(quire(["history", document, "--name", "2=cheap"]).exitCode == .done)
    #expect(quire(["count", "\(document)@cheap", "List"]).output == "1\n")
    #expect(quire(["count", document, "List", "--version", "cheap"]).output == "1\n")
    #expect(quire(["count", "\(document)@cheap~1", "List"]).output == "0\n")
    let diff = quire(["diff", "\(document)@cheap", document])
    #expect(diff.output.hasPrefix("+ List") && diff.exitCode == .no, "\(diff)")
    let change = quire(["set", "\(document)@cheap", "List", "--where", "TRUEPREDICATE", "name=x"])
    #expect(
      change.exitCode != .done
        && change.messages.contains("\"cheap\" is the name of version 2, and an earlier version"),
      "\(change)")
    let unknown = quire(["count", "\(document)@chep", "List"])
    #expect(unknown.messages.contains("has no head \"chep\""), "\(unknown.messages)")
    let back = quire(["revert", document, "--to", "cheap"])
    #expect(back.output.contains("with the content of version 2."), "\(back)")
    #expect(quire(["count", document, "List"]).output == "1\n")
    // A head comes before a version of the same name.
    #expect(quire(["branch", document, "cheap"]).exitCode == .done)
    #expect(
      quire(["insert", "\(document)@cheap", "List", "name=C"]).exitCode == .done)
    #expect(quire(["count", "\(document)@cheap", "List"]).output == "2\n")
  }

  @Test("A mapping names the version of a document as 'quire info' does")
  func mapping() throws {
    let model = quire(["model", document]).output
    let file = folder.path + "/New.model"
    try Data(model.replacing("entity List\n", with: "entity List\n  mark: String?\n").utf8).write(
      to: URL(filePath: file))
    #expect(quire(["insert", document, "List", "name=A"]).exitCode == .done)
    let mapping = folder.path + "/to.mapping"
    try Data("from \"todo\"\nto \"New\"\ncopy List\n  mark = $source.name + '!'\n".utf8).write(
      to: URL(filePath: mapping))
    #expect(quire(["info", document]).output.contains("model      todo"))
    let run = quire(["migrate", document, "--model", file, "--mapping", mapping])
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(quire(["fetch", document, "List"]).output.contains("A!"))
    #expect(quire(["history", document]).output.contains("model \"New\""))
    // The next version of the same file is the second one.
    try Data(model.replacing("entity List\n", with: "entity List\n  mark2: String?\n").utf8).write(
      to: URL(filePath: file))
    let next = quire(["migrate", document, "--model", file, "--allow-loss"])
    #expect(next.exitCode == .done, "\(next.messages)")
    #expect(quire(["info", document]).output.contains("model      todo, New, New 2"))
  }
}
