import AppleFixtures
import Foundation
import InstalledPlugins
import ModelNotations
import ObjectModel
import SQLiteFiles
import Testing

@testable import ToolCommands

/// Runs the tool on SQLite databases, with the installed plug-in.
@Suite("Commands on SQLite databases")
struct DatabaseCommandTests {
  /// A folder with a database of the example's trips, with Quire's metadata or as another system would have written it.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "databases-\(UUID().uuidString)")
    var database: String { url.appending(path: "App.sqlite").path }

    init(isOwn: Bool) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let example = InstalledPlugins.root.appending(path: "Examples/Trips.store").path
      let made = try run("convert", example, database, "--store", "SQLite")
      #expect(made.exitCode == .done, "\(made.messages)")
      guard !isOwn else { return }
      let connection = try SQLiteConnection(database, for: .writing)
      for table in ["QUIRE_STORE", "QUIRE_COMMIT", "QUIRE_BEFORE", "QUIRE_LINK"] {
        try connection.execute("DROP TABLE \(table)")
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    func run(_ words: String...) throws -> RecordedRun { try run(words) }

    func run(_ words: [String]) throws -> RecordedRun {
      let tool = Tool.quire(
        environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
        executable: nil)
      return RecordedRun(words, tool: tool)
    }
  }

  @Test("The plug-in checks a database by its own rules, and the tool checks the objects")
  func ownRules() throws {
    let folder = try Folder(isOwn: true)
    let connection = try SQLiteConnection(folder.database, for: .writing)
    try connection.execute("UPDATE Z_METADATA SET Z_UUID = 'none'")

    let validate = try folder.run("validate", folder.database)
    #expect(validate.exitCode == .no && validate.output.contains("error: SQLS-003"))
    #expect(validate.output.contains("(spec §10.2.3)"), "\(validate.output)")
    let rules = try folder.run("validate", "--rules")
    #expect(rules.exitCode == .done && rules.output.contains("SQLS-003  error: Z_METADATA"))
    #expect(rules.output.contains("BLCK-001  "))

    let whole = try Folder(isOwn: true)
    let own = try SQLiteConnection(whole.database, for: .writing)
    try own.execute("UPDATE ZSTOP SET ZTRIP = 999 WHERE Z_PK = 1")
    let objects = try whole.run("validate", whole.database)
    #expect(objects.exitCode == .no && objects.output.contains("error: GRAF-"), "\(objects.output)")
  }

  @Test("Without the plug-in a database is not called valid, and the report names the plug-in")
  func missingPlugin() throws {
    let folder = try Folder(isOwn: true)
    let tool = Tool.quire(
      environment: ["QUIRE_PLUGIN_PATH": folder.url.path(percentEncoded: false)], executable: nil)

    let run = RecordedRun(["validate", folder.database], tool: tool)
    #expect(run.exitCode == .plugin && run.output.contains("not everything could be checked"))
    #expect(run.output.contains("The SQLite database was not checked."), "\(run.output)")
    #expect(run.output.contains("SQLiteStore") || run.output.contains("plug-in"), "\(run.output)")
  }

