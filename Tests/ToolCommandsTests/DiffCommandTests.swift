import CommandInterface
import Documents
import Foundation
import JSONText
import ObjectModel
import Testing

@testable import ToolCommands

@Suite("quire diff")
struct DiffCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
  }

  private func diff(_ words: String...) -> RecordedRun { trips.run(["diff"] + words) }

  @Test("Versions of a document are compared, in both directions")
  func versions() {
    let whole = diff("/Trips.quire@1", "/Trips.quire")
    #expect(
      whole.output == """
        + Person 1/p1  email "a@b.c", trips 3/p1
        + Stop 2/p1  name "Porto", nights 0, trip 3/p1
        + Stop 2/p2  name "Régua", trip 3/p1
        + Stop 2/p3  name "Lisboa", trip 3/p2
        + Trip 3/p1  name "Douro", place.latitude 41.5, price 900.0, start 2027-04-21T11:33:20Z, \
        stops 2/p1 2/p2, travellers 1/p1
        + Trip 3/p2  name "Lisbon", stops 2/p3

        6 inserted, 0 changed, 0 deleted

        """)
    #expect(whole.exitCode == .no && whole.messages.isEmpty, "\(whole.messages)")

    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "name=Down the Douro", "price=null")
    trips.done("delete", "/Trips.quire", "Stop", "--id", "2/p3")
    let last = diff("/Trips.quire@8", "/Trips.quire")
    #expect(
      last.output == """
        - Stop 2/p3  name "Lisboa", trip 3/p2
        ~ Trip 3/p1  name "Douro" -> "Down the Douro"; price 900.0 -> null
        ~ Trip 3/p2  stops -2/p3

        0 inserted, 2 changed, 1 deleted

        """)
    let back = diff("/Trips.quire", "/Trips.quire@8").output
    #expect(
      back.contains("~ Trip 3/p1  name \"Down the Douro\" -> \"Douro\"; price null -> 900.0\n"))
    #expect(back.contains("+ Stop 2/p3") && back.contains("stops +2/p3"))
    #expect(diff("/Trips.quire@-2", "/Trips.quire@8").output == "No differences.\n")
    #expect(diff("/Trips.quire@2100-01-01", "/Trips.quire").output == "No differences.\n")
    let missing = diff("/Trips.quire@1900-01-01", "/Trips.quire")
    #expect(missing.exitCode == .inputOutput)
    #expect(missing.messages.contains("the oldest that is kept is version 1, saved at "))
    #expect(diff("/Trips.quire@5", "/Trips.quire@5").exitCode == .done)
    #expect(diff("/Trips.quire@4", "/Trips.quire@5").output.hasPrefix("+ Stop 2/p1"))
  }

  @Test("Two copies that changed apart are matched by identifier, whatever their stores")
  func copies() {
    trips.done("save-as", "/Trips.quire", "/Copy.quire")
    let same = diff("/Trips.quire", "/Copy.quire")
    #expect(same.exitCode == .done && same.output == "No differences.\n")
    #expect(same.messages.isEmpty)

    trips.done("set", "/Copy.quire", "Stop", "--id", "2/p2", "trip=3/p2", "nights=4")
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "travellers=null")
    trips.done("delete", "/Copy.quire", "Person", "--id", "1/p1")
    let apart = diff("/Trips.quire", "/Copy.quire")
    #expect(
      apart.output == """
        - Person 1/p1  email "a@b.c"
        ~ Stop 2/p2  nights null -> 4; trip 3/p1 -> 3/p2
        ~ Trip 3/p1  stops -2/p2
        ~ Trip 3/p2  stops +2/p2

        0 inserted, 3 changed, 1 deleted

        """)
    #expect(apart.exitCode == .no && apart.messages.isEmpty)

    trips.done("pack", "/Copy.quire", "/Copy.zip")
    #expect(diff("/Trips.quire", "/Copy.zip").output == apart.output)
    #expect(diff("/Copy.zip@8", "/Trips.quire@8").exitCode == .done)
  }

  @Test("Links of a many-to-many relationship are compared from both ends")
  func links() {
    let linked = diff("/Trips.quire@7", "/Trips.quire")
    #expect(
      linked.output == """
        ~ Person 1/p1  trips +3/p1
        ~ Trip 3/p1  travellers +1/p1

        0 inserted, 2 changed, 0 deleted

        """)
    trips.done("save-as", "/Trips.quire", "/Copy.quire")
    trips.done("set", "/Copy.quire", "Trip", "--id", "3/p1", "travellers=null")
    let copy = diff("/Copy.quire", "/Trips.quire")
    #expect(copy.output == linked.output, "\(copy.messages)")
  }

  @Test("A changed order of an ordered relationship is named")
  func order() {
    trips.done("save-as", "/Trips.quire", "/Copy.quire")
    for path in ["/Trips.quire", "/Copy.quire"] {
      trips.done("set", path, "Trip", "--id", "3/p1", "stops=2/p2,2/p1")
      let changed = diff("/Trips.quire@8", path)
      #expect(changed.output.hasPrefix("~ Trip 3/p1  stops reordered\n"), "\(changed)")
    }
    #expect(diff("/Trips.quire", "/Copy.quire").exitCode == .done)
    trips.done("set", "/Copy.quire", "Trip", "--id", "3/p1", "stops=2/p3,2/p1,2/p2")
    let both = diff("/Trips.quire", "/Copy.quire")
    #expect(both.output.contains("~ Trip 3/p1  stops +2/p3 reordered\n"), "\(both.output)")
    let json = diff("/Trips.quire", "/Copy.quire", "--format", "jsonl", "--entity", "Trip")
    #expect(
      json.output.contains(
        #""stops":{"added":["2/p3"],"reordered":true,"order":["2/p3","2/p1","2/p2"]}"#),
      "\(json.output)")
  }

  @Test("Every kind of store is compared with every other kind")
  func kinds() throws {
    trips.done("convert", "/Trips.quire", "/Xml.quire", "--store", "xml")
    trips.done("convert", "/Trips.quire", "/Compressed.quire", "--store", "compressed")
    let paths = ["/Trips.quire", "/Xml.quire", "/Compressed.quire"]
    for one in paths {
      for other in paths {
        let run = diff(one, other, "--key", "Trip=name,Stop=name")
        #expect(run.exitCode == .done, "\(one) \(other): \(run)")
      }
      trips.done("set", one, "Trip", "--where", "name == 'Douro'", "price=901")
      let run = diff(one, "/Trips.quire@8", "--key", "Trip=name,Stop=name")
      #expect(run.output.hasPrefix("~ Trip \"Douro\"  price 901.0 -> 900.0\n"), "\(one): \(run)")
      trips.done("set", one, "Trip", "--where", "name == 'Douro'", "price=900")
    }
  }

  @Test("An older model is compared with a newer one, and renamed parts are followed")
  func models() throws {
    trips.done("delete", "/Trips.quire", "Stop", "--where", "nights == 0")
    trips.done("migrate", "/Trips.quire", "--model", "Next", "--allow-loss")
    trips.done("set", "/Trips.quire", "Journey", "--where", "title == 'Lisbon'", "title=Porto")
    trips.done("insert", "/Trips.quire", "Journey", "title=Faro", "rating=3")
    let run = diff("/Trips.quire@9", "/Trips.quire", "--match", "identifier")
    #expect(run.exitCode == .no)
    #expect(run.output.contains("* Journey: renamed from Trip\n"), "\(run.output)")
    #expect(run.output.contains("* Journey.title: renamed from name\n"))
    #expect(run.output.contains("* Stop: removed\n"))
    #expect(run.output.contains("\n\n~ Journey "), "\(run.output)")
    #expect(run.output.contains("title \"Lisbon\" -> \"Porto\"\n"), "\(run.output)")
    #expect(run.output.contains("rating 3, title \"Faro\"\n"))
    #expect(run.output.contains("- Stop 2/p2  name \"Régua\", trip "))
    // A property of one side only, and a number of another type, are not differences of objects.
    #expect(run.output.hasSuffix("1 inserted, 1 changed, 2 deleted\n"), "\(run.output)")

    let restricted = diff("/Trips.quire@9", "/Trips.quire", "--entity", "Trip")
    #expect(restricted.output.contains("* Journey: renamed from Trip\n"))
    #expect(!restricted.output.contains("Stop"), "\(restricted.output)")
    let none = diff("/Trips.quire@9", "/Trips.quire", "--entity", "Person")
    #expect(none.output.contains("Person.trips: removed") && none.exitCode == .no)
  }

  // MARK: - Forms of the output

  @Test("JSON contains the models, each change and the counts")
  func json() throws {
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "name=null", "stops=2/p2,2/p3")
    trips.done("delete", "/Trips.quire", "Person", "--id", "1/p1")
    let run = diff("/Trips.quire@8", "/Trips.quire", "--format", "json")
    #expect(run.exitCode == .no)
    #expect(
      run.output == """
        {
          "old": "/Trips.quire@8",
          "new": "/Trips.quire",
          "model": {
            "isSeenByHashes": false,
            "changes": []
          },
          "changes": [
            {
              "change": "deleted",
              "entity": "Person",
              "id": "1/p1",
              "properties": {
                "email": {
                  "old": "a@b.c"
                },
                "trips": {
                  "removed": [
                    "3/p1"
                  ]
                }
              }
            },
            {
              "change": "changed",
              "entity": "Stop",
              "id": "2/p1",
              "properties": {
                "trip": {
                  "old": "3/p1",
                  "new": null
                }
              }
            },
            {
              "change": "changed",
              "entity": "Stop",
              "id": "2/p3",
              "properties": {
                "trip": {
                  "old": "3/p2",
                  "new": "3/p1"
                }
              }
            },
            {
              "change": "changed",
              "entity": "Trip",
              "id": "3/p1",
              "properties": {
                "name": {
                  "old": "Douro",
                  "new": null
                },
                "stops": {
                  "added": [
                    "2/p3"
                  ],
                  "removed": [
                    "2/p1"
                  ],
                  "order": [
                    "2/p2",
                    "2/p3"
                  ]
                },
                "travellers": {
                  "removed": [
                    "1/p1"
                  ]
                }
              }
            },
            {
              "change": "changed",
              "entity": "Trip",
              "id": "3/p2",
              "properties": {
                "stops": {
                  "removed": [
                    "2/p3"
                  ],
                  "order": []
                }
              }
            }
          ],
          "inserted": 0,
          "changed": 4,
          "deleted": 1,
          "attachments": []
        }

        """)

    let lines = diff("/Trips.quire@8", "/Trips.quire", "--format", "jsonl").output
      .split(separator: "\n")
    #expect(lines.count == 5)
    #expect(
      lines.first
        == #"{"change":"deleted","entity":"Person","id":"1/p1","properties":{"email":{"old":"a@b.c"},"trips":{"removed":["3/p1"]}}}"#
    )
    let equal = diff("/Trips.quire", "/Trips.quire", "--format", "json").output
    let members = try JSON.read(Array(equal.utf8)).names
    #expect(
      members == [
        "old", "new", "model", "changes", "inserted", "changed", "deleted", "attachments",
      ])
    #expect(equal.contains("\"changes\": [],\n  \"inserted\": 0"))
    #expect(diff("/Trips.quire", "/Trips.quire", "--format", "jsonl").output.isEmpty)
  }

  @Test("--stat shows the numbers of changes of each entity")
  func stat() throws {
    let stat = diff("/Trips.quire@3", "/Trips.quire", "--stat")
    #expect(
      stat.output == """
        Person  +1  ~0  -0
        Stop    +3  ~0  -0
        Trip    +0  ~2  -0

        4 inserted, 2 changed, 0 deleted

        """)
    #expect(stat.exitCode == .no)
    let json = diff("/Trips.quire@3", "/Trips.quire", "--stat", "--format", "json").output
    #expect(try JSON.read(Array(json.utf8)).names.contains("entities"))
    #expect(json.contains("\"entity\": \"Stop\",\n      \"inserted\": 3"), "\(json)")
    let lines = diff("/Trips.quire@3", "/Trips.quire", "--stat", "--format", "jsonl").output
    #expect(lines.hasPrefix(#"{"entity":"Person","inserted":1,"changed":0,"deleted":0}"#))
    #expect(diff("/Trips.quire", "/Trips.quire", "--stat").output == "No differences.\n")
  }

  @Test("--entity and --quiet restrict the output, and the exit code stays the answer")
  func restriction() {
    let trip = diff("/Trips.quire@4", "/Trips.quire@7", "--entity", "Trip")
    #expect(!trip.output.contains("Stop ") && trip.output.contains("~ Trip 3/p1  stops +2/p1"))
    #expect(diff("/Trips.quire@4", "/Trips.quire@7", "--entity", "Person").exitCode == .done)
    let two = diff("/Trips.quire@3", "/Trips.quire", "--entity", "Stop,Person", "--stat")
    #expect(two.output.hasPrefix("Person  +1") && !two.output.contains("Trip"))
    for (old, code) in [("/Trips.quire@4", ExitCode.no), ("/Trips.quire@8", .done)] {
      let run = diff(old, "/Trips.quire", "--quiet")
      #expect(run.exitCode == code && run.output.isEmpty && run.messages.isEmpty)
    }
    let unknown = diff("/Trips.quire", "/Trips.quire", "--entity", "Tripp")
    #expect(unknown.exitCode == .wrongUsage && unknown.messages.contains("Did you mean 'Trip'?"))
  }

  @Test("Only a terminal shows colours, and cuts long values")
  func terminal() {
    let long = String(repeating: "long ", count: 40)
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p2", "name=\(long)\u{1B}[2J")
    let words = ["diff", "/Trips.quire@8", "/Trips.quire"]
    let file = trips.run(words).output
    #expect(file.contains(long) && !file.contains("\u{1B}[33m"))
    let shown = trips.run(words, terminal: true, colour: true).output
    #expect(
      shown.hasPrefix("\u{1B}[33m~ Trip 3/p2\u{1B}[0m  name \"Lisbon\" -> \"long"), "\(shown)")
    #expect(shown.contains("…") && !shown.contains(long) && !shown.contains("\u{1B}[2J"))
    let plain = trips.run(words, terminal: true).output
    #expect(!plain.contains("\u{1B}") && plain.contains("…"))
    let all = trips.run(["diff", "/Trips.quire@1", "/Trips.quire"], terminal: true, colour: true)
    #expect(all.output.contains("\u{1B}[32m+ Stop 2/p1\u{1B}[0m"))
    let back = trips.run(["diff", "/Trips.quire", "/Trips.quire@1"], terminal: true, colour: true)
    #expect(back.output.contains("\u{1B}[31m- Stop 2/p1\u{1B}[0m"))
    let json = trips.run(words + ["--format", "json"], terminal: true, colour: true).output
    #expect(!json.contains("\u{1B}") && json.contains(long))
  }

  // MARK: - Errors

  @Test("A version that is missing, or no number, is an error with the versions")
  func missingVersions() {
    let missing = diff("/Trips.quire@99", "/Trips.quire")
    #expect(missing.exitCode == .inputOutput && missing.output.isEmpty)
    #expect(missing.messages.contains("'/Trips.quire' does not contain version 99."))
    #expect(missing.messages.contains("hint: It contains 1–8."), "\(missing.messages)")
    let head = diff("/Trips.quire@last", "/Trips.quire")
    #expect(head.exitCode == .inputOutput && head.messages.contains("no head \"last\""))
    for word in ["/Trips.quire@", "/Trips.quire@3a", "/Trips.quire@-x"] {
      let run = diff("/Trips.quire", word)
      #expect(run.exitCode == .wrongUsage, "\(run.messages)")
      #expect(run.messages.contains("Write '/Trips.quire@NUMBER'."), "\(run.messages)")
    }
    #expect(diff("/Trips.quire", "/None.quire@3").exitCode == .inputOutput)
    #expect(diff("/Trips.quire", "/None@home").messages.contains("/None@home"))
  }

  @Test("The work for two versions of a document is proportional to the changes between them")
  func layers() throws {
    let more = (1...300).map { "insert Stop name=\($0)\n" }.joined()
    trips.script("/Trips.quire", more + "save\nset Trip --id 3/p2 price=1\nsave\n")
    func layers(_ words: String...) throws -> [Int?] {
      let reader = StoreReader.files(on: trips.disk)
      let command = DiffCommand.command(reader, trips.models)
      let console = Console(output: .init { _ in }, messages: .init { _ in })
      let sides = try DiffSides.open(reader, trips.models, command.parse(words, on: console))
      defer { sides.close() }
      return try sides.pairs.map { try $0.layer()?.count }
    }
    #expect(try layers("/Trips.quire@9", "/Trips.quire") == [1])
    #expect(try layers("/Trips.quire", "/Trips.quire@9") == [1])
    #expect(try layers("/Trips.quire@9", "/Trips.quire@9") == [0])
    trips.done("save-as", "/Trips.quire", "/Copy.quire")
    #expect(try layers("/Trips.quire@9", "/Copy.quire") == [nil])
    #expect(
      diff("/Trips.quire@9", "/Trips.quire").output
        == "~ Trip 3/p2  price null -> 1.0\n\n0 inserted, 1 changed, 0 deleted\n")
  }

  @Test("A file with an @ in its name is that file")
  func literalName() {
    trips.done("save-as", "/Trips.quire", "/Trips.quire@3")
    #expect(diff("/Trips.quire@3", "/Trips.quire").exitCode == .done)
    #expect(diff("/Trips.quire@3@3", "/Trips.quire@3").output.contains("4 inserted"))
  }

  @Test(
    "Wrong words are refused with the reason, and never with the exit code of a difference",
    arguments: [
      (["--key", "Tripp=name"], "Did you mean 'Trip'?"),
      (["--key", "Trip=nme"], "Did you mean 'name'?"),
      (["--key", "Trip=stops"], "a to-many relationship"),
      (["--key", "Trip=count"], "Unknown property 'count'"), (["--key", "Trip="], "is not a key"),
      (["--key", "isbn"], "No entity has the stored properties 'isbn'"),
      (["--match", "uniqe"], "Did you mean 'unique'?"), (["--in", "nix"], "nix"),
      (["--model", "Trips"], "both sides are documents"),
    ])
  func wrongWords(_ words: [String], _ message: String) {
    let run = trips.run(["diff", "/Trips.quire", "/Trips.quire@2"] + words)
    #expect(run.exitCode == .wrongUsage && run.output.isEmpty, "\(run)")
    #expect(run.messages.contains(message), "\(run.messages)")
  }

  @Test("A damaged file has exit code 4, on either side")
  func damage() throws {
    trips.done("save-as", "/Trips.quire", "/Bad.quire")
    let stores = try trips.disk.list("/Bad.quire/stores").map { "/Bad.quire/stores/" + $0.name }
    for path in stores {
      var bytes = try trips.disk.read(path, byteLimit: 1 << 20)
      for place in bytes.count / 2..<bytes.count { bytes[place] ^= 0x55 }
      try trips.disk.replace(path, overwriting: true) { try $0.write(bytes) }
    }
    #expect(!stores.isEmpty)
    for words in [["/Bad.quire", "/Trips.quire"], ["/Trips.quire", "/Bad.quire"]] {
      let run = trips.run(["diff"] + words)
      #expect(run.exitCode == .unreadable && run.output.isEmpty, "\(run)")
    }
    try trips.disk.replace("/note.txt") { try $0.write("A note") }
    #expect(diff("/note.txt", "/Trips.quire").exitCode == .unreadable)
  }
}

extension JSON {
  fileprivate var names: [String] {
    if case .members(let members) = self { members.map(\.name) } else { [] }
  }
}
