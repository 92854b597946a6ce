import BinaryStore
import CommandInterface
import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import StoreInterface
import Testing

@testable import ToolCommands

/// The commands that edit, on every kind of store's file.
@Suite("Edits of stores of every kind")
struct EditStoreTests {
  /// A folder with an empty store of one kind.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "edits-\(UUID().uuidString)")
    var store: String { url.appending(path: "App.store").path }

    init(_ type: String) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let first = url.appending(path: "first").path
      try BinaryStoreBackend().create(
        at: first, model: EditStoreTests.model(), on: RealDisk(), StoreCreation()
      ).close()
      let made = try run("convert", first, store, "--store", type)
      #expect(made.exitCode == .done, "\(made.messages)")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func run(_ words: String...) throws -> RecordedRun { try run(words) }

    func run(_ words: [String]) throws -> RecordedRun {
      let tool = Tool.quire(
        environment: ["QUIRE_PLUGIN_PATH": try InstalledPlugins.folder.path(percentEncoded: false)],
        executable: nil)
      return RecordedRun(words, tool: tool)
    }

    /// The bytes of every file of the folder, by name.
    var files: [String: Data] {
      get throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        return try Dictionary(
          uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url.appending(path: $0))) })
      }
    }

    /// Runs a command, expects success, and returns its output.
    func done(
      _ name: String, _ words: String..., at: SourceLocation = #_sourceLocation
    ) throws -> String {
      let run = try run([name, store] + words)
      #expect(run.exitCode == .done, "\(run.messages)", sourceLocation: at)
      return run.output.trimmingCharacters(in: .newlines)
    }

    func count(_ entity: String, _ condition: String) throws -> String {
      try done("count", entity, "--where", condition)
    }
  }

  private static func model() throws -> Model {
    try Model(
      Model.Description(
        entities: [
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("name", .string)), .attribute(Attribute("start", .date)),
              .attribute(Attribute("ratio", .float)), .attribute(Attribute("length", .double)),
              .attribute(Attribute("cost", .decimal)), .attribute(Attribute("page", .uri)),
              .attribute(Attribute("token", .uuid)), .attribute(Attribute("photo", .binary)),
              .attribute(Attribute("address", .composite, compositeName: "Address")),
              .relationship(Relationship("owner", to: "Person", inverse: "trips")),
            ]),
          Entity(
            "Tag",
            properties: [
              .attribute(Attribute("name", .string)),
              .attribute(
                Attribute(
                  "page", .string,
                  validation: .init(
                    predicates: [
                      ValidationPredicate("SELF BEGINSWITH 'https:'", message: "Only secure pages.")
                    ]))),
            ], uniquenessConstraints: [["name"]]),
          Entity(
            "Person",
            properties: [
              .attribute(Attribute("name", .string, isOptional: false)),
              .relationship(
                Relationship(
                  "trips", to: "Trip", inverse: "owner", count: .toMany, deleteRule: .cascade)),
              .relationship(
                Relationship("friends", to: "Person", inverse: "friends", count: .toMany)),
            ]),
        ],
        composites: [
          CompositeType(
            "Address",
            attributes: [
              Attribute("city", .string), Attribute("place", .composite, compositeName: "Place"),
            ]),
          CompositeType("Place", attributes: [Attribute("height", .int32)]),
        ]))
  }

  private static let types = ["binary", "compressed", "xml", "SQLite"]

  @Test("Values of every type are inserted, set and removed", arguments: types)
  func values(_ type: String) throws {
    let folder = try Folder(type)
    let columns =
      "name,start,ratio,length,cost,page,token,photo,address.city,address.place.height,owner"
    func shown() throws -> String {
      try folder.done("fetch", "Trip", "--columns", columns, "--ids", "--format", "csv")
        .components(separatedBy: "\n").dropFirst().joined(separator: "\n")
    }
    let ada = try folder.done("insert", "Person", "name=Ada")

    let trip = try folder.done(
      "insert", "Trip", "name=\\null", "start=2026-05-01T12:00:00.25+02:00", "ratio=1.5",
      "length=-2e-3", "cost=12345678901234567890.5", "page=https://example.org/a?b#c",
      "token=6FB9DF54-A60E-4A15-8D4B-111111111111", "photo=AQL/", "address.city=Faro",
      "address.place.height=-7", "owner={name == 'Ada'}")
    #expect(
      try shown() == "\(trip),null,2026-05-01T10:00:00.25Z,1.5,-0.002,12345678901234567890.5,"
        + "https://example.org/a?b#c,6FB9DF54-A60E-4A15-8D4B-111111111111,AQL/,Faro,-7,\(ada)")

    _ = try folder.done(
      "set", "Trip", "--id", trip, "address.city=", "page=", "name=a,b", "cost=.5")
    #expect(
      try shown() == "\(trip),\"a,b\",2026-05-01T10:00:00.25Z,1.5,-0.002,0.5,\"\","
        + "6FB9DF54-A60E-4A15-8D4B-111111111111,AQL/,\"\",-7,\(ada)")
    #expect(try folder.count("Trip", "page != nil AND address.city == ''") == "1")

    _ = try folder.done(
      "set", "Trip", "--where", "owner.name == 'Ada'", "name=null", "start=null", "ratio=null",
      "length=null", "cost=null", "page=null", "token=null", "photo=null", "address.city=null",
      "address.place.height=null", "owner=null")
    #expect(try shown() == trip + ",,,,,,,,,,,")
    #expect(try folder.count("Person", "trips.@count == 0") == "1")

    for (text, condition) in [
      ("-3d", "start < now()"), ("+2h", "start > now()"), ("now", "start != nil"),
      ("@-0.5", "start == CAST(-0.5, 'NSDate')"), ("2001-01-02", "start == '2001-01-02T00:00:00Z'"),
    ] {
      _ = try folder.done("set", "Trip", "--id", trip, "start=\(text)")
      #expect(try folder.count("Trip", condition) == "1", "\(text)")
    }
    let report = try folder.run("validate", folder.store)
    #expect(report.exitCode == .done, "\(report.output)")
  }

  @Test("A dry run of each command prints the changes and makes none", arguments: types)
  func trials(_ type: String) throws {
    let folder = try Folder(type)
    let ada = try folder.done("insert", "Person", "name=Ada")
    for name in ["Lisbon", "Porto"] {
      _ = try folder.done("insert", "Trip", "name=\(name)", "owner=\(ada)")
    }
    let before = try folder.done("export")
    func trial(_ words: String..., said: String, at: SourceLocation = #_sourceLocation) throws {
      let run = try folder.run([words[0], folder.store] + words.dropFirst() + ["--dry-run"])
      #expect(
        run.exitCode == .done && (run.output + run.messages).contains(said), sourceLocation: at)
      #expect(try folder.done("export") == before, sourceLocation: at)
    }

    try trial("insert", "Person", "name=Grace", said: "1 object would be inserted.")
    try trial(
      "set", "Trip", "--where", "TRUEPREDICATE", "name=Faro", "owner=null",
      said: "2 objects would be changed.")
    try trial("delete", "Person", "--id", ada, said: "1 object would be deleted.")
    let wrong = try folder.run(
      "set", folder.store, "Person", "--id", ada, "name=null", "--dry-run")
    #expect(wrong.exitCode == .no && wrong.messages.contains("name"), "\(wrong.messages)")
    #expect(try folder.done("export") == before)
  }

  @Test("A dry run and a refused edit change no byte", arguments: types)
  func unchangedBytes(_ type: String) throws {
    let folder = try Folder(type)
    let ada = try folder.done("insert", "Person", "name=Ada")
    _ = try folder.done("insert", "Trip", "name=Faro", "owner=\(ada)")
    let (good, bad) = (
      folder.url.appending(path: "good.jsonl"), folder.url.appending(path: "bad.jsonl")
    )
    try Data(#"{"@entity":"Person","name":"Grace"}"#.utf8).write(to: good)
    try Data(#"{"@entity":"Person","name":"Grace"}\n{"@entity":"Person"}"#.utf8).write(to: bad)
    let before = try folder.files
    func check(_ code: ExitCode, _ words: String..., at: SourceLocation = #_sourceLocation) throws {
      let run = try folder.run([words[0], folder.store] + words.dropFirst())
      #expect(run.exitCode == code, "\(words): \(run.messages)", sourceLocation: at)
      let after = try folder.files
      #expect(
        after == before, "\(words): \(after.mapValues(\.count)), \(before.mapValues(\.count))",
        sourceLocation: at)
    }

    try check(.done, "insert", "Person", "name=Grace", "--dry-run")
    try check(.done, "insert", "Person", "name=Grace", "friends=\(ada)", "--dry-run")
    try check(.done, "set", "Person", "--id", ada, "friends=\(ada)", "--dry-run")
    try check(.done, "delete", "Person", "--id", ada, "--dry-run")
    try check(.done, "import", good.path, "--dry-run")
    try check(.done, "import", good.path, "--update", "--dry-run")
    try check(.done, "import", good.path, "--same-store", "--dry-run")
    try check(.no, "insert", "Person", "name=null", "--dry-run")
    try check(.no, "insert", "Person", "name=null")
    try check(.no, "insert", "Person", "name=null", "friends=\(ada)")
    try check(.no, "set", "Person", "--id", ada, "friends=\(ada)", "name=null")
    try check(.unreadable, "import", bad.path)
    try check(.unreadable, "import", bad.path, "--update")
    try check(.unreadable, "import", bad.path, "--update", "--dry-run")
  }

  @Test("A deletion follows the delete rules", arguments: types)
  func deletion(_ type: String) throws {
    let folder = try Folder(type)
    let people = try ["Ada", "Grace"].map { name in
      let person = try folder.done("insert", "Person", "name=\(name)")
      _ = try folder.done("insert", "Trip", "name=\(name)'s", "owner=\(person)")
      return person
    }

    #expect(
      try folder.done("delete", "Person", "--where", "name == 'Ada'", "--ids") == people[0])
    #expect(try folder.count("Trip", "TRUEPREDICATE") == "1")
    #expect(try folder.count("Trip", "owner.name == 'Grace'") == "1")
    let none = try folder.run("delete", folder.store, "Person", "--where", "name == 'Ada'")
    #expect(none.exitCode == .no)
    _ = try folder.done("delete", "Trip", "--where", "TRUEPREDICATE")
    #expect(try folder.count("Trip", "TRUEPREDICATE") == "0")
    #expect(try folder.count("Person", "trips.@count == 0") == "1")
    let report = try folder.run("validate", folder.store)
    #expect(report.exitCode == .done, "\(report.output)")
  }

  @Test(
    "Uniqueness conflicts and broken predicates end with 1, and name the objects",
    arguments: types)
  func refusals(_ type: String) throws {
    let folder = try Folder(type)
    let first = try folder.done("insert", "Tag", "name=new", "page=https://example.org")
    let second = try folder.done("insert", "Tag", "name=old")
    for words in [
      ["insert", folder.store, "Tag", "name=new"],
      ["insert", folder.store, "Tag", "name=new", "--dry-run"],
      ["set", folder.store, "Tag", "--id", second, "name=new"],
    ] {
      let run = try folder.run(words)
      #expect(run.exitCode == .no, "\(words) \(run.messages)")
      #expect(run.messages.contains("\"name\" must be unique"), "\(run.messages)")
      #expect(run.messages.contains(" \(first) has the same \"new\""), "\(run.messages)")
    }
    let broken = try folder.run(
      "set", folder.store, "Tag", "--id", first, "page=http://example.org")
    #expect(broken.exitCode == .no && broken.messages.contains("Only secure pages."))
    let file = folder.url.appending(path: "tags.csv")
    try Data("name,page\nx,http://example.org\n".utf8).write(to: file)
    let imported = try folder.run("import", folder.store, file.path, "--entity", "Tag")
    #expect(imported.exitCode == .no && imported.messages.contains("Only secure pages."))
    #expect(try folder.done("count", "Tag") == "2")
  }
}
