import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Small sound block files, one for each feature that a file may have.
public enum SampleStore: Int, CaseIterable, Sendable {
  /// A few commits with inserted, changed and removed rows, links, reserved keys and metadata.
  case plain
  case compressed
  /// A segment with index entries.
  case indexed
  /// A segment with a list of blocks in pages.
  case paged
  /// A column of several pages.
  case large
  /// A value outside of its block, compressed.
  case outside
  /// A commit that set another model.
  case evolved

  /// Returns the file's bytes, which are the same each time.
  public func bytes() throws -> [UInt8] {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(
      at: "/s", model: model, uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!,
      isCompressed: self == .compressed || self == .outside, on: disk,
      options: SampleStore.options)
    try fill(store)
    try store.close()
    return SampleStore.withoutChance(try disk.read("/s", byteLimit: 1 << 20))
  }

  /// Returns the bytes with a fixed salt, fixed times and no place.
  public static func withoutChance(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.set(UInt64(0x5EED), at: 32)
    bytes.set(UInt32(0), at: 72)
    for part in BlockFileMap(bytes).parts {
      if part.kind == .trailer { bytes.set(UInt64(0x5EED), at: part.range.lowerBound + 8) }
      if part.kind == .record { bytes.set(Int64(800_000_000_000), at: part.range.lowerBound + 16) }
    }
    return BlockFileMap.mended(bytes)
  }

  /// The options of the stores. A value of 64 bytes or more lies outside of its block.
  public static let options: BinaryStoreOptions = {
    var options = BinaryStoreOptions()
    options.leastOutsideByteCount = 64
    return options
  }()

  // MARK: - Contents of the sample files

  /// The model of the notes, which lead to one another, and of their tags.
  public static let notes: Model = {
    let note = Entity(
      "Note",
      properties: [
        .attribute(Attribute("stars", .int16)), .attribute(Attribute("text", .string)),
        .attribute(Attribute("picture", .binary)),
        .relationship(Relationship("next", to: "Note", inverse: "previous")),
        .relationship(Relationship("previous", to: "Note", inverse: "next", count: .toMany)),
        .relationship(
          Relationship("tags", to: "Tag", inverse: "notes", count: .toMany, isOrdered: true)),
      ])
    let tag = Entity(
      "Tag",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("notes", to: "Note", inverse: "tags", count: .toMany)),
      ])
    var indexed = note
    indexed.fetchIndexes = [FetchIndex("byText", elements: [.init("text"), .init("stars")])]
    return try! Model(entities: [indexed, tag])
  }()

  /// A later version of the notes' model: one column is renamed, one is widened, one is new, and the tags are gone.
  public static let laterNotes: Model = {
    var title = Attribute("title", .string)
    title.renamingIdentifier = "text"
    return try! Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("stars", .int64)), .attribute(title),
          .attribute(Attribute("picture", .binary)),
          .attribute(Attribute("colour", .string, defaultValue: .string("grey"))),
          .relationship(Relationship("next", to: "Note")),
        ])
    ])
  }()

  private var model: Model {
    guard self == .paged else { return SampleStore.notes }
    return try! Model(
      entities: (10..<30).map {
        Entity("E\($0)", properties: [.attribute(Attribute("n", .int32))])
      })
  }

  private func fill(_ store: BinaryStore) throws {
    switch self {
    case .plain: try SampleStore.fillPlain(store)
    case .compressed:
      try SampleStore.commit(store) { changes in
        for number in 1...60 {
          changes.put(
            "Note", UInt64(number), ["text": .string("a text of some length \(number % 7)")])
          changes.put(
            "Tag", UInt64(number), ["name": .string(String(repeating: "\(number)", count: 40))])
        }
      }
      try SampleStore.commit(store) { $0.change("Note", 7, ["stars": .integer(3)]) }
    case .indexed:
      try SampleStore.commit(store) { changes in
        for number in 1...1024 as ClosedRange<UInt64> {
          changes.put(
            "Note", number,
            [
              "stars": .integer(Int64(number % 7)),
              "text": .string(["a", "b", "ab"][Int(number % 3)]),
              "next": .object(changes.key("Note", number * 7 % 1024 + 1)),
            ])
        }
        changes.put("Tag", 1, ["name": .string("red")])
        for number in 1...20 as ClosedRange<UInt64> {
          changes.link(number, note: number * 9, tag: 1)
        }
      }
      try SampleStore.commit(store) { changes in
        changes.change("Note", 5, ["text": .string("z")])
        changes.remove("Note", 6)
      }
    case .paged:
      try SampleStore.commit(store) { changes in
        for number in 10..<30 { changes.put("E\(number)", 1, ["n": .integer(Int64(number))]) }
      }
      try SampleStore.commit(store) { $0.change("E12", 1, ["n": .integer(-1)]) }
    case .large:
      try SampleStore.commit(store) { changes in
        for number in 1...3 as ClosedRange<UInt64> {
          let text = (0..<1200).map { "\(UInt64($0) * number % 9973)" }.joined(separator: " ")
          changes.put("Note", number, ["text": .string(String(text.prefix(4_500)))])
        }
      }
    case .outside:
      try SampleStore.commit(store) { changes in
        for number in 1...3 as ClosedRange<UInt64> {
          let picture = Data(repeating: UInt8(number), count: 50 + Int(number) * 200)
          changes.put("Note", number, ["picture": .binary(picture)])
        }
      }
      try SampleStore.commit(store) { $0.change("Note", 2, ["stars": .integer(5)]) }
    case .evolved:
      try SampleStore.fillPlain(store)
      try SampleStore.evolve(store)
      try SampleStore.commit(store) { $0.put("Note", 9, ["title": .string("later")]) }
    }
  }

  private static func fillPlain(_ store: BinaryStore) throws {
    try commit(store) { changes in
      for number in 1...4 as ClosedRange<UInt64> {
        changes.put(
          "Note", number * 10,
          [
            "stars": .integer(Int64(number)), "text": .string("text \(number)"),
            "next": .object(changes.key("Note", 10)),
          ])
        changes.link(number, note: number * 10, tag: 2)
      }
      for number in 1...2 as ClosedRange<UInt64> {
        changes.put("Tag", number, ["name": .string("tag \(number)")])
      }
    }
    try commit(store) { changes in
      changes.change("Note", 10, ["stars": .integer(-3)])
      changes.remove("Note", 20)
    }
    _ = try store.leaseKeys(ofEntity: store.snapshot().schema["Note"]!.entityNumber, count: 5)
    let snapshot = try store.snapshot()
    var metadata = try snapshot.metadata
    metadata.values["owner"] = .dictionary(["name": .string("Ada"), "n": .integer(-3)])
    try store.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: metadata))
  }

  /// Sets the later model of the notes.
  public static func evolve(_ store: any Store) throws {
    let snapshot = try store.snapshot()
    try store.commit(CommitRequest(Layer(), basedOn: snapshot, model: laterNotes))
  }

  /// Commits the changes that `body` makes.
  public static func commit(
    _ store: any Store, _ body: (inout SampleChanges) throws -> Void
  ) throws {
    let base = try store.snapshot()
    var changes = SampleChanges(base)
    try body(&changes)
    try store.commit(CommitRequest(changes.builder.freeze(), basedOn: base))
  }
}

