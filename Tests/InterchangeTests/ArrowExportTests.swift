import BinaryStore
import DiskSimulation
import Foundation
import ObjectGraph
import ObjectModel
import ProgramRuns
import Rows
import StoreInterface
import Testing

@testable import Interchange

/// Tables in Arrow's file format, read by implementations that know nothing of Quire. `./run test` installs them where it can.
@Suite("Export as Arrow")
struct ArrowExportTests {
  private let disk = SimulatedDisk()

  private static let model = try! Model(
    Model.Description(
      entities: [
        Entity(
          "Sample",
          properties: [
            .attribute(Attribute("flag", .boolean)), .attribute(Attribute("small", .int16)),
            .attribute(Attribute("middle", .int32)), .attribute(Attribute("n", .int64)),
            .attribute(Attribute("single", .float)), .attribute(Attribute("real", .double)),
            .attribute(Attribute("price", .decimal)), .attribute(Attribute("odd", .decimal)),
            .attribute(Attribute("name", .string)), .attribute(Attribute("site", .uri)),
            .attribute(Attribute("at", .date)), .attribute(Attribute("id", .uuid)),
            .attribute(Attribute("day", .date, validation: .init(precision: .day))),
            .attribute(Attribute("data", .binary)),
            .attribute(Attribute("place", .composite, compositeName: "Place")),
            .relationship(Relationship("next", to: "Sample", inverse: "before")),
            .relationship(
              Relationship("before", to: "Sample", inverse: "next", count: .toMany)),
          ]), Entity("Empty", properties: [.attribute(Attribute("price", .decimal))]),
      ],
      composites: [
        CompositeType("Place", attributes: [Attribute("latitude", .double)])
      ]))

  private func store(_ fill: (ManagedObjectContext) throws -> Void) throws -> any Store {
    try BinaryStoreBackend().create(
      at: "/a.store", model: Self.model, on: disk, StoreCreation()
    ).close()
    let coordinator = PersistentStoreCoordinator(
      model: Self.model, places: StorePlaces(StoreBackends([BinaryStoreBackend()]), on: disk))
    try coordinator.addStore(at: "/a.store")
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try fill(context)
    try context.save()
    return try BinaryStoreBackend().open("/a.store", on: disk, StoreOpening(readOnly: true))
  }

