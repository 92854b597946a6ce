import BinaryStore
import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Synchronization
import Testing

@testable import ToolCommands

@Suite(
  "The tool and stores at addresses",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
final class ToolTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID())").path
  private let tool: Tool

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let reader = StoreReader(
      backends: StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend()]), disk: RealDisk())
    tool = Tool(commands: [
      NewCommand.command(reader, .files), ConvertCommand.command(reader, .files),
      InsertCommand.command(reader), SetCommand.command(reader), FetchCommand.command(reader),
      MigrateCommand.command(reader, .files), MergeCommand.command(reader),
      VacuumCommand.command(reader), RecoverCommand.command(reader, .files),
      DiffCommand.command(reader), InfoCommand.command(reader, .files),
      PackCommand.command(on: RealDisk()),
      SaveAsCommand.command(reader), BackupCommand.command(reader),
    ])
    try "entity Trip\n  name: String?\n  days: Int64?\n".write(
      toFile: path("One.model"), atomically: true, encoding: .utf8)
    try "entity Trip\n  name: String?\n  days: Int64?\n  stars: Int16 = 3\n".write(
      toFile: path("Two.model"), atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Runs the tool, and returns its exit code with its output and messages.
  @discardableResult
  private func run(_ words: String...) -> (code: ExitCode, text: String) { run(words) }

  private func run(_ words: [String]) -> (code: ExitCode, text: String) {
    let text = Mutex("")
    let stream = Console.Stream(isTerminal: false, usesColour: false) { written in
      text.withLock { $0 += written }
    }
    let code = tool.run(words, on: Console(output: stream, messages: stream))
    return (code, text.withLock { $0 })
  }

  /// Makes a store with one trip at a new address.
  private func make() throws -> String {
    let address = try StoreSite().address
    run("new", path("Doc.quire"), "--model", path("One.model"))
    run("insert", path("Doc.quire"), "Trip", "name=Rome", "days=4")
    let made = run("convert", path("Doc.quire"), address)
    #expect(made.code == .done, "\(made.text)")
    return address
  }

  @Test("A copy that was not completed does not open, and another copy replaces it")
  func unfinishedCopy() throws {
    let address = try make()
    let site = try StoreSite()
    var creation = StoreCreation()
    creation.isForCopy = true
    // A copy makes the store, commits a part of the objects, and ends.
    let source = try site.backend.open(address, on: RealDisk(), StoreOpening(readOnly: true))
    let model = try source.snapshot().model
    try site.backend.create(at: site.address, model: model, on: RealDisk(), creation).close()

    for words in [
      ["fetch", site.address, "Trip"], ["info", site.address],
      ["insert", site.address, "Trip", "name=Oslo"],
    ] {
      let refused = run(words)
      #expect(refused.code == .unreadable, "\(words): \(refused.text)")
      #expect(refused.text.contains("a copy that is not complete"), "\(refused.text)")
      #expect(!refused.text.contains("quire recover"), "\(refused.text)")
    }
    #expect(run("convert", address, site.address).code == .inputOutput)
    #expect(run("convert", address, site.address, "--force").code == .done)
    #expect(names(site.address) == ["Rome"])
    try source.close()
  }

  @Test("A store that can't be replaced is there after a copy to its address has failed")
  func refusedReplacement() throws {
    let address = try make()
    let site = try StoreSite()
    let model = try Model(entities: [Entity("Trip")])
    let store = try site.create(model)
    let head = try store.snapshot()
    var metadata = try head.metadata
    metadata.document = UUID()
    try store.commit(CommitRequest(Layer(), basedOn: head, metadata: metadata))
    try store.close()

    let refused = run("convert", address, site.address, "--force")

    #expect(refused.code != .done)
    #expect(refused.text.contains("is a part of the document"), "\(refused.text)")
    let kept = try site.backend.metadata(at: site.address, on: RealDisk())
    #expect(kept.document == metadata.document)
    let places = StorePlaces(StoreBackends([site.backend]), on: RealDisk())
    let error = #expect(throws: StoreError.self) {
      _ = try places.createCopy(site.address, type: .postgreSQL, model: model) { _ in }
    }
    #expect(error?.code == .exists)
    #expect(
      try site.backend.metadata(at: site.address, on: RealDisk()).document == metadata.document)
  }

  @Test("A copy that fails while it replaces a store removes what it has made")
  func failedReplacement() throws {
    let address = try make()
    let places = StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk())
    let site = try StoreSite()
    struct Failure: Error {}

    #expect(throws: Failure.self) {
      _ = try places.createCopy(
        site.address, type: .postgreSQL, model: Model(entities: [Entity("Trip")])
      ) { _ in throw Failure() }
    }

    #expect(try !places.exists(site.address))
    #expect(names(address) == ["Rome"])
  }

  @Test("A document can have a store on a server, beside one of its own")
  func document() throws {
    let address = try StoreSite().address
    try """
    entity Trip
      name: String?

    entity Note
      text: String?

    configuration Own: Note
    configuration Shared: Trip
    """.write(toFile: path("Both.model"), atomically: true, encoding: .utf8)
    let document = path("Both.quire")

    let made = run(
      "new", document, "--model", path("Both.model"), "--store",
      "own=binary:Own,shared=\(address.replacing("&user=", with: "&target_session_attrs=any&user="))#Shared"
    )

    #expect(made.code == .done, "\(made.text)")
    #expect(made.text.contains("own (Binary), shared (PostgreSQL)"))
    #expect(run("insert", document, "Trip", "name=Rome").code == .done)
    #expect(run("insert", document, "Note", "text=Passport").code == .done)
    #expect(names(document) == ["Rome"])
    #expect(names(address) == ["Rome"])
    let refused = run("insert", address, "Trip", "name=Oslo")
    #expect(refused.code != .done)
    #expect(refused.text.contains("only the document can change it"), "\(refused.text)")
    let info = run("info", document)
    #expect(info.text.contains(", for Shared, at postgresql://"), "\(info.text)")

    for words in [
      ["pack", document, path("Both.zip")], ["save-as", document, path("Copy.quire")],
    ] {
      let refused = run(words[0], words[1], words[2])
      #expect(refused.code != .done)
      #expect(refused.text.contains("quire save-as DOC COPY --store binary"), "\(refused.text)")
    }
    for place in [document, address] {
      let refused = run("backup", place, path("Backup.quire"))
      #expect(refused.code == .wrongUsage && refused.text.contains("pg_dump"), "\(refused.text)")
    }
    #expect(run("save-as", document, path("Copy.quire"), "--store", "binary").code == .done)
    #expect(names(path("Copy.quire")) == ["Rome"])

    try "{".write(toFile: document + "/manifest.json", atomically: true, encoding: .utf8)
    let recovered = run("recover", document, "--output", path("Recovered.quire"))
    #expect(recovered.code == .no)
    #expect(recovered.text.contains("quire convert postgresql://"), "\(recovered.text)")
  }

  /// A command of the guide, with its words as a shell splits them.
  private func words(_ line: Substring) -> [String] {
    var (words, isQuoted) = ([""], false)
    for character in line {
      if character == "'" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }

  @Test("The to-do list of the guide works, command by command")
  func guide() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(page.range(of: "## A to-do list that three programs serve\n"))
    let lines = page[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.hasPrefix("## ") }
    let model = lines.drop { !$0.hasPrefix("       entity") }.prefix { !$0.isEmpty }
    try model.map { $0.dropFirst(7) + "\n" }.joined().write(
      toFile: path("Todo.model"), atomically: true, encoding: .utf8)
    let address = try StoreSite().address
    var outputs: [String] = []
    for line in lines where line.hasPrefix("       $ quire ") && !line.contains(" watch ") {
      let command = words(line.dropFirst("       $ quire ".count)).map {
        $0.hasPrefix("Todo.") ? path($0) : $0 == "postgresql://app@db/todo" ? address : $0
      }
      let result = run(command)
      #expect(result.code == .done, "\(line): \(result.text)")
      outputs.append(result.text)
    }
    #expect(outputs.count == 6)
    let shown = lines.drop { !$0.contains(" fetch ") }.dropFirst().prefix { !$0.isEmpty }
    #expect(outputs.last == shown.map { $0.dropFirst(7) + "\n" }.joined())
  }

  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/postgresql.md")

  @Test("Several servers in an address are not further stores")
  func severalServers() throws {
    let reader = StoreReader(
      backends: StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend()]), disk: RealDisk())
    let made = try NewCommand.descriptions(
      "a=postgresql://u@db1:1,db2:2/trips?schema=x&connect_timeout=3#One,b=binary:Two,c=postgresql://db1,db2",
      reader)
    #expect(made.map(\.name) == ["a", "b", "c"])
    #expect(
      made.map(\.address) == [
        "postgresql://u@db1:1,db2:2/trips?schema=x&connect_timeout=3", nil, "postgresql://db1,db2",
      ])
    #expect(made.map(\.configuration) == ["One", "Two", nil])
  }

  private func names(_ address: String) -> [String] {
    run("fetch", address, "Trip", "--columns", "name", "--format", "csv").text
      .split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("'migrate' changes the tables in place or writes a file, and refuses what needs a file")
  func migrates() throws {
    let address = try make()
    let model = path("Two.model")

    let copied = run("migrate", address, "--model", model, "--output", path("Copy.store"))
    #expect(copied.code == .done, "\(copied.text)")
    let other = try StoreSite().address
    let there = run("migrate", address, "--model", model, "--output", other)
    #expect(there.code == .wrongUsage)
    #expect(there.text.contains("--output COPY.store'"), "\(there.text)")
    #expect(there.text.contains("quire convert COPY.store '\(other)'"), "\(there.text)")
    for words in [["--backup", path("Old.store")], ["--store", "binary"]] {
      let refused = run(
        "migrate", address, "--model", model, words[0], words[1])
      #expect(refused.code == .inputOutput, "\(refused.text)")
      #expect(refused.text.contains("like a file"), "\(refused.text)")
      #expect(refused.text.contains("--output COPY.store"), "\(refused.text)")
    }
    let migrated = run("migrate", address, "--model", model)
    #expect(migrated.code == .done, "\(migrated.text)")
    #expect(run("fetch", address, "Trip", "--ids", "--format", "csv").text.contains("stars"))
  }

  @Test("'merge' merges stores at addresses, in place or into another address")
  func merges() throws {
    let base = try make()
    let (one, two) = (try StoreSite().address, try StoreSite().address)
    for copy in [one, two] { #expect(run("convert", base, copy).code == .done) }
    run("insert", one, "Trip", "name=Oslo")
    run("insert", two, "Trip", "name=Bonn")

    let output = try StoreSite().address
    // Stores on servers have no lanes, so both copies have given their trips the same number.
    let clash = run("merge", base, one, two, "--output", output)
    #expect(clash.code == .no && clash.text.contains("--renumber"), "\(clash.text)")
    let merged = run("merge", base, one, two, "--renumber", "--output", output)
    #expect(merged.code == .done, "\(merged.text)")
    #expect(names(output).sorted() == ["Bonn", "Oslo", "Rome"])
    #expect(names(one) == ["Rome", "Oslo"])

    let wrong = run("merge", base, one, two, "--output", path("Merged.store"))
    #expect(wrong.code == .wrongUsage && wrong.text.contains("quire convert"), "\(wrong.text)")
    run("convert", one, path("One.store"))
    let another = try StoreSite().address
    let file = run("merge", base, path("One.store"), two, "--renumber", "--output", another)
    #expect(file.code == .wrongUsage && file.text.contains("quire convert"), "\(file.text)")

    #expect(run("merge", base, one, two, "--renumber", "--in-place").code == .done)
    #expect(names(one).sorted() == ["Bonn", "Oslo", "Rome"])
  }

  @Test("'vacuum' drops the history, and 'recover' names the next command")
  func vacuumsAndRecovers() throws {
    let address = try make()
    run("insert", address, "Trip", "name=Oslo")

    let kept = run("vacuum", address, "--keep", "1")
    #expect(kept.code == .done && kept.text.contains("2 saves kept"), "\(kept.text)")
    let all = run("vacuum", address, "--keep", "none")
    #expect(all.code == .done && all.text.contains("1 save kept"), "\(all.text)")
    #expect(names(address) == ["Rome", "Oslo"])
    let refused = run("recover", address, "--output", path("New.store"))
    #expect(refused.code == .plugin)
    #expect(refused.text.contains("quire convert"), "\(refused.text)")
    run("convert", address, path("File.store"))
    let output = try StoreSite().address
    #expect(run("recover", path("File.store"), "--output", output).code == .done)
    #expect(names(output) == ["Rome", "Oslo"])
  }
}
