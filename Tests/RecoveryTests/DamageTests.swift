import BinaryStore
import BlockFileFormat
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import TestEffort
import Testing
import Validation

@testable import Recovery

/// Recovery from a block file with damage at any place.
@Suite("Recovery of block files")
struct DamageTests {
  private static let count = Effort.count(24)

  /// Recovers a file of the given bytes into a new store, and validates the new store.
  private func recovered(
    _ bytes: [UInt8], model: Model? = Library.model, _ seed: String
  ) throws -> (report: RecoveryReport, objects: [ObjectKey: [String: Value]]) {
    let disk = SimulatedDisk()
    try disk.open("/damaged", for: .create).append(bytes)
    let recovery = try StoreRecovery(of: "/damaged", on: disk, model: model)
    let store = try BinaryStoreBackend().create(
      at: "/new", model: recovery.snapshot.model, on: disk, recovery.creation)
    let report = try recovery.copy(to: store)
    let objects = try Library.objects(store.snapshot())
    try store.close()
    let validation = try Validator().validate("/new", on: disk)
    #expect(validation.findings.isEmpty, "\(seed): \(validation.text)")
    #expect(report.objectCount == objects.count, "\(seed)")
    return (report, objects)
  }

  /// Checks that the object had each recovered value at some commit.
  private func check(
    _ objects: [ObjectKey: [String: Value]], of library: Library, _ seed: String
  ) {
    for (key, values) in objects {
      for (name, value) in values where !value.isNull && !name.hasSuffix("#order") {
        let had = library.states.values.contains { $0[key]?[name] == value }
        #expect(had, "\(seed): \(key).\(name) is \(value)")
        if !had { return }
      }
    }
  }

  @Test("A file with a feature that readers must refuse is recovered, and never completely")
  func refusedFeature() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../spec/vectors/rules/BLCK-009.store").standardizedFileURL
    let bytes = BlockFileMap.naming(
      feature: "encryption", ofClass: 3, in: Array(try Data(contentsOf: file)))

    let (report, objects) = try recovered(bytes, model: nil, "")

