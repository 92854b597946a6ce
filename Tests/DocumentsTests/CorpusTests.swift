import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Testing
import Validation

/// Documents written by every released version of the format: `Corpus/format-N/NAME.quire`, each with a text file of
/// its contents. They never change, and every later version must read them.
///
/// `RECORD_CORPUS=1` writes the missing documents. An existing document is never written again.
@Suite("Documents of each version of the format")
struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Corpus")

  static let names: [String] = {
    if ProcessInfo.processInfo.environment["RECORD_CORPUS"] != nil { try! record() }
    return ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".quire") }.sorted()
  }()

  @Test("There is a document for each kind of store and each version of the format")
  func complete() {
    for version in 1...Manifest.formatVersion {
      for mix in Mix.ours {
        #expect(Self.names.contains("format-\(version)/\(mix.rawValue).quire"))
      }
    }
  }

  @Test("Each document has its recorded contents, and can be saved to", arguments: names)
  func reading(_ name: String) throws {
    let disk = try Self.copy(of: name)
    let places = StorePlaces(DocumentWorld.backends, on: disk)
    let file = Self.folder.appending(path: name.replacing(".quire", with: ".txt"))
    let expected = try String(contentsOf: file, encoding: .utf8)

    #expect(try Self.text(in: places) == expected)
    let report = try Validator().validate(DocumentWorld.path, on: disk)
    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")

    let document = try Document.open(DocumentWorld.path, in: places)
    let coordinator = PersistentStoreCoordinator(model: try document.model)
    for store in document.stores {
      try coordinator.add(store, configuration: store.configuration)
    }
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.insert("Person")["name"] = .string("Later")
    try context.save()
    try document.close()
    let later = try Self.text(in: places)
    #expect(later.hasPrefix(expected.split(separator: "version 4")[0]))
    #expect(later.contains("name=Later"))
    let again = try Validator().validate(DocumentWorld.path, on: disk)
    #expect(again.findings.isEmpty && again.passedOver.isEmpty, "\(again.text)")
  }

  // MARK: - Reading

  /// Returns a simulated disk with the recorded document.
  private static func copy(of name: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let source = folder.appending(path: name)
    try disk.makeDirectory(DocumentWorld.path)
    for inner in try FileManager.default.subpathsOfDirectory(atPath: source.path).sorted() {
      let file = source.appending(path: inner)
      let path = "\(DocumentWorld.path)/\(inner)"
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try disk.makeDirectory(path)
      } else {
        try disk.open(path, for: .create).append(Array(try Data(contentsOf: file)))
      }
    }
    return disk
  }

  /// Returns the contents of a document as text, version by version.
  private static func text(in places: StorePlaces) throws -> String {
    let document = try Document.open(DocumentWorld.path, in: places, access: .readOnly)
    defer { try? document.close() }
    var lines = [
      "title \(document.manifest.title ?? "-")", "uuid \(document.manifest.uuid)",
      "metadata \(document.manifest.metadata.sorted { $0.key < $1.key }.map { "\($0)=\($1)" })",
    ]
    for (name, model) in try document.modelVersions {
      lines.append("model \(name) \(Model.versionHashesDigest(of: model.versionHashes))")
    }
    for version in document.versions {
      lines.append(
        "version \(version.number) \(version.model) \(version.name ?? "-") \(version.author ?? "-")"
      )
      let then = try document.open(version: version.number)
      for one in then.attachments {
        var bytes: [UInt8] = []
        try then.openAttachment(named: one.name).forEachPiece { bytes += $0 }
        lines.append("  \(one.name): \(String(decoding: bytes, as: UTF8.self))")
      }
      lines += try then.stores.flatMap { try text(of: $0.snapshot()) }.sorted()
      try then.close()
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(of snapshot: any StoreSnapshot) throws -> [String] {
    try snapshot.schema.layouts.flatMap { layout in
      try snapshot.view.keys(ofEntity: layout.entityNumber).compactMap { number in
        guard
          let row = try snapshot.view.row(
            of: ObjectKey(entity: layout.entityNumber, number: number))
        else { return nil }
        let values = try layout.columns.map { ($0.name, try row.value($0)) }
          .filter { !$0.1.isNull }.sorted { $0.0 < $1.0 }
        // The text omits object numbers, because the stores choose them. It omits links, because a link consists of them.
        return (["  \(layout.entity)"] + values.map { "\($0)=\(text(of: $1))" })
          .joined(separator: " ")
      }
    }
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null: "-"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value), .uri(let value): value
    case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
    case .uuid(let value): "\(value)"
    case .binary(let value): value.map { "\($0)" }.joined(separator: ",")
    case .object(let key): "\(key.number)"
    }
  }

  // MARK: - Recording

  private static func model() throws -> Model {
    try Model(
      Model.Description(
        entities: [
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("name", .string, isOptional: false)),
              .attribute(Attribute("budget", .decimal)), .attribute(Attribute("start", .date)),
              .attribute(Attribute("days", .int16)), .attribute(Attribute("steps", .int64)),
              .attribute(Attribute("length", .double)), .attribute(Attribute("height", .float)),
              .attribute(Attribute("isOver", .boolean)), .attribute(Attribute("code", .uuid)),
              .attribute(Attribute("page", .uri)), .attribute(Attribute("stamp", .binary)),
              .relationship(
                Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
            ]),
          Entity(
            "Stop",
            properties: [
              .attribute(Attribute("name", .string)),
              .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
            ]),
          Entity("Person", properties: [.attribute(Attribute("name", .string))]),
          Entity("Note", properties: [.attribute(Attribute("name", .string))]),
        ],
        configurations: [
          Configuration("Trips", entities: ["Trip", "Stop"]),
          Configuration("People", entities: ["Person"]), Configuration("Notes", entities: ["Note"]),
          Configuration("Others", entities: ["Person", "Note"]),
        ]))
  }

  private static func record() throws {
    for mix in Mix.ours {
      let name = "format-\(Manifest.formatVersion)/\(mix.rawValue)"
      let target = folder.appending(path: "\(name).quire")
      guard !FileManager.default.fileExists(atPath: target.path) else { continue }
      let world = DocumentWorld(mix)
      let document = try Document.create(
        DocumentWorld.path, model: model(), stores: mix.stores, title: "Évora & more",
        metadata: ["map": "satellite", "ünï": "\"\\\n"], in: world.places)
      try fill(document, world)
      try document.close()
      for inner in try world.files() where inner != ".lock" {
        let file = target.appending(path: inner)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(world.disk.read("\(DocumentWorld.path)/\(inner)", byteLimit: 1 << 24)).write(
          to: file)
      }
      try Data(text(in: world.places).utf8).write(to: folder.appending(path: "\(name).txt"))
    }
  }

  /// Adds three versions: objects of all types and an attachment, then changes, then a named version.
  private static func fill(_ document: Document, _ world: DocumentWorld) throws {
    let context = try world.context(document)
    let stops = "stops"
    for number in 1...3 {
      let trip = try context.insert("Trip")
      trip["name"] = .string(["Lisboa", "Évora 🚂", "< & > \u{1}"][number - 1])
      trip["budget"] = .decimal(Decimal(string: "12345678901234567890.0\(number)")!)
      trip["start"] = .date(Date(timeIntervalSinceReferenceDate: 817_002_839.25 * Double(number)))
      trip["days"] = .integer(Int64(number) * -9000)
      trip["steps"] = .integer(.max - Int64(number))
      trip["length"] = .double(0.1 * Double(number))
      trip["height"] = .float(19.6)
      trip["isOver"] = .boolean(number == 2)
      trip["code"] = .uuid(UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F40516\(number)")!)
      trip["page"] = .uri("urn:x:\(number)")
      trip["stamp"] = .binary(Data([0, 255, UInt8(number)]))
      for place in 0..<number {
        let stop = try context.insert("Stop")
        stop["name"] = .string("Stop \(number).\(place)")
        trip.add(stop, to: stops)
      }
    }
    try context.insert("Person")["name"] = .string("Ada")
    try context.insert("Note")["name"] = .string("One")
    try document.addAttachment(named: "a.txt") { try $0(Array("first".utf8)) }
    try context.save()

    for trip in try context.fetch(FetchRequest("Trip")) {
      if trip["days"] == .integer(-9000) { context.delete(trip) }
      trip["height"] = .null
    }
    try document.addAttachment(named: "a.txt") { try $0(Array("second".utf8)) }
    try context.save()
    try document.nameVersion(3, "Named")
    try context.insert("Note")["name"] = .string("Two")
    try document.removeAttachment(named: "a.txt")
    try context.save()
    // Versions that only the log contains, if the document has one.
    let entity = world.mix == .threeStores ? "Note" : "Trip"
    for name in ["Three", "Four", "Five"] {
      try context.insert(entity)["name"] = .string(name)
      try context.save()
    }
  }
}