/// Changes of rows, with entities and properties by their names.
public struct SampleChanges {
  let base: any StoreSnapshot
  let builder: LayerBuilder

  init(_ base: any StoreSnapshot) {
    self.base = base
    builder = LayerBuilder(base.schema)
  }

  /// Returns the key of the object with the given number.
  public func key(_ entity: String, _ number: UInt64) -> ObjectKey {
    ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
  }

  public func put(_ entity: String, _ number: UInt64, _ values: [String: Value] = [:]) {
    builder.insert(key(entity, number))
    set(entity, number, values, 0)
  }

  public func change(_ entity: String, _ number: UInt64, _ values: [String: Value]) {
    set(entity, number, values, basis(key(entity, number)))
  }

  public func remove(_ entity: String, _ number: UInt64) {
    builder.remove(key(entity, number), basis: basis(key(entity, number)))
  }

  /// Links a note and a tag.
  public func link(_ number: UInt64, note: UInt64, tag: UInt64) {
    let layout = base.schema.linkTables[0].layout
    let link = ObjectKey(entity: layout.entityNumber, number: number)
    builder.insert(link)
    let values: [UInt16: Value] = [
      1: .object(key("Note", note)), 2: .object(key("Tag", tag)), 3: .integer(Int64(number)),
    ]
    for (column, value) in values {
      guard let position = layout.index(ofNumber: column) else { continue }
      builder.set(value, column: position, of: link)
    }
  }

  private func set(
    _ entity: String, _ number: UInt64, _ values: [String: Value], _ basis: Int64
  ) {
    let layout = base.schema[entity]!
    for (name, value) in values {
      builder.set(
        value, column: layout.index(of: name)!, of: key(entity, number), basis: basis)
    }
  }

  private func basis(_ key: ObjectKey) -> Int64 {
    (try? base.view.row(of: key)?.version) ?? 0
  }
}
