import DiskSimulation
import DurableFiles
import Foundation
import InstalledPlugins
import PluginHost
import SeededRandom
import StoreConformance
import StoreInterface
import Testing

/// The example of a plug-in in C: the system's compiler builds it, the host loads it, and the conformance suite tests
/// it.
@Suite("The folder store", .enabled(if: InstalledPlugins.compiler != nil))
struct FolderStoreTests {
  @Test("The folder store conforms")
  func conformance() throws {
    try ConformanceTests.check(
      InstalledPlugins.backend("Folder"), keepsRows: true, mostOpenFiles: 0)
  }

  @Test(
    "After a cut at any moment the store holds the last or the current save, and work goes on",
    arguments: [1, 2, 3] as [UInt64])
  func cuts(_ seed: UInt64) throws {
    let backend = try InstalledPlugins.backend("Folder")
    let disk = SimulatedDisk()
    var generator = SeededGenerator(seed: seed)
    var saves: [(operationCount: Int, objects: StoreConformance.Objects)] = []
    let store = try backend.create(
      at: "/store", model: StoreConformance.model, on: disk, StoreCreation())
    saves.append((disk.operationCount, [:]))
    for round in 0..<10 {
      let base = try store.snapshot()
      let (objects, request) = try StoreConformance.randomSave(
        of: 1 + round % 4 * 3, to: saves[round].objects, above: base, &generator)
      try store.commit(request)
      saves.append((disk.operationCount, objects))
      if round == 6 { try store.features.history?.forgetCommits(before: base.commit) }
    }

    for state in disk.crashStates(limit: 120, seed: seed) {
      let last = saves.lastIndex { $0.operationCount <= state.operationCount } ?? -1
      let next = last + 1 < saves.count ? saves[last + 1].objects : nil
      let after = state.disk
      let store: any Store
      do {
        store = try backend.open("/store", on: after, StoreOpening())
      } catch let error as StoreError where [.notFound, .notAStore].contains(error.code) {
        #expect(last < 0, "seed \(seed), \(state)")
        _ = try backend.create(
          at: "/store", model: StoreConformance.model, on: after, StoreCreation())
        continue
      }
      let found = try StoreConformance.objects(store.snapshot())
      #expect(
        (last >= 0 && found == saves[last].objects) || found == next, "seed \(seed), \(state)")
      for commit in try store.commits() {
        _ = try StoreConformance.objects(store.snapshot(ofCommit: commit.number))
      }
      let (objects, request) = try StoreConformance.randomSave(
        of: 5, to: found, above: store.snapshot(), &generator)
      try store.commit(request)
      try store.close()
      let again = try backend.open("/store", on: after, StoreOpening())
      #expect(try StoreConformance.objects(again.snapshot()) == objects, "seed \(seed), \(state)")
    }
  }
}
