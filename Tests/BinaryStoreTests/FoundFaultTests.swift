import BinaryStore
import DiskSimulation
import Dispatch
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Synchronization
import Testing

/// Faults that random tests and hostile files revealed, each with the shortest way to reproduce it.
@Suite("Faults that were found")
struct FoundFaultTests {
  @Test("A file can be rewritten and opened if a new model leaves it no rows")
  func nothingLeft() throws {
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = 1 << 30
    let store = try BinaryStore.create(
      at: "/s", model: SampleStore.notes, on: disk, options: options)
    try SampleStore.commit(store) { $0.put("Tag", 1, ["name": .string("gone")]) }
    try SampleStore.evolve(store)
    try store.close()
    (options.leastDeadByteCount, options.deadShare) = (0, 0)

    let again = try BinaryStore.open("/s", on: disk, options: options)
    try SampleStore.commit(again) { $0.put("Note", 1) }
    try SampleStore.commit(again) { $0.remove("Note", 1) }

    let last = try BinaryStore.open("/s", on: disk)
    #expect(try StoreConformance.objects(last.snapshot()).isEmpty)
  }

  @Test("A block that many threads read at once is not reported as overlapping blocks")
  func readTogether() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk)
    // Enough rows to make the block most of the file.
    try SampleStore.commit(store) { layer in
      for number in 1...2000 {
        layer.put("Tag", UInt64(number), ["name": .string("tag \(number &* 0x9E37_79B9)")])
      }
    }
    for _ in 0..<50 {
      let snapshot = try BinaryStore.open("/s", on: disk).snapshot()
      let counts = Mutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        do {
          let count = try StoreConformance.objects(snapshot).count
          counts.withLock { $0.append(count) }
        } catch {
          Issue.record(error)
        }
      }
      #expect(counts.withLock { $0 } == Array(repeating: 2000, count: 8))
    }
  }

  @Test("A file whose model has any decimal as a default value can be opened again")
  func decimalDefaults() throws {
    let numbers: [Decimal] = [
      .nan, .zero, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, 1.5,
    ]
    let disk = SimulatedDisk()
    let model = try Model(entities: [
      Entity(
        "Thing",
        properties: numbers.enumerated().map { index, number in
          .attribute(Attribute("a\(index)", .decimal, defaultValue: .decimal(number)))
        })
    ])
    try BinaryStoreBackend().create(at: "/s", model: model, on: disk, StoreCreation()).close()

    let snapshot = try BinaryStore.open("/s", on: disk).snapshot()

    let columns = try #require(snapshot.schema["Thing"]).columns
    let attributes = try #require(snapshot.model["Thing"]).attributes
    for (index, number) in numbers.enumerated() {
      let column = try #require(columns.first { $0.name == "a\(index)" })
      for found in [column.defaultValue, attributes[index].defaultValue] {
        guard case .decimal(let found) = found else {
          Issue.record("\(number): \(found)")
          continue
        }
        #expect(found == number || found.isNaN && number.isNaN)
      }
    }
  }

  @Test("The places of links are the same whether or not their rows were rewritten")
  func placesOfLinks() throws {
    func model(isOrdered: Bool) throws -> Model {
      try Model(entities: [
        Entity(
          "A",
          properties: [
            .relationship(
              Relationship("bs", to: "B", inverse: "as", count: .toMany, isOrdered: isOrdered))
          ]),
        Entity(
          "B",
          properties: [.relationship(Relationship("as", to: "A", inverse: "bs", count: .toMany))]),
      ])
    }
    func objects(isRewritten: Bool) throws -> StoreConformance.Objects {
      let disk = SimulatedDisk()
      var options = BinaryStoreOptions()
      options.leastDeadByteCount = isRewritten ? 0 : 1 << 30
      options.deadShare = 0
      let store = try BinaryStore.create(
        at: "/s", model: model(isOrdered: true), on: disk, options: options)
      let base = try store.snapshot()
      let table = base.schema.linkTables[0].layout
      let builder = LayerBuilder(base.schema)
      let link = ObjectKey(entity: table.entityNumber, number: 1)
      builder.insert(link)
      for column in table.columns.indices {
        let isPlace = table.columns[column].kind == .int64
        builder.set(
          isPlace ? .integer(7) : .object(ObjectKey(entity: 1, number: 1)), column: column, of: link
        )
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      for isOrdered in [false, true] {
        try store.commit(
          CommitRequest(
            Layer(), basedOn: store.snapshot(), model: model(isOrdered: isOrdered)))
      }
      return try StoreConformance.objects(store.snapshot())
    }

    let kept = try objects(isRewritten: false)
    let rewritten = try objects(isRewritten: true)
    #expect(kept.count == 1)
    #expect(kept == rewritten)
  }

  @Test("Evolving a schema with wrong property numbers is an error")
  func wrongNumbers() throws {
    let kept = try Schema(
      layouts: [
        Layout(
          entity: "A", entityNumber: 1,
          columns: [LayoutColumn(number: 2, name: "a", kind: .int64)])
      ], highestEntityNumber: 1, highestPropertyNumbers: [1: 0])
    let model = try Model(entities: [
      Entity(
        "A",
        properties: ["a", "b", "c"].map { .attribute(Attribute($0, .int64)) })
    ])

    // The next two numbers are 1 and 2, and 2 is already used.
    #expect(throws: SchemaError.self) { try Schema(model, evolving: kept) }
  }

  @Test("Two entities that claim the same earlier entity are an error")
  func twoOfOne() throws {
    let before = try Schema(Model(entities: [Entity("A")]))
    var renamed = Entity("B")
    renamed.renamingIdentifier = "A"
    let model = try? Model(entities: [Entity("A"), renamed])

    if let model { #expect(throws: SchemaError.self) { try Schema(model, evolving: before) } }
  }

  @Test("Integers that became decimals are merged next to outside values")
  func widenedBesideOutside() throws {
    func model(_ type: AttributeType) throws -> Model {
      try Model(entities: [
        Entity(
          "Note",
          properties: [
            .attribute(Attribute("n", type)), .attribute(Attribute("picture", .binary)),
          ])
      ])
    }
    let store = try BinaryStore.create(
      at: "/s", model: model(.int16), on: SimulatedDisk(), options: SampleStore.options)
    for number in 1...8 as ClosedRange<UInt64> {
      try SampleStore.commit(store) { changes in
        changes.put(
          "Note", number,
          [
            "n": number < 3 ? .integer(Int64(number)) : .decimal(Decimal(number)),
            "picture": .binary(Data(repeating: UInt8(number), count: 100)),
          ])
      }
      if number == 2 {
        try store.commit(
          CommitRequest(Layer(), basedOn: store.snapshot(), model: model(.decimal)))
      }
    }

    let objects = try StoreConformance.objects(store.snapshot())
    #expect(objects[ObjectKey(entity: 1, number: 2)]?["n"] == .decimal(2))
    #expect(objects.count == 8)
  }

  @Test("A rewriting removes the files that an earlier rewriting left behind")
  func abandoned() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/f")
    var options = BinaryStoreOptions()
    (options.leastDeadByteCount, options.deadShare) = (0, 0)
    let store = try BinaryStore.create(
      at: "/f/s", model: SampleStore.notes, on: disk, options: options)
    // The name contains the process that made it, which ran before the system was started last.
    var ended = disk.process
    ended.bootID = "boot-0"
    try disk.open(disk.seen(by: ended).temporaryPath(for: "/f/s"), for: .create).append([1])

    try SampleStore.commit(store) { $0.put("Note", 1) }

    #expect(try disk.list("/f").map(\.name) == ["s"])
  }

  @Test("The validator finds a wrong column in the schema of an earlier commit")
  func earlierSchema() throws {
    let bytes = try SampleStore.evolved.bytes()
    let magic = Array("QSCH".utf8)
    let start = try #require(
      bytes.indices.first { bytes[$0...].starts(with: magic) })

    for place in start + 4..<start + 160 {
      for kind: UInt8 in [1, 9, 13] {
        var changed = bytes
        changed[place] = kind
        // Traps if the validator finds no fault although a commit can't be read.
        HostileInputs.validate(BlockFileMap.mended(changed))
      }
    }
  }
}
