import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import Testing
import Validation
import XMLStore

@testable import Recovery

/// Recovery from damaged XML documents, and from random bytes.
@Suite("Recovery of documents")
struct DocumentTests {
  private let disk = SimulatedDisk()
  private let model: Model
  private var bytes: [UInt8] = []

  init() throws {
    let trip = Entity(
      "Trip",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(
          Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
      ])
    let stop = Entity(
      "Stop",
      properties: [
        .attribute(Attribute("place", .string)),
        .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
      ])
    model = try Model(entities: [trip, stop])
    let store = try XMLStoreBackend().create(
      at: "/s.xml", model: model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let (stops, trips) = (base.schema["Stop"]!, base.schema["Trip"]!)
    for number in 1...100 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: trips.entityNumber, number: 1000 + number)
      builder.insert(key)
      builder.set(.string("Trip \(number)"), column: trips.index(of: "name")!, of: key)
      let stop = ObjectKey(entity: stops.entityNumber, number: number)
      builder.insert(stop)
      builder.set(.string("Stop \(number)"), column: stops.index(of: "place")!, of: stop)
      builder.set(.object(key), column: stops.index(of: "trip")!, of: stop)
      builder.set(.integer(0), column: stops.index(of: "trip#order")!, of: stop)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
    bytes = try disk.read("/s.xml", byteLimit: 1 << 20)
  }

  private func recovered(_ bytes: [UInt8]) throws -> RecoveryReport {
    let disk = SimulatedDisk()
    try disk.open("/damaged", for: .create).append(bytes)
    let recovery = try StoreRecovery(of: "/damaged", on: disk)
    let store = try XMLStoreBackend().create(
      at: "/new", model: recovery.snapshot.model, on: disk, recovery.creation)
    let report = try recovery.copy(to: store)
    let view = try store.snapshot().view
    for layout in recovery.snapshot.schema.layouts {
      let texts = try view.batches(of: layout).flatMap { batch in
        let column = try batch.block.column(
          layout.columns[layout.index(of: layout.entity == "Trip" ? "name" : "place")!])!
        return (0..<batch.block.rowCount).map { column.string(at: $0) }
      }
      #expect(texts.allSatisfy { $0.hasPrefix(layout.entity) }, "\(texts)")
    }
    try store.close()
    #expect(try Validator().validate("/new", on: disk).findings.isEmpty)
    return report
  }

  @Test("A document is recovered up to its first damage")
  func cut() throws {
    let sound = try recovered(bytes)
    #expect(sound.isComplete && sound.objectCount == 200)
    var random = SeededGenerator()
    let start = bytes.firstRange(of: Array("<object".utf8))!.lowerBound
    var last = 0
    for place in stride(from: start, to: bytes.count, by: (bytes.count - start) / 12) {
      let report = try recovered(Array(bytes[..<place]))
      #expect(!report.isComplete && report.objectCount >= last)
      last = report.objectCount
      var wrong = bytes
      for index in place..<min(place + 5, bytes.count) {
        wrong[index] = UInt8.random(in: 0...31, using: &random)
      }
      let other = try recovered(wrong)
      #expect(other.objectCount >= report.objectCount, "\(random)")
      #expect(other.unreadByteCount > 0 || other.isComplete, "\(random)")
    }
    #expect(last > 150)
  }

  @Test("A document without its part before the objects can't be recovered")
  func noInformation() {
    #expect(throws: RecoveryError.self) { try recovered(Array(bytes.prefix(60))) }
  }

  @Test("Recovery from random bytes causes no crash", arguments: 0..<8)
  func anything(_ sample: Int) throws {
    var random = SeededGenerator()
    for _ in 0..<40 {
      var input: [UInt8] = [UInt8(sample) | (Bool.random(using: &random) ? 8 : 0), 8]
      for _ in 0..<3 * Int.random(in: 1...12, using: &random) {
        input.append(UInt8.random(in: 0...255, using: &random))
      }
      HostileInputs.store(input)
    }
  }
}