    #expect(objects.count == 3)
    #expect(!report.isComplete)
  }

  @Test("A sound file is recovered unchanged", arguments: [false, true])
  func sound(_ isCompressed: Bool) throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: isCompressed, &random)

    let (report, objects) = try recovered(library.bytes, model: nil, "\(random)")

    #expect(report.isComplete, "\(random): \(report)")
    #expect(objects == library.states[library.newest]!, "\(random)")
  }

  @Test("Damage in one column of a block costs only the values of that column")
  func column() throws {
    let model = try Model(entities: [
      Entity(
        "Note",
        properties: [
          .attribute(Attribute("text", .string)), .attribute(Attribute("number", .int32)),
          .attribute(
            Attribute("rank", .int16, isOptional: false, defaultValue: .integer(7))),
        ])
    ])
    let disk = SimulatedDisk()
    let store = try BinaryStoreBackend().create(
      at: "/s", model: model, on: disk, StoreCreation())
    let snapshot = try store.snapshot()
    let builder = LayerBuilder(snapshot.schema)
    let layout = snapshot.schema["Note"]!
    for number in 1...4096 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      builder.set(.string("text \(number)"), column: layout.index(of: "text")!, of: key)
      builder.set(
        .integer(Int64(number * number % 1009)), column: layout.index(of: "number")!, of: key)
      builder.set(.integer(Int64(number % 5)), column: layout.index(of: "rank")!, of: key)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    try store.close()
    let sound = try disk.read("/s", byteLimit: 1 << 24).withUnsafeBytes { [UInt8]($0) }
    let entry = try #require(
      try liveBlocks(sound).blocks.first { $0.entry.rowCount == 4096 }?.entry)
    var lostNames: Set<String> = []
    for place in stride(
      from: Int(entry.offset) + 256, to: Int(entry.offset) + Int(entry.byteCount),
      by: Effort.distance(499))
    {
      var bytes = sound
      bytes[place] ^= 0x10
      try disk.remove("/s")
      try disk.open("/s", for: .create).append(bytes)
      let recovery = try StoreRecovery(of: "/s", on: disk, model: model)
      try? disk.remove("/new")
      let new = try BinaryStoreBackend().create(
        at: "/new", model: model, on: disk, recovery.creation)
      let report = try recovery.copy(to: new)
      // A block without its keys or versions recovers nothing, and damaged padding costs nothing.
      guard !report.lostValueCounts.isEmpty else { continue }
      let name = try #require(report.lostValueCounts.keys.first)
      lostNames.insert(name)
      #expect(report.lostValueCounts == [name: 4096] && !report.isComplete)
      #expect(report.objectCount == 4096, "\(place): \(report)")
      let objects = try Library.objects(new.snapshot())
      for (key, values) in objects {
        let number = Int64(key.number)
        #expect(values["text"] == (name == "Note.text" ? .null : .string("text \(number)")))
        #expect(
          values["number"] == (name == "Note.number" ? .null : .integer(number * number % 1009)))
        #expect(values["rank"] == .integer(name == "Note.rank" ? 7 : number % 5))
      }
      try new.close()
      #expect(try Validator().validate("/new", on: disk).verdict == .valid)
    }
    #expect(lostNames == ["Note.text", "Note.number", "Note.rank"])
  }

  @Test("Recovery finds everything that lies outside the damage", arguments: [false, true])
  func anywhere(_ isCompressed: Bool) throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: isCompressed, &random)
    let live = try liveBlocks(library.bytes)
    let newest = library.states[library.newest]!
    for _ in 0..<Self.count {
      var bytes = library.bytes
      var ranges: [Range<Int>] = []
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let length = [1, 8, 300, 5000].randomElement(using: &random)!
        let range = start..<min(bytes.count, start + length)
        for place in range { bytes[place] = UInt8.random(in: 0...255, using: &random) }
        ranges.append(range)
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        let cut = Int.random(in: 1...bytes.count / 4, using: &random)
        ranges.append(bytes.count - cut..<bytes.count)
        bytes.removeLast(cut)
      }
      let seed = "\(random), \(ranges)"

      let (report, objects) = try recovered(bytes, seed)

      check(objects, of: library, seed)
      // The last record and its pages define the state. If only a block is lost, its entry shows which objects are lost.
      guard report.isNewest || !touches(live.index, ranges) else { continue }
      let lost = live.blocks.filter { block in touches([block.range], ranges) }
      for (key, values) in newest {
        guard
          !lost.contains(where: {
            $0.entry.entity == key.entity && $0.entry.minimumKey <= key.number
              && key.number <= $0.entry.maximumKey
          })
        else { continue }
        guard let found = objects[key] else {
          // The blocks that a damaged page of the last record lists are lost with it, and the report counts them.
          if touches(live.index, ranges), !report.lostCounts.isEmpty { continue }
          // A note is lost with its book.
          if case .object(let book)? = values["book"], objects[book] == nil { continue }
          Issue.record("\(seed): \(key) is missing")
          break
        }
        for (name, value) in values {
          if case .object(let other) = value, objects[other] == nil || name == "twin" { continue }
          if name.hasSuffix("#order") || name == "cover" { continue }
          #expect(found[name] == value, "\(seed): \(key).\(name)")
        }
      }
    }
  }

  @Test(
    "Recovery works if any one structure is lost",
    arguments: ["header", "trailer", "record", "model", "schema", "metadata", "all trailers"])
  func structures(_ name: String) throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: name == "record", &random)
    var bytes = library.bytes
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(bytes)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let last = recovery.commits.last!
    func wipe(_ offset: UInt64, _ count: Int) {
      for place in Int(offset)..<Int(offset) + count { bytes[place] = 0xAA }
    }
    func wipe(_ section: SectionReference) { wipe(section.offset, Int(section.byteCount)) }
    switch name {
    case "header": wipe(8, 56)
    case "trailer": wipe(last.end - 48, 48)
    case "record": wipe(last.offset, Int(last.end - 48 - last.offset))
    case "model": wipe(last.record.model)
    case "schema": wipe(last.record.schema)
    case "metadata": wipe(last.record.metadata)
    default: for trailer in recovery.scan.trailers { wipe(trailer.offset, 48) }
    }

    let (report, objects) = try recovered(bytes, "\(random)")

    #expect(!report.isComplete)
    let newest = library.states[library.newest]!
    for (key, values) in newest {
      #expect(objects[key]?["title"] == values["title"], "\(random): \(key)")
      if objects[key] == nil { break }
    }
    check(objects, of: library, "\(random)")
    if name == "model" {
      #expect(throws: RecoveryError.self) {
        try recovered(bytes, model: nil, "\(random)")
      }
    }
  }

  @Test("A schema with one damaged byte loses nothing", arguments: [false, true])
  func schemaBytes(hasRecord: Bool) throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: false, rounds: 2, &random)
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(library.bytes)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let schema = recovery.commits.last!.record.schema
    let end = Int(schema.offset) + Int(schema.byteCount)
    for place in stride(from: Int(schema.offset), to: end, by: Effort.distance(5)) {
      var bytes = library.bytes
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      if !hasRecord {
        for commit in recovery.commits {
          for place in commit.offset..<commit.end { bytes[Int(place)] = 0xAA }
        }
      }

      let (report, objects) = try recovered(bytes, "\(random), \(place)")

      #expect(!report.isComplete)
      check(objects, of: library, "\(random), \(place)")
      if hasRecord { #expect(objects == library.states[library.newest]!, "\(random), \(place)") }
    }
  }

  @Test("Objects of an entity that the model lacks are counted as lost")
  func unknownEntity() throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: false, rounds: 2, &random)
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(library.bytes)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let newest = recovery.commits.last!.record
    let layout = try #require(try Schema(Library.model)["Note"])
    let objectCount = library.states[library.newest]!.keys.count {
      $0.entity == layout.entityNumber
    }
    var bytes = library.bytes
    let section =
      Int(newest.schema.offset)..<Int(newest.schema.offset) + Int(newest.schema.byteCount)
    let name = try #require(bytes[section].firstRange(of: Array(layout.entity.utf8)))
    bytes[name.lowerBound] = UInt8(ascii: "_")

    let (report, objects) = try recovered(BlockFileMap.mended(bytes), "\(random)")

    let changed = "_" + layout.entity.dropFirst()
    #expect(report.lostCounts[changed] ?? 0 >= objectCount, "\(report.lostCounts)")
    #expect(!report.isComplete)
    #expect(objects.count == library.states[library.newest]!.count - objectCount)
  }

  @Test("The given model is used if the file's model is damaged but still readable")
  func renamed() throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: false, rounds: 2, &random)
    var bytes = library.bytes
    let name = try #require(bytes.firstRange(of: Array("name=\"pages\"".utf8)))
    // Five bits are wrong, so the checksum does not suffice to restore the byte.
    bytes[name.lowerBound + 8] = UInt8(ascii: "x")

    let (report, objects) = try recovered(bytes, "\(random)")
    let (_, others) = try recovered(bytes, model: nil, "\(random)")

    #expect(report.notes == ["The file's model is lost. The given model is used instead."])
    #expect(objects == library.states[library.newest]!)
    #expect(others.count == objects.count)
  }

  /// A store of one entity whose model has a rule of every kind, with its objects and the range of its model.
  private func ruled() throws -> (
    bytes: [UInt8], objects: [ObjectKey: [String: Value]], model: Range<Int>
  ) {
    var name = Attribute("name", .string, isOptional: false)
    name.validation = .init(
      minimum: .integer(2), maximum: .integer(8), pattern: "[A-Z].*",
      predicates: [ValidationPredicate("SELF != 'Zoo'")])
    var stars = Attribute("stars", .int16, isOptional: false, defaultValue: .integer(3))
    stars.validation = .init(minimum: .integer(1), maximum: .integer(5))
    let model = try Model(entities: [
      Entity("Place", properties: [.attribute(name), .attribute(stars)])
    ])
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: model, on: disk)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let layout = base.schema["Place"]!
    for (number, text) in ["Porto", "Beja", "Faro"].enumerated() {
      let key = ObjectKey(entity: layout.entityNumber, number: UInt64(number + 1))
      builder.insert(key)
      builder.set(.string(text), column: layout.index(of: "name")!, of: key)
      builder.set(.integer(Int64(number + 1)), column: layout.index(of: "stars")!, of: key)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let file = try disk.open("/s", for: .read)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let section = recovery.commits.last!.record.model
    return (
      try disk.read("/s", byteLimit: 1 << 20), try Library.objects(store.snapshot()),
      Int(section.offset)..<Int(section.offset) + Int(section.byteCount)
    )
  }

  @Test("A changed bit of the model costs nothing, whichever bit it is")
  func modelBits() throws {
    let (bytes, objects, range) = try ruled()
    for place in range {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)

      let (report, found) = try recovered(changed, model: nil, "byte \(place)")

      #expect(found == objects, "byte \(place)")
      #expect(report.notes.first?.hasPrefix("One bit of the model") == true, "\(report.notes)")
    }
  }

  @Test("A model with several wrong bits gives a valid store or an error")
  func damagedModels() throws {
    var random = SeededGenerator()
    let (bytes, objects, range) = try ruled()
    var wholeCount = 0
    for round in 0..<400 {
      var changed = bytes
      for _ in 0..<Int.random(in: 2...4, using: &random) {
        changed[Int.random(in: range, using: &random)] ^=
          1 << UInt8.random(in: 0..<4, using: &random)
      }
      do {
        let (_, found) = try recovered(changed, model: nil, "\(random), round \(round)")
        if found == objects { wholeCount += 1 }
      } catch is RecoveryError {}
    }
    #expect(wholeCount > 0, "\(random)")
  }

  @Test("A damaged record does not hide a block that another record lists")
  func hiding() throws {
    var random = SeededGenerator()
    let library = try Library(isCompressed: false, rounds: 4, &random)
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(library.bytes)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let newest = recovery.commits.last!
    for commit in recovery.commits where commit.record.number > 1 {
      for place in stride(
        from: Int(commit.offset), to: Int(commit.end) - 48, by: Effort.distance(37))
      {
        var bytes = library.bytes
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)

        let (report, objects) = try recovered(bytes, "\(random), \(place)")

        #expect(!report.isComplete)
        check(objects, of: library, "\(random), \(place)")
        if commit.offset < newest.offset {
          #expect(objects == library.states[library.newest]!, "\(random), \(place)")
        } else {
          #expect(!report.isNewest, "\(random), \(place)")
        }
      }
    }
  }

  @Test("A file that is not a store, or that is empty, is refused")
  func nothing() throws {
    for bytes in [[], Array("QRBLOCKS".utf8), [UInt8](repeating: 0, count: 5000)] {
      #expect(throws: RecoveryError.self) { try recovered(bytes, model: nil, "") }
    }
  }

  // MARK: - Places of structures

  private func touches(_ parts: [Range<Int>], _ ranges: [Range<Int>]) -> Bool {
    parts.contains { part in ranges.contains { $0.overlaps(part) } }
  }

  /// Returns the blocks that the newest commit lists, with their outside values, and the places of the structures that
  /// list them.
  private func liveBlocks(
    _ bytes: [UInt8]
  ) throws -> (blocks: [(entry: BlockEntry, range: Range<Int>)], index: [Range<Int>]) {
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(bytes)
    let recovery = try BlockFileRecovery(file, model: nil) { _ in }
    _ = try recovery.run()
    let head = recovery.commits.last!
    var index = [Int(head.offset)..<Int(head.end), 0..<64]
    for section in [head.record.model, head.record.schema, head.record.metadata] {
      index.append(Int(section.offset)..<Int(section.offset) + Int(section.byteCount))
    }
    var blocks: [(entry: BlockEntry, range: Range<Int>)] = []
    for segment in head.record.segments {
      if case .pages(let pages) = segment.contents {
        for page in pages {
          index.append(
            Int(page.section.offset)..<Int(page.section.offset) + Int(page.section.byteCount))
        }
      }
      for entry in recovery.segmentEntries(segment).flatMap({ $0 ?? [] }) {
        blocks.append((entry, Int(entry.offset)..<Int(entry.offset) + Int(entry.byteCount)))
      }
    }
    return (blocks, index)
  }
}