  private func bytes(_ store: any Store, _ entity: String, isPipe: Bool = false) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try ObjectExport(of: store.snapshot(), as: .arrow)
      .write(entity, isPipe: isPipe) { bytes += $0 }
    return bytes
  }

  /// Returns what an implementation reads; `nil` where it is not installed.
  private func read(_ bytes: [UInt8], _ reader: String, _ words: String...) throws -> String? {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).arrow")
    try Data(bytes).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Scripts/arrow.py")
    let run = try ProgramRun(
      try #require(ProgramRun.python), [script.path, reader, path.path] + words)
    if run.status == 77 {
      print("skipped: \(run.text)")
      return nil
    }
    #expect(run.status == 0, "\(run.text)")
    return run.text
  }

  private func samples() throws -> any Store {
    try store { context in
      let first = try context.insert("Sample")
      let values: [(String, Value)] = [
        ("flag", .boolean(true)), ("small", .integer(-32768)), ("middle", .integer(70000)),
        ("n", .integer(.min)), ("single", .float(0.5)), ("real", .double(-0.1)),
        ("price", .decimal(Decimal(string: "-12.50")!)),
        ("odd", .decimal(Decimal(string: "1e-30")!)), ("name", .string("Régua \"1\"")),
        ("site", .uri("https://example.org/")),
        ("at", .date(Date(timeIntervalSinceReferenceDate: 0.25))),
        ("day", .date(Date(timeIntervalSinceReferenceDate: -366 * 86_400))),
        ("id", .uuid(UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!)),
        ("data", .binary(Data([0, 255]))),
      ]
      for (name, value) in values { first[name] = value }
      try context.insert("Sample")
      let third = try context.insert("Sample")
      third["flag"] = .boolean(false)
      third["price"] = .decimal(Decimal(string: "123456789.0625")!)
      third["odd"] = .decimal(Decimal(string: "12345678901234567890")!)
      (third["name"], third["data"]) = (.string(""), .binary(Data()))
      third["next"] = .object(first.objectID.key)
    }
  }

  @Test(
    "Other implementations read every value",
    .enabled(if: ProgramRun.python != nil, "There is no Python with pyarrow."),
    arguments: ["pyarrow", "polars", "duckdb"])
  func implementations(_ reader: String) throws {
    let store = try samples()
    guard let text = try read(bytes(store, "Sample"), reader) else { return }
    let rows = try text.split(separator: "\n").map {
      try #require(
        JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    try #require(rows.count == 3, "\(text)")
    let prefix = UInt64(try #require(store.snapshot().schema["Sample"]).entityNumber) << 48
    func check(_ row: Int, _ name: String, _ value: String?) {
      let found = rows[row][name].map { "\($0)" }
      #expect(found == (value ?? "<null>"), "\(reader), row \(row), \(name)")
    }
    check(0, "@id", "\(prefix | 1)")
    check(0, "flag", "1")
    check(0, "small", "-32768")
    check(0, "n", "\(Int64.min)")
    check(0, "real", "-0.1")
    check(0, "price", "-12.5000")
    check(0, "name", "Régua \"1\"")
    check(0, "site", "https://example.org/")
    check(0, "at", "978307200250000")
    check(0, "day", "2000-01-01")
    check(0, "id", "6fb9df54a60e4a158c3b1d2e3f405162")
    check(0, "data", "00ff")
    check(0, "place.latitude", nil)
    check(0, "next", nil)
    #expect(rows[0]["before"] as? [UInt64] == [prefix | 3])
    for name in ["flag", "small", "price", "name", "at", "day", "id", "data", "next"] {
      check(1, name, nil)
    }
    check(2, "flag", "0")
    check(2, "name", "")
    check(2, "data", "")
    check(2, "price", "123456789.0625")
    check(2, "odd", "12345678901234567890")
    check(0, "odd", "0.000000000000000000000000000001")
    check(2, "next", "\(prefix | 1)")
    #expect(rows[2]["before"] as? [UInt64] == [])
  }

  @Test(
    "Streams, tables without rows, and tables of several parts are read",
    .enabled(if: ProgramRun.python != nil))
  func forms() throws {
    let store = try samples()
    let file = try read(bytes(store, "Sample"), "pyarrow", "types")
    #expect(try read(bytes(store, "Sample", isPipe: true), "pyarrow", "types") == file)
    if let types = file?.split(separator: "\n").first {
      for type in [
        "@id uint64", "price decimal128(38, 4)", "odd large_string", "at timestamp[us, tz=UTC]",
        "day date32[day]",
        "before list<item: uint64", "id fixed_size_binary[16]", "small int16",
      ] { #expect(types.contains(type), "\(types)") }
    }
    #expect(
      try read(bytes(store, "Empty"), "pyarrow", "types")
        == "[\"@id uint64\", \"price decimal128(38, 0)\"]\n")
    let many = try self.many()
    if let text = try read(bytes(many, "Sample"), "pyarrow") {
      #expect(text == "70000 2449965000\n")
    }
  }

  @Test(
    "Computed values and the values of related objects are columns too",
    .enabled(if: ProgramRun.python != nil)
  )
  func computed() throws {
    let values = try RecordValues(
      ["n", "names"],
      [
        [.value(.integer(1)), .list([.string("a"), .null])], [.value(.null), .list([])],
        [.value(.double(2.5)), .list([.string("é")])],
      ], listColumns: [1])
    var bytes: [UInt8] = []
    try values.write { bytes += $0 }
    let text = try read(bytes, "pyarrow", "types")
    #expect(
      text == nil
        || text == """
          ["n double", "names list<item: large_string>"]
          {"n": 1.0, "names": ["a", null]}
          {"n": null, "names": []}
          {"n": 2.5, "names": ["é"]}

          """,
      "\(text ?? "")")
    let day = Value.date(Date(timeIntervalSinceReferenceDate: 86_400))
    let moment = Value.date(Date(timeIntervalSinceReferenceDate: 86_400.5))
    let precise = try RecordValues(
      ["day", "latest", "price", "odd"],
      [
        [.value(day), .value(moment), .value(.decimal(1)), .value(.decimal(.nan))],
        [.value(.null), .value(day), .value(.null), .value(.decimal(1))],
      ], listColumns: [], precisions: [.day, .day, .places(2), nil])
    bytes = []
    try precise.write { bytes += $0 }
    let typed = try read(bytes, "pyarrow", "types")
    #expect(
      typed == nil
        || typed == """
          ["day date32[day]", "latest timestamp[us, tz=UTC]", "price decimal128(38, 2)", "odd large_string"]
          {"day": "2001-01-02", "latest": 978393600500000, "price": "1.00", "odd": "NaN"}
          {"day": null, "latest": 978393600000000, "price": null, "odd": "1"}

          """,
      "\(typed ?? "")")
    let none = try RecordValues(["a"], [] as [[Value]])
    bytes = []
    try none.write { bytes += $0 }
    #expect(
      try read(bytes, "pyarrow", "types") ?? "[\"a large_string\"]\n" == "[\"a large_string\"]\n")
  }

  private func many() throws -> any Store {
    try disk.remove("/a.store")
    return try store { context in
      for number in 0..<70_000 {
        let object = try context.insert("Sample")
        object["n"] = .integer(Int64(number))
      }
    }
  }

  @Test("A file begins and ends with its mark, and its parts begin at multiples of 64 bytes")
  func parts() throws {
    let bytes = try bytes(samples(), "Sample")
    #expect(
      bytes.starts(with: Array("ARROW1\0\0".utf8)) && bytes.suffix(6) == Array("ARROW1".utf8)[...])
    var place = 8
    var messages = 0
    func number(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
    }
    #expect(number(place) == 0xFFFF_FFFF)
    while number(place + 4) != 0, messages < 2 {
      place += 8 + number(place + 4)
      #expect(place.isMultiple(of: 64))
      messages += 1
      if messages == 2 { break }
    }
    #expect(messages == 2)
    // The footer lies before its length and the mark.
    let length = number(bytes.count - 10)
    #expect(length > 0 && length < 4096)
  }

  @Test("A date beyond Arrow's range is an error that names the column")
  func dates() throws {
    let store = try store { context in
      let object = try context.insert("Sample")
      object["at"] = .date(Date(timeIntervalSinceReferenceDate: 1e30))
    }
    #expect(throws: RecordError.self) { try bytes(store, "Sample") }
  }
}
