import Documents
import Foundation
import InstalledPlugins
import Testing

@testable import ToolCommands

@Suite("quire branch, switch and merge of heads")
struct BranchCommandTests {
  private let folder: ScaffoldFolder
  private var path: String { folder.path + "/Trip.quire" }

  /// Makes a document with the versions 1, and 2 ("Lisbon").
  init() throws {
    folder = try ScaffoldFolder()
    let model = folder.path + "/Trip.model"
    try "entity Trip\n  name: String\n  nights: Int64?\n"
      .write(toFile: model, atomically: true, encoding: .utf8)
    try done("new", path, "--model", model)
    try insert(path, "Lisbon")
  }

  @discardableResult
  private func done(
    _ words: String..., location: SourceLocation = #_sourceLocation
  ) throws -> (output: String, messages: String) {
    let run = quire(words)
    #expect(run.exitCode == .done, "\(words): \(run.messages)", sourceLocation: location)
    return (run.output, run.messages)
  }

  private func insert(_ place: String, _ name: String) throws {
    try done("insert", place, "Trip", "name=\(name)")
  }

  private func names(_ word: String) -> Set<String> {
    let run = quire([
      "fetch", word, "Trip", "--columns", "name, nights", "--ids", "--format", "csv",
    ])
    #expect(run.exitCode == .done, "\(word): \(run.messages)")
    return Set(
      run.output.split(separator: "\n").dropFirst().map {
        String($0.drop { $0 != "," }.dropFirst())
      })
  }

  @Test("Commands change the head that the path names, or else the current one")
  func changing() throws {
    try done("branch", path, "draft")
    try insert("\(path)@draft", "Porto")
    try done("set", "\(path)@draft", "Trip", "nights=2", "--where", "name == 'Porto'")
    #expect(names(path) == ["Lisbon,"])
    #expect(names("\(path)@draft") == ["Lisbon,", "Porto,2"])
    try done("undo", "\(path)@draft")
    #expect(names("\(path)@draft") == ["Lisbon,", "Porto,"])
    try done("switch", path, "draft")
    #expect(names(path) == ["Lisbon,", "Porto,"])
    #expect(names("\(path)@main") == ["Lisbon,"])
    try insert(path, "Faro")
    #expect(names("\(path)@draft") == ["Lisbon,", "Porto,", "Faro,"])
    #expect(try done("branch", path).output.contains("* draft  6"))
    // A copy and a packed document show the same head.
    let (copy, packed) = (folder.path + "/Copy.quire", folder.path + "/Trip.zip")
    try done("save-as", path, copy)
    try done("pack", path, packed)
    for place in [copy, packed] { #expect(names(place) == ["Lisbon,", "Porto,", "Faro,"]) }
    try done("validate", path)
    try done("switch", path, "main")
    #expect(names(path) == ["Lisbon,"])
    try done("validate", path)
    let run = quire(["insert", "\(path)@2", "Trip", "name=x"])
    #expect(run.exitCode == .wrongUsage, "\(run.messages)")
  }

  @Test("A head is merged again and again, and the version names what it has merged")
  func merging() throws {
    try done("branch", path, "draft")
    try insert("\(path)@draft", "Porto")
    try insert(path, "Rome")
    let trial = quire(["merge", path, "draft", "--dry-run"])
    #expect(trial.exitCode == .done && trial.output.contains("1 would be inserted"))
    #expect(names(path) == ["Lisbon,", "Rome,"])
    try done("merge", path, "draft")
    #expect(names(path) == ["Lisbon,", "Rome,", "Porto,"])
    #expect(try parents(5) == [4, 3])
    // Nothing is left to merge, so nothing is saved.
    let again = try done("merge", path, "draft")
    #expect(again.messages.contains("already") && again.output.contains("0 inserted"))
    // The next merge begins after the last one: a later change of a merged object is not a conflict.
    try done("set", path, "Trip", "nights=4", "--where", "name == 'Porto'")
    try done("set", "\(path)@draft", "Trip", "name=Oporto", "--where", "name == 'Porto'")
    try done("merge", path, "draft")
    #expect(names(path) == ["Lisbon,", "Rome,", "Oporto,4"])
    // The other direction.
    try done("merge", "\(path)@draft", "main")
    #expect(names("\(path)@draft") == ["Lisbon,", "Rome,", "Oporto,4"])
    try done("validate", path)
    // The draft has a version of its own again, which names the merge.
    #expect(quire(["branch", path, "draft", "--delete"]).messages.contains("not merged"))
    try done("merge", path, "draft")
    try done("branch", path, "draft", "--delete")
    #expect(try done("branch", path).output.hasPrefix("* main"))
    try done("validate", path)
  }

  private func parents(_ number: Int64) throws -> [Int64] {
    let document = try Document.open(path, in: StoreReader.files.places, access: .readOnly)
    defer { try? document.close() }
    return try document.heads.parents(ofVersion: number)
  }

  @Test("Conflicts are shown with three values, and one side resolves them")
  func conflicts() throws {
    try done("branch", path, "draft")
    try done("set", path, "Trip", "nights=2", "--where", "TRUEPREDICATE")
    try done("set", "\(path)@draft", "Trip", "nights=3", "--where", "TRUEPREDICATE")
    let run = quire(["merge", path, "draft"])
    #expect(run.exitCode == .no)
    #expect(
      run.output.contains("base null; ours 2; theirs 3")
        || run.output.contains("base none; ours 2; theirs 3"), "\(run.output)")
    #expect(names(path) == ["Lisbon,2"])
    let output = folder.path + "/Other.quire"
    try done("merge", path, "draft", "--theirs", "--output", output)
    #expect(names(output) == ["Lisbon,3"] && names(path) == ["Lisbon,2"])
    try done("merge", path, "draft", "--ours", "--message", "Kept two nights")
    #expect(names(path) == ["Lisbon,2"])
    let merged = quire(["merge", path, "draft"])
    #expect(merged.messages.contains("already"), "The conflict is decided.")
  }

