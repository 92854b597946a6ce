import Foundation
import InstalledPlugins
import JSONText
import SchemaSubset
import Synchronization
import Testing

@testable import ModelNotations
@testable import ObjectModel
@testable import ToolCommands

/// The output of each command with `--format json`, against the schema in `spec/`.
@Suite("The schema of JSON output")
struct OutputSchemaTests {
  private static let schema: JSON = {
    let path = InstalledPlugins.root.appending(path: "spec/tool-output.schema.json")
    return try! JSON.read(Array(Data(contentsOf: path)))
  }()

  /// A command line, and the definition of its output. `DIR` is a folder with the files of the test, and `PLUGIN` the
  /// folder of a plug-in.
  private static let lines: [(definition: String, line: String)] = [
    ("new", "new DIR/d.quire --model DIR/Trips.xcdatamodeld --format json"),
    ("new", "new DIR/csv.quire --from DIR/places.csv --format json"),
    ("import", "import DIR/d.quire DIR/people.jsonl --report json"),
    ("insert", "insert DIR/d.quire Person fullName=Ada --format json"),
    ("set", "set DIR/d.quire Person fullName=Bea --where fullName=='Ada' --format json"),
    ("delete", "delete DIR/d.quire Person --where fullName=='Bea' --format json"),
    ("info-document", "info DIR/d.quire --format json"),
    ("info-store", "info DIR/t.store --format json"),
    ("info-store", "info DIR/x.xml --format json"),
    ("model", "model DIR/Trips.xcdatamodeld --format json"),
    ("model", "model DIR/t.store --format json"),
    ("model", "model DIR/Everything.json --format json"),
    ("model-versions", "model DIR/Trips.xcdatamodeld --versions --format json"),
    (
      "model-diff",
      "model DIR/Trips.xcdatamodeld/Trips.xcdatamodel --diff DIR/t.store --format json"
    ),
    ("hash", "hash DIR/Trips.xcdatamodeld --format json"),
    ("predicate", "predicate a=1&&!(b=2) --format json"),
    ("fetch", "fetch DIR/t.store Trip --format json"),
    ("count", "count DIR/t.store Trip --format json"),
    ("explain", "fetch DIR/t.store Trip --sort -name --explain --format json"),
    ("explain", "count DIR/t.store Trip --explain --format json"),
    ("explain", "set DIR/t.store Trip --where name=='x' name=y --explain --format json"),
    ("explain", "delete DIR/d.quire Person --where fullName=='Bea' --explain --format json"),
    ("tree", "tree DIR/t.store Trip --along stops,travellers --format json"),
    ("tree", "tree DIR/t.store Trip --depth 0 --limit 3 --format json"),
    ("tree", "tree DIR/t.store Person --along trips,travellers --format json"),
    ("convert", "convert DIR/t.store DIR/c.store --format json"),
    ("save-as", "save-as DIR/d.quire DIR/s.quire --format json"),
    ("migrate", "migrate DIR/t.store --model DIR/Trips.xcdatamodeld --dry-run --format json"),
    ("history", "history DIR/d.quire --changes --format json"),
    ("history", "history DIR/t.store --format json"),
    ("diff", "diff DIR/d.quire@2 DIR/d.quire@4 --format json"),
    ("diff", "diff DIR/t.store DIR/d.quire --match unique --format json"),
    ("undo", "undo DIR/d.quire --dry-run --format json"),
    ("undo", "undo DIR/d.quire --steps 2 --format json"),
    ("undo", "redo DIR/d.quire --dry-run --format json"),
    ("history", "history DIR/d.quire --objects --format json"),
    ("revert", "revert DIR/d.quire --to 2 --format json"),
    ("branch", "branch DIR/d.quire draft --format json"),
    ("switch", "switch DIR/d.quire draft --format json"),
    ("insert", "insert DIR/d.quire Person fullName=Ida --format json"),
    ("switch", "switch DIR/d.quire main --format json"),
    ("merge", "merge DIR/d.quire draft --format json"),
    ("branch-list", "branch DIR/d.quire --format json"),
    ("history", "history DIR/d.quire --graph --format json"),
    ("history", "history DIR/t.store --object 1/p1 --format json"),
    ("history", "history DIR/t.store --object 1/p1 --values --format json"),
    ("info-document", "info DIR/d.quire --format json"),
    ("branch", "branch DIR/d.quire draft --delete --format json"),
    ("remote", "remote add DIR/d.quire origin DIR/share --format json"),
    ("sync", "push DIR/d.quire --format json"),
    ("sync", "clone DIR/share DIR/clone.quire --format json"),
    ("insert", "insert DIR/clone.quire Person fullName=Uma --format json"),
    ("sync", "sync DIR/clone.quire --format json"),
    ("status", "status DIR/d.quire --format json"),
    ("sync", "pull DIR/d.quire --no-merge --format json"),
    ("sync", "pull DIR/d.quire --format json"),
    ("remote", "remote list DIR/d.quire --format json"),
    ("remote", "remote remove DIR/d.quire origin --format json"),
    ("attach-add", "attach add DIR/d.quire DIR/places.csv --format json"),
    ("attach-list", "attach list DIR/d.quire --format json"),
    ("save-as", "save-as DIR/d.quire DIR/base.quire --format json"),
    ("save-as", "save-as DIR/d.quire DIR/theirs.quire --format json"),
    ("insert", "insert DIR/d.quire Trip name=Ours budget=1 --format json"),
    ("insert", "insert DIR/theirs.quire Person fullName=Mia --format json"),
    ("set", "set DIR/d.quire Person fullName=Eva --where fullName=='Eve' --format json"),
    ("set", "set DIR/theirs.quire Person fullName=Evi --where fullName=='Eve' --format json"),
    ("attach-add", "attach add DIR/theirs.quire DIR/new/places.csv --force --format json"),
    ("attach-add", "attach add DIR/d.quire DIR/places.csv --force --format json"),
    ("merge", "merge DIR/base.quire DIR/d.quire DIR/theirs.quire --dry-run --format json"),
    (
      "merge",
      "merge DIR/base.quire DIR/d.quire DIR/theirs.quire --ours --output DIR/m.quire --format json"
    ),
    ("undo", "undo DIR/theirs.quire --steps 3 --format json"),
    ("attach-remove", "attach remove DIR/d.quire places.csv --format json"),
    ("backup", "backup DIR/d.quire DIR/backup.quire --format json"),
    ("backup", "backup DIR/d.quire DIR/backup.quire --format json"),
    ("backup-check", "backup --check DIR/backup.quire --format json"),
    ("backup", "backup DIR/t.store DIR/backup.store --format json"),
    ("pack", "pack DIR/d.quire DIR/p.zip --format json"),
    ("pack", "unpack DIR/p.zip DIR/u.quire --format json"),
    ("report", "report DIR/d.quire --output DIR/d.html --format json"),
    ("report", "report DIR/t.store --output DIR/t.html --unchecked --format json"),
    ("validate", "validate DIR/t.store --format json"),
    ("validate", "validate DIR/damaged.store --format json"),
    ("recover", "recover DIR/damaged.store --output DIR/r.store --format json"),
    ("vacuum", "vacuum DIR/c.store --format json"),
    ("version", "version --format json"),
    ("plugin-list", "plugin list --format json"),
    (
      "plugin-new",
      "plugin new Fresh --language c --output DIR/Fresh --format json"
    ),
    ("plugin-info", "plugin info PLUGIN --format json"),
    ("plugin-bench", "plugin bench PLUGIN --count 40 --rounds 1 --format json"),
    ("plugin-pack", "plugin pack PLUGIN --output DIR/plugin.zip --format json"),
    ("plugin-install", "plugin install DIR/plugin.zip --yes --format json"),
    ("plugin-test", "plugin test PLUGIN --case new-store-is-empty --format json"),
    ("git", "git install DIR/repository --format json"),
    ("git", "git uninstall DIR/repository --format json"),
    ("error", "info DIR/none.store --format json"),
    ("error", "model DIR/wrong.model --format json"),
    ("error", "fetch DIR/t.store Tripp --format jsonl"),
    ("error", "import DIR/d.quire DIR/wrong.jsonl --report json"),
  ]

