import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing
import Validation

@Suite("Sound files")
struct SoundFileTests {
  @Test(
    "Small files of every kind have no finding",
    arguments: [
      SmallFile.empty, SmallFile.one, SmallFile.notes, SmallFile.pair, SmallFile.columns,
      SmallFile.pages, SmallFile.compressed, SmallFile.large, SmallFile.outside, SmallFile.indexed,
      SmallFile.links, SmallFile.document, SmallFile.shelf,
    ])
  func small(_ make: @Sendable () throws -> [UInt8]) throws {
    let report = try BrokenFile.report(make())

    #expect(report.verdict == .valid)
    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
  }

  @Test("The samples that other tests damage have no finding", arguments: SampleStore.allCases)
  func samples(_ sample: SampleStore) throws {
    let report = try BrokenFile.report(sample.bytes())
    // The samples remove notes that remaining notes refer to.
    let found = Set(report.counts.keys.map(\.id)).subtracting(["GRAF-008", "GRAF-020"])

    #expect(found.isEmpty && report.passedOver.isEmpty, "\(report.text)")
  }

  @Test("The example store has no finding, and is checked completely")
  func example() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Examples/Trips.store").standardized.path

    let report = try Validator().validate(path)

    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
    #expect(report.checked.objectCount == 18)
    #expect(report.checked.commitCount == 2)
  }

  @Test(
    "Random stores have no finding after any save, with changes, merges and vacuums",
    arguments: [1, 2, 3] as [UInt64])
  func random(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = seed == 3 ? 20_000 : 1 << 20
    options.history = seed == 3 ? .last(3) : .none
    let store = try BinaryStore.create(
      at: "/s", model: StoreConformance.model, isCompressed: seed == 2, on: disk, options: options)
    for round in 0..<30 {
      try store.save { saving in
        var touched: Set<ObjectKey> = []
        for _ in 0..<(round % 7 == 3 ? 300 : 9) {
          try Self.change(saving, &touched, &generator)
        }
      }
      if round % 5 == 0 { _ = try store.leaseKeys(ofEntity: 1, count: 5000) }
      let report = try Validator().validate("/s", on: disk)
      #expect(
        report.findings.isEmpty && report.passedOver.isEmpty,
        "seed \(seed), round \(round): \(report.text)")
      let objects = try StoreConformance.objects(store.snapshot())
      #expect(report.checked.objectCount == objects.count, "seed \(seed), round \(round)")
    }
  }

  private static func change(
    _ saving: Saving, _ touched: inout Set<ObjectKey>, _ generator: inout SeededGenerator
  ) throws {
    let entity = ["Thing", "SpecialThing", "Owner"].randomElement(using: &generator)!
    let number = UInt64.random(in: 1...400, using: &generator)
    let key = saving.key(entity, number)
    guard touched.insert(key).inserted else { return }
    if try !saving.base.view.contains(key) {
      saving.insert(entity, number, ["name": .string("n\(number)")])
    } else if Int.random(in: 0..<4, using: &generator) > 0 {
      try saving.change(entity, number, "name", .string("m\(number) é"))
    } else {
      try saving.remove(entity, number)
    }
  }
}
