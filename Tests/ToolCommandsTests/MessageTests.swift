import BinaryStore
import Documents
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("Messages and authors of versions")
struct MessageTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.done("new", "/Trips.quire", "--model", "Trips")
  }

  /// Returns the lines of the history without the dates, the newest first.
  private func history(_ path: String = "/Trips.quire") -> [String] {
    trips.run(["history", path]).output.split(separator: "\n").map {
      String($0).replacing(/^(\d+ +)20\d\d-\d\d-\d\dT[0-9:.]+Z/) { "\($0.output.1)DATE" }
    }
  }

  @Test("Each command that saves keeps its message and its author")
  func commands() throws {
    try trips.write(Array("x".utf8), to: "/x.txt")
    try trips.write(Array(#"{"@entity":"Person","email":"c@d.e"}"#.utf8), to: "/people.jsonl")
    try trips.write(
      Array(#"{"@entity":"Person","email":"c@d.e","trips":["3/p1"]}"#.utf8), to: "/more.jsonl")
    trips.done("insert", "/Trips.quire", "Trip", "name=Douro", "-m", "Plans a trip")
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "price=1", "--message=-1 is less")
    trips.done("import", "/Trips.quire", "/people.jsonl", "-m=People", "--author", "Ada")
    trips.done("import", "/Trips.quire", "/more.jsonl", "--update", "-m", "More")
    trips.done("attach", "add", "/Trips.quire", "/x.txt", "-m", "A file")
    trips.done("attach", "remove", "/Trips.quire", "x.txt", "--author", "Bob")
    trips.done("delete", "/Trips.quire", "Trip", "--id", "3/p1", "-m", "Line\nbreak \"x\"")
    trips.done("revert", "/Trips.quire", "--to", "2", "-m", "Back")
    trips.script(
      "/Trips.quire",
      """
      insert Voucher code=A
      save -m 'First of the session'
      insert Voucher code=B
      save
      """)
    trips.done("migrate", "/Trips.quire", "--model", "Next", "--allow-loss", "-m", "New model")

    #expect(
      history() == [
        "12  DATE  by quire  model \"Next\"  message \"New model\"",
        "11  DATE  by quire",
        "10  DATE  by quire  message \"First of the session\"",
        "9   DATE  by quire  message \"Back\"",
        "8   DATE  by quire  message \"Line\\nbreak \"x\"\"",
        "7   DATE  by Bob",
        "6   DATE  by quire  message \"A file\"",
        "5   DATE  by quire  message \"More\"",
        "4   DATE  by Ada  message \"People\"",
        "3   DATE  by quire  message \"-1 is less\"",
        "2   DATE  by quire  message \"Plans a trip\"",
        "1   DATE",
      ])
    let json = trips.run(["history", "/Trips.quire", "--format", "json"]).output
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(all[4]["message"] as? String == "Line\nbreak \"x\"")
    #expect(all[8]["author"] as? String == "Ada" && all[5]["message"] == nil)
    let validated = RecordedRun(
      ["validate", "/Trips.quire"],
      tool: Tool(commands: [
        ValidateCommand.command(on: trips.disk, trips.models) { .builtIn }
      ]))
    #expect(validated.exitCode == .done, "\(validated)")
    #expect(!validated.output.contains("MANI-012"), "\(validated.output)")
  }

  @Test("The environment names the author, and the command line another one")
  func author() {
    let environment = ["QUIRE_AUTHOR": "Zoë"]
    func run(_ words: String...) {
      let run = trips.run(words, environment: environment)
      #expect(run.exitCode == .done, "\(run.messages)")
    }
    run("insert", "/Trips.quire", "Trip", "name=A")
    run("insert", "/Trips.quire", "Trip", "name=B", "--author", "Ada")
    run("revert", "/Trips.quire", "--to", "1")
    let session = trips.run(
      ["open", "/Trips.quire"], input: "insert Trip name=C\nsave\n", environment: environment)
    #expect(session.exitCode == .done, "\(session.messages)")
    #expect(
      history() == [
        "5  DATE  by Zoë", "4  DATE  by Zoë  message \"Returns to version 1\"", "3  DATE  by Ada",
        "2  DATE  by Zoë", "1  DATE",
      ])
    trips.done("insert", "/Trips.quire", "Trip", "name=D")
    #expect(history().first == "6  DATE  by quire")
    let empty = trips.run(
      ["insert", "/Trips.quire", "Trip", "name=E"], environment: ["QUIRE_AUTHOR": ""])
    #expect(empty.exitCode == .done && history().first == "7  DATE  by quire")
    // Otherwise the author is the user of the system.
    for (environment, author) in [
      (["USER": "ada", "LOGNAME": "bob"], "ada"), (["USER": "", "LOGNAME": "bob"], "bob"),
      (["QUIRE_AUTHOR": "Eve", "USER": "ada"], "Eve"),
    ] {
      let words = ["insert", "/Trips.quire", "Trip", "name=F"]
      #expect(trips.run(words, environment: environment).exitCode == .done)
      #expect(history().first?.hasSuffix("by \(author)") ?? false, "\(history())")
    }
  }

  @Test("A store without a document keeps the message in the metadata of the commit")
  func stores() throws {
    trips.done("convert", "/Trips.quire", "/Trips.store")
    trips.done("insert", "/Trips.store", "Trip", "name=A", "-m", "First")
    trips.done("insert", "/Trips.store", "Trip", "name=B")
    trips.done("history", "/Trips.store", "--name", "4=Kept")
    trips.done("set", "/Trips.store", "Trip", "--where", "name == 'B'", "price=2", "-m", "Price")
    let numbers = history("/Trips.store")
    #expect(numbers.count == 6, "\(numbers)")
    #expect(numbers[0].hasSuffix("by quire  message \"Price\""))
    #expect(numbers[1].hasSuffix("DATE"), "A name is a commit of its own: \(numbers)")
    #expect(numbers[2].hasSuffix("DATE  by quire  \"Kept\""), "\(numbers)")
    #expect(numbers[3].hasSuffix("by quire  message \"First\""))
    let store = try BinaryStore.open("/Trips.store", on: trips.disk, readOnly: true)
    defer { try? store.close() }
    #expect(try store.commits().map(\.message) == ["Price", nil, nil, "First", nil, nil])
    // The metadata do not grow with the number of messages.
    #expect(try store.snapshot().metadata.commitMessage.count == 1)
    // A copy is another store with other commits.
    trips.done("convert", "/Trips.store", "/Copy.store")
    #expect(!history("/Copy.store").contains { $0.contains("message") })
  }

  @Test("A message survives when the file is written anew, as long as its commit does")
  func rewriting() throws {
    trips.done("convert", "/Trips.quire", "/Trips.store")
    trips.done("insert", "/Trips.store", "Trip", "name=A", "-m", "First")
    trips.done("insert", "/Trips.store", "Trip", "name=B", "-m", "Second")
    trips.done("insert", "/Trips.store", "Trip", "name=C")
    let store = try BinaryStore.open("/Trips.store", on: trips.disk)
    let all = try store.commits()
    let second = try #require(all.first { $0.message == "Second" })
    try store.keepCommits { $0 >= second.number }
    #expect(try store.commits().map(\.message) == [nil, "Second"])
    try store.keepCommits { $0 > second.number }
    #expect(try store.commits().map(\.message) == [nil])
    try store.close()
  }

  @Test("Stores that keep no messages, and empty texts, are errors")
  func errors() {
    trips.done("convert", "/Trips.quire", "/Trips.xml")
    let xml = trips.run(["insert", "/Trips.xml", "Trip", "name=A", "-m", "x"])
    #expect(xml.exitCode == .wrongUsage)
    #expect(xml.messages.contains("'/Trips.xml' is a store of type XML, which keeps no messages."))
    let session = trips.run(["open", "/Trips.xml"], input: "insert Trip name=A\nsave -m x\n")
    #expect(session.exitCode == .wrongUsage && session.messages.contains("keeps no messages"))
    #expect(trips.run(["history", "/Trips.quire"]).output.split(separator: "\n").count == 1)
    for option in ["--message=", "--author= ", "-m="] {
      let run = trips.run(["insert", "/Trips.quire", "Trip", "name=A", option])
      #expect(run.exitCode == .wrongUsage && run.messages.contains("is empty"), "\(run.messages)")
    }
    let missing = trips.run(["insert", "/Trips.quire", "Trip", "-m"])
    #expect(missing.messages.contains("Option '-m' needs a value."), "\(missing.messages)")
    let store = trips.run(["migrate", "/Trips.xml", "--model", "Next", "-m", "x"])
    #expect(store.exitCode == .wrongUsage && store.messages.contains("--message is for documents"))
    let list = trips.run(["attach", "list", "/Trips.quire", "-m", "x"])
    #expect(list.exitCode == .wrongUsage, "\(list.messages)")
  }

  @Test("A dry run keeps no message")
  func dryRun() {
    trips.done("insert", "/Trips.quire", "Trip", "name=A", "--dry-run", "-m", "x")
    #expect(history().count == 1)
  }
}
