import CommandInterface
import DiskSimulation
import DurableFiles
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

/// Words of SQL, git and shells, which are answered with the form that means the same here.
@Suite("Words of other programs")
struct ForeignWordTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string)), .attribute(Attribute("price", .double)),
          .attribute(Attribute("start", .date)),
          .relationship(
            Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, deleteRule: .deny)),
        ]),
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("nights", .int16)),
          .relationship(
            Relationship("trip", to: "Trip", inverse: "stops", isOptional: false)),
        ]),
    ])
    try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation()
    ).close()
  }

  private func run(_ words: [String]) -> RecordedRun {
    RecordedRun(words, tool: .editing(.files(on: disk)))
  }

  @Test("No foreign command is a command, and each leads to one")
  func commands() {
    let known = Set(Tool.quire.commands.map(\.name))
    #expect(known.isDisjoint(with: ForeignCommand.names))
    #expect(Set(ForeignCommand.names).count == ForeignCommand.names.count)
    for line in ForeignCommand.lines {
      #expect(known.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
  }

  @Test(
    "A foreign command gets the command that does its work",
    arguments: [
      ("ls", "quire fetch STORE"), ("show", "quire fetch"), ("log", "quire history"),
      ("rm", "quire delete"), ("update", "quire set"), ("add", "quire insert"),
      ("create", "quire new"), ("select", "quire fetch"), ("query", "quire fetch"),
      ("schema", "quire model"), ("versions", "quire history"), ("SELECT", "quire fetch"),
    ])
  func command(word: String, wanted: String) {
    let result = RecordedRun([word, "x"])

    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains(wanted), "\(result.messages)")
  }

  @Test(
    "A foreign option gets the option that has its meaning",
    arguments: [
      (["--order-by", "name"], "--sort"), (["-n", "5"], "--limit"), (["--json"], "--format json"),
      (["--filter", "x"], "--where"), (["-q"], "--quiet"), (["--select", "name"], "--columns"),
      (["--csv"], "--format csv"),
    ])
  func option(words: [String], wanted: String) {
    let result = run(["fetch", "/Trips.store", "Trip"] + words)

    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains(wanted), "\(result.messages)")
  }

  @Test("-V prints the version")
  func version() { #expect(RecordedRun(["-V"]).output == RecordedRun(["version"]).output) }

  @Test(
    "Forms of SQL in a predicate get the form that means the same",
    arguments: [
      ("name IN ('a', 'b')", "{\"a\", \"b\"}"), ("price BETWEEN 1 AND 50", "BETWEEN {1, 50}"),
      ("name IS NOT NULL", "!= NULL"), ("name IS NULL", "== NULL"),
      ("name ILIKE 'a*'", "LIKE[c]"), ("name = Porto", "\"Porto\""),
      ("price > AVG(price)", "FETCH(\"Trip\", TRUEPREDICATE, NO).@avg.price"),
      ("stops.count > 2", "\"@count\""), ("start > 2026", "YEAR"),
      ("start > 'June 2026'", "2026-01-31"), ("lenght(name) > 2", "Did you mean \"length\"?"),
    ])
  func predicate(text: String, wanted: String) {
    let result = run(["fetch", "/Trips.store", "Trip", "--where", text])

    #expect(result.exitCode == .wrongUsage)
    #expect(result.messages.contains(wanted), "\(result.messages)")
  }

  @Test("An object that is compared with a text gets a property to compare")
  func object() {
    let result = run(["fetch", "/Trips.store", "Stop", "--where", "trip = 'Porto'"])
    #expect(result.messages.contains("such as trip.name"), "\(result.messages)")
  }

  @Test("The hint for an average of all objects is an expression that works")
  func average() {
    for (name, price) in [("a", "1"), ("b", "3")] {
      #expect(
        run(["insert", "/Trips.store", "Trip", "name=\(name)", "price=\(price)"]).exitCode == .done)
    }
    let text = "price > FETCH(\"Trip\", TRUEPREDICATE, NO).@avg.price"
    #expect(run(["count", "/Trips.store", "Trip", "--where", text]).output == "1\n")
  }

  @Test("A pattern with the signs of SQL that finds nothing is explained")
  func pattern() {
    for command in [["fetch"], ["count"]] {
      let result = run(
        command + ["/Trips.store", "Trip", "--where", "name LIKE '%Douro%'"])
      #expect(result.exitCode == .done)
      #expect(result.messages.contains("LIKE \"*Douro*\""), "\(result.messages)")
    }
    #expect(
      run(["count", "/Trips.store", "Trip", "--where", "name LIKE '*50%*'"]).messages.isEmpty)
  }

  @Test("A condition without --where, and a direction behind a sort key, are explained")
  func places() {
    for words in [["nights > 2"], ["nights=2"]] {
      let result = run(["fetch", "/Trips.store", "Stop"] + words)
      #expect(result.messages.contains("--where"), "\(result.messages)")
    }
    #expect(
      run(["count", "/Trips.store", "Stop", "nights > 2"]).messages.contains("--where"))
    #expect(
      run(["fetch", "/Trips.store", "Stop", "--sort", "nights", "desc"]).messages
        .contains("--sort=-nights"))
  }

  @Test("A denied deletion names its cause once, with the number of objects")
  func deletion() {
    for number in 1...6 {
      #expect(
        run(["insert", "/Trips.store", "Trip", "name=T\(number)"]).exitCode == .done)
      #expect(
        run([
          "insert", "/Trips.store", "Stop", "nights=1", "trip={name == 'T\(number)'}",
        ]).exitCode == .done)
    }
    let result = run(["delete", "/Trips.store", "Trip", "--where", "TRUEPREDICATE"])

    #expect(result.exitCode == .no)
    let lines = result.messages.split(separator: "\n")
    #expect(lines.count == 4, "\(result.messages)")
    #expect(result.messages.contains("5 more objects of 'Trip'"), "\(result.messages)")
    #expect(result.messages.contains("quire model edit"), "\(result.messages)")
  }
}