  private static let watchLine = "watch DIR/d.quire --once --timeout 60 --format jsonl"

  /// A folder with the files of the command lines. The folder is removed when the test ends.
  private final class Files: Sendable {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "schema-\(UUID().uuidString)")
      try FileManager.default.createDirectory(
        at: folder.appending(path: "new"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "share"), withIntermediateDirectories: true)
      let examples = InstalledPlugins.root.appending(path: "Examples")
      try FileManager.default.copyItem(
        at: examples.appending(path: "Trips.xcdatamodeld"),
        to: folder.appending(path: "Trips.xcdatamodeld"))
      let store = [UInt8](try Data(contentsOf: examples.appending(path: "Trips.store")))
      try write(store, to: "t.store")
      try write(Array("name,area\nLisbon,100\n".utf8), to: "places.csv")
      try write(Array("name,area\nPorto,41\n".utf8), to: "new/places.csv")
      try write(Array("{\"@entity\":\"Person\",\"fullName\":\"Eve\"}\n".utf8), to: "people.jsonl")
      try write(Array("{\"@entity\":\"Person\",\n".utf8), to: "wrong.jsonl")
      try write(Array("entity Trip\n  name: Sting\n".utf8), to: "wrong.model")
      try write(Array(OutputSchemaTests.everyKey.utf8), to: "Everything.json")
      let git = Process()
      git.executableURL = URL(filePath: "/usr/bin/env")
      git.arguments = ["git", "init", "-q", folder.path + "/repository"]
      try git.run()
      git.waitUntilExit()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
      try Data(bytes).write(to: folder.appending(path: name))
    }

    func run(_ line: String) throws -> RecordedRun {
      let plugin = try InstalledPlugins.folder.appending(path: "SQLiteStore")
      return RecordedRun(
        line.split(separator: " ").map {
          String($0).replacing("DIR", with: folder.path)
            .replacing("PLUGIN", with: plugin.path(percentEncoded: false))
        },
        tool: .quire(environment: ["XDG_DATA_HOME": folder.path + "/data"], executable: nil))
    }
  }

  @Test("Each command prints what the schema describes")
  func outputs() throws {
    let files = try Files()
    #expect(try files.run("convert DIR/t.store DIR/x.xml").exitCode == .done)
    #expect(try files.run("convert DIR/t.store DIR/k.store").exitCode == .done)
    let copy = try Data(contentsOf: files.folder.appending(path: "k.store"))
    try files.write(copy.dropLast(200), to: "damaged.store")

    for (definition, line) in Self.lines {
      let run = try files.run(line)
      let text = definition == "error" ? run.messages : run.output
      guard let json = try? JSON.read(Array(text.utf8)) else {
        Issue.record("\(line) prints no JSON: \(text)\(run.messages)")
        continue
      }
      try Self.check(json, definition, line)
    }
  }

  /// Expects that an output is as a definition describes it, and has no other keys.
  private static func check(_ json: JSON, _ definition: String, _ line: String) throws {
    let schema = try #require(SmallSchema(schema, definition: definition), "\(definition)")
    #expect(schema.faults(of: json) == [], "\(line)\n\(json.text)")
    let unknown = undefinedKeys(json, Self.schema["$defs"]?[definition], definition)
    #expect(unknown == [], "\(line)\n\(json.text)")
  }

  @Test(
    "quire watch prints lines that the schema describes",
    arguments: [
      ("inserted", "insert DIR/d.quire Trip name=TURN -m hello"),
      ("none", "attach add DIR/d.quire DIR/places.csv --name TURN"),
      ("model", "migrate DIR/d.quire --model DIR/TURN.json --allow-loss"),
    ])
  func watching(_ change: String, _ line: String) throws {
    let files = try Files()
    #expect(
      try files.run("new DIR/d.quire --model DIR/Trips.xcdatamodeld").exitCode == .done)
    for turn in 0...1 {
      let model =
        #"{"entities":[{"name":"Trip","attributes":[{"name":"a\#(turn)","type":"UUID","isOptional":true}]}]}"#
      try files.write(Array(model.utf8), to: "\(turn).json")
    }
    let isOver = Mutex(false)
    let writing = Thread {
      // The watch may begin after any of these saves, so they are repeated until it has seen one.
      for turn in 0..<600 where !isOver.withLock({ $0 }) {
        _ = try? files.run(line.replacing("TURN", with: "\(turn % 2)"))
        if change == "none" {
          _ = try? files.run("attach remove DIR/d.quire \(turn % 2)")
        }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
    writing.start()
    let run = try files.run(Self.watchLine)
    isOver.withLock { $0 = true }
    while !writing.isFinished { Thread.sleep(forTimeInterval: 0.01) }

    #expect(run.exitCode == .done, "\(run.messages)")
    let lines = try run.output.split(separator: "\n").map { try JSON.read(Array($0.utf8)) }
    #expect(lines.contains { $0["change"] == .string(change) }, "\(run.output)")
    for json in lines { try Self.check(json, "watch", Self.watchLine) }
  }

  @Test("The output of every command with JSON is described, and an example of it is checked")
  func everyCommand() throws {
    // The text of 'export' is input for 'import', and an attachment is a file.
    let others = ["export", "attach get"]
    let examples = Self.lines.filter { $0.definition != "error" }.map(\.line) + [Self.watchLine]
    var commands: [String] = []
    for command in Tool.quire.commands {
      let formats = command.options.filter { ["format", "report"].contains($0.name) }
        .flatMap(\.choices)
      guard formats.contains(where: { ["json", "jsonl"].contains($0) }) else { continue }
      let words = command.arguments.flatMap(\.choices).map(\.word)
      commands += words.isEmpty ? [command.name] : words.map { "\(command.name) \($0)" }
    }
    #expect(commands.count > 30)
    for command in commands where !others.contains(command) {
      #expect(examples.contains { $0.hasPrefix(command + " ") }, "\(command) has no example")
    }
    guard case .members(let definitions)? = Self.schema["$defs"] else { return }
    let used = Set(Self.lines.map(\.definition) + ["watch"])
    let text = Self.schema.line
    for name in definitions.map(\.name) where !used.contains(name) {
      #expect(text.contains("\"#/$defs/\(name)\""), "\(name) describes no output")
    }
  }

  /// A model in which each part has each key.
  private static let everyKey = """
    {"version": "1", "model": {"versionIdentifiers": ["a"], "editorData": {"a": "b"},
      "editorDiagram": [{"name": "A"}], "entities": [
      {"name": "A", "isAbstract": true}, {"name": "B", "className": "B", "isAbstract": false,
      "superentity": "A", "renamingIdentifier": "Old", "versionHashModifier": "m",
      "userInfo": {"a": "b"}, "attributes": [
        {"name": "n", "type": "String", "isOptional": true, "isTransient": false, "default": "abc",
        "minimum": 1, "maximum": 9, "pattern": "a.*",
        "validationPredicates": [{"predicate": "SELF != 'x'", "message": "No x", "code": 7}],
        "options": ["isIndexed"], "renamingIdentifier": "m", "versionHashModifier": "1",
        "userInfo": {"a": "b"}, "editorData": {"a": "b"}},
        {"name": "u", "type": "Undefined", "isTransient": true, "default": "1",
        "defaultType": "Decimal"},
        {"name": "t", "type": "Transformable", "valueTransformer": "T", "valueClass": "C"},
        {"name": "c", "type": "Composite", "composite": "P"},
        {"name": "d", "type": "Integer 64", "derivation": "count:(r)",
        "derivationFilter": "n != nil"},
        {"name": "f", "type": "Float", "default": 0.5, "minimum": "-inf", "maximum": 1e3},
        {"name": "b", "type": "Boolean", "default": true}
      ], "relationships": [{"name": "r", "destination": "B", "inverse": "r", "inverseEntity": "B",
        "isToMany": true, "minimumCount": 1, "maximumCount": 5, "isOrdered": true,
        "deleteRule": "no action", "isOptional": true, "isTransient": false,
        "validationPredicates": [{"predicate": "SELF != nil"}], "renamingIdentifier": "q",
        "versionHashModifier": "1", "userInfo": {"a": "b"}, "editorData": {"a": "b"}}],
      "fetchedProperties": [{"name": "p", "isOptional": true, "request": {"name": "q",
        "entity": "B"}, "renamingIdentifier": "o", "versionHashModifier": "1",
        "userInfo": {"a": "b"}, "editorData": {"a": "b"}}],
      "propertyOrder": ["r", "p", "n", "u", "t", "c", "d", "f", "b"],
      "uniquenessConstraints": [["n"]], "fetchIndexes": [{"name": "i", "elements": [
        {"property": "n", "kind": "fullText", "isAscending": false, "editorData": {"a": "b"}},
        {"property": "expression0", "expression": "length + 1"}], "partialPredicate": "n != nil"}],
      "compoundIndexes": [["n", "f"]], "editorData": {"a": "b"}}
    ], "composites": [{"name": "P", "attributes": [{"name": "x", "type": "Double"}],
      "editorData": {"a": "b"}}],
    "configurations": [{"name": "K", "entities": ["A", "B"]}],
    "fetchRequestTemplates": [{"name": "F", "entity": "B", "predicate": "n != nil",
      "sortKeys": [{"keyPath": "n", "isAscending": false, "selector": "compare:"}],
      "resultType": "count", "fetchLimit": 1, "fetchOffset": 2, "fetchBatchSize": 3,
      "flags": ["includesSubentities"], "editorData": {"a": "b"}}]}}
    """

  @Test("The schema of a model has the keys that models in JSON have")
  func modelKeys() throws {
    func expectKeys<Part>(
      _ fields: [ModelJSONField<Part>], _ definition: String, _ path: [String] = []
    ) throws {
      var schema = try #require(Self.schema["$defs"]?[definition])
      for name in path { schema = try #require(schema["properties"]?[name]?["items"]) }
      guard case .members(let properties)? = schema["properties"],
        case .array(let required)? = schema["required"]
      else { return try #require(Bool(false), "\(definition)") }
      let place = "\(definition) \(path)"
      #expect(properties.map(\.name).sorted() == fields.map(\.key).sorted(), "\(place)")
      for field in fields where field.isRequired {
        #expect(required.contains(.string(field.key)), "\(place)")
      }
    }
    try expectKeys(ModelJSON.fields, "model-content")
    try expectKeys(ModelJSON.configurationFields, "model-content", ["configurations"])
    try expectKeys(ModelJSON.entityFields, "model-entity")
    try expectKeys(ModelJSON.fetchedPropertyFields, "model-entity", ["fetchedProperties"])
    try expectKeys(ModelJSON.indexFields, "model-entity", ["fetchIndexes"])
    try expectKeys(ModelJSON.indexElementFields, "model-entity", ["fetchIndexes", "elements"])
    try expectKeys(ModelJSON.attributeFields, "model-attribute")
    try expectKeys(ModelJSON.relationshipFields, "model-relationship")
    try expectKeys(ModelJSON.predicateFields, "model-predicate")
    try expectKeys(ModelJSON.compositeFields, "model-composite")
    try expectKeys(ModelJSON.requestFields, "model-request")
    try expectKeys(ModelJSON.sortKeyFields, "model-request", ["sortKeys"])
    try expectKeys(ModelJSONFile.fields, "model")
  }

  /// Returns the paths of keys that the schema does not define.
  private static func undefinedKeys(_ json: JSON, _ schema: JSON?, _ place: String) -> [String] {
    guard let schema else { return ["\(place): no schema"] }
    if case .string(let reference)? = schema["$ref"] {
      let name = String(reference.split(separator: "/").last ?? "")
      return undefinedKeys(json, Self.schema["$defs"]?[name], place)
    }
    switch json {
    case .members(let members):
      guard let properties = schema["properties"] else { return [] }
      return members.flatMap { member in
        properties[member.name].map { undefinedKeys(member.value, $0, "\(place).\(member.name)") }
          ?? ["\(place).\(member.name)"]
      }
    case .array(let values):
      guard let items = schema["items"] else { return [] }
      return values.flatMap { undefinedKeys($0, items, place + "[]") }
    default: return []
    }
  }
}