  @Test("Removing old versions keeps those that the next merge compares")
  func thinning() throws {
    try done("branch", path, "draft")
    try insert("\(path)@draft", "Porto")
    try done("merge", path, "draft")
    try insert(path, "Rome")
    try insert("\(path)@draft", "Faro")
    try insert("\(path)@draft", "Beja")
    for place in [path, "\(path)@draft"] { try done("history", place, "--thin", "newest") }
    try done("validate", path)
    try done("set", path, "Trip", "nights=4", "--where", "name == 'Porto'")
    try done("set", "\(path)@draft", "Trip", "name=Oporto", "--where", "name == 'Porto'")
    try done("merge", path, "draft")
    #expect(names(path) == ["Lisbon,", "Rome,", "Oporto,4", "Faro,", "Beja,"])
    try done("validate", path)
  }

  @Test("The history draws the versions of all heads, and names what a version merged")
  func graph() throws {
    try done("branch", path, "draft")
    try done("branch", path, "idea", "--at", "1")
    try insert("\(path)@draft", "Porto")
    try insert(path, "Rome")
    try insert("\(path)@idea", "Nice")
    try done("merge", path, "draft")
    try insert("\(path)@draft", "Faro")
    func lines(_ words: String...) throws -> [String] {
      let run = quire(["history", path] + words)
      #expect(run.exitCode == .done, "\(run.messages)")
      return run.output.split(separator: "\n").map {
        String($0).replacing(/20\d\d-\d\d-\d\dT[0-9:.]+Z/, with: "DATE")
          .replacing(#/  by \w+/#, with: "")
      }
    }
    let drawn = try lines("--graph")
    #expect(
      drawn == [
        "*  7  DATE  (draft)", "| *  6  DATE  merged 3  (*main)", "|/|", "| | *  5  DATE  (idea)",
        "| * |  4  DATE", "* | |  3  DATE", "|/  |", "*   |  2  DATE", "|__/", "*  1  DATE",
      ], "\n\(drawn.joined(separator: "\n"))")
    #expect(try lines("--graph", "--limit", "1") == ["*  7  DATE  (draft)"])
    #expect(try lines().first == "6  DATE  merged 3")
    let json = quire(["history", path, "--graph", "--format", "json"]).output
    #expect(json.contains("\"merged\": [\n      3\n    ]") && json.contains("\"heads\": ["))
    #expect(quire(["history", path, "--graph", "--changes"]).exitCode == .wrongUsage)
    // A merged version without a later one begins a column of its own.
    try done("merge", path, "idea")
    #expect(
      try lines("--graph").prefix(4) == [
        "*  8  DATE  merged 5  (*main)", "|\\", "| | *  7  DATE  (draft)",
        "* | |  6  DATE  merged 3",
      ])
  }

  @Test("A head begins at the version that is given")
  func beginning() throws {
    try insert(path, "Rome")
    try done("branch", path, "old", "--at", "2")
    try done("branch", "\(path)@old", "older")
    try done("branch", path, "first", "--at", "main~2")
    #expect(names("\(path)@old") == ["Lisbon,"] && names("\(path)@older") == ["Lisbon,"])
    #expect(names("\(path)@first").isEmpty)
    let run = try done("branch", path, "--format", "json").output
    #expect(run.contains("\"name\": \"older\"") && run.contains("\"isCurrent\": true"))
  }

  @Test("Mistakes change nothing, and the error says what to do")
  func errors() throws {
    try done("branch", path, "draft")
    try insert("\(path)@draft", "Porto")
    let listed = quire(["branch", path]).output
    for (words, message) in [
      (["branch", path, "draft"], "has a head"), (["branch", path, "Draft"], "has a head"),
      (["branch", path, "a.b"], "can't be the name"),
      (["branch", path, "12"], "can't be the name"),
      (["branch", path, "new", "--at", "9"], "9"),
      (["branch", path, "--delete"], "needs the name"),
      (["branch", path, "main", "--delete"], "every document has it"),
      (["branch", path, "draught", "--delete"], "no head"),
      (["branch", path, "draft", "--delete"], "not merged"),
      (["branch", path, "draft", "--force"], "--force is for --delete"),
      (["switch", path, "draught"], "no head"), (["switch", "\(path)@draft", "main"], "already"),
      (["merge", path, "draught"], "no head"), (["merge", path, "main"], "is the head"),
      (["merge", path], "Missing argument"),
      (["branch", path, "x", "--dry-run", "--at", "9"], "9"),
    ] {
      let run = quire(words)
      #expect(
        run.exitCode != .done && run.messages.contains(message),
        "\(words): \(run.exitCode) \(run.messages)")
    }
    try done("switch", path, "draft")
    let refused = quire(["branch", "\(path)@main", "draft", "--delete", "--force"])
    #expect(refused.messages.contains("is the current head"), "\(refused.messages)")
    try done("switch", path, "main")
    #expect(quire(["branch", path]).output == listed)
    try done("branch", path, "draft", "--delete", "--dry-run", "--force")
    #expect(quire(["branch", path]).output == listed)
    try done("branch", path, "draft", "--delete", "--force")
    #expect(quire(["branch", path]).output.split(separator: "\n").count == 1)
  }

  @Test("A current head that is none is an error, and never another head")
  func lostHead() throws {
    try done("branch", path, "draft")
    try done("switch", path, "draft")
    for text in ["drafts\n", "draft", "", "\n", "a b\n"] {
      try text.write(toFile: path + "/heads/current", atomically: true, encoding: .utf8)
      let run = quire(["count", path, "Trip"])
      #expect(run.exitCode != .done && run.messages.contains("quire branch"), "\(text)")
      let list = quire(["branch", path])
      #expect(list.output.contains("draft") && list.messages.contains("warning"), "\(text)")
      #expect(quire(["insert", path, "Trip", "name=x"]).exitCode != .done, "\(text)")
      #expect(quire(["validate", path]).output.contains("CONT-027"), "\(text)")
      #expect(names("\(path)@main") == ["Lisbon,"])
    }
    try done("switch", path, "main")
    #expect(names(path) == ["Lisbon,"])
    try done("validate", path)
  }
}
