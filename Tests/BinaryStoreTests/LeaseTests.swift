import BinaryStore
import DiskSimulation
import DurableFiles
import HostileInputs
import Testing

@Suite("Keys that a store reserves")
struct LeaseTests {
  @Test(
    "A save of a document's store reserves more keys for a program that needs them",
    arguments: [(10, 4106), (1500, 7500)])
  func refilling(_ count: Int, _ available: Int) throws {
    let disk = SimulatedDisk()
    try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk).close()
    let store = try BinaryStore.open("/s", on: disk, commit: 1)
    let first = try store.leaseKeys(ofEntity: 1, count: count)
    let second = try store.leaseKeys(ofEntity: 1, count: count)
    try SampleStore.commit(store) { $0.put("Note", first.lowerBound) }
    disk.settle()

    let third = try store.leaseKeys(ofEntity: 1, count: available)

    #expect(third == second.upperBound..<second.upperBound + UInt64(available))
    #expect(!disk.operations.contains { $0.operation == .sync }, "These keys are in memory.")
    let fourth = try store.leaseKeys(ofEntity: 1, count: 1)
    #expect(fourth.lowerBound == third.upperBound)
    #expect(disk.operations.contains { $0.operation == .sync })
  }
}
