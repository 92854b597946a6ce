import CommandInterface
import Documents
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import SeededRandom
import Testing

@testable import ToolCommands

@Suite("quire merge")
struct MergeCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument("/Base.quire")
    trips.done("save-as", "/Base.quire", "/A.quire")
    trips.done("save-as", "/Base.quire", "/B.quire")
  }

  private func merge(_ words: String...) -> RecordedRun {
    trips.run(["merge", "/Base.quire", "/A.quire", "/B.quire"] + words)
  }

  private func set(_ path: String, _ entity: String, _ id: String, _ values: String...) {
    let run = trips.run(["set", path, entity, "--id", id] + values)
    #expect(run.exitCode == .done, "\(run.messages)")
  }

  private func diff(_ path: String, _ other: String) -> String {
    trips.run(["diff", path, other]).output
  }

  /// Inserts an object and returns its identifier. The copies count in lanes of their own, which are random.
  private func insert(_ path: String, _ words: String...) -> String {
    let run = trips.run(["insert", path] + words)
    #expect(run.exitCode == .done, "\(run.messages)")
    return run.output.trimmingCharacters(in: .newlines)
  }

  /// The versions of the document. Some saves change only the store, so the manifest does not show them.
  private var history: String { trips.done("history", "/A.quire") }

  @Test("Changes of different properties are merged, and A, B and BASE stay")
  func different() throws {
    set("/A.quire", "Trip", "3/p1", "name=Duero", "stops=2/p2,2/p1")
    set("/B.quire", "Trip", "3/p1", "price=10", "place.longitude=8.5", "travellers=null")
    set("/B.quire", "Stop", "2/p3", "nights=4")
    let here = insert("/A.quire", "Stop", "name=Pinhão", "trip=3/p1")
    let there = insert("/B.quire", "Stop", "name=Tua", "trip=3/p1")
    let before = history

    let run = merge("--output", "/C.quire")

    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output == "1 inserted, 3 changed, 0 deleted\n")
    #expect(history == before)
    #expect(
      diff("/A.quire", "/C.quire") == """
        ~ Person 1/p1  trips -3/p1
        ~ Stop 2/p3  nights null -> 4
        + Stop \(there)  name "Tua", trip 3/p1
        ~ Trip 3/p1  place.longitude null -> 8.5; price 900.0 -> 10.0; stops +\(there); travellers -1/p1

        1 inserted, 3 changed, 0 deleted

        """)
    let stops = trips.done(
      "fetch", "/C.quire", "Trip", "--columns", "stops,count", "--ids", "--format", "csv")
    #expect(stops.contains("2/p2 2/p1 \(here) \(there),4"), "\(stops)")
    #expect(trips.run(["validate", "/C.quire"]).exitCode == .done)
    #expect(merge("--output", "/C.quire").exitCode == .inputOutput)
    #expect(merge("--output", "/C.quire", "--force").exitCode == .done)
  }

  @Test("Different values of one property are a conflict, and nothing is written")
  func values() throws {
    set("/A.quire", "Trip", "3/p1", "name=Duero", "price=1")
    set("/B.quire", "Trip", "3/p1", "name=River", "price=1")
    set("/A.quire", "Stop", "2/p1", "trip=null")
    set("/B.quire", "Stop", "2/p1", "trip=3/p2")
    let before = history

    for words in [["--in-place"], ["--output", "/C.quire"], ["--dry-run"]] {
      let run = trips.run(["merge", "/Base.quire", "/A.quire", "/B.quire"] + words)
      #expect(run.exitCode == .no)
      #expect(
        run.output == """
          ! Stop 2/p1  trip  base 3/p1; ours null; theirs 3/p2
          ! Trip 3/p1  name  base "Douro"; ours "Duero"; theirs "River"

          """)
      #expect(run.messages.hasPrefix("2 conflicts. Nothing was written."))
    }
    #expect(history == before)
    #expect(try !trips.disk.exists("/C.quire"))

    let json = try #require(
      try JSONSerialization.jsonObject(
        with: Data(merge("--in-place", "--format", "json").output.utf8)) as? [String: Any])
    #expect(json["merged"] as? Bool == false)
    let conflicts = try #require(json["conflicts"] as? [[String: Any]])
    #expect(conflicts.count == 2)
    #expect(
      conflicts.last as? [String: String] == [
        "kind": "value", "entity": "Trip", "id": "3/p1", "property": "name", "base": "Douro",
        "ours": "Duero", "theirs": "River",
      ])
  }

  @Test("--ours and --theirs resolve conflicts, and --in-place changes A")
  func sides() throws {
    set("/A.quire", "Trip", "3/p1", "name=Duero")
    set("/B.quire", "Trip", "3/p1", "name=River", "price=2")
    #expect(merge("--output", "/Ours.quire", "--ours").exitCode == .done)
    #expect(
      diff("/A.quire", "/Ours.quire").hasPrefix("~ Trip 3/p1  price 900.0 -> 2.0\n"))
    let run = merge("--in-place", "--theirs")
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(run.output.contains("(resolved: theirs)"))
    #expect(diff("/A.quire", "/B.quire") == "No differences.\n")
    // The result is one more version of A.
    #expect(trips.done("history", "/A.quire").contains("10"))
    #expect(merge("--in-place", "--ours", "--theirs").exitCode == .wrongUsage)
    #expect(merge().exitCode == .wrongUsage)
  }

  @Test("A deletion is in conflict with a change, and each side can win")
  func deletions() throws {
    trips.done("delete", "/A.quire", "Stop", "--id", "2/p1")
    set("/B.quire", "Stop", "2/p1", "nights=7")
    trips.done("delete", "/B.quire", "Trip", "--id", "3/p2")
    let belem = insert("/A.quire", "Stop", "name=Belém", "trip=3/p2")

    let run = merge("--in-place")
    #expect(
      run.output == """
        ! Stop 2/p1  base exists; ours deleted; theirs nights 0 -> 7
        ! Trip 3/p2  base exists; ours trip of \(belem); theirs deleted

        """)
    #expect(run.exitCode == .no)

    #expect(merge("--output", "/Ours.quire", "--ours").exitCode == .done)
    let ours = diff("/A.quire", "/Ours.quire")
    #expect(ours.contains("~ Stop 2/p3  trip 3/p2 -> null"), "\(ours)")
    #expect(ours.contains("0 inserted, 2 changed, 0 deleted"), "\(ours)")
    #expect(merge("--output", "/Theirs.quire", "--theirs").exitCode == .done)
    let theirs = diff("/A.quire", "/Theirs.quire")
    #expect(theirs.contains("+ Stop 2/p1  name \"Porto\", nights 7, trip 3/p1"), "\(theirs)")
    #expect(theirs.contains("- Trip 3/p2"), "\(theirs)")
    #expect(theirs.contains("~ Stop \(belem)  trip 3/p2 -> null"), "\(theirs)")
  }

  @Test("The order of a list that both sides have changed is a conflict")
  func orders() throws {
    trips.done("insert", "/Base.quire", "Stop", "name=Tua", "trip=3/p1")
    for name in ["/A.quire", "/B.quire"] {
      trips.done("save-as", "/Base.quire", name, "--force")
    }
    set("/A.quire", "Trip", "3/p1", "stops=2/p2,2/p1,2/p17")
    set("/B.quire", "Trip", "3/p1", "stops=2/p1,2/p17,2/p2")
    let pinhao = insert("/B.quire", "Stop", "name=Pinhão", "trip=3/p1")
    let run = merge("--in-place")
    #expect(
      run.output == """
        ! Trip 3/p1  stops order  base 2/p1 2/p2 2/p17; ours 2/p2 2/p1 2/p17; theirs 2/p1 2/p17 2/p2

        """)
    for (side, expected) in [
      ("ours", "2/p2 2/p1 2/p17 \(pinhao)"), ("theirs", "2/p1 2/p17 2/p2 \(pinhao)"),
    ] {
      #expect(merge("--output", "/\(side).quire", "--\(side)").exitCode == .done)
      let found = trips.done(
        "fetch", "/\(side).quire", "Trip", "--columns", "stops", "--ids", "--format", "csv")
      #expect(found.contains(expected), "\(side): \(found)")
    }
  }

  @Test("--interactive asks about each conflict on a terminal")
  func interactive() throws {
    set("/A.quire", "Trip", "3/p1", "name=Duero", "price=1")
    set("/B.quire", "Trip", "3/p1", "name=River", "price=2")
    set("/A.quire", "Trip", "3/p2", "name=Lissabon")
    set("/B.quire", "Trip", "3/p2", "name=Lisboa")
    let words = ["merge", "/Base.quire", "/A.quire", "/B.quire", "--interactive"]
    #expect(trips.run(words + ["--in-place"], input: "o\n").exitCode == .wrongUsage)
    let stopped = trips.run(
      words + ["--output", "/C.quire"], input: "o\nq\n", typed: true)
    #expect(stopped.exitCode == .no)
    #expect(try !trips.disk.exists("/C.quire"))
    let run = trips.run(
      words + ["--output", "/C.quire"], input: "what\nt\nBASE\no\n", typed: true)
    #expect(run.exitCode == .done, "\(run.messages)")
    let found = trips.done(
      "fetch", "/C.quire", "Trip", "--columns", "name,price", "--ids", "--format", "csv", "--sort",
      "price")
    #expect(found.contains("River,900"), "\(found)")
    #expect(found.contains("Lissabon"), "\(found)")
  }

  @Test("A result that is not valid is not written")
  func validation() throws {
    trips.done("insert", "/A.quire", "Person", "email=new@b.c")
    trips.done("insert", "/B.quire", "Person", "email=new@b.c")
    set("/B.quire", "Trip", "3/p1", "price=3")
    trips.done("insert", "/B.quire", "Voucher", "code=x")
    trips.done("insert", "/B.quire", "Person", "email=other@b.c")
    let now = history
    let run = merge("--in-place")
    #expect(run.exitCode == .no)
    #expect(run.messages.contains("email"), "\(run.messages)")
    #expect(history == now)
    let unique = merge("--in-place", "--match", "unique")
    #expect(unique.exitCode == .done, "\(unique.messages)")
    let persons = trips.done("fetch", "/A.quire", "Person", "--columns", "email")
    #expect(persons.split(separator: "\n").filter { $0.contains("new@b.c") }.count == 1)
  }

  @Test("Versions of one document, packed documents and stores are merged")
  func kinds() throws {
    set("/A.quire", "Trip", "3/p1", "name=Duero")
    trips.done("insert", "/A.quire", "Stop", "name=Tua", "trip=3/p1")
    let versions = trips.run([
      "merge", "/A.quire@8", "/A.quire@9", "/A.quire", "--output", "/C.quire",
    ])
    #expect(versions.exitCode == .done, "\(versions.messages)")
    #expect(diff("/A.quire", "/C.quire") == "No differences.\n")

    set("/B.quire", "Trip", "3/p2", "price=5")
    for name in ["Base", "A", "B"] { trips.done("pack", "/\(name).quire", "/\(name).zip") }
    let packed = ["merge", "/Base.zip", "/A.zip", "/B.zip"]
    #expect(trips.run(packed + ["--output", "/C.quire.zip"]).exitCode == .done)
    #expect(trips.run(packed + ["--in-place"]).exitCode == .done)
    #expect(diff("/C.quire.zip", "/A.zip") == "No differences.\n")
    #expect(diff("/A.quire", "/A.zip").contains("~ Trip 3/p2  price null -> 5.0"))
    #expect(trips.run(["validate", "/A.zip"]).exitCode == .done)
    let unpacked = trips.run(packed + ["--output", "/D.quire"])
    #expect(unpacked.exitCode == .done, "\(unpacked.messages)")

    for (name, type) in [("s", "binary"), ("x", "xml")] {
      trips.done("convert", "/Base.quire", "/Base.\(name)", "--store", type)
      for copy in ["A", "B"] {
        try trips.disk.copy("/Base.\(name)", to: "/\(copy).\(name)")
      }
      let douro = ["--where", "name == 'Douro'"]
      for words in [["/A.\(name)", "Trip", "name=Duero"], ["/B.\(name)", "Trip", "price=4"]] {
        let run = trips.run(["set"] + words + douro)
        #expect(run.exitCode == .done, "\(run.messages)")
      }
      trips.done("insert", "/B.\(name)", "Person", "email=x@y.z", "trips={price == 4}")
      let words = ["merge", "/Base.\(name)", "/A.\(name)", "/B.\(name)"]
      let out = trips.run(words + ["--output", "/C.\(name)"])
      #expect(out.exitCode == .done, "\(type): \(out.messages)")
      let place = trips.run(words + ["--in-place"])
      #expect(place.exitCode == .done, "\(type): \(place.messages)")
      #expect(diff("/C.\(name)", "/A.\(name)") == "No differences.\n")
      let found = trips.done(
        "fetch", "/A.\(name)", "Trip", "--columns", "name,price,travellers.email")
      #expect(found.contains("Duero") && found.contains("x@y.z"), "\(found)")
    }
    #expect(
      trips.run(["merge", "/Base.s", "/A.s", "/B.s", "--output", "/C.xml"]).exitCode == .wrongUsage)
  }

  @Test("An empty file is a base without objects")
  func emptyBase() throws {
    try trips.disk.replace("/empty") { _ in }
    let run = trips.run(["merge", "/empty", "/A.quire", "/B.quire", "--in-place"])
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(diff("/Base.quire", "/A.quire") == "No differences.\n")
    set("/B.quire", "Trip", "3/p1", "name=Duero")
    // Both documents contain the commit that inserted the trip, so it is one trip.
    let two = trips.run(["merge", "/empty", "/A.quire", "/B.quire", "--in-place", "--dry-run"])
    #expect(two.exitCode == .no)
    #expect(
      two.output == "! Trip 3/p1  name  base nothing; ours \"Douro\"; theirs \"Duero\"\n", "\(two)")
  }

  @Test("Attachments are merged as whole files")
  func attachments() throws {
    for (name, text) in [("one", "1"), ("two", "2"), ("three", "3")] {
      try trips.disk.replace("/\(name)") { try $0.write(text) }
    }
    trips.done("attach", "add", "/A.quire", "/one", "/two")
    trips.done("attach", "add", "/B.quire", "/three")
    trips.done("attach", "add", "/B.quire", "/one", "--name", "two")
    let run = merge("--in-place")
    #expect(run.exitCode == .no)
    #expect(run.output.hasPrefix("! attachment two  base none; ours 1 byte"), "\(run.output)")
    #expect(merge("--in-place", "--theirs").exitCode == .done)
    let list = trips.done("attach", "list", "/A.quire")
    #expect(list.split(separator: "\n").count == 3)
    trips.done("attach", "get", "/A.quire", "two", "--output", "/got")
    #expect(try trips.disk.read("/got", byteLimit: 10) == Array("1".utf8))
  }

  @Test("Copies with different models are refused")
  func models() throws {
    trips.done("migrate", "/B.quire", "--model", "Next", "--allow-loss")
    let run = merge("--in-place")
    #expect(run.exitCode == .modelMismatch, "\(run)")
    #expect(run.messages.contains("hint: Migrate all three"))
  }

  // MARK: - Patches

  private func patch(_ old: String, _ new: String) throws {
    let run = trips.run(["diff", old, new, "--format", "patch"])
    #expect(run.exitCode == .no, "\(run.messages)")
    try trips.disk.replace("/patch") { try $0.write(run.output) }
  }

  @Test("A patch carries changes into another copy, with the conflicts of a merge")
  func patches() throws {
    set("/B.quire", "Trip", "3/p1", "name=River", "price=-0.0", "stops=2/p2,2/p1")
    set("/B.quire", "Trip", "3/p2", "travellers=1/p1")
    trips.done("insert", "/B.quire", "Stop", "name=Tua", "trip=3/p1")
    trips.done("insert", "/B.quire", "Voucher", "code=x")
    trips.done("delete", "/B.quire", "Stop", "--id", "2/p3")
    try patch("/Base.quire", "/B.quire")
    let text = String(
      decoding: try trips.disk.read("/patch", byteLimit: 1 << 20), as: UTF8.self)
    #expect(text.hasPrefix(#"{"format":"quire-patch","version":1,"entities":{"Person":""#))
    #expect(
      text.contains(
        #"""
        {"change":"changed","entity":"Trip","id":"3/p1","properties":{"name":{"old":"Douro","new":"River"},
        """#.replacing("\n", with: "")), "\(text)")

    let run = trips.run(["merge", "--patch", "/patch", "/Base.quire", "--output", "/C.quire"])
    #expect(run.exitCode == .done, "\(run.messages)")
    #expect(diff("/B.quire", "/C.quire") == "No differences.\n")
    let again = trips.run(["merge", "--patch", "/patch", "/C.quire", "--in-place"])
    #expect(again.output == "0 inserted, 0 changed, 0 deleted\n", "\(again)")

    set("/A.quire", "Trip", "3/p1", "name=Duero")
    set("/A.quire", "Stop", "2/p3", "nights=9")
    let words = ["merge", "--patch", "/patch", "/A.quire", "--in-place"]
    let refused = trips.run(words)
    #expect(refused.exitCode == .no)
    #expect(
      refused.output == """
        ! Stop 2/p3  base exists; ours nights null -> 9; theirs deleted
        ! Trip 3/p1  name  base "Douro"; ours "Duero"; theirs "River"

        """)
    #expect(trips.run(words + ["--theirs"]).exitCode == .done)
    #expect(diff("/A.quire", "/B.quire") == "No differences.\n")
    #expect(trips.run(words + ["/B.quire"]).exitCode == .wrongUsage)
    #expect(trips.run(words + ["--key", "name"]).exitCode == .wrongUsage)
  }

  @Test("A damaged patch is refused with the line that is wrong")
  func badPatches() throws {
    set("/B.quire", "Trip", "3/p1", "price=1")
    try patch("/Base.quire", "/B.quire")
    let text = String(
      decoding: try trips.disk.read("/patch", byteLimit: 1 << 20), as: UTF8.self)
    for (old, new, code, message) in [
      ("quire-patch", "other", ExitCode.unreadable, "is not a patch"),
      ("\"version\":1", "\"version\":2", .newerFormat, "version 2"),
      ("\"Trip\":\"", "\"Trip\":\"0", .modelMismatch, "different versions of the model"),
      ("\"changed\"", "\"moved\"", .unreadable, "line 2: 'change' must be"),
      ("\"price\"", "\"cost\"", .unreadable, "line 2: 'Trip' has no property 'cost'"),
      ("900.0", "\"much\"", .unreadable, "line 2: 'old' of 'price' is not a value"),
      ("\"3/p1\"", "\"2/p1\"", .unreadable, "line 2: 'id' must be an identifier of 'Trip'"),
      ("\"old\":900.0,", "", .unreadable, "line 2: 'old' of 'price' is missing"),
      ("\"id\"", "id", .unreadable, "line 2: "),
    ] {
      let changed = text.replacing(old, with: new)
      #expect(changed != text, "\(old)")
      try trips.disk.replace("/bad") { try $0.write(changed) }
      let run = trips.run(["merge", "--patch", "/bad", "/A.quire", "--in-place"])
      #expect(run.exitCode == code, "\(new): \(run.messages)")
      #expect(run.messages.contains(message), "\(run.messages)")
    }
    #expect(diff("/A.quire", "/Base.quire") == "No differences.\n")
  }

  @Test("A patch with lines that are doubled, mixed or left out gives a valid store or is refused")
  func mixedPatches() throws {
    set("/B.quire", "Trip", "3/p1", "name=River", "price=-0.0", "stops=2/p2,2/p1")
    set("/B.quire", "Trip", "3/p2", "travellers=1/p1")
    trips.done("insert", "/B.quire", "Stop", "name=Tua", "trip=3/p1")
    trips.done("delete", "/B.quire", "Stop", "--id", "2/p3")
    try patch("/Base.quire", "/B.quire")
    let text = String(
      decoding: try trips.disk.read("/patch", byteLimit: 1 << 20), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    let identifier = #/[0-9]+\/p[0-9]+/#
    let identifiers =
      text.matches(of: identifier).map { String($0.output) } + ["2/p9", "1/p1000000"]
    var random = SeededGenerator(seed: 11)
    var outcomes: Set<ExitCode> = []
    for round in 0..<80 {
      var mixed = Array(lines.dropFirst())
      for _ in 0..<Int.random(in: 1...3, using: &random) where !mixed.isEmpty {
        let place = mixed.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mixed.append(mixed[place])
        case 1: mixed.remove(at: place)
        case 2:
          guard let found = mixed[place].matches(of: identifier).randomElement(using: &random)
          else { continue }
          mixed[place].replaceSubrange(
            found.range, with: identifiers.randomElement(using: &random)!)
        default:
          let words = ["inserted", "changed", "deleted"].shuffled(using: &random)
          mixed[place] = mixed[place].replacing(
            #""change":"\#(words[0])""#, with: #""change":"\#(words[1])""#)
        }
      }
      let patch = ([lines[0]] + mixed).joined(separator: "\n") + "\n"
      try trips.disk.replace("/mixed") { try $0.write(patch) }

      let run = trips.run([
        "merge", "--patch", "/mixed", "/A.quire", "--output", "/M\(round).quire",
      ])

      outcomes.insert(run.exitCode)
      #expect(
        [ExitCode.done, .no, .unreadable].contains(run.exitCode), "\(run.messages)\n\(patch)")
      guard run.exitCode == .done else { continue }
      let check = trips.run(["validate", "/M\(round).quire"])
      #expect(check.exitCode == .done, "\(check.output)\n\(patch)")
    }
    #expect(outcomes.isSuperset(of: [.done, .unreadable]), "\(outcomes)")
  }
}
