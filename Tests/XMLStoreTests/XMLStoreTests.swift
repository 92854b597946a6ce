import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing
import XMLStore

@Suite("The XML store")
struct XMLStoreTests {
  @Test("The XML store conforms on a disk in memory", arguments: XMLStoreOptions.Form.allCases)
  func conformance(_ form: XMLStoreOptions.Form) throws {
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend(form)
    let report = StoreConformance(backend, on: disk, in: "/", keepsRows: false).run()
    #expect(report.failures == [])
    #expect(report.passed)
    #expect(disk.openFileCount < 100)
  }

  @Test("The XML store conforms on a real disk")
  func realConformance() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = StoreConformance(
      XMLStoreBackend(), on: RealDisk(), in: folder.path, keepsRows: false
    ).run()
    #expect(report.failures == [])
    #expect(report.passed)
  }

  @Test("A small store is written in the documented form")
  func text() throws {
    let disk = SimulatedDisk()
    let store = try Library.store(on: disk)
    let text = try Library.text(store, on: disk)
    let objects = text[text.range(of: "    <object")!.lowerBound...]
    #expect(
      objects == """
            <object type="AUTHOR" id="z1">
                <attribute name="born" type="date">-1000000000.5</attribute>
                <attribute name="name" type="string">Ursula \\u3c00K.\\u3e00 Le Guin</attribute>
                <relationship name="books" type="0/0" destination="BOOK" idrefs="z3 z2"></relationship>
            </object>
            <object type="BOOK" id="z2">
                <attribute name="pages" type="int32">341</attribute>
                <attribute name="title" type="string">The Dispossessed</attribute>
                <relationship name="author" type="0/1" destination="AUTHOR" idrefs="z1"></relationship>
            </object>
            <object type="COMIC" id="z3">
                <attribute name="title" type="string">Catwings</attribute>
                <relationship name="author" type="0/1" destination="AUTHOR" idrefs="z1"></relationship>
            </object>
        </database>

        """)
    #expect(text.contains("<nextObjectID>101</nextObjectID>"))
  }

  @Test("A default value that was removed from an object stays removed")
  func defaults() throws {
    var note = Entity("Note")
    note.declaredProperties = [
      .attribute(Attribute("text", .string, defaultValue: .string("new"))),
      .attribute(Attribute("stars", .int16, defaultValue: .integer(3))),
    ]
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend()
    let store = try backend.create(
      at: "/s", model: try Model(entities: [note]), on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let key = ObjectKey(entity: 1, number: 1)
    builder.insert(key)
    builder.set(.null, "text", of: key, base.schema)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))

    let again = try backend.open("/s", on: disk, StoreOpening())

    #expect(try StoreConformance.objects(again.snapshot()) == [key: ["stars": .integer(3)]])
  }

  @Test("Every text is read back unchanged")
  func texts() throws {
    var texts = (0...0x2FF).map { String(Unicode.Scalar($0)!) }
    texts += ["\u{FFFD}\u{FFFE}\u{FFFF}", "\u{1FFFE}\u{10FFFF}", "\r", "\r\n", "\n", " a ", "\t"]
    texts += ["\\", "\\u", "\\u3c00", "\\\\u3c00", "\\u005c", "<&>\"'", "]]>", "&lt;", "&#0;"]
    texts += [
      "\u{FEFF}x", "\u{85}\u{2028}", "e\u{301}", String(repeating: "<\u{0}é", count: 50_000),
    ]
    for form in XMLStoreOptions.Form.allCases {
      #expect(
        try Library.roundTrip(texts.map { .string($0) }, .string, form) == texts.map { .string($0) }
      )
      #expect(try Library.roundTrip(texts.map { .uri($0) }, .uri, form) == texts.map { .uri($0) })
    }
  }

  @Test("Every number is read back bit for bit", arguments: [1, 2] as [UInt64])
  func numbers(_ seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var doubles: [Double] = [
      0, -0.0, 1, -1, 0.1, 1.0 / 3, .pi, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
      .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e15, 1e16, 1e21,
      1e22, 1e23, 9.007199254740993e15, 123456789.125, 259258202.491625994443893,
      Double(bitPattern: 0x7FF8_0000_0000_0001), Double(bitPattern: 0xFFF8_0000_0000_0000),
      Double(bitPattern: 0x7FF0_0000_0000_0001), 0.3, 2.5e-3, 9.999e-4, 1e-5, 5e-21,
    ]
    for _ in 0..<4000 {
      doubles.append(Double(bitPattern: generator.next()))
      doubles.append(Double.random(in: -1e9...1e9, using: &generator))
      doubles.append((Double.random(in: -1e6...1e6, using: &generator) * 100).rounded() / 100)
      doubles.append(Double.random(in: -1...1, using: &generator))
    }
    let floats =
      [
        Float(19.6), .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        Float(bitPattern: 0x7FC0_0001),
      ]
      + (0..<4000).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())) }
    for form in XMLStoreOptions.Form.allCases {
      let read = try Library.roundTrip(doubles.map { .double($0) }, .double, form)
      for (before, after) in zip(doubles, read) {
        guard case .double(let after) = after else { return #expect(Bool(false)) }
        #expect(after.bitPattern == before.bitPattern, "\(form) \(before)")
      }
      let dates = try Library.roundTrip(
        doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }, .date, form)
      for (before, after) in zip(doubles, dates) {
        guard case .date(let after) = after else { return #expect(Bool(false)) }
        #expect(
          after.timeIntervalSinceReferenceDate.bitPattern == before.bitPattern, "\(form) \(before)")
      }
      let singles = try Library.roundTrip(floats.map { .float($0) }, .float, form)
      for (before, after) in zip(floats, singles) {
        guard case .float(let after) = after else { return #expect(Bool(false)) }
        #expect(after.bitPattern == before.bitPattern, "\(form) \(before)")
      }
    }
  }

  @Test("Decimals, bytes and UUIDs are read back unchanged")
  func others() throws {
    let decimals =
      [
        "0", "1", "-1", "0.1", "-12.50", "99999999999999999999999999999999999999", "1e127",
        "1e-127",
        "-123456789012345678901234567890.12345678", "1000000", "0.000001",
      ].map { Value.decimal(Decimal(string: $0)!) } + [.decimal(.nan)]
    #expect(
      try Library.roundTrip(decimals, .decimal, .readable).dropLast() == decimals.dropLast()[...])
    #expect(try Library.roundTrip([.decimal(.nan)], .decimal, .readable).first == .decimal(.nan))
    let bytes = (0..<200).map { count in
      Value.binary(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }))
    }
    #expect(try Library.roundTrip(bytes, .binary, .readable) == bytes)
    let uuids = (0..<20).map { _ in Value.uuid(UUID()) }
    #expect(try Library.roundTrip(uuids, .uuid, .coreData) == uuids)
  }

  @Test("Metadata are kept unchanged, including characters that XML can't contain")
  func metadata() throws {
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend()
    let store = try backend.create(
      at: "/s", model: StoreConformance.model, on: disk, StoreCreation())
    let base = try store.snapshot()
    var metadata = try base.metadata
    metadata.values["text"] = .string("<&>\r\n\t \u{1F682}")
    metadata.values["control"] = .string("a\u{0}b")
    metadata.values["n\u{1}me"] = .boolean(true)
    metadata.values["when"] = .date(Date(timeIntervalSinceReferenceDate: 86_400 * 365))
    metadata.values["long ago"] = .date(Date(timeIntervalSinceReferenceDate: -6e10))
    metadata.values["then"] = .date(Date(timeIntervalSinceReferenceDate: 0.25))
    metadata.values["real"] = .array([.real(0.1), .real(-.infinity), .real(1e300), .real(-0.0)])
    metadata.values["large"] = .unsigned(.max)
    metadata.values["low"] = .integer(.min)
    metadata.values["set"] = .set([.integer(1)])
    metadata.values["deep"] = .dictionary(["a": .array([.dictionary(["": .data(Data([0, 1]))])])])
    metadata.values["QuireModel"] = .string("mine")
    try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
    try store.close()

    #expect(try backend.metadata(at: "/s", on: disk) == metadata)
    let snapshot = try backend.open("/s", on: disk, StoreOpening()).snapshot()
    #expect(try snapshot.metadata == metadata)
    #expect(try snapshot.model == StoreConformance.model)
  }

  @Test("Parts of composite attributes, and names that differ only in case, are kept")
  func names() throws {
    var place = Entity("Place")
    place.declaredProperties = [
      .attribute(Attribute("address", .composite, compositeName: "Address")),
      .attribute(Attribute("size", .int16)), .attribute(Attribute("Size", .int16)),
    ]
    let model = try Model(
      Model.Description(
        entities: [place, Entity("place"), Entity("Straße")],
        composites: [
          CompositeType(
            "Address", attributes: [Attribute("street", .string), Attribute("No", .int16)])
        ]))
    let disk = SimulatedDisk()
    let backend = XMLStoreBackend()
    let store = try backend.create(at: "/s", model: model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    var objects: StoreConformance.Objects = [:]
    for (number, (entity, values)) in [
      (
        "Place",
        [
          "address.street": Value.string("Rua"), "address.No": .integer(7), "size": .integer(1),
          "Size": .integer(2),
        ]
      ), ("place", [:]), ("Straße", [:]),
    ].enumerated() {
      let key = ObjectKey(
        entity: base.schema[entity]!.entityNumber, number: UInt64(number + 1))
      builder.insert(key)
      for (name, value) in values { builder.set(value, name, of: key, base.schema) }
      objects[key] = values
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))

    let text = try Library.text(store, on: disk)
    #expect(text.contains("<attribute name=\"address.street\" type=\"string\">Rua</attribute>"))
    #expect(text.contains("<attribute name=\"address.no\" type=\"int16\">7</attribute>"))
    #expect(text.contains("name=\"Size\"") && text.contains("name=\"size\""))
    #expect(text.contains("<object type=\"STRASSE\" id=\"z3\">"))
    let again = try backend.open("/s", on: disk, StoreOpening()).snapshot()
    #expect(try StoreConformance.objects(again) == objects)
  }
}
