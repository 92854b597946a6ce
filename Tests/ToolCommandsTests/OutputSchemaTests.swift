import Foundation
import InstalledPlugins
import JSONText
import SchemaSubset
import Testing

@testable import ToolCommands

/// The output of each command with `--format json`, against the schema in `spec/`.
@Suite("The schema of JSON output")
struct OutputSchemaTests {
  private static let schema: JSON = {
    let path = InstalledPlugins.root.appending(path: "spec/tool-output.schema.json")
    return try! JSON.read(Array(Data(contentsOf: path)))
  }()

  /// A command line, and the definition of its output. `DIR` is a folder with the files of the test.
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
    ("model-versions", "model DIR/Trips.xcdatamodeld --versions --format json"),
    (
      "model-diff",
      "model DIR/Trips.xcdatamodeld/Trips.xcdatamodel --diff DIR/t.store --format json"
    ),
    ("hash", "hash DIR/Trips.xcdatamodeld --format json"),
    ("predicate", "predicate a=1&&!(b=2) --format json"),
    ("fetch", "fetch DIR/t.store Trip --format json"),
    ("count", "count DIR/t.store Trip --format json"),
    ("convert", "convert DIR/t.store DIR/c.store --format json"),
    ("save-as", "save-as DIR/d.quire DIR/s.quire --format json"),
    ("migrate", "migrate DIR/t.store --model DIR/Trips.xcdatamodeld --dry-run --format json"),
    ("history", "history DIR/d.quire --changes --format json"),
    ("history", "history DIR/t.store --format json"),
    ("diff", "diff DIR/d.quire@2 DIR/d.quire@4 --format json"),
    ("diff", "diff DIR/t.store DIR/d.quire --match unique --format json"),
    ("revert", "revert DIR/d.quire --to 2 --format json"),
    ("attach-add", "attach add DIR/d.quire DIR/places.csv --format json"),
    ("attach-list", "attach list DIR/d.quire --format json"),
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
    ("error", "info DIR/none.store --format json"),
    ("error", "model DIR/wrong.model --format json"),
    ("error", "fetch DIR/t.store Tripp --format jsonl"),
    ("error", "import DIR/d.quire DIR/wrong.jsonl --report json"),
  ]

  @Test("Each command prints what the schema describes")
  func outputs() throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "schema-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
      try Data(bytes).write(to: folder.appending(path: name))
    }
    let examples = InstalledPlugins.root.appending(path: "Examples")
    try FileManager.default.copyItem(
      at: examples.appending(path: "Trips.xcdatamodeld"),
      to: folder.appending(path: "Trips.xcdatamodeld"))
    let store = [UInt8](try Data(contentsOf: examples.appending(path: "Trips.store")))
    try write(store, to: "t.store")
    try write(Array("name,area\nLisbon,100\n".utf8), to: "places.csv")
    try write(Array("{\"@entity\":\"Person\",\"fullName\":\"Eve\"}\n".utf8), to: "people.jsonl")
    try write(Array("{\"@entity\":\"Person\",\n".utf8), to: "wrong.jsonl")
    try write(Array("entity Trip\n  name: Sting\n".utf8), to: "wrong.model")
    let xml = quire(["convert", folder.path + "/t.store", folder.path + "/x.xml"])
    #expect(xml.exitCode == .done)
    let copied = quire(["convert", folder.path + "/t.store", folder.path + "/k.store"])
    #expect(copied.exitCode == .done)
    let copy = try Data(contentsOf: folder.appending(path: "k.store"))
    try write(copy.dropLast(200), to: "damaged.store")

    for (definition, line) in Self.lines {
      let words = line.replacing("DIR", with: folder.path).split(separator: " ").map(String.init)
      let run = quire(words)
      let text = definition == "error" ? run.messages : run.output
      guard let json = try? JSON.read(Array(text.utf8)) else {
        Issue.record("\(line) prints no JSON: \(text)\(run.messages)")
        continue
      }
      let schema = try #require(SmallSchema(Self.schema, definition: definition), "\(definition)")
      #expect(schema.faults(of: json) == [], "\(line)\n\(text)")
      let known = Self.undefinedKeys(json, Self.schema["$defs"]?[definition], definition)
      #expect(known == [], "\(line)\n\(text)")
    }
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
