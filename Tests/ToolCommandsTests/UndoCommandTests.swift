import Foundation
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire undo")
struct UndoCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
  }

  private func undo(_ words: String...) -> RecordedRun {
    trips.run(["undo", "/Trips.quire"] + words)
  }

  /// Expects that two versions have the same objects.
  private func expectSame(
    _ one: Int, _ other: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let run = trips.run(["diff", "/Trips.quire@\(one)", "/Trips.quire@\(other)"])
    #expect(run.exitCode == .done, "\(run.output)", sourceLocation: sourceLocation)
  }

  private func marks() -> [String] {
    trips.run(["history", "/Trips.quire"]).output.split(separator: "\n").map {
      String($0).replacing(/\ +20\d\d-\d\d-\d\dT[0-9:.]+Z/, with: "")
    }
  }

  @Test("Undo restores the version before, and undo again the one before that")
  func twice() {
    let first = undo()
    #expect(
      first.output == """
        ~ Person 1/p1  trips -3/p1
        ~ Trip 3/p1  travellers -1/p1

        /Trips.quire is at version 9, with the content of version 7.

        """)
    #expect(first.exitCode == .done && first.messages.isEmpty, "\(first.messages)")
    let second = undo("-m", "Too many stops", "--author", "Ada")
    #expect(
      second.output == """
        - Stop 2/p3  name "Lisboa", trip 3/p2
        ~ Trip 3/p2  stops -2/p3

        /Trips.quire is at version 10, with the content of version 6.

        """)
    expectSame(9, 7)
    expectSame(10, 6)
    #expect(
      marks().prefix(3) == [
        "10  by Ada  undone to 6  message \"Too many stops\"", "9  by quire  undone to 7",
        "8  by quire",
      ])
  }

  @Test("Redo restores what undo has taken back, up to the next save")
  func redo() {
    func redo(_ words: String...) -> RecordedRun { trips.run(["redo", "/Trips.quire"] + words) }
    #expect(redo().exitCode == .no)
    _ = undo()  // 9 = 7
    _ = undo()  // 10 = 6
    let first = redo()  // 11 = 7
    #expect(
      first.output == """
        + Stop 2/p3  name "Lisboa", trip 3/p2
        ~ Trip 3/p2  stops +2/p3

        /Trips.quire is at version 11, with the content of version 7.

        """)
    #expect(marks().first == "11  by quire  redone to 7")
    expectSame(11, 7)
    #expect(redo().exitCode == .done)  // 12 = 8
    expectSame(12, 8)
    #expect(redo().messages.contains("There is nothing to redo"))
    // Undo goes on from the restored version.
    _ = undo("--steps", "2")  // 13 = 6
    expectSame(13, 6)
    #expect(
      redo("--steps", "2", "--dry-run").output.hasSuffix("would have the content of version 8.\n"))
    #expect(redo("--steps", "3").messages.contains("Only 2 of 3 versions can be redone."))
    trips.done("insert", "/Trips.quire", "Voucher", "code=X")  // 14
    #expect(redo().exitCode == .no)
    _ = undo()  // 15 = 6
    expectSame(15, 6)
    _ = redo()  // 16 = 14
    expectSame(16, 14)
    _ = undo()  // 17 = 6, and not the version that redo restored
    expectSame(17, 6)
  }

  @Test("The times of the history have one width")
  func times() {
    let lines = trips.run(["history", "/Trips.quire"]).output.split(separator: "\n")
    #expect(lines.count == 8)
    for line in lines {
      let time = line.split(separator: " ")[1]
      #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(line)")
    }
  }

  @Test("On a terminal undo shows a screenful of changes, and --all shows all")
  func screenful() {
    for number in 1...30 { trips.done("insert", "/Trips.quire", "Voucher", "code=\(number)") }
    func undo(_ words: String..., terminal: Bool = true) -> RecordedRun {
      trips.run(
        ["undo", "/Trips.quire", "--steps", "30", "--dry-run"] + words, terminal: terminal,
        height: 20)
    }
    func count(_ run: RecordedRun) -> Int {
      run.output.split(separator: "\n").count { $0.hasPrefix("- ") }
    }
    #expect(count(undo()) == 14 && undo().messages == "16 more changes. '--all' shows all.\n")
    #expect(count(undo("--all")) == 30 && undo("--all").messages.isEmpty)
    #expect(count(undo(terminal: false)) == 30)
  }

  @Test("After another save, undo takes back that save, and then goes on")
  func between() {
    _ = undo()  // 9 = 7
    trips.done("insert", "/Trips.quire", "Voucher", "code=X")  // 10
    #expect(undo().output.hasPrefix("- Voucher 4/p1  code \"X\"\n"))  // 11 = 9 = 7
    #expect(marks().first == "11  by quire  undone to 7")
    #expect(undo().output.contains("with the content of version 6."))  // 12 = 6
    expectSame(12, 6)
    // A revert is a save like any other.
    trips.done("revert", "/Trips.quire", "--to", "8")  // 13 = 8
    #expect(marks().first == "13  by quire  message \"Returns to version 8\"")
    #expect(undo().output.contains("with the content of version 6."))  // 14 = 12 = 6
    #expect(marks().first == "14  by quire  undone to 6")
    #expect(undo().output.contains("with the content of version 5."))
    expectSame(15, 5)
  }

  @Test("Several steps make one version")
  func steps() {
    let three = undo("--steps", "3")
    #expect(three.output.contains("is at version 9, with the content of version 5."))
    #expect(undo("--steps", "2").output.contains("version 10, with the content of version 3."))
    expectSame(10, 3)
    let most = undo("--steps", "3")
    #expect(most.exitCode == .no)
    #expect(most.messages.contains("Only 2 of 3 versions can be taken back"), "\(most.messages)")
    #expect(undo("--steps", "2").exitCode == .done)
    expectSame(11, 1)
    let none = undo()
    #expect(none.exitCode == .no)
    #expect(none.messages.contains("There is no version to take back"), "\(none.messages)")
    for steps in ["0", "-1", "x"] {
      #expect(undo("--steps=\(steps)").exitCode == .wrongUsage, "\(steps)")
    }
    #expect(marks().count == 11)
  }

  @Test("A dry run prints the changes and makes no version")
  func dryRun() {
    let dry = undo("--steps", "2", "--dry-run")
    #expect(dry.exitCode == .done && marks().count == 8)
    let done = undo("--steps", "2")
    let lines = { (run: RecordedRun) in run.output.split(separator: "\n").dropLast() }
    #expect(lines(dry) == lines(done) && lines(dry).count == 4, "\(dry.output)")
    #expect(dry.output.hasSuffix("\n/Trips.quire would have the content of version 6.\n"))
  }

  @Test("JSON contains the changes and the numbers")
  func json() throws {
    func object(_ run: RecordedRun) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }
    let dry = try object(undo("--dry-run", "--format", "json"))
    #expect(dry["saved"] as? Bool == false && dry["version"] == nil)
    let done = try object(undo("--format", "json"))
    #expect(done["saved"] as? Bool == true && done["version"] as? Int == 9)
    #expect(done["from"] as? Int == 8 && done["to"] as? Int == 7)
    let changes = try #require(done["changes"] as? [[String: Any]])
    #expect(changes.map { $0["id"] as? String } == ["1/p1", "3/p1"])
  }

  @Test("Attachments are restored, and a version without changed objects is taken back too")
  func attachments() throws {
    try trips.write(Array("x".utf8), to: "/x.txt")
    try trips.write(Array("y".utf8), to: "/y.txt")
    trips.done("attach", "add", "/Trips.quire", "/x.txt")  // 9
    trips.done("attach", "add", "/Trips.quire", "/y.txt", "--name", "x.txt", "--force")  // 10
    #expect(undo().output.hasPrefix("~ attachment \"x.txt\"\n"))  // 11 = 9
    #expect(undo().output.hasPrefix("- attachment \"x.txt\"\n"))  // 12 = 8
    #expect(trips.run(["attach", "list", "/Trips.quire"]).output.isEmpty)
    #expect(undo().output.contains("~ Trip 3/p1  travellers -1/p1"))  // 13 = 7
    trips.done("revert", "/Trips.quire", "--to", "9")  // 14
    let json = undo("--format", "json").output
    #expect(json.contains("\"attachments\""), "\(json)")
  }

  @Test("Removed versions are skipped")
  func thinned() {
    trips.done("history", "/Trips.quire", "--name", "3=Kept")
    _ = undo("--steps", "2")  // 9 = 6
    trips.done("history", "/Trips.quire", "--thin", "newest")
    #expect(marks() == ["9  by quire  undone to 6", "3  by quire  \"Kept\""])
    #expect(undo().output.contains("with the content of version 3."))
    #expect(marks().first == "10  by quire  undone to 3")
    #expect(undo().exitCode == .no)
  }

  @Test("A migration can't be taken back")
  func migration() {
    trips.done("migrate", "/Trips.quire", "--model", "Next", "--allow-loss")
    for words in [[], ["--dry-run"]] {
      let run = trips.run(["undo", "/Trips.quire"] + words)
      #expect(run.exitCode == .modelMismatch && run.output.isEmpty)
      #expect(run.messages.contains("A migration can't be taken back."), "\(run.messages)")
    }
    #expect(marks().count == 9)
  }

  @Test("A document of several stores, with types that keep no versions in a file")
  func stores() {
    trips.done(
      "new", "/Two.quire", "--model", "Trips", "--store", "a=compressed:Trips,b=xml:Vouchers")
    let voucher = trips.done("insert", "/Two.quire", "Voucher", "code=X")
      .trimmingCharacters(in: .newlines)
    trips.done("insert", "/Two.quire", "Trip", "name=Lisbon")
    trips.done("set", "/Two.quire", "Voucher", "--id", voucher, "code=Y")
    let first = trips.run(["undo", "/Two.quire"])
    #expect(
      first.output.hasPrefix("store b\n~ Voucher \(voucher)  code \"Y\" -> \"X\"\n"), "\(first)")
    let rest = trips.run(["undo", "/Two.quire", "--steps", "2"])
    #expect(rest.output.hasPrefix("store a\n- Trip 3/p1  name \"Lisbon\"\nstore b\n- Voucher"))
    #expect(trips.run(["diff", "/Two.quire@1", "/Two.quire"]).exitCode == .done)
  }

  @Test("Only documents can be undone")
  func errors() {
    trips.done("convert", "/Trips.quire", "/Trips.store")
    trips.done("pack", "/Trips.quire", "/Trips.zip")
    let store = trips.run(["undo", "/Trips.store"])
    #expect(store.exitCode == .wrongUsage)
    #expect(
      store.messages.contains("'quire save-as /Trips.store /Trips.quire'"), "\(store.messages)")
    #expect(trips.run(["undo", "/Trips.zip"]).exitCode == .inputOutput)
    #expect(trips.run(["undo", "/None.quire"]).exitCode == .inputOutput)
  }
}
