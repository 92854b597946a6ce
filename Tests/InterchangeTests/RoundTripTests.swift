import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import SeededRandom
import StoreInterface
import Testing
import Validation
import XMLStore

@testable import Interchange

/// Export and import on every kind of store.
@Suite("Round trips of export and import")
struct RoundTripTests {
  static let backends: [(name: String, backend: any StoreBackend)] = [
    ("binary", BinaryStoreBackend()), ("compressed", BinaryStoreBackend(isCompressed: true)),
    ("xml", XMLStoreBackend()), ("memory", MemoryStoreBackend()),
  ]

  private static func backend(_ name: String) -> any StoreBackend {
    backends.first { $0.name == name }!.backend
  }

  @Test(
    "Exported objects of every type and relationship are imported as equal objects",
    arguments: backends.map(\.name), ExchangeFormat.allCases)
  func same(_ name: String, _ format: ExchangeFormat) throws {
    for batchSize in [nil, 7] {
      var random = SeededGenerator()
      let disk = SimulatedDisk()
      let source = try Self.backend(name).create(
        at: "/source", model: World.model, on: disk, StoreCreation())
      try World.fill(source, 150, &random)
      let files = try written(source.snapshot(), format, disk)
      let target = try Self.backend(name).create(
        at: "/target", model: World.model, on: disk, StoreCreation())

      var run = ObjectImport(into: target, files)
      run.options.batchSize = batchSize
      _ = try run.run()

      let (before, after) = (
        try contents(source.snapshot()), try contents(target.snapshot())
      )
      #expect(before == after, "\(random): \(Set(before).symmetricDifference(after).prefix(6))")
      guard name != "memory" else { continue }
      try target.close()
      let report = try Validator().validate("/target", on: disk)
      #expect(report.findings.isEmpty, "\(random): \(report.text)")
    }
  }

  @Test(
    "An import through a context keeps the objects equal too", arguments: ExchangeFormat.allCases)
  func edited(_ format: ExchangeFormat) throws {
    var random = SeededGenerator()
    let disk = SimulatedDisk()
    let store = try BinaryStoreBackend().create(
      at: "/source", model: World.model, on: disk, StoreCreation())
    try World.fill(store, 120, &random)
    let before = try contents(store.snapshot())
    let files = try written(store.snapshot(), format, disk)

    var run = ObjectImport(into: store, files)
    run.options.updatesSameIdentifiers = true
    let report = try run.run()

    #expect(report.insertedCount == 0)
    let after = try contents(store.snapshot())
    #expect(before == after, "\(random): \(Set(before).symmetricDifference(after).prefix(6))")
  }

  @Test("Every written number and moment reads back equal")
  func numbers() {
    var random = SeededGenerator()
    for _ in 0..<2_000 {
      let bits = random.next()
      let number = Double(bitPattern: bits)
      #expect(RealText.double(RealText.text(number))?.bitPattern == bits, "\(random)")
      let small = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      #expect(
        RealText.float(RealText.text(small))?.bitPattern == small.bitPattern, "\(random)")
      let moment = World.moment(bits, &random)
      let text = MomentText.text(moment)
      #expect(MomentText.seconds(text)?.bitPattern == moment.bitPattern, "\(text) \(random)")
      // A clock that is ahead by 53 minutes and 28 seconds can't be written, so the text is in UTC.
      let offset = [0, 7_200, -19_800, 86_340, -86_340, 3_208].randomElement(using: &random)!
      let zoned = MomentText.text(moment, ahead: offset)
      #expect(MomentText.seconds(zoned)?.bitPattern == moment.bitPattern, "\(zoned) \(random)")
    }
  }

  @Test("Moments are written in one form, and read in several forms")
  func moments() {
    func reads(_ text: String, _ seconds: Double?, at: SourceLocation = #_sourceLocation) {
      #expect(MomentText.seconds(text) == seconds, sourceLocation: at)
    }
    #expect(MomentText.text(0) == "2001-01-01T00:00:00Z")
    #expect(MomentText.text(-0.25) == "2000-12-31T23:59:59.75Z")
    #expect(MomentText.text(816_958_692.767) == "2026-11-21T12:58:12.767Z")
    #expect(MomentText.text(.nan) == "@nan")
    #expect(MomentText.text(-0.25, ahead: 5_400) == "2001-01-01T01:29:59.75+01:30")
    #expect(MomentText.text(0, ahead: -1_800) == "2000-12-31T23:30:00-00:30")
    #expect(MomentText.text(0, ahead: 3_208) == "2001-01-01T00:00:00Z")
    reads("2001-01-01", 0)
    reads("2001-01-01T01:00+01:00", 0)
    reads("2001-01-01 00:00:00,5", 0.5)
    reads("2000-02-29T00:00:00Z", -26_524_800)
    reads("@-12.5", -12.5)
    for wrong in [
      "", "2001", "2001-02-29", "2001-13-01", "2001-01-01T24:00", "2001-01-01T00:00:60Z",
      "2001-01-01T00:00:00Zx", "2001-01-01T00:00:00.Z", "@", "today", "2001-1-1",
    ] { reads(wrong, nil) }
  }

  private func written(
    _ snapshot: any StoreSnapshot, _ format: ExchangeFormat, _ disk: SimulatedDisk
  ) throws -> [ImportFile] {
    let export = try ObjectExport(of: snapshot, as: ExportFormat(format))
    switch format {
    case .jsonl:
      let file = try disk.open("/out.jsonl", for: .create)
      for entity in export.entities { try export.write(entity) { _ = try file.append($0) } }
      return [ImportFile(file, name: "out.jsonl", format: .jsonl)]
    case .csv:
      return try export.entities.map { entity in
        let file = try disk.open("/\(entity).csv", for: .create)
        try export.write(entity) { _ = try file.append($0) }
        return ImportFile(file, name: "\(entity).csv", format: .csv, entity: entity)
      }
    }
  }
}
