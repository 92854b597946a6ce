import CommandInterface
import DurableFiles
import Foundation
import InstalledPlugins
import JSONText
import SQLiteFiles
import Synchronization
import Testing

@testable import ToolCommands

@Suite("quire backup")
struct BackupCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
  }

  private func numbers(in output: String) -> [Int] {
    output.matches(of: /\d+/).compactMap { Int($0.output) }
  }

  @Test("The second backup of a document writes less than the first, and is the document")
  func document() throws {
    let first = numbers(in: trips.done("backup", "/Trips.quire", "/B.quire"))
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p2", "price=75")
    let output = trips.done("backup", "/Trips.quire", "/B.quire")
    let second = numbers(in: output)
    #expect(first[0] == 8 && second[0] == 9, "\(output)")
    #expect(output.hasPrefix("/B.quire: version 9, "))
    #expect(trips.run(["diff", "/Trips.quire", "/B.quire"]).exitCode == .done)
    #expect(trips.done("history", "/B.quire") == trips.done("history", "/Trips.quire"))

    let text = trips.done("backup", "/Trips.quire", "/B.quire", "--format", "json")
    guard case .members(let members) = try JSON.read(Array(text.utf8)) else {
      Issue.record("\(text)")
      return
    }
    #expect(
      members.map(\.name) == [
        "path", "version", "date", "isNew", "writtenByteCount", "byteCount",
      ])
  }

  @Test("A restored backup is a document as any other")
  func restored() {
    trips.done("backup", "/Trips.quire", "/B.quire")
    trips.done("save-as", "/B.quire", "/Restored.quire")
    trips.done("insert", "/Restored.quire", "Voucher", "code=A")
    #expect(trips.run(["backup", "/Restored.quire", "/B.quire"]).exitCode == .inputOutput)
    #expect(trips.run(["backup", "--check", "/Restored.quire"]).exitCode == .no)
  }

  @Test("--check is done with a sound backup alone")
  func check() throws {
    trips.done("attach", "add", "/Trips.quire", try attachment())
    trips.done("backup", "/Trips.quire", "/B.quire")
    let sound = trips.done("backup", "--check", "/B.quire")
    #expect(sound.hasPrefix("/B.quire: version 9 of ") && sound.hasSuffix(": sound\n"))

    for name in ["stores", "attachments", "models"] {
      let path = try "/B.quire/\(name)/" + trips.disk.list("/B.quire/\(name)")[0].name
      let bytes = try trips.disk.read(path, byteLimit: 1 << 24)
      var flipped = bytes
      flipped[bytes.count / 2] ^= 4
      try trips.write(flipped, to: path)
      let found = trips.run(["backup", "--check", "/B.quire"])
      #expect(found.exitCode == .no, "\(name): \(found.output)")
      #expect(found.output.hasSuffix(": not sound\n"))
      try trips.write(bytes, to: path)
    }
    trips.done("backup", "--check", "/B.quire")

    trips.done("insert", "/B.quire", "Voucher", "code=A")
    let changed = trips.run(["backup", "--check", "/B.quire"])
    #expect(changed.exitCode == .no && changed.output.contains("changed by a program"))
    let other = trips.run(["backup", "--check", "/Trips.quire", "--format", "json"])
    #expect(other.exitCode == .no && other.output.contains("\"isSound\": false"))
  }

  private func attachment() throws -> String {
    try trips.write(Array("some words of an attachment".utf8), to: "/notes.txt")
    return "/notes.txt"
  }

  @Test("Anything else at the path is refused, unless --force is given")
  func refused() {
    trips.done("save-as", "/Trips.quire", "/Other.quire")
    for words in [["/Trips.quire", "/Other.quire"]] {
      let run = trips.run(["backup"] + words)
      #expect(run.exitCode == .inputOutput && run.messages.contains("--force"), "\(run.messages)")
    }
    trips.done("backup", "/Trips.quire", "/Other.quire", "--force")
    trips.done("backup", "/Trips.quire", "/Other.quire")
    trips.done("insert", "/Other.quire", "Voucher", "code=A")
    let changed = trips.run(["backup", "/Trips.quire", "/Other.quire"])
    #expect(changed.exitCode == .inputOutput && changed.messages.contains("was changed"))
    for words in [
      ["/Trips.quire"], ["/Trips.quire", "/Trips.quire"], ["/Trips.quire", "/Trips.quire/B.quire"],
      ["/Trips.quire@main", "/B.quire"], ["/Trips.quire", "/B.quire", "--timeout", "1"],
      ["/Trips.quire", "/B.zip"], ["--check", "/Other.quire", "--force"],
      ["/Trips.quire", "/B.quire", "--check"],
    ] {
      #expect(trips.run(["backup"] + words).exitCode == .wrongUsage, "\(words)")
    }
  }

  @Test("A single store is backed up", arguments: ["binary", "compressed", "xml"])
  func stores(_ type: String) throws {
    trips.done("convert", "/Trips.quire", "/A", "--store", type)
    let first = numbers(in: trips.done("backup", "/A", "/B"))
    trips.done("insert", "/A", "Voucher", "code=A")
    let second = numbers(in: trips.done("backup", "/A", "/B"))
    #expect(trips.run(["diff", "/A", "/B"]).exitCode == .done)
    if type != "xml" { #expect(second[1] < first[1] / 2) }
    #expect(numbers(in: trips.done("backup", "/A", "/B"))[1] == 0)
    trips.done("backup", "--check", "/B")
    if type != "xml" {
      // A vacuumed file is another one.
      trips.done("vacuum", "/A")
      trips.done("backup", "/A", "/B")
      trips.done("backup", "--check", "/B")
    }

    trips.done("insert", "/B", "Voucher", "code=B")
    #expect(trips.run(["backup", "--check", "/B"]).exitCode == .no)
    let changed = trips.run(["backup", "/A", "/B"])
    #expect(changed.exitCode == .inputOutput && changed.messages.contains("was changed"))
    trips.done("backup", "/A", "/B", "--force")
    trips.done("backup", "--check", "/B")
    #expect(trips.run(["backup", "/A", "/Trips.quire"]).exitCode == .inputOutput)
    try trips.disk.remove("/B.backup")
    #expect(trips.run(["backup", "/A", "/B"]).exitCode == .inputOutput)
  }

  @Test("--follow writes a line for each version, and tries again after an error")
  func follow() throws {
    let output = Mutex("")
    let messages = Mutex("")
    let tool = trips.tool
    let isOver = Atomic(false)
    Thread.detachNewThread {
      let code = tool.run(
        ["backup", "/Trips.quire", "/B.quire", "--follow", "--timeout", "60"],
        on: Console(
          output: Console.Stream { text in
            output.withLock { $0 += text }
            // The last version ends the test.
            if text.contains("version 11,") { isOver.store(true, ordering: .releasing) }
          }, messages: Console.Stream { text in messages.withLock { $0 += text } }))
      _ = code
    }
    func wait(_ condition: () -> Bool) {
      let end = Date(timeIntervalSinceNow: 30)
      while !condition(), Date() < end { Thread.sleep(forTimeInterval: 0.02) }
    }
    wait { output.withLock { $0.contains("version 8,") } }
    trips.done("insert", "/Trips.quire", "Voucher", "code=A")
    wait { output.withLock { $0.contains("version 9,") } }
    // The backup is open in another program for a while.
    let lock = try trips.disk.lock("/B.quire/.lock")
    trips.done("insert", "/Trips.quire", "Voucher", "code=B")
    wait { messages.withLock { $0.contains("tried again") } }
    try lock.release()
    wait { output.withLock { $0.contains("version 10,") } }
    trips.done("insert", "/Trips.quire", "Voucher", "code=C")
    wait { isOver.load(ordering: .acquiring) }
    let lines = output.withLock { $0 }.split(separator: "\n")
    #expect(lines.count == 4 && lines[3].hasPrefix("/B.quire: version 11, "), "\(lines)")
    #expect(messages.withLock { $0 }.split(separator: "\n").count == 2)
  }

  @Test("A database that a program writes to is copied by SQLite's own means")
  func database() throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "backup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let plugins = try InstalledPlugins.folder.path(percentEncoded: false)
    func run(_ words: String...) -> RecordedRun {
      RecordedRun(
        words,
        tool: Tool.quire(environment: ["QUIRE_PLUGIN_PATH": plugins], executable: nil))
    }
    let example = InstalledPlugins.root.appending(path: "Examples/Trips.store").path
    let (path, copy) = (folder.path + "/App.sqlite", folder.path + "/Backup.sqlite")
    #expect(run("convert", example, path, "--store", "SQLite").exitCode == .done)
    #expect(run("backup", path, copy).exitCode == .done)
    #expect(run("backup", "--check", copy).exitCode == .done)

    // Another connection keeps the log open, with a row that is not in the file.
    let connection = try SQLiteConnection(path, for: .writing)
    let inserted = run("insert", path, "Person", "fullName=Ada")
    #expect(inserted.exitCode == .done, "\(inserted.messages)")
    _ = try connection.integer("SELECT count(*) FROM Z_METADATA")
    try connection.execute("BEGIN IMMEDIATE")
    let second = run("backup", path, copy)
    #expect(second.exitCode == .done, "\(second.messages)")
    try connection.execute("ROLLBACK")
    #expect(run("fetch", copy, "Person", "--where", "fullName = 'Ada'").output.contains("Ada"))
    #expect(run("backup", "--check", copy).exitCode == .done)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      names.filter { $0.hasPrefix("Backup") }.sorted() == ["Backup.sqlite", "Backup.sqlite.backup"])

    #expect(
      run("set", copy, "Person", "fullName=Bea", "--where", "fullName = 'Ada'").exitCode == .done)
    let changed = run("backup", path, copy)
    #expect(changed.exitCode == .inputOutput && changed.messages.contains("was changed"))
  }
}
