import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// One save of a small store, in a short notation.
struct Saving {
  let base: any StoreSnapshot
  let builder: LayerBuilder

  func key(_ entity: String, _ number: UInt64) -> ObjectKey {
    ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
  }

  /// Inserts an object with the given values.
  func insert(_ entity: String, _ number: UInt64, _ values: [String: Value] = [:]) {
    builder.insert(key(entity, number))
    for (name, value) in values {
      builder.set(
        value, column: base.schema[entity]!.index(of: name)!, of: key(entity, number))
    }
  }

  /// Changes a value of an object of an earlier save.
  func change(
    _ entity: String, _ number: UInt64, _ name: String, _ value: Value, basis: Int64? = nil
  ) throws {
    let key = key(entity, number)
    let version = try basis ?? base.view.row(of: key)?.version ?? 0
    builder.set(value, column: base.schema[entity]!.index(of: name)!, of: key, basis: version)
  }

  /// Removes an object of an earlier save.
  func remove(_ entity: String, _ number: UInt64) throws {
    let key = key(entity, number)
    builder.remove(key, basis: try base.view.row(of: key)?.version ?? 1)
  }
}

/// Returns the bytes of a store of the given model after the given saves. The bytes are the same each time.
///
/// - Parameter last: A last save, which is a version of a document by itself.
func storeBytes(
  _ entities: [Entity], composites: [CompositeType] = [], isCompressed: Bool = false,
  _ saves: ((Saving) throws -> Void)..., last: ((Saving) throws -> Void)? = nil
) throws -> [UInt8] {
  let disk = SimulatedDisk()
  let model = try Model(
    Model.Description(
      entities: entities, composites: composites, versionIdentifiers: ["1"]))
  let store = try BinaryStore.create(
    at: "/s", model: model, uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!,
    isCompressed: isCompressed, on: disk)
  for save in saves { try store.save(save) }
  if let last {
    try store.save(last, asVersionAfter: try store.snapshot().commit)
  }
  try store.close()
  return SampleStore.withoutChance(try disk.read("/s", byteLimit: 1 << 24))
}

extension BinaryStore {
  /// Makes one save.
  ///
  /// - Parameter before: The version before, if the save is a version of a document by itself.
  func save(_ save: (Saving) throws -> Void, asVersionAfter before: Int64? = nil) throws {
    let saving = Saving(base: try snapshot(), builder: LayerBuilder(try snapshot().schema))
    try save(saving)
    var request = CommitRequest(saving.builder.freeze(), basedOn: saving.base)
    request.version = before.map {
      VersionRecord(before: $0, saved: Date(timeIntervalSinceReferenceDate: 0))
    }
    try commit(request)
  }
}

/// Returns an entity with the given attributes and relationships.
func entity(
  _ name: String, _ attributes: [Attribute] = [], relationships: [Relationship] = [],
  inherits: String? = nil, isAbstract: Bool = false, unique: [[String]] = []
) -> Entity {
  Entity(
    name, isAbstract: isAbstract, superentity: inherits,
    properties: attributes.map { .attribute($0) } + relationships.map { .relationship($0) },
    uniquenessConstraints: unique)
}

/// Small sound files, which the vectors change.
enum SmallFile {
  static let note = entity(
    "Note", [Attribute("stars", .int16), Attribute("text", .string)])

  /// Returns a file of three commits: an empty one; one with three notes; one that changes a note and removes another.
  static func notes() throws -> [UInt8] {
    try storeBytes(
      [note],
      { saving in
        for (number, text) in [(1, "Lisboa"), (2, "Porto"), (5, "Évora")] as [(UInt64, String)] {
          saving.insert("Note", number, ["text": .string(text), "stars": .integer(Int64(number))])
        }
      },
      { saving in
        try saving.change("Note", 1, "stars", .integer(-3))
        try saving.remove("Note", 2)
      })
  }

  /// Returns a file as ``notes()``, whose last commit is a version of a document by itself.
  static func logged() throws -> [UInt8] {
    try storeBytes(
      [note],
      { saving in
        for (number, text) in [(1, "Lisboa"), (2, "Porto"), (5, "Évora")] as [(UInt64, String)] {
          saving.insert("Note", number, ["text": .string(text), "stars": .integer(Int64(number))])
        }
      },
      last: { saving in
        try saving.change("Note", 1, "stars", .integer(-3))
        try saving.remove("Note", 2)
      })
  }

  /// Returns a file of two commits: an empty one, and one with three notes.
  static func one() throws -> [UInt8] {
    try storeBytes([note]) { saving in
      for (number, text) in [(1, "Lisboa"), (2, "Porto"), (5, "Évora")] as [(UInt64, String)] {
        saving.insert("Note", number, ["text": .string(text), "stars": .integer(Int64(number))])
      }
    }
  }

  /// Returns a file of one commit without rows.
  static func empty() throws -> [UInt8] { try storeBytes([note]) }

