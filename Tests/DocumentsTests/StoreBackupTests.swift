import BinaryStore
import DiskSimulation
import Documents
import ObjectGraph
import ObjectModel
import StoreInterface
import TestEffort
import Testing
import Validation

@Suite("Backups of stores without a document")
struct StoreBackupTests {
  private func add(_ name: String, to store: any Store) throws {
    let coordinator = PersistentStoreCoordinator(model: DocumentWorld.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.insert("Trip")["name"] = .string(name)
    try context.save()
  }

  private func backUp(on disk: SimulatedDisk) throws -> StoreBackup.Result {
    try StoreBackup(of: "/A.store", in: StorePlaces(DocumentWorld.backends, on: disk)).write(
      to: "/B.store")
  }

  @Test("After a cut at any moment the backup is a whole store, as one save left it")
  func cuts() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStoreBackend().create(
      at: "/A.store", model: DocumentWorld.model, on: disk, StoreCreation())
    try add("a", to: store)
    let first = try backUp(on: disk)
    // The third save is too large for a checksum of the whole commit.
    let text = String((0..<400_000).map { Character(UnicodeScalar(UInt8(33 + $0 * 7919 % 90))) })
    for name in ["b", "c", text, "d"] { try add(name, to: store) }
    disk.settle()
    let last = try backUp(on: disk)
    #expect(!last.isNew && last.writtenByteCount > 400_000)

    var seen: Set<Int64> = []
    for state in disk.crashStates(limit: Effort.count(400), seed: 1) {
      let report = try Validator(backends: DocumentWorld.backends).validate(
        "/B.store", on: state.disk)
      #expect(report.count(of: .error) == 0, "\(state): \(report.text)")
      let opened = try BinaryStoreBackend().open(
        "/B.store", on: state.disk, StoreOpening(readOnly: true))
      seen.insert(try opened.snapshot().commit)
      try opened.close()
      #expect(try backUp(on: state.disk).record.version == last.record.version, "\(state)")
    }
    #expect(seen.min() == first.record.version && seen.max() == last.record.version)
  }
}
