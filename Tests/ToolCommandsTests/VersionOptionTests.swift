import BinaryStore
import CommandInterface
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import Rows
import StoreInterface
import Testing

@testable import ToolCommands

/// `--version` and `quire history` on stores and other inputs that are not documents.
@Suite("Versions of a store that is not a document")
struct VersionOptionTests {
  private let folder: ScaffoldFolder
  private var store: String { folder.path + "/Trips.store" }

  /// Creates a store with an empty first version, and three versions that add a trip each.
  init() throws {
    folder = try ScaffoldFolder()
    var trip = Entity("Trip")
    trip.declaredProperties = [.attribute(Attribute("name", .string))]
    var options = BinaryStoreOptions()
    options.history = .all
    let made = try BinaryStore.create(
      at: folder.path + "/Trips.store", model: try Model(entities: [trip]), on: RealDisk(),
      options: options)
    for (number, name) in [(1, "Lisbon"), (2, "Rome"), (3, "Oslo")] as [(UInt64, String)] {
      let base = try made.snapshot()
      let builder = LayerBuilder(base.schema)
      let layout = base.schema["Trip"]!
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      builder.set(.string(name), column: layout.index(of: "name")!, of: key)
      var request = CommitRequest(builder.freeze(), basedOn: base)
      if number == 2 { request.author = "Ann" }
      try made.commit(request)
    }
    try made.close()
  }

  /// Returns the numbers of the versions that the store contains, the oldest first.
  private func numbers() throws -> [Int64] {
    let opened = try BinaryStore.open(store, on: RealDisk(), readOnly: true)
    defer { try? opened.close() }
    return try opened.commits().map(\.number).sorted()
  }

  /// Returns the arguments of a run of each command that reads a store.
  private func readingRuns(_ path: String) -> [[String]] {
    [
      ["fetch", path, "Trip"], ["count", path, "Trip"], ["export", path], ["info", path],
      ["convert", path, folder.path + "/made.xml", "--store", "xml"],
    ]
  }

  @Test("A version behind the path does the same as the option")
  func versionInPath() throws {
    for number in try numbers() {
      for run in readingRuns(store) where run[0] != "convert" && run[0] != "info" {
        let option = quire(run + ["--version", "\(number)"])
        let path = quire(readingRuns("\(store)@\(number)").first { $0[0] == run[0] }!)
        #expect(path.exitCode == .done && path.output == option.output, "\(run)")
      }
    }
    let both = quire(["count", "\(store)@2", "Trip", "--version", "2"])
    #expect(both.exitCode == .wrongUsage && both.messages.contains("both name a version"))
    #expect(quire(["count", "\(store)@99", "Trip"]).messages.contains("version 99"))
    // A file with the whole word as its name is that file.
    try FileManager.default.copyItem(atPath: store, toPath: "\(store)@2")
    #expect(quire(["count", "\(store)@2", "Trip"]).output == "3\n")
    // A command that changes a store does not change an earlier version.
    #expect(quire(["insert", "\(store)@1", "Trip", "name=Bern"]).exitCode != .done)
  }

  @Test("Commands that read show the requested version")
  func earlierVersion() throws {
    let second = try "\(numbers()[2])"

    let fetched = quire(["fetch", store, "Trip", "--version", second])
    #expect(fetched.exitCode == .done && fetched.output.contains("Rome"))
    #expect(fetched.output.contains("Lisbon") && !fetched.output.contains("Oslo"))
    let found = quire(["fetch", store, "Trip", "--version", second, "--where", "name == 'Oslo'"])
    #expect(!found.output.contains("Oslo"))
    #expect(quire(["count", store, "Trip", "--version", second]).output == "2\n")
    #expect(quire(["count", store, "Trip"]).output == "3\n")
    let exported = quire(["export", store, "--version", second]).output
    #expect(exported.contains("Rome") && !exported.contains("Oslo"))
    let info = quire(["info", store, "--version", second])
    #expect(info.exitCode == .done && info.output.contains("Trip  2 objects"))
    let copy = folder.path + "/second.xml"
    let converted = quire(["convert", store, copy, "--version", second])
    #expect(converted.exitCode == .done, "\(converted.messages)")
    #expect(quire(["count", copy, "Trip"]).output == "2\n")
  }

  @Test("A version that the store does not contain is an error that lists the versions")
  func unknownVersion() throws {
    let numbers = try numbers()
    for words in readingRuns(store) {
      let run = quire(words + ["--version", "99"])
      #expect(run.exitCode == .inputOutput && run.output.isEmpty, "\(words)")
      #expect(run.messages.contains("does not contain version 99"), "\(words): \(run.messages)")
      #expect(
        run.messages.contains("It contains \(numbers.first!)–\(numbers.last!)."), "\(words)")
      #expect(quire(words + ["--version", "newest"]).exitCode == .wrongUsage, "\(words)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/made.xml"))
  }

