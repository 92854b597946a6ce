import Documents
import Foundation
import InstalledPlugins
import JSONText
import ObjectModel
import SQLiteFiles
import Testing

@testable import ToolCommands

/// Matching of objects by keys, and comparisons of stores that do not share their identifiers.
@Suite("Matching in quire diff")
struct DiffMatchingTests {
  private let trips: ComparedTrips

  init() throws { trips = try ComparedTrips() }

  private func diff(_ words: String...) -> RecordedRun { trips.run(["diff"] + words) }

  /// Creates two documents with the same objects under different identifiers.
  private func makeTwo(model: String = "Trips") {
    trips.makeDocument("/A.quire", model: model)
    trips.done("new", "/B.quire", "--model", model)
    trips.script(
      "/B.quire",
      """
      insert Person email=other
      insert Person email=a@b.c
      delete Person --id 1/p1
      insert Trip name=Lisbon
      insert Trip name=Douro price=900 start=2027-04-21T11:33:20Z place.latitude=41.5
      set Trip --id 3/p2 travellers=1/p2
      insert Stop name=Lisboa trip=3/p1
      insert Stop name=Porto nights=0 trip=3/p2
      insert Stop name=Régua trip=3/p2
      save

      """)
  }

  @Test("Objects of unrelated stores match by their uniqueness constraints")
  func unique() {
    makeTwo(model: "Unique")
    let run = diff("/A.quire", "/B.quire", "--entity", "Trip,Person")
    // The stops have no constraint, so the lists of the trips differ by identifiers.
    #expect(run.output.contains("~ Trip \"Lisbon\"  stops +2/p1 -2/p3\n"), "\(run.output)")
    #expect(!run.output.contains("travellers") && !run.output.contains("Person"))
    let all = diff("/A.quire", "/B.quire")
    #expect(
      all.messages == """
        note: The objects of 'Stop' are compared by identifier, because the entity has no uniqueness \
        constraint. --key names properties to match by.

        """)
    #expect(all.output.contains("~ Stop 2/p1  name \"Porto\" -> \"Lisboa\"; nights 0 -> null; "))
    // A message is not a reason to match in another way.
    #expect(diff("/A.quire", "/B.quire", "--match", "unique").output == all.output)
    let forced = diff("/A.quire", "/B.quire", "--match", "identifier")
    #expect(forced.messages.isEmpty && forced.output.contains("- Person 1/p1"), "\(forced)")
    #expect(forced.output.contains("~ Trip 3/p1  name \"Douro\" -> \"Lisbon\""))
  }

  @Test("With keys, references and members are compared by the keys of their objects")
  func keys() throws {
    makeTwo()
    let same = diff("/A.quire", "/B.quire", "--key", "name")
    #expect(same.exitCode == .done && same.messages.isEmpty, "\(same)")

    trips.done("set", "/B.quire", "Stop", "--where", "name == 'Porto'", "trip=3/p1")
    trips.done("set", "/B.quire", "Trip", "--where", "name == 'Douro'", "price=1.5")
    trips.done("insert", "/B.quire", "Trip", "name=Faro")
    trips.done("delete", "/B.quire", "Person", "--where", "email == 'a@b.c'")
    let run = diff("/A.quire", "/B.quire", "--key", "Trip=name,Stop=name")
    #expect(
      run.output == """
        - Person "a@b.c"  email "a@b.c", trips Trip "Douro"
        ~ Stop "Porto"  trip Trip "Douro" -> Trip "Lisbon"
        ~ Trip "Lisbon"  stops +Stop "Porto"
        ~ Trip "Douro"  price 900.0 -> 1.5; stops -Stop "Porto"; travellers -Person "a@b.c"
        + Trip "Faro"  name "Faro"

        1 inserted, 3 changed, 1 deleted

        """)
    let line = diff(
      "/A.quire", "/B.quire", "--key", "Trip=name,Stop=name", "--format", "jsonl", "--entity",
      "Stop"
    ).output
    #expect(
      line
        == #"{"change":"changed","entity":"Stop","id":"2/p2","oldId":"2/p1","key":{"name":"Porto"},"properties":{"trip":{"old":{"entity":"Trip","id":"3/p1","key":{"name":"Douro"}},"new":{"entity":"Trip","id":"3/p1","key":{"name":"Lisbon"}}}}}"#
        + "\n")
  }

  @Test("A key may consist of several properties and lead through references")
  func compoundKeys() {
    makeTwo()
    trips.done("insert", "/A.quire", "Stop", "name=Porto", "trip=3/p2")
    trips.done("insert", "/B.quire", "Stop", "name=Porto", "trip=3/p1", "nights=7")
    let run = diff("/A.quire", "/B.quire", "--key", "Trip=name,Stop=trip+name")
    #expect(
      run.output == """
        ~ Stop (Trip "Lisbon", "Porto")  nights null -> 7

        0 inserted, 1 changed, 0 deleted

        """, "\(run)")
    let cyclic = diff("/A.quire", "/B.quire", "--key", "Trip=name,Stop=trip")
    #expect(cyclic.exitCode == .wrongUsage, "\(cyclic)")
  }

  @Test("A key of several objects is an error that names the objects")
  func duplicates() {
    makeTwo()
    trips.done("insert", "/B.quire", "Stop", "name=Porto", "nights=3")
    trips.done("insert", "/B.quire", "Stop", "name=Lisboa")
    for words in [["/A.quire", "/B.quire"], ["/B.quire", "/A.quire"]] {
      let run = trips.run(["diff"] + words + ["--key", "name"])
      #expect(run.exitCode == .wrongUsage && run.output.isEmpty)
      #expect(
        run.messages.replacing(/p[0-9]{2,}/, with: "pN").contains(
          "'/B.quire' has 2 objects of 'Stop' with name \"Lisboa\": 2/p1, 2/pN. "
            + "1 other key occurs again."), "\(run.messages)")
      #expect(run.messages.contains("--key 'Stop=name+PROPERTY'"))
    }
  }

  @Test("Objects without a key are compared by identifier, and a message counts them")
  func missingKeys() {
    makeTwo()
    trips.done("insert", "/A.quire", "Trip", "price=1")
    trips.done("insert", "/B.quire", "Trip", "price=2")
    trips.done("insert", "/B.quire", "Trip", "price=3")
    let run = diff("/A.quire", "/B.quire", "--key", "name")
    #expect(
      run.output.replacing(/p[0-9]+/, with: "p") == """
        ~ Trip 3/p  price 1.0 -> 2.0
        + Trip 3/p  price 3.0

        1 inserted, 1 changed, 0 deleted

        """)
    #expect(
      run.messages
        == "note: 3 objects of 'Trip' without a value for 'name' are compared by identifier.\n")
  }

  @Test("Stores of a document are compared by name, and one of them with a bare store")
  func severalStores() throws {
    let stores = "trips=binary:Trips,vouchers=xml:Vouchers"
    trips.done("new", "/A.quire", "--model", "Trips", "--store", stores)
    trips.done("insert", "/A.quire", "Voucher", "code=X1")
    trips.done("save-as", "/A.quire", "/B.quire")
    trips.done("insert", "/B.quire", "Trip", "name=Faro")
    trips.done("set", "/B.quire", "Voucher", "--where", "TRUEPREDICATE", "code=X2")
    let run = diff("/A.quire", "/B.quire")
    #expect(
      // The copy counts in a lane of its own.
      run.output.replacing(/1\/p[0-9]+/, with: "VOUCHER").replacing(/3\/p[0-9]+/, with: "TRIP")
        == """
        store trips
        + Trip TRIP  name "Faro"
        store vouchers
        ~ Voucher VOUCHER  code "X1" -> "X2"

        1 inserted, 1 changed, 0 deleted

        """, "\(run)")
    let json = diff("/A.quire", "/B.quire", "--format", "jsonl").output
    #expect(json.contains(#"{"change":"inserted","store":"trips","entity":"Trip""#), "\(json)")
    let stat = diff("/A.quire", "/B.quire", "--stat").output
    #expect(
      stat.hasPrefix("trips: Trip        +1  ~0  -0\nvouchers: Voucher  +0  ~1  -0\n"), "\(stat)")
    let named = diff("/A.quire", "/B.quire", "--in", "vouchers")
    #expect(named.output.hasPrefix("~ Voucher 1/p") && !named.output.contains("Trip"))

    // A document with another set of stores, and a document with one store.
    trips.done(
      "new", "/C.quire", "--model", "Trips", "--store", "vouchers=xml:Vouchers,more=xml:Trips")
    trips.done("insert", "/C.quire", "Trip", "name=Faro")
    let sets = diff("/B.quire", "/C.quire", "--match", "identifier")
    #expect(sets.output.contains(/store trips\n- Trip 3\/p[0-9]+  name "Faro"\n/), "\(sets)")
    #expect(sets.output.contains(/store more\n\+ Trip 3\/p[0-9]+  name "Faro"\n/), "\(sets)")
    let files = try trips.disk.list("/A.quire/stores").map(\.name)
    let store = "/A.quire/stores/" + (files.first { $0.hasPrefix("trips") } ?? "")
    let many = diff("/B.quire", store)
    #expect(
      many.exitCode == .wrongUsage && many.messages.contains("--in: trips, vouchers"), "\(many)")
    let one = diff(store, "/B.quire", "--in", "trips")
    #expect(one.output.contains(/^\+ Trip 3\/p[0-9]+  name "Faro"\n/), "\(one)")
    #expect(diff(store, store, "--in", "trips").exitCode == .wrongUsage)
  }

  @Test("A database of Core Data's form is compared with a store and a document")
  func database() throws {
    let folder = try ScaffoldFolder()
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
      executable: nil)
    func run(_ words: String...) -> RecordedRun { RecordedRun(words, tool: tool) }
    let store = InstalledPlugins.root.appending(path: "Examples/Trips.store").path
    let database = folder.path + "/App.sqlite"
    #expect(run("convert", store, database, "--store", "SQLite").exitCode == .done)
    let key = "Trip=name,Stop=trip+name,Person=fullName"

    let same = run("diff", store, database, "--key", key)
    #expect(same.exitCode == .done && same.output == "No differences.\n", "\(same)")
    let changed = run("set", database, "Trip", "--where", "name == 'Someday'", "budget=2.50")
    #expect(changed.exitCode == .done, "\(changed.messages)")
    let stop = run("delete", database, "Stop", "--where", "name == 'Porto'")
    #expect(stop.exitCode == .done, "\(stop.messages)")
    let apart = run("diff", store, database, "--key", key)
    #expect(apart.exitCode == .no)
    #expect(apart.output.contains("~ Trip \"Someday\"  budget 0 -> 2.5\n"), "\(apart.output)")
    #expect(apart.output.contains("- Stop (Trip \"Along the Douro\", \"Porto\")  "))
    #expect(
      apart.output.contains(
        "~ Trip \"Along the Douro\"  stops -Stop (Trip \"Along the Douro\", \"Porto\")\n"))
    #expect(apart.output.hasSuffix("\n\n0 inserted, 2 changed, 1 deleted\n"))

    let numbers = run("history", database, "--format", "json")
    #expect(numbers.exitCode == .done)
    let version = numbers.output.matches(of: /"number": ([0-9]+)/).map { String($0.1) }
    let older = run("diff", "\(database)@\(version[1])", database)
    #expect(
      older.output.contains("- Stop ") && older.output.contains("1 deleted"), "\(older)")
    let first = run("diff", store, "\(database)@\(version[2])", "--key", key, "--quiet")
    #expect(first.exitCode == .done, "\(first.messages)")

    // A database without a model needs --model, and the other side keeps its own.
    let connection = try SQLiteConnection(database, for: .writing)
    for table in ["QUIRE_STORE", "QUIRE_COMMIT", "QUIRE_BEFORE", "QUIRE_LINK", "Z_MODELCACHE"] {
      try connection.execute("DROP TABLE \(table)")
    }
    let missing = run("diff", store, database, "--key", key)
    #expect(missing.exitCode == .modelMismatch, "\(missing)")
    #expect(missing.messages.contains("Give the model with --model."), "\(missing.messages)")
    let given = run("diff", store, database, "--key", key, "--model", store)
    #expect(given.exitCode == .no && given.output == apart.output, "\(given)")
  }
}
