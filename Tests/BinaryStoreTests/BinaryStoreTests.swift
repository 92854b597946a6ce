import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing

@Suite("The block file")
struct BinaryStoreTests {
  @Test("The block file conforms on a disk in memory", arguments: [false, true])
  func conformance(isCompressed: Bool) throws {
    let disk = SimulatedDisk()
    let backend = BinaryStoreBackend(isCompressed: isCompressed)
    let report = StoreConformance(backend, on: disk, in: "/").run()
    #expect(report.failures == [])
    #expect(report.passed)
    #expect(disk.openFileCount < 100)
  }

  @Test("The block file conforms on a real disk")
  func realConformance() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = StoreConformance(BinaryStoreBackend(), on: RealDisk(), in: folder.path).run()
    #expect(report.failures == [])
    #expect(report.passed)
  }

  @Test(
    "A segment knows the range of its keys without reading blocks", arguments: SampleStore.allCases)
  func keyRanges(_ sample: SampleStore) throws {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(try sample.bytes())
    let snapshot = try BinaryStore.open("/s", on: disk).snapshot()
    let again = try BinaryStore.open("/s", on: disk).snapshot()

    for (table, other) in zip(snapshot.tables, again.tables) {
      for number in 0...snapshot.schema.highestEntityNumber + 1 {
        // No block of the other snapshot has been read.
        let changes = try table.changes(ofEntity: number)
        let ranges = try Layer(changes.map { [$0] } ?? []).keyRanges(ofEntity: number)
        #expect(try other.keyRanges(ofEntity: number) == ranges)
      }
    }
  }
}
