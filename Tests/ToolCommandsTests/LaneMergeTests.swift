import DurableFiles
import Foundation
import JSONText
import StoreInterface
import Testing

@testable import ToolCommands

/// Merges of copies that count in lanes of their own, and of copies that could not be noticed.
@Suite("Lanes in merges")
struct LaneMergeTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument("/Base.quire")
  }

  private func insert(_ path: String, _ words: String...) -> String {
    let run = trips.run(["insert", path] + words)
    #expect(run.exitCode == .done, "\(run.messages)")
    return run.output.trimmingCharacters(in: .newlines)
  }

  private func number(_ identifier: String) -> UInt64 {
    identifier.split(separator: "p").last.flatMap { UInt64($0) } ?? 0
  }

  private func identifiers(_ path: String, _ entity: String) -> Set<String> {
    let run = trips.run(["fetch", path, entity, "--ids", "--format", "csv"])
    let lines = run.output.split(separator: "\n").dropFirst()
    return Set(lines.map { line in String(line.prefix { $0 != "," }) })
  }

  /// Writes the bytes of a file into another file that stays at its place, as a snapshot of a disk does.
  private func overwrite(_ path: String, with bytes: [UInt8]) throws {
    let file = try trips.disk.open(path, for: .update)
    try file.truncate(to: 0)
    try file.append(bytes)
    try file.close()
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    try trips.disk.read(path, byteLimit: 1 << 24)
  }

  @Test("Copies of a document, however they are made, number their objects apart")
  func copies() throws {
    trips.done("save-as", "/Base.quire", "/Saved.quire")
    try trips.disk.copyTree("/Base.quire", to: "/Copied.quire")
    trips.done("pack", "/Base.quire", "/Packed.zip")
    trips.done("unpack", "/Packed.zip", "/Unpacked.quire")
    try trips.disk.copyTree("/Base.quire", to: "/Former.quire")
    try trips.disk.rename("/Base.quire", to: "/Moved.quire")
    var found: Set<String> = []

    for name in ["Moved", "Saved", "Copied", "Unpacked", "Former"] {
      for _ in 0..<2 {
        let identifier = insert("/\(name).quire", "Voucher", "code=x")
        #expect(found.insert(identifier).inserted, "\(name): \(identifier)")
        #expect(number(identifier) > 1 << 47 || name == "Moved", "\(name): \(identifier)")
      }
      #expect(trips.run(["validate", "/\(name).quire"]).exitCode == .done)
    }
    #expect(found.filter { number($0) < 1 << 47 }.count == 2)

    trips.done(
      "merge", "/Former.quire@8", "/Saved.quire", "/Copied.quire", "--output", "/One.quire")
    trips.done("merge", "/Former.quire@8", "/One.quire", "/Unpacked.quire", "--in-place")
    trips.done("merge", "/Former.quire@8", "/Moved.quire", "/One.quire", "--in-place")
    let all = identifiers("/Moved.quire", "Voucher")
    #expect(all.count == 8 && all.isSubset(of: found), "\(all)")
    // The original goes on with its small numbers, and its file knows the lanes of the copies.
    let info = trips.run(["info", "/Moved.quire"]).output
    #expect(info.contains("counts in the first lane"), "\(info)")
    #expect(number(insert("/Moved.quire", "Voucher", "code=y")) < 1000)
    #expect(trips.run(["validate", "/Moved.quire"]).exitCode == .done)
  }

  @Test("Stores of XML count in lanes, and a save without an insertion leaves a copy a copy")
  func xml() throws {
    trips.done("convert", "/Base.quire", "/s.xml", "--store", "xml")
    let first = insert("/s.xml", "Voucher", "code=x")
    trips.done("set", "/s.xml", "Voucher", "--where", "TRUEPREDICATE", "code=z")
    try trips.disk.copy("/s.xml", to: "/copy.xml")
    trips.done("set", "/copy.xml", "Voucher", "--where", "TRUEPREDICATE", "code=a")

    let copied = insert("/copy.xml", "Voucher", "code=y")

    #expect(number(first) < 10_000 && number(copied) > 1 << 47)
    #expect(number(insert("/s.xml", "Voucher", "code=y")) < 10_000)
    let again = number(insert("/copy.xml", "Voucher", "code=y"))
    #expect(again > number(copied) && again < number(copied) + 65_536)
    for name in ["/s.xml", "/copy.xml"] {
      let check = trips.run(["validate", name])
      #expect(check.exitCode == .done && !check.output.contains("XMLS-007"), "\(check.output)")
    }
  }

  /// Makes two stores from one in which both inserted a voucher with the same number, and returns the number.
  private func unnoticedCopies() throws -> String {
    trips.done("convert", "/Base.quire", "/a.store", "--store", "binary")
    let before = try bytes("/a.store")
    try trips.disk.copy("/a.store", to: "/base.store")
    let other = insert("/a.store", "Voucher", "code=theirs")
    try trips.disk.copy("/a.store", to: "/b.store")
    try overwrite("/a.store", with: before)
    // The names of commits are times in milliseconds.
    Thread.sleep(forTimeInterval: 0.005)
    let own = insert("/a.store", "Voucher", "code=ours")
    #expect(own == other)
    return own
  }

  @Test("Different objects of copies that were not noticed are an error without --renumber")
  func unnoticed() throws {
    let identifier = try unnoticedCopies()
    let before = try bytes("/a.store")
    let words = ["merge", "/base.store", "/a.store", "/b.store"]

    let named = ["'/a.store'", "'/b.store'", "'Voucher'", identifier, "same lane", "--renumber"]
    for more in ["--in-place", "--output /c.store", "--dry-run", "--in-place --theirs"] {
      let run = trips.run(words + more.split(separator: " ").map(String.init))
      #expect(run.exitCode == .no, "\(more): \(run)")
      for word in named {
        #expect(run.messages.contains(word), "\(word): \(run.messages)")
      }
      let isWritten = try bytes("/a.store") != before || trips.disk.exists("/c.store")
      #expect(!isWritten)
    }

    let trial = trips.run(words + ["--renumber", "--dry-run"])
    #expect(trial.output.contains("Voucher \(identifier) -> another identifier"), "\(trial)")
    let run = trips.run(words + ["--renumber", "--output", "/c.store", "--format", "json"])
    #expect(run.exitCode == .done, "\(run.messages)")
    let json = try JSON.read(Array(run.output.utf8))
    guard case .array(let renumbered)? = json["renumbered"], renumbered.count == 1,
      case .string(let new)? = renumbered[0]["newID"]
    else {
      Issue.record("\(run.output)")
      return
    }
    #expect(renumbered[0]["id"] == .string(identifier) && new != identifier)
    #expect(identifiers("/c.store", "Voucher") == [identifier, new])
  }

  @Test("More objects than five are counted")
  func manyUnnoticed() throws {
    trips.done("convert", "/Base.quire", "/a.store", "--store", "binary")
    let before = try bytes("/a.store")
    try trips.disk.copy("/a.store", to: "/base.store")
    for count in 0..<8 { _ = insert("/a.store", "Voucher", "code=b\(count)") }
    try trips.disk.copy("/a.store", to: "/b.store")
    try overwrite("/a.store", with: before)
    Thread.sleep(forTimeInterval: 0.005)
    for count in 0..<8 { _ = insert("/a.store", "Voucher", "code=a\(count)") }

    let run = trips.run(["merge", "/base.store", "/a.store", "/b.store", "--in-place"])

    #expect(run.exitCode == .no && run.messages.contains("and 3 more objects"), "\(run.messages)")
  }

  @Test("Equal rows of copies that were not noticed are one object, as in every merge")
  func equalRows() throws {
    let identifier = try unnoticedCopies()
    trips.done("set", "/a.store", "Voucher", "--id", identifier, "code=theirs")

    let run = trips.run(["merge", "/base.store", "/a.store", "/b.store", "--in-place"])

    #expect(run.output == "0 inserted, 0 changed, 0 deleted\n", "\(run)")
  }

  @Test("An object of a third copy keeps its identity, and different values are a conflict")
  func thirdCopy() throws {
    for name in ["A", "B", "C"] { trips.done("save-as", "/Base.quire", "/\(name).quire") }
    let identifier = insert("/C.quire", "Voucher", "code=C")
    for name in ["A", "B"] {
      trips.done("merge", "/Base.quire", "/\(name).quire", "/C.quire", "--in-place")
      #expect(identifiers("/\(name).quire", "Voucher") == [identifier])
    }
    trips.done("set", "/A.quire", "Voucher", "--id", identifier, "code=A")
    trips.done("set", "/B.quire", "Voucher", "--id", identifier, "code=B")

    let words = ["merge", "/Base.quire", "/A.quire", "/B.quire", "--in-place"]
    let run = trips.run(words)
    #expect(run.exitCode == .no)
    #expect(
      run.output == "! Voucher \(identifier)  code  base nothing; ours \"A\"; theirs \"B\"\n",
      "\(run)")
    #expect(trips.run(words + ["--theirs"]).exitCode == .done)
    #expect(identifiers("/A.quire", "Voucher") == [identifier])
  }

  @Test("Stores that were made independently have no objects in common")
  func independent() throws {
    for name in ["a", "b"] {
      trips.done("new", "/\(name).quire", "--model", "Trips")
      _ = insert("/\(name).quire", "Voucher", "code=\(name)")
    }
    try trips.disk.replace("/empty") { _ in }
    let words = ["merge", "/empty", "/a.quire", "/b.quire", "--in-place"]

    let refused = trips.run(words)
    #expect(refused.exitCode == .no && refused.messages.contains("independently"), "\(refused)")
    #expect(trips.run(words + ["--renumber"]).exitCode == .done)
    #expect(identifiers("/a.quire", "Voucher").count == 2)
  }

  @Test("A patch names the lanes of the objects that it inserts, and keeps their identifiers")
  func patches() throws {
    trips.done("save-as", "/Base.quire", "/B.quire")
    let identifier = insert("/B.quire", "Voucher", "code=x")
    let patch = trips.run(["diff", "/Base.quire", "/B.quire", "--format", "patch"]).output
    let header = try JSON.read(Array(patch.utf8.prefix { $0 != 0x0A }))
    guard case .members(let lanes)? = header["lanes"] else {
      Issue.record("\(patch)")
      return
    }
    #expect(lanes.map(\.name) == ["\(number(identifier) - 1)"])
    try trips.disk.replace("/patch") { try $0.write(patch) }

    trips.done("merge", "--patch", "/patch", "/Base.quire", "--in-place")

    #expect(identifiers("/Base.quire", "Voucher") == [identifier])
    #expect(number(insert("/Base.quire", "Voucher", "code=y")) < 1000)
    // The target has changed the object since, so the patch can't insert it once more.
    trips.done("set", "/Base.quire", "Voucher", "--id", identifier, "code=z")
    let words = ["merge", "--patch", "/patch", "/Base.quire", "--in-place"]
    let refused = trips.run(words)
    #expect(refused.exitCode == .no && refused.messages.contains("--renumber"), "\(refused)")
    #expect(trips.run(words + ["--renumber"]).exitCode == .done)
    #expect(identifiers("/Base.quire", "Voucher").count == 3)
  }

  @Test("A patch of another replica with the same lane keeps no identifier")
  func overlappingPatch() throws {
    trips.done("save-as", "/Base.quire", "/B.quire")
    let identifier = insert("/B.quire", "Voucher", "code=x")
    let patch = trips.run(["diff", "/Base.quire", "/B.quire", "--format", "patch"]).output
    try trips.disk.replace("/patch") { try $0.write(patch) }
    trips.done("merge", "--patch", "/patch", "/Base.quire", "--in-place")
    let header = try JSON.read(Array(patch.utf8.prefix { $0 != 0x0A }))
    guard case .members(let lanes)? = header["lanes"],
      case .string(let replica)? = lanes.first?.value
    else {
      Issue.record("\(patch)")
      return
    }
    let other = String(replica.map { $0 == "0" ? "1" : "0" })
    let next = identifier.replacing("\(number(identifier))", with: "\(number(identifier) + 9)")
    try trips.disk.replace("/patch") {
      try $0.write(
        patch.replacing("\"\(replica)\"", with: "\"\(other)\"").replacing(identifier, with: next))
    }
    let words = ["merge", "--patch", "/patch", "/Base.quire", "--in-place"]
    let refused = trips.run(words)
    #expect(refused.exitCode == .no && refused.messages.contains("lanes overlap"), "\(refused)")
    #expect(trips.run(words + ["--renumber"]).exitCode == .done)
    #expect(identifiers("/Base.quire", "Voucher").count == 2)
    #expect(!identifiers("/Base.quire", "Voucher").contains(next))
  }
}
