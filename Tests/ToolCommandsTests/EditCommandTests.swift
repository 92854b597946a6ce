import CommandInterface
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Testing

@testable import ToolCommands

@Suite("quire insert, set and delete")
struct EditCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .attribute(
            Attribute(
              "name", .string, isOptional: false, validation: .init(minimum: .integer(2)))),
          .attribute(Attribute("start", .date)),
          .attribute(Attribute("cost", .decimal)),
          .attribute(Attribute("days", .int16, validation: .init(maximum: .integer(99)))),
          .attribute(Attribute("token", .uuid)),
          .attribute(Attribute("photo", .binary)),
          .attribute(Attribute("done", .boolean)),
          .relationship(
            Relationship(
              "stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true,
              deleteRule: .cascade)),
        ]),
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("place", .string)),
          .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
        ]),
    ])
    try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation()
    ).close()
    let file = try disk.open("/photo", for: .create)
    try file.write([1, 2, 255], at: 0)
  }

  private func run(_ words: String...) -> RecordedRun {
    RecordedRun(words, tool: .editing(.files(on: disk)))
  }

  private func fetched(_ entity: String, _ columns: String) -> String {
    run("fetch", "/Trips.store", entity, "--columns", columns, "--ids", "--format", "csv").output
  }

  @Test("Values are parsed as the types of the model's attributes")
  func values() {
    let inserted = run(
      "insert", "/Trips.store", "Trip", "name=Lisbon", "start=2026-05-01T10:00:00Z", "cost=120.50",
      "days=7", "token=6FB9DF54-A60E-4A15-8D4B-111111111111", "photo=@/photo", "done=yes")
    #expect(inserted.exitCode == .done, "\(inserted.messages)")
    let id = inserted.output.trimmingCharacters(in: .newlines)
    #expect(
      fetched("Trip", "name,start,cost,days,token,photo,done")
        == "@id,name,start,cost,days,token,photo,done\n\(id),Lisbon,2026-05-01T10:00:00Z,120.5,7,"
        + "6FB9DF54-A60E-4A15-8D4B-111111111111,AQL/,true\n")

    #expect(
      run("set", "/Trips.store", "Trip", "--id", id, "start=null", "photo=AAA=", "days=-3").exitCode
        == .done)
    #expect(
      fetched("Trip", "start,photo,days") == "@id,start,photo,days\n\(id),,AAA=,-3\n")
  }

  @Test("A relationship takes identifiers, or a predicate that exactly one object meets")
  func relationships() {
    func insert(_ words: String...) -> String {
      let all = ["insert", "/Trips.store"] + words
      let reader = StoreReader.files(on: disk)
      return RecordedRun(all, tool: Tool(commands: [InsertCommand.command(reader)])).output
        .trimmingCharacters(in: .newlines)
    }
    let (faro, lagos) = (insert("Stop", "place=Faro"), insert("Stop", "place=Lagos"))
    let trip = insert("Trip", "name=Coast", "stops=\(lagos),{place == 'Faro'}")
    #expect(fetched("Stop", "trip") == "@id,trip\n\(faro),\(trip)\n\(lagos),\(trip)\n")
    let sines = insert("Stop", "place=Sines", "trip={name == 'Coast'}")
    #expect(
      run("set", "/Trips.store", "Trip", "--id", trip, "stops-=\(faro)").exitCode == .done)
    #expect(
      run(
        "fetch", "/Trips.store", "Stop", "--where", "trip != nil", "--columns", "place", "--ids",
        "--format", "csv"
      ).output == "@id,place\n\(lagos),Lagos\n\(sines),Sines\n")

    let vague = run("set", "/Trips.store", "Trip", "--id", trip, "stops+={place != 'Nowhere'}")
    #expect(vague.exitCode == .no && vague.messages.contains("More than one object"))

    #expect(run("delete", "/Trips.store", "Trip", "--where", "name == 'Coast'").exitCode == .done)
    #expect(run("count", "/Trips.store", "Stop").output == "1\n")
  }

  @Test("A command saves nothing unless all values are right, and reports all errors")
  func wrong() {
    let bad = run("insert", "/Trips.store", "Trip", "name=X", "days=100")
    #expect(bad.exitCode == .no)
    #expect(bad.messages.contains("at least 2") && bad.messages.contains("at most 99"))
    for (word, part) in [
      ("days=x", "a whole number"), ("days=40000", "a whole number of 16 bits"),
      ("start=maybe", "a date"),
      ("token=1", "a UUID"), ("photo=%", "base64"), ("nme=Lisbon", "name"), ("name", "KEY=VALUE"),
      ("done=perhaps", "true or false"), ("cost=1x", "a decimal number"),
      ("days+=1", "Write days=1"),
    ] {
      let run = run("insert", "/Trips.store", "Trip", "name=Lisbon", word)
      #expect(run.exitCode == .wrongUsage, "\(word): \(run.messages)")
      #expect(run.messages.contains(part), "\(word): \(run.messages)")
    }
    let missing = run("insert", "/Trips.store", "Trip", "name=Lisbon", "photo=@/none")
    #expect(missing.exitCode == .inputOutput)
    #expect(run("count", "/Trips.store", "Trip").output == "0\n")
    #expect(run("set", "/Trips.store", "Trip", "days=1").exitCode == .wrongUsage)
    #expect(run("set", "/Trips.store", "Trip", "--where", "days == 1", "days=2").exitCode == .no)
    #expect(run("set", "/Trips.store", "Trip", "--id", "1/p9", "days=2").exitCode == .no)
  }

  @Test("A dry run prints the changes and makes none")
  func trial() {
    let trial = run("insert", "/Trips.store", "Trip", "name=Lisbon", "--dry-run")
    #expect(trial.exitCode == .done && trial.messages.contains("would be inserted"))
    let bad = run("insert", "/Trips.store", "Trip", "name=L", "--dry-run")
    #expect(bad.exitCode == .no)
    #expect(run("count", "/Trips.store", "Trip").output == "0\n")
  }

  @Test("A date is a moment, a day, or a distance from now")
  func dates() throws {
    let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
    func date(_ text: String) throws -> Date? { try Assignment("d=\(text)").date(now: now) }
    #expect(try date("now") == now)
    #expect(try date("-3d") == now.addingTimeInterval(-3 * 86400))
    #expect(try date("+2h") == now.addingTimeInterval(7200))
    #expect(try date("2026-11-21") == Date.ISO8601FormatStyle().parse("2026-11-21T00:00:00Z"))
    #expect(try date("-1M") == now.addingTimeInterval(-30 * 86400))
    #expect(try date("later") == nil)

    // At 06:13 UTC the local day is still the day before in the west. A date without a time is a day in UTC.
    for (hours, day) in [(0, 9), (-7, 8), (18, 10)] {
      let zone = try #require(TimeZone(secondsFromGMT: hours * 3600))
      for (word, offset) in [("today", 0), ("tomorrow", 1), ("yesterday", -1)] {
        let found = try Assignment("d=\(word)").date(now: now, in: zone)
        #expect(try found == date("2026-05-\(day + offset < 10 ? "0" : "")\(day + offset)"))
      }
    }
  }

  @Test("A time without a zone is UTC, as in predicates, and an invalid date is refused")
  func exactDates() throws {
    func date(_ text: String) throws -> Date? { try Assignment("d=\(text)").date(now: Date()) }
    let ten = try Date.ISO8601FormatStyle().parse("2026-05-01T10:00:00Z")

    #expect(try date("2026-05-01T10:00:00") == ten)
    #expect(try date("2026-05-01T10:00") == ten)
    #expect(try date("2026-05-01 12:00+02:00") == ten)
    #expect(try date("2026-05-01T10:00:00.5Z") == ten.addingTimeInterval(0.5))
    #expect(try date("@123.5") == Date(timeIntervalSinceReferenceDate: 123.5))
    for wrong in [
      "", "2026-05-01x", "2026-05-01T10:00:00Zjunk", "2026-02-31", "2026-05-01T25:00", "@", "@1x",
    ] { #expect(try date(wrong) == nil, "\(wrong)") }
  }

  @Test("A decimal number is parsed with all its digits, or refused")
  func exactDecimals() {
    func insert(_ cost: String) -> RecordedRun {
      run("insert", "/Trips.store", "Trip", "name=Lisbon", "cost=\(cost)", "--dry-run")
    }
    let digits = String(repeating: "1234567890", count: 5)

    for right in ["-1.5", ".5", "12e3", "1234567890123456789012345678.90123456789"] {
      #expect(insert(right).exitCode == .done, "\(right)")
    }
    for wrong in ["1-2", "1e", "", "1e400", digits + "1", "0." + digits] {
      #expect(insert(wrong).exitCode == .wrongUsage, "\(wrong)")
    }
  }

  @Test("A number that would overflow to infinity is refused, and inf is accepted")
  func largeNumbers() throws {
    let attributes = [Attribute("d", .double), Attribute("f", .float)]
    for (index, text) in ["1e309", "3.5e38", "0x1p3", "1,5", ""].enumerated() {
      for attribute in attributes where attribute.type == .float || index != 1 {
        #expect(throws: CommandError.self, "\(text)") {
          try Assignment("d=\(text)").value(of: attribute, on: disk)
        }
      }
    }
    #expect(try Assignment("d=inf").value(of: attributes[0], on: disk) == .double(.infinity))
    #expect(try Assignment("d=-1.5e3").value(of: attributes[1], on: disk) == .float(-1500))
  }

  @Test("A key that names a property of another object, or no property, sets nothing")
  func strangeKeys() {
    let stop = run("insert", "/Trips.store", "Stop", "place=Faro").output
      .trimmingCharacters(in: .newlines)
    let trip = run("insert", "/Trips.store", "Trip", "name=Coast", "stops=\(stop)").output
      .trimmingCharacters(in: .newlines)

    for (entity, id, word) in [
      ("Stop", stop, "trip.name=null"), ("Stop", stop, "trip.="), ("Trip", trip, "stops.place="),
      ("Trip", trip, "name.=Lisbon"), ("Trip", trip, "name.first=Lisbon"),
      ("Trip", trip, ".name=Lisbon"), ("Trip", trip, "name..=Lisbon"),
    ] {
      let run = run("set", "/Trips.store", entity, "--id", id, word)
      #expect(run.exitCode == .wrongUsage, "\(word): \(run.messages)")
    }
    #expect(fetched("Trip", "name") == "@id,name\n\(trip),Coast\n")
    #expect(fetched("Stop", "trip") == "@id,trip\n\(stop),\(trip)\n")
  }

  @Test("All unreadable parts of a command line are reported at once")
  func everythingWrong() {
    let bad = run(
      "insert", "/Trips.store", "Trip", "name=Lisbon", "days=x", "start=maybe", "nme=Faro", "name",
      "stops={place == 'Nowhere'}", "stops+={plce == 1}", "photo=@/none", "days=y",
      "days=40000", "stops=")

    #expect(bad.exitCode == .wrongUsage)
    for part in [
      "'days' needs a whole number of 16 bits, not 'x'",
      "'days' needs a whole number of 16 bits, not 'y'",
      "'start' needs a date", "'nme'", "Did you mean 'name'?", "'name' is not an assignment",
      "No object of 'Stop'", "plce", "/none", "'days' needs a whole number of 16 bits, not '40000'",
      "'stops' has an empty value",
    ] { #expect(bad.messages.contains(part), "\(part): \(bad.messages)") }
    #expect(run("count", "/Trips.store", "Trip").output == "0\n")

    let nobody = run(
      "set", "/Trips.store", "Trip", "--where", "name == 'nobody'", "dayz=x", "days=x")
    #expect(nobody.exitCode == .wrongUsage && nobody.messages.contains("Did you mean 'days'?"))
    #expect(nobody.messages.contains("a whole number"))
    _ = run("insert", "/Trips.store", "Trip", "name=Lisbon")
    _ = run("insert", "/Trips.store", "Trip", "name=Porto")
    let set = run(
      "set", "/Trips.store", "Trip", "--where", "TRUEPREDICATE", "days=x", "stops={place == 'A'}")
    #expect(set.exitCode == .wrongUsage)
    #expect(set.messages.components(separatedBy: "whole number").count == 2, "\(set.messages)")
    #expect(set.messages.contains("No object of 'Stop'"))

    let stops = run(
      "set", "/Trips.store", "Trip", "--where", "TRUEPREDICATE", "stops=9/p9,x,{place == 'B'}")
    #expect(
      stops.messages.contains("'9/p9'") && stops.messages.contains("'x' is not an identifier"))
    #expect(stops.messages.contains("matches 'place == 'B''"), "\(stops.messages)")
    let named = run("set", "/Trips.store", "Trip", "--id", "x,9/p9", "days=1")
    #expect(named.exitCode == .wrongUsage)
    #expect(
      named.messages.contains("'x' is not an identifier") && named.messages.contains("'9/p9'"))

    // A single error keeps its own exit code.
    let one = run("set", "/Trips.store", "Trip", "--where", "name != nil", "stops={place == 'A'}")
    #expect(one.exitCode == .no)
  }
}
