import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreInterface
import Testing

@Suite("Opening block files")
struct OpeningTests {
  private func store(on disk: SimulatedDisk) throws {
    try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk).close()
  }

  @Test("Detecting the type and opening the store open the file once and read its beginning once")
  func once() throws {
    let disk = SimulatedDisk()
    try store(on: disk)
    let before = disk.operationCount

    let store = try StoreBackends([BinaryStoreBackend()]).open("/s", on: disk)
    _ = try store.knownSnapshot().metadata

    let operations = disk.operations[before...].map(\.operation)
    #expect(operations.count { $0 == .open } == 1, "\(operations)")
    // The first bytes contain header, metadata, model and schema. The last bytes contain the commit.
    #expect(operations.count { $0 == .read } == 2, "\(operations)")
    try store.close()
    #expect(disk.openFileCount == 0)
  }

  @Test("Bytes of an unfinished write are read again after another write replaced them")
  func takenBack() throws {
    let disk = SimulatedDisk()
    try store(on: disk)
    let file = try disk.open("/s", for: .update)
    let end = try file.byteCount()
    // As many bytes as the commit below takes, so that the size of the file does not reveal the change.
    try file.append([UInt8](repeating: 0xAB, count: 600))
    let reader = try BinaryStore.open("/s", on: disk)
    try file.truncate(to: end)

    let writer = try BinaryStore.open("/s", on: disk)
    let snapshot = try writer.snapshot()
    var metadata = try snapshot.metadata
    metadata.values["note"] = .string("seen")
    try writer.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: metadata))

    #expect(try file.byteCount() == end + 600)
    #expect(try reader.snapshot().metadata.values["note"] == .string("seen"))
  }

  @Test("The known snapshot is the last snapshot read, and only a new snapshot reads the file")
  func known() throws {
    let disk = SimulatedDisk()
    try store(on: disk)
    let reader = try BinaryStore.open("/s", on: disk)
    let writer = try BinaryStore.open("/s", on: disk)
    let first = try reader.knownSnapshot().commit
    let snapshot = try writer.snapshot()
    var metadata = try snapshot.metadata
    metadata.values["note"] = .string("seen")
    let second = try writer.commit(
      CommitRequest(Layer(), basedOn: snapshot, metadata: metadata)
    ).commit
    let before = disk.operationCount

    #expect(second > first)
    #expect(try reader.knownSnapshot().commit == first && disk.operationCount == before)
    #expect(try reader.snapshot().commit == second)
    #expect(try reader.knownSnapshot().commit == second)
    try reader.close()
    let error = #expect(throws: StoreError.self) { try reader.knownSnapshot() }
    #expect(error?.code == .closed)
  }
}