  /// Returns a file with one object and two numbers, the second of which has no value.
  static func pair() throws -> [UInt8] {
    try storeBytes([entity("Pair", [Attribute("a", .int32), Attribute("b", .int32)])]) { saving in
      saving.insert("Pair", 1, ["a": .integer(7)])
    }
  }

  /// Returns a file with columns in every encoding that has a structure of its own.
  static func columns() throws -> [UInt8] {
    let one = entity(
      "Thing",
      [
        Attribute("a", .int32), Attribute("b", .int32), Attribute("money", .decimal),
        Attribute("word", .string),
      ])
    return try storeBytes([one]) { saving in
      let words = ["alpha", "beta", "gamma"]
      for number in 1...30 as ClosedRange<UInt64> {
        saving.insert(
          "Thing", number,
          [
            "a": number % 3 == 0 ? .null : .integer(Int64(number * number)),
            "b": .integer(Int64(number) * 3),
            "money": .decimal(
              Decimal(sign: .plus, exponent: Int(number), significand: Decimal(number))),
            "word": .string(words[Int(number % 3)]),
          ])
      }
    }
  }

  /// Returns a file with a segment of 17 blocks, whose entries are in a page.
  static func pages() throws -> [UInt8] {
    let entities = (1...17).map { entity("E\(100 + $0)", [Attribute("a", .int16)]) }
    return try storeBytes(entities) { saving in
      for one in entities { saving.insert(one.name, 1, ["a": .integer(1)]) }
    }
  }

  /// Returns a file with a compressed block.
  static func compressed() throws -> [UInt8] {
    try storeBytes([note], isCompressed: true) { saving in
      for number in 1...100 as ClosedRange<UInt64> {
        saving.insert(
          "Note", number,
          [
            "text": .string("This is note number \(number), which says little more than that."),
            "stars": .integer(Int64(number % 5)),
          ])
      }
    }
  }

  /// Returns a file with a commit that is too large to be made durable at once.
  static func large() throws -> [UInt8] {
    try storeBytes([entity("Picture", [Attribute("bytes", .binary)])]) { saving in
      saving.insert("Picture", 1, ["bytes": .binary(Data(count: 270_000))])
    }
  }

  /// Returns a file with a block that refers to two compressed outside values, and has a row without an outside value.
  static func outside() throws -> [UInt8] {
    try storeBytes([entity("Picture", [Attribute("bytes", .binary)])], isCompressed: true) {
      var generator = SeededGenerator(seed: 7)
      for number in 1...2 as ClosedRange<UInt64> {
        let noise = (0..<42_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        $0.insert(
          "Picture", number, ["bytes": .binary(Data(noise + Array(repeating: 0, count: 8000)))])
      }
      $0.insert("Picture", 3)
    }
  }

  /// Returns a file with ordered links between notes and tags, and a note that refers to another note.
  static func links() throws -> [UInt8] {
    let note = entity(
      "Note",
      relationships: [
        Relationship("tags", to: "Tag", inverse: "notes", count: .toMany, isOrdered: true),
        Relationship("next", to: "Note", inverse: "before"),
        Relationship("before", to: "Note", inverse: "next"),
      ])
    let tag = entity(
      "Tag",
      relationships: [
        Relationship("notes", to: "Note", inverse: "tags", count: .toMany, isOrdered: true)
      ])
    return try storeBytes([note, tag]) { saving in
      for number in 1...3 as ClosedRange<UInt64> {
        saving.insert(
          "Note", number,
          [
            "next": .object(saving.key("Note", number % 3 + 1)),
            "before": .object(saving.key("Note", (number + 1) % 3 + 1)),
          ])
        saving.insert("Tag", number)
      }
      let table = saving.base.schema.linkTables[0].layout
      for number in 1...5 as ClosedRange<UInt64> {
        let key = ObjectKey(entity: table.entityNumber, number: number)
        saving.builder.insert(key)
        let isForward = saving.base.schema.links(of: "Note", "tags")!.isForward
        let ends = [saving.key("Note", number % 3 + 1), saving.key("Tag", number % 2 + 1)]
        for (name, end) in zip(["source", "target"], isForward ? ends : ends.reversed()) {
          saving.builder.set(.object(end), column: table.index(of: name)!, of: key)
        }
        for name in ["target#order", "source#order"] {
          saving.builder.set(.integer(Int64(number)), column: table.index(of: name)!, of: key)
        }
      }
    }
  }

  /// Returns a file with so many rows that the segment contains index entries.
  static func indexed() throws -> [UInt8] {
    let word = Entity(
      "Word", properties: [.attribute(Attribute("length", .int16))],
      fetchIndexes: [FetchIndex("byLength", elements: [.init("length")])])
    return try storeBytes([word]) {
      for number in 1...1100 as ClosedRange<UInt64> {
        $0.insert("Word", number, ["length": .integer(Int64(number * 7 % 250))])
      }
    }
  }
}