  @Test(
    "Each command that reads needs only the path, and changes no byte",
    arguments: [true, false])
  func reading(isOwn: Bool) throws {
    let folder = try Folder(isOwn: isOwn)
    let before = try Data(contentsOf: URL(filePath: folder.database))

    let info = try folder.run("info", folder.database)
    #expect(info.exitCode == .done && info.output.contains("SQLite"), "\(info.messages)")
    #expect(info.output.contains("Trip "))
    let model = try folder.run("model", folder.database)
    #expect(model.exitCode == .done && model.output.contains("entity Trip"), "\(model.messages)")
    let hash = try folder.run("hash", folder.database)
    #expect(hash.exitCode == .done && hash.output.contains("Trip "))
    let found = try folder.run(
      "fetch", folder.database, "Trip", "--where", "name CONTAINS[cd] \"evora\"", "--columns",
      "name")
    #expect(
      found.exitCode == .done && found.output.contains("Évora in spring"), "\(found.messages)")
    let count = try folder.run("count", folder.database, "Trip", "--where", "stops.@count > 2")
    let expected = try folder.run(
      "count", InstalledPlugins.root.appending(path: "Examples/Trips.store").path, "Trip",
      "--where",
      "stops.@count > 2")
    #expect(count.exitCode == .done && count.output == expected.output)
    let export = try folder.run("export", folder.database)
    #expect(export.exitCode == .done && export.output.contains("\"@entity\":\"Trip\""))
    let validate = try folder.run("validate", folder.database)
    #expect(validate.exitCode == .done, "\(validate.output)\(validate.messages)")
    let copy = folder.url.appending(path: "copy.xml").path
    let converted = try folder.run("convert", folder.database, copy)
    #expect(converted.exitCode == .done, "\(converted.messages)")

    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
    #expect(folder.names == ["App.sqlite", "copy.xml"])
  }

  @Test(
    "A database of another system is written only on request, and no other file is left"
  )
  func writing() throws {
    let folder = try Folder(isOwn: false)
    let before = try Data(contentsOf: URL(filePath: folder.database))

    let refused = try folder.run(
      "set", folder.database, "Trip", "--where", "name != nil", "name=Elsewhere")
    #expect(
      refused.exitCode != .done && refused.messages.contains("--write"), "\(refused.messages)")
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)

    let written = try folder.run(
      "set", folder.database, "Trip", "--where", "name BEGINSWITH \"Along\"", "name=Elsewhere",
      "--write")
    #expect(written.exitCode == .done, "\(written.messages)")
    let found = try folder.run("count", folder.database, "Trip", "--where", "name == \"Elsewhere\"")
    #expect(found.output == "1\n")
    #expect(folder.names == ["App.sqlite"])
  }

  @Test("A refused edit changes no byte of another system's database")
  func refusedWriting() throws {
    let folder = try Folder(isOwn: false)
    let before = try Data(contentsOf: URL(filePath: folder.database))
    let objects = folder.url.appending(path: "objects.jsonl")
    try Data(#"{"@entity":"Trip","name":""}"#.utf8).write(to: objects)

    for words in [
      ["insert", folder.database, "Trip", "name="], ["import", folder.database, objects.path],
      ["insert", folder.database, "Trip", "name=Faro", "--dry-run"],
    ] {
      let run = try folder.run(words + ["--write"])
      #expect((run.exitCode == .done) == words.contains("--dry-run"), "\(run.messages)")
      #expect(try Data(contentsOf: URL(filePath: folder.database)) == before, "\(words)")
    }
    #expect(Set(folder.names) == ["App.sqlite", "objects.jsonl"])
  }

  @Test("A vacuum removes earlier saves of a database, and keeps the requested ones")
  func vacuum() throws {
    let folder = try Folder(isOwn: true)
    for name in ["Elsewhere", "Nowhere", "Somewhere"] {
      let set = try folder.run(
        "set", folder.database, "Trip", "--where", "name != nil", "name=\(name)")
      #expect(set.exitCode == .done, "\(set.messages)")
    }
    let kept = try folder.run("vacuum", folder.database, "--keep", "2", "--format", "json")
    #expect(kept.exitCode == .done && kept.output.contains("\"commits\": 3"), "\(kept.output)")
    let usual = try folder.run("vacuum", folder.database)
    #expect(usual.output.hasSuffix(", 3 saves kept\n"), "\(usual.output)")
    let none = try folder.run("vacuum", folder.database, "--keep", "none")
    #expect(none.output.hasSuffix(", 1 save kept\n"), "\(none.output)")
    let validate = try folder.run("validate", folder.database)
    #expect(validate.exitCode == .done, "\(validate.output)\(validate.messages)")
    let found = try folder.run("count", folder.database, "Trip", "--where", "name == \"Somewhere\"")
    #expect(found.output != "0\n")
  }

  @Test("Without the plug-in, and for a file that is not a store, the errors give advice")
  func hints() throws {
    let folder = try Folder(isOwn: true)
    let missing = RecordedRun(["info", folder.database], tool: .quire)
    #expect(missing.exitCode != .done && missing.messages.contains("SQLiteStore"))
    let recover = try folder.run(
      "recover", folder.database, "--output", folder.url.appending(path: "out").path)
    #expect(recover.exitCode != .done && recover.messages.contains(".recover"))
    let other = folder.url.appending(path: "other.sqlite").path
    let connection = try SQLiteConnection(other, for: .creating)
    for text in ["CREATE TABLE notes (title TEXT)", "DROP TABLE notes"] {
      try connection.execute(text)
    }
    let stranger = try folder.run("info", other)
    #expect(stranger.exitCode != .done && stranger.messages.contains("other.sqlite"))
  }

  @Test(
    "Databases of Core Data are shown, with archives summarized",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
  func archives() throws {
    let folder = try Folder(isOwn: true)
    let fixture = AppleFixtures.databases.first { $0.hasSuffix("/SampleModel2_V1.sqlite") }
    let run = try folder.run(
      "fetch", try #require(fixture), "Book", "--limit", "1", "--columns", "title,cover")
    #expect(
      run.exitCode == .done && run.output.contains("277 bytes, CoreDataPlus_Tests.Cover {text}"))
  }

  /// Writes a version of the example's model with one more attribute of trips, and returns its path.
  private func newerModel(in folder: Folder) throws -> String {
    let example = InstalledPlugins.root.appending(path: "Examples/Trips.xcdatamodeld")
    var description = try ModelVersions.read(example.path).current.description
    let trip = try #require(description.entities.firstIndex { $0.name == "Trip" })
    description.entities[trip].declaredProperties.append(.attribute(Attribute("extra", .string)))
    let place = folder.url.appending(path: "New.xcdatamodel")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data(ModelSource.write(Model(description))).write(to: place.appending(path: "contents"))
    return place.path
  }

  @Test("A database of another system is migrated in place only on request")
  func migrating() throws {
    let folder = try Folder(isOwn: false)
    let model = try newerModel(in: folder)
    let before = try folder.run("export", folder.database).output
    let bytes = try Data(contentsOf: URL(filePath: folder.database))

    // Without the option nothing is written, and the message names commands that work.
    let refused = try folder.run("migrate", folder.database, "--model", model)
    #expect(refused.exitCode == .inputOutput, "\(refused.messages)")
    #expect(
      refused.messages.contains("quire migrate \(folder.database) --model \(model) --write'"),
      "\(refused.messages)")
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
    let other = folder.url.appending(path: "App-migrated.sqlite").path
    #expect(refused.messages.contains("--model \(model) --output \(other)'"))
    let aside = try folder.run("migrate", folder.database, "--model", model, "--output", other)
    #expect(aside.exitCode == .done, "\(aside.messages)")
    #expect(try folder.run("validate", other).exitCode == .done)
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)

    let dry = try folder.run("migrate", folder.database, "--model", model, "--write", "--dry-run")
    #expect(dry.exitCode == .done && folder.names.count == 3)
    let done = try folder.run("migrate", folder.database, "--model", model, "--write")
    #expect(done.exitCode == .done, "\(done.messages)")
    #expect(try folder.run("validate", folder.database).exitCode == .done)
    let fetched = try folder.run("fetch", folder.database, "Trip", "--columns", "name,extra")
    #expect(fetched.exitCode == .done, "\(fetched.messages)")
    // The objects keep their identifiers, and the old database is kept.
    let after = try folder.run("export", folder.database).output
    func identifiers(_ text: String) -> [Substring] {
      text.split(separator: "\n").compactMap { $0.firstMatch(of: /"@id":"[^"]*"/)?.output }.sorted()
    }
    #expect(identifiers(after) == identifiers(before) && !identifiers(before).isEmpty)
    let backup = try #require(folder.names.first { $0.hasSuffix(".backup") })
    #expect(try folder.run("export", folder.url.appending(path: backup).path).output == before)
    let again = try folder.run("migrate", folder.database, "--model", model)
    #expect(again.exitCode == .done && again.output.contains("There is nothing to do."))
  }

  @Test("The history of a database is listed, written along and shortened")
  func history() throws {
    let folder = try Folder(isOwn: false)
    let plain = try folder.run("history", folder.database)
    #expect(plain.exitCode == .wrongUsage && plain.messages.contains("keeps no versions"))
    let connection = try SQLiteConnection(folder.database, for: .writing)
    for text in [
      "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB)",
      "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
      "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
    ] { try connection.execute(text) }
    #expect(try folder.run("history", folder.database).output == "")
    #expect(try folder.run("history", folder.database, "--format", "json").output == "[]\n")

    let set = try folder.run(
      "set", folder.database, "Stop", "--where", "name != nil", "name=Douro", "--author", "ann",
      "--write")
    #expect(set.exitCode == .done, "\(set.messages)")
    // A trip has a derived attribute, whose place in the history is not known.
    let derived = try folder.run(
      "set", folder.database, "Trip", "--where", "name != nil", "name=Douro", "--write")
    #expect(derived.exitCode == .inputOutput && derived.messages.contains("stopCount"))
    let insert = try folder.run("insert", folder.database, "Trip", "name=Minho", "--write")
    #expect(insert.exitCode == .done, "\(insert.messages)")
    let all = try folder.run("history", folder.database, "--objects")
    #expect(all.exitCode == .done && all.output.contains("by ann"), "\(all.output)\(all.messages)")
    #expect(all.output.contains("~ Stop ") && all.output.contains("  name\n"), "\(all.output)")
    #expect(all.output.hasPrefix("2  ") && all.output.contains("+1 ~0 -0"), "\(all.output)")
    let newest = try folder.run("history", folder.database, "--limit", "1", "--format", "json")
    #expect(newest.output.contains("\"number\": 2") && !newest.output.contains("\"number\": 1"))
    let version = try folder.run("fetch", folder.database, "Trip", "--version", "1")
    #expect(version.exitCode == .wrongUsage && version.messages.contains("no earlier values"))

    // A dry run removes nothing, and a date before all transactions removes none.
    func prune(_ words: String...) throws -> String {
      let run = try folder.run(["history", folder.database, "--prune-before"] + words)
      #expect(run.exitCode == .done, "\(run.messages)")
      return run.messages
    }
    #expect(try prune("2100-01-01", "--dry-run").contains("2 transactions would be removed."))
    #expect(try prune("2001-01-01").contains("0 transactions were removed."))
    #expect(try folder.run("history", folder.database).output.split(separator: "\n").count == 2)
    #expect(try prune("2100-01-01").contains("2 transactions were removed."))
    #expect(try folder.run("history", folder.database).output == "")
    let wrong = try folder.run("history", folder.database, "--prune-before", "soon")
    #expect(wrong.exitCode == .wrongUsage && wrong.messages.contains("'soon' is not a date"))
    let own = try Folder(isOwn: true)
    let refused = try own.run("history", own.database, "--prune-before", "2100-01-01")
    #expect(refused.exitCode == .wrongUsage && refused.messages.contains("quire vacuum --keep"))

    // The history would be lost.
    let model = try newerModel(in: folder)
    for words in [["--write"], ["--write", "--dry-run"]] {
      let migrated = try folder.run(["migrate", folder.database, "--model", model] + words)
      #expect(migrated.exitCode == .inputOutput && migrated.messages.contains("history of changes"))
    }
  }

  @Test("A database with a history of Core Data is migrated only to another path")
  func migratingHistory() throws {
    let folder = try Folder(isOwn: false)
    let model = try newerModel(in: folder)
    try SQLiteConnection(folder.database, for: .writing).execute(
      "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT)"
    )
    let bytes = try Data(contentsOf: URL(filePath: folder.database))

    let refused = try folder.run("migrate", folder.database, "--model", model, "--write")

    #expect(refused.exitCode == .inputOutput && refused.messages.contains("ATRANSACTION"))
    #expect(!refused.messages.contains("--write'") && refused.messages.contains("--output"))
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
    #expect(folder.names == ["App.sqlite", "New.xcdatamodel"])
  }
}