  @Test("history lists the commits of a store")
  func history() throws {
    let numbers = try numbers()

    let lines = quire(["history", store]).output.split(separator: "\n")
    #expect(lines.count == numbers.count)
    for (line, number) in zip(lines, numbers.reversed()) {
      #expect(line.trimmingCharacters(in: .whitespaces).hasPrefix("\(number)"))
    }
    #expect(lines[1].contains("by Ann"))
    let changes = quire(["history", store, "--changes"]).output.split(separator: "\n")
    #expect(changes.count { $0.contains("+1 ~0 -0") } == 3)
    let json = quire(["history", store, "--format", "json"])
    #expect(json.exitCode == .done && json.output.contains("\"number\": \(numbers[0])"))

    let vacuumed = quire(["vacuum", store, "--keep", "none"])
    #expect(vacuumed.exitCode == .done, "\(vacuumed.messages)")
    #expect(quire(["history", store]).output.split(separator: "\n").count == 1)
    #expect(quire(["count", store, "Trip", "--version", "\(numbers[1])"]).exitCode == .inputOutput)
  }

  @Test("A version with a name is kept until the name is removed")
  func named() throws {
    let numbers = try numbers()
    let kept = numbers[1]
    let given = quire(["history", store, "--name", "\(kept)=Before Rome"])
    #expect(given.exitCode == .done && given.output.contains("\"Before Rome\""), "\(given)")
    for _ in 1...2 {
      #expect(quire(["vacuum", store, "--keep", "none"]).exitCode == .done)
      #expect(try self.numbers().first == kept && self.numbers().count == 2)
    }
    // An automatic rewrite of the file at a save keeps the version too.
    var options = BinaryStoreOptions()
    (options.leastDeadByteCount, options.deadShare) = (0, 0)
    let opened = try BinaryStore.open(store, on: RealDisk(), options: options)
    for number in 10...12 as ClosedRange<UInt64> {
      let base = try opened.snapshot()
      let builder = LayerBuilder(base.schema)
      builder.insert(ObjectKey(entity: base.schema["Trip"]!.entityNumber, number: number))
      try opened.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(try opened.commits().map(\.number).contains(kept))
    try opened.close()
    #expect(quire(["count", store, "Trip", "--version", "\(kept)"]).output == "1\n")
    #expect(quire(["validate", store]).exitCode == .done)
    // Another store has commits of its own.
    let copy = folder.path + "/copy.store"
    #expect(quire(["convert", store, copy]).exitCode == .done)
    #expect(!quire(["history", copy]).output.contains("Before Rome"))

    #expect(quire(["history", store, "--name", "99=None"]).exitCode == .inputOutput)
    #expect(quire(["history", store, "--name", "\(kept)="]).exitCode == .done)
    #expect(quire(["vacuum", store, "--keep", "none"]).exitCode == .done)
    #expect(try self.numbers().count == 1)
  }

  @Test("history refuses options for documents on a store")
  func documentOptions() throws {
    for options in [["--thin", "newest"]] {
      let run = quire(["history", store] + options)
      #expect(run.exitCode == .wrongUsage && run.output.isEmpty)
      #expect(run.messages.contains("\(options[0]) is for documents"))
    }
  }

  @Test("No command ignores an option that its kind of input does not have")
  func inapplicableOptions() throws {
    let xml = folder.path + "/Trips.xml"
    #expect(quire(["convert", store, xml]).exitCode == .done)
    let database = folder.path + "/other.sqlite"
    try Data("SQLite format 3\0".utf8 + [UInt8](repeating: 0, count: 84))
      .write(to: URL(filePath: database))
    let table = folder.path + "/Trip.csv"
    try Data("@id,name\n1,Lisbon\n".utf8).write(to: URL(filePath: table))

    for (path, code, message) in [
      (xml, .wrongUsage, "keeps no versions"), (database, .unreadable, "not a store"),
      (table, .unreadable, "not a store"),
    ] as [(String, ExitCode, String)] {
      for words in readingRuns(path).map({ $0 + ["--version", "1"] }) {
        let run = quire(words)
        #expect(run.exitCode == code && run.output.isEmpty, "\(words): \(run.messages)")
        #expect(run.messages.contains(message), "\(words): \(run.messages)")
      }
      let listed = quire(["history", path])
      #expect(listed.exitCode == code && listed.messages.contains(message), "\(listed.messages)")
    }
    let document = folder.path + "/Trip.quire"
    let model = InstalledPlugins.root.appending(path: "Examples/Trips.xcdatamodeld").path
    let made = quire(["new", document, "--model", model])
    #expect(made.exitCode == .done, "\(made.messages)")
    let onDocument =
      readingRuns(document) + [
        ["history", document], ["vacuum", document], ["insert", document, "Trip", "name=Oslo"],
      ]
    for (words, message) in onDocument.map({ ($0 + ["--model", model], "is a document") }) + [
      (["vacuum", xml, "--keep", "5"], "keeps no versions"),
      (["validate", store, "--version", "1"], "Give --model"),
    ] {
      let run = quire(words)
      #expect(run.exitCode == .wrongUsage && run.output.isEmpty, "\(words): \(run.messages)")
      #expect(run.messages.contains(message), "\(words): \(run.messages)")
    }
    for path in [store, xml] {
      for words in readingRuns(path).map({ $0 + ["--in", "main"] }) {
        let run = quire(words)
        #expect(run.exitCode == .wrongUsage && run.output.isEmpty, "\(words)")
        #expect(run.messages.contains("--in names a store of a document"), "\(words)")
      }
    }
  }
}
