import Foundation
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire history")
struct HistoryCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
  }

  private func history(_ words: String...) -> RecordedRun { trips.run(["history"] + words) }

  /// Returns the lines of a run with each date replaced by DATE.
  private func lines(_ run: RecordedRun) -> [String] {
    run.output.split(separator: "\n").map {
      String($0).replacing(/^(\d+ +)20\d\d-\d\d-\d\dT[0-9:.]+Z/) { "\($0.output.1)DATE" }
    }
  }

  @Test(
    "An object is followed to the version that inserted it, and each value to the version that set it"
  )
  func oneObject() throws {
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "name=Down the Douro", "price=null")
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "name=Up the Douro", "price=950")
    trips.done("delete", "/Trips.quire", "Stop", "--id", "2/p3")
    let steps = history("/Trips.quire", "--object", "3/p1")
    #expect(steps.exitCode == .done && steps.messages.isEmpty, "\(steps.messages)")
    #expect(
      lines(steps) == [
        "10  DATE  by quire",
        "    ~ Trip 3/p1  name \"Down the Douro\" -> \"Up the Douro\"; price null -> 950.0",
        "9  DATE  by quire",
        "    ~ Trip 3/p1  name \"Douro\" -> \"Down the Douro\"; price 900.0 -> null",
        "8  DATE  by quire", "    ~ Trip 3/p1  travellers +1/p1", "6  DATE  by quire",
        "    ~ Trip 3/p1  stops +2/p2", "5  DATE  by quire", "    ~ Trip 3/p1  stops +2/p1",
        "2  DATE  by quire",
        "    + Trip 3/p1  name \"Douro\", place.latitude 41.5, price 900.0, start 2027-04-21T11:33:20Z",
      ], "\(steps.output)")
    let values = history("/Trips.quire", "--object", "3/p1", "--values")
    #expect(
      values.output.split(separator: "\n").map {
        String($0).replacing(/20\d\d-\d\d-\d\dT[0-9:.]+Z +by/, with: "DATE  by")
      }
        == [
          "name            \"Up the Douro\"        10  DATE  by quire",
          "place.latitude  41.5                  2   DATE  by quire",
          "price           950.0                 10  DATE  by quire",
          "start           2027-04-21T11:33:20Z  2   DATE  by quire",
          "stops           2/p1 2/p2             6   DATE  by quire",
          "travellers      1/p1                  8   DATE  by quire",
        ], "\(values.output)")
    let gone = history("/Trips.quire", "--object", "2/p3")
    #expect(lines(gone).prefix(2).last == "    - Stop 2/p3  name \"Lisboa\", trip 3/p2")
    #expect(history("/Trips.quire", "--object", "2/p3", "--values").exitCode == .no)
    #expect(history("/Trips.quire", "--object", "2/p99").exitCode == .no)
    #expect(history("/Trips.quire", "--object", "x").exitCode == .wrongUsage)
    #expect(history("/Trips.quire", "--values").exitCode == .wrongUsage)
    #expect(history("/Trips.quire", "--object", "3/p1", "--changes").exitCode == .wrongUsage)
    let json = history("/Trips.quire", "--object", "3/p1", "--values", "--format", "json").output
    #expect(json.contains("\"property\": \"price\"") && json.contains("\"number\": 10"))
    // A version before which nothing is kept set the value, or an earlier one.
    trips.done("history", "/Trips.quire", "--thin", "newest")
    let earlier = history("/Trips.quire", "--object", "3/p1", "--values").output
    #expect(earlier.contains("≤ 11"), "\(earlier)")
    #expect(
      history("/Trips.quire", "--object", "3/p1").messages.contains("contained the object already"))
  }

  @Test("The changed objects follow each version, as the lines of diff")
  func objects() {
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "name=Down the Douro", "price=null")
    trips.done("delete", "/Trips.quire", "Stop", "--id", "2/p3")
    let whole = history("/Trips.quire", "--objects")
    #expect(whole.exitCode == .done && whole.messages.isEmpty, "\(whole.messages)")
    #expect(
      lines(whole) == [
        "10  DATE  +0 ~1 -1  by quire",
        "    - Stop 2/p3  name \"Lisboa\", trip 3/p2",
        "    ~ Trip 3/p2  stops -2/p3",
        "9   DATE  +0 ~1 -0  by quire",
        "    ~ Trip 3/p1  name \"Douro\" -> \"Down the Douro\"; price 900.0 -> null",
        "8   DATE  +0 ~0 -0  by quire",
        "    ~ Person 1/p1  trips +3/p1",
        "    ~ Trip 3/p1  travellers +1/p1",
        "7   DATE  +1 ~1 -0  by quire",
        "    + Stop 2/p3  name \"Lisboa\", trip 3/p2",
        "    ~ Trip 3/p2  stops +2/p3",
        "6   DATE  +1 ~1 -0  by quire",
        "    + Stop 2/p2  name \"Régua\", trip 3/p1",
        "    ~ Trip 3/p1  stops +2/p2",
        "5   DATE  +1 ~1 -0  by quire",
        "    + Stop 2/p1  name \"Porto\", nights 0, trip 3/p1",
        "    ~ Trip 3/p1  stops +2/p1",
        "4   DATE  +1 ~0 -0  by quire",
        "    + Person 1/p1  email \"a@b.c\"",
        "3   DATE  +1 ~0 -0  by quire",
        "    + Trip 3/p2  name \"Lisbon\"",
        "2   DATE  +1 ~0 -0  by quire",
        "    + Trip 3/p1  name \"Douro\", place.latitude 41.5, price 900.0, start 2027-04-21T11:33:20Z",
        "1   DATE",
      ], "\(whole.output)")
    // The lines of the versions stay as they are without the objects.
    let counts = lines(history("/Trips.quire", "--changes"))
    #expect(counts == lines(whole).filter { !$0.hasPrefix(" ") })
    #expect(lines(history("/Trips.quire")).first == "10  DATE  by quire")
  }

  @Test("Each version has the changes that diff finds", arguments: ["binary", "xml", "compressed"])
  func sameAsDiff(_ type: String) throws {
    trips.done("save-as", "/Trips.quire", "/Other.quire", "--store", type)
    trips.done(
      "set", "/Other.quire", "Trip", "--where", "name == 'Douro'", "price=1",
      "stops-={name == 'Porto'}")
    trips.done("insert", "/Other.quire", "Person", "email=d@e.f")
    trips.done(
      "set", "/Other.quire", "Person", "--where", "email == 'd@e.f'", "trips={name == 'Lisbon'}")
    trips.done("delete", "/Other.quire", "Stop", "--where", "name == 'Porto'")
    let numbers = lines(history("/Other.quire")).compactMap { Int($0.prefix { $0 != " " }) }
    #expect(numbers.count >= 4)
    for (number, before) in zip(numbers, numbers.dropFirst()) {
      let diff = trips.run(["diff", "/Other.quire@\(before)", "/Other.quire@\(number)"])
      #expect(diff.exitCode == .no)
      let changed = diff.output.split(separator: "\n").dropLast().map { "    \($0)" }
      let shown = lines(history("/Other.quire", "--objects"))
      let start = try #require(shown.firstIndex { $0.hasPrefix("\(number) ") })
      #expect(
        Array(shown[(start + 1)...].prefix { $0.hasPrefix("    ") }) == changed, "\(shown)")
    }
  }

  @Test("--limit shows the newest versions, with their changes")
  func limit() {
    let whole = lines(history("/Trips.quire", "--objects"))
    let two = lines(history("/Trips.quire", "--objects", "--limit", "2"))
    #expect(two.count == 6 && two == Array(whole.prefix(6)))
    #expect(lines(history("/Trips.quire", "--limit", "0")).isEmpty)
    #expect(history("/Trips.quire", "--limit", "0", "--format", "json").output == "[]\n")
    #expect(lines(history("/Trips.quire", "--limit", "99")).count == 8)
    let wrong = history("/Trips.quire", "--limit", "some")
    #expect(wrong.exitCode == .wrongUsage)
    #expect(wrong.messages.contains("--limit needs a whole number, not 'some'"))
  }

  @Test("JSON contains the changes of diff in each version")
  func json() throws {
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "price=1")
    let run = history("/Trips.quire", "--objects", "--limit", "3", "--format", "json")
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    #expect(all.map { $0["number"] as? Int } == [9, 8, 7])
    let newest = try #require(all[0]["objects"] as? [[String: Any]])
    #expect(newest.count == 1 && newest[0]["change"] as? String == "changed")
    #expect(newest[0]["id"] as? String == "3/p1" && newest[0]["entity"] as? String == "Trip")
    let price = (newest[0]["properties"] as? [String: [String: Double]])?["price"]
    #expect(price == ["old": 900, "new": 1])
    #expect((all[0]["changes"] as? [String: Int]) == ["inserted": 0, "changed": 1, "deleted": 0])
    // Without objects, the output is the text of one array.
    let plain = history("/Trips.quire", "--format", "json").output
    #expect(plain.hasPrefix("[\n  {\n    \"number\": 9,\n    \"saved\": \"20"), "\(plain)")
    #expect(plain.hasSuffix("\"model\": \"Trips\"\n  }\n]\n"), "\(plain)")
    #expect(!plain.contains("objects") && !plain.contains("changes"))
  }

  @Test("A version with another model shows the changes of the model")
  func models() throws {
    trips.done("migrate", "/Trips.quire", "--model", "Next", "--allow-loss")
    let shown = lines(history("/Trips.quire", "--objects", "--limit", "2"))
    #expect(shown.first?.hasPrefix("9  DATE") == true && shown.first?.contains("+") == false)
    #expect(shown.contains { $0.hasPrefix("    * ") && $0.contains("Journey") }, "\(shown)")
    #expect(!shown.contains { $0.hasPrefix("    ~ ") && $0.contains("Journey") }, "\(shown)")
    // Earlier versions are in the file before the migration.
    let whole = lines(history("/Trips.quire", "--objects"))
    #expect(Array(whole.prefix(shown.count)) == shown && whole.contains("1  DATE"))
    #expect(shown.last == "    ~ Trip 3/p1  travellers +1/p1")
    let run = history("/Trips.quire", "--objects", "--limit", "1", "--format", "json")
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    #expect((all[0]["modelChanges"] as? [[String: Any]])?.isEmpty == false)
    #expect(all[0]["objects"] == nil && all[0]["changes"] == nil)
  }

  @Test("In a document of several stores, the changes name the store")
  func stores() {
    trips.done(
      "new", "/Two.quire", "--model", "Trips", "--store", "a=binary:Trips,b=xml:Vouchers")
    let voucher = trips.done("insert", "/Two.quire", "Voucher", "code=X")
      .trimmingCharacters(in: .newlines)
    trips.done("insert", "/Two.quire", "Trip", "name=Lisbon")
    #expect(
      lines(history("/Two.quire", "--objects", "--limit", "2")) == [
        "3  DATE  +1 ~0 -0  by quire", "    store a", "    + Trip 3/p1  name \"Lisbon\"",
        "2  DATE  +1 ~0 -0  by quire", "    store b", "    + Voucher \(voucher)  code \"X\"",
      ])
    let json = history("/Two.quire", "--objects", "--limit", "1", "--format", "json").output
    #expect(json.contains("\"store\": \"a\""))
  }

  @Test("A store and a packed document show changed objects too")
  func others() {
    trips.done("convert", "/Trips.quire", "/Trips.store")
    trips.done("set", "/Trips.store", "Trip", "--where", "name == 'Lisbon'", "price=7")
    let shown = lines(history("/Trips.store", "--objects", "--limit", "1"))
    #expect(shown.count == 2 && shown[1] == "    ~ Trip 3/p2  price null -> 7.0", "\(shown)")
    trips.done("pack", "/Trips.quire", "/Trips.zip")
    #expect(
      lines(history("/Trips.zip", "--objects")) == lines(history("/Trips.quire", "--objects")))
  }

  @Test("A terminal cuts long values")
  func terminal() {
    trips.done(
      "set", "/Trips.quire", "Trip", "--id", "3/p1", "name=\(String(repeating: "x", count: 99))")
    let run = trips.run(
      ["history", "/Trips.quire", "--objects", "--limit", "1"], terminal: true)
    #expect(run.output.contains("xxx…"), "\(run.output)")
  }

  @Test("A dry run of thinning lists the versions and removes none")
  func thin() throws {
    trips.done("history", "/Trips.quire", "--name", "3=Lisbon")
    let dry = history("/Trips.quire", "--thin", "newest", "--dry-run")
    #expect(dry.exitCode == .done && dry.messages == "6 versions would be removed.\n")
    #expect(
      lines(dry).map { String($0.prefix(1)) } == ["7", "6", "5", "4", "2", "1"], "\(dry.output)")
    #expect(lines(history("/Trips.quire")).count == 8)
    let json = history("/Trips.quire", "--thin", "newest", "--dry-run", "--format", "json")
    #expect(json.output.split(separator: "\n").count { $0.contains("\"number\"") } == 6)
    let none = history("/Trips.quire", "--thin", "usual", "--dry-run")
    #expect(none.output.isEmpty && none.messages == "0 versions would be removed.\n")
    // The changes are those from the version before, which may stay.
    let changes = lines(
      history("/Trips.quire", "--thin", "newest", "--dry-run", "--objects", "--limit", "1"))
    #expect(changes.first?.contains("+1 ~1 -0") == true && changes.count == 3, "\(changes)")

    #expect(history("/Trips.quire", "--thin", "newest").messages == "6 versions were removed.\n")
    #expect(lines(history("/Trips.quire")).map { String($0.prefix(1)) } == ["8", "3"])
    // The changes of a version are those since the version that is left before it.
    #expect(lines(history("/Trips.quire", "--objects"))[0].contains("+4 ~2 -0"))

    #expect(history("/Trips.quire", "--dry-run").exitCode == .wrongUsage)
    let named = history("/Trips.quire", "--thin", "usual", "--dry-run", "--name", "8=x")
    #expect(named.exitCode == .wrongUsage && named.messages.contains("--dry-run changes nothing"))
  }
}
