import DiskSimulation
import Foundation
import JSONStore
import PluginSupport
import StoreConformance
import Testing

@Suite("The JSON store")
struct JSONStoreTests {
  private let backend = JSONStoreBackend()
  private let disk = SimulatedDisk()

  @Test("The store follows every rule for stores")
  func conformance() {
    let report = StoreConformance(backend, on: disk, in: "/", ending: ".json", keepsRows: false)
      .run()

    #expect(report.passed)
    #expect(report.failures == [])
  }

  /// Returns a store with one trip of the given values, and the trip's key.
  private func trip(_ values: [String: Value]) throws -> (store: any Store, key: ObjectKey) {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int64)),
          .attribute(Attribute("cost", .double)), .attribute(Attribute("weight", .float)),
          .attribute(Attribute("budget", .decimal)),
        ])
    ])
    let store = try backend.create(at: "/trips.json", model: model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let layout = base.schema["Trip"]!
    let key = ObjectKey(
      entity: layout.entityNumber,
      number: try store.leaseKeys(ofEntity: layout.entityNumber, count: 1).lowerBound)
    let builder = LayerBuilder(base.schema)
    builder.insert(key)
    for (name, value) in values { builder.set(value, column: layout.index(of: name)!, of: key) }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    return (store, key)
  }

  private func text() throws -> String {
    let file = try disk.open("/trips.json", for: .read)
    return String(decoding: try file.read(byteCount: file.byteCount(), at: 0), as: UTF8.self)
  }

  @Test("A file can be read by people, an object a line")
  func readable() throws {
    _ = try trip([
      "name": .string("Along the \"Douro\"\n"), "days": .integer(4), "cost": .double(0.1),
    ])

    let text = try text()

    #expect(backend.recognizes(Array(text.utf8.prefix(20))))
    #expect(
      text.contains(
        """
        "objects": {
        "Trip": [
        {"#": 102, "cost": 0.1, "days": 4, "name": "Along the \\"Douro\\"\\u000a"}
        ]},
        "links": {},
        "metadata": [

        """))
  }

  @Test(
    "Numbers are read to the last bit",
    arguments: [
      0.0, -0.0, 0.1 + 0.2, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
      -.infinity, .nan, Double(bitPattern: 0xFFF8_0000_0000_1234), 9_007_199_254_740_994, -1e17,
    ])
  func numbers(_ number: Double) throws {
    let (store, key) = try trip(["cost": .double(number), "days": .integer(.max - 1)])
    try store.close()

    let snapshot = try backend.open("/trips.json", on: disk, StoreOpening()).snapshot()

    let layout = snapshot.schema["Trip"]!
    let row = try #require(try snapshot.view.row(of: key))
    guard case .double(let found) = try row.value(layout.columns[layout.index(of: "cost")!]) else {
      Issue.record("There is no number.")
      return
    }
    #expect(found.bitPattern == number.bitPattern)
    #expect(
      try row.value(layout.columns[layout.index(of: "days")!]) == .integer(.max - 1))
  }

  @Test(
    "A damaged file is refused, with the place",
    arguments: [
      ("\"days\": 4", "\"days\": true", StoreError.Code.damaged, "objects.Trip[0].days"),
      ("\"days\": 4", "\"days\": [4]", .damaged, "objects.Trip[0].days"),
      ("\"days\": 4", "\"dayz\": 4", .damaged, "objects.Trip[0].dayz"),
      (
        "\"days\": 4", "\"days\" 4", .damaged,
        "The file is no JSON. Invalid value around character "
      ),
      ("\"#\": 102", "\"#\": 0", .damaged, "objects.Trip[0]: 0 is not a valid number"),
      ("\"Trip\": [\n", "\"Trip\": [{\"#\": 102},\n", .damaged, "Two objects have the number 102"),
      ("\"Trip\": [\n", "\"Tripp\": [\n", .damaged, "no entity 'Tripp'"),
      ("\"links\": {}", "\"links\": {\"Trip.days\": [[]]}", .damaged, "links.Trip.days[0]"),
      ("\"links\": {}", "\"lnks\": {}", .damaged, "links"),
      ("NSStoreUUID", "NSStoreUUIE", .damaged, "UUID"),
      ("<model ", "<modal ", .damaged, "model"),
      ("\"quire-json\": 1", "\"quire-json\": 2", .newerFormat, "version 2"),
      ("{\"quire-json\"", "{\"qire-json\"", .notAStore, "does not begin"),
    ])
  func damaged(_ old: String, _ new: String, _ code: StoreError.Code, _ words: String) throws {
    let (store, _) = try trip(["days": .integer(4)])
    try store.close()
    let changed = try text().replacing(old, with: new)
    #expect(try changed != text())
    try disk.replace("/trips.json") { try $0.write(changed) }

    let error = #expect(throws: StoreError.self) {
      try backend.open("/trips.json", on: disk, StoreOpening())
    }

    #expect(error?.code == code)
    #expect(error?.path == "/trips.json")
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test("The manifest says what the library says")
  func manifest() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "plugin.json")
    let manifest =
      try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as! [String: Any]
    let type = (manifest["types"] as! [[String: Any]])[0]
    let names: [(String, StoreCapabilities)] = [
      ("durable", .durable), ("shared", .shared), ("confirmation", .confirmation),
      ("incremental", .incremental), ("history", .history), ("querying", .querying),
    ]

    #expect(type["name"] as? String == backend.type.rawValue)
    #expect(
      Set(type["capabilities"] as! [String])
        == Set(names.filter { backend.capabilities.contains($0.1) }.map(\.0)))
  }
}
