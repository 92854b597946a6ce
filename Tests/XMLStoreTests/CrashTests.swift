import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// A store, and random saves that change it. It keeps a list of the objects that the store must contain after each
/// successful save.
private final class Work {
  typealias Objects = StoreConformance.Objects

  let disk: any Disk
  let path = "/folder/work.xml"
  private(set) var store: (any Store)?
  private(set) var objects: Objects = [:]
  /// After each successful save: the objects of the store, and the number of disk operations up to then.
  private(set) var certain: [(operationCount: Int, objects: Objects)] = []
  private var generator: SeededGenerator
  private let count: () -> Int
  private let backend: XMLStoreBackend

  init(_ disk: any Disk, seed: UInt64, count: @escaping () -> Int) {
    self.disk = disk
    self.count = count
    generator = SeededGenerator(seed: seed)
    var options = XMLStoreOptions()
    options.patience = .zero
    backend = XMLStoreBackend(options: options)
  }

  func create() throws {
    store = try backend.create(
      at: path, model: StoreConformance.model, on: disk, StoreCreation())
    certain.append((count(), [:]))
  }

  func open() throws {
    try store?.close()
    store = nil
    store = try backend.open(path, on: disk, StoreOpening())
    objects = try StoreConformance.objects(store!.snapshot())
  }

  /// Saves random changes. The result of the save is certain once this function returns.
  func save(changes: Int) throws {
    let (next, request) = try StoreConformance.randomSave(
      of: changes, to: objects, above: store!.snapshot(), &generator)
    try store!.commit(request)
    objects = next
    certain.append((count(), next))
  }
}

@Suite("Power cuts and failing disks under the XML store")
struct CrashTests {
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/folder")
    try disk.syncDirectory("/")
    disk.settle()
    return disk
  }

  @Test("After a cut at any moment the document is the last save, or the save in progress")
  func cuts() throws {
    let disk = try Self.disk()
    let work = Work(disk, seed: 1) { disk.operationCount }
    try work.create()
    for round in 0..<8 {
      try work.save(changes: 1 + round % 4 * 3)
      if round == 4 { try work.open() }
    }
    let states = disk.crashStates(limit: 250, seed: 1)
    #expect(states.count > 100)
    for state in states {
      let last = work.certain.lastIndex { $0.operationCount <= state.operationCount } ?? -1
      let next = last + 1 < work.certain.count ? work.certain[last + 1].objects : nil
      do {
        let disk = state.disk
        let store = try XMLStoreBackend().open(work.path, on: disk, StoreOpening())
        let found = try StoreConformance.objects(store.snapshot())
        #expect((last >= 0 && found == work.certain[last].objects) || found == next, "\(state)")
        // Files left by the cut do not stop the next save.
        let after = Work(disk, seed: 2) { 0 }
        try after.open()
        try after.save(changes: 2)
        let names = try disk.list("/folder").map(\.name)
        #expect(names == ["work.xml"], "\(state)")
      } catch let error as StoreError where error.code == .notFound {
        #expect(last < 0, "\(state)")
      }
    }
  }

  @Test(
    "If any one operation fails, the save throws, nothing is lost, and the next save works",
    arguments: [false, true])
  func failures(_ forGood: Bool) throws {
    var skip = 0
    var failed = 0
    while skip < 300 {
      let disk = try Self.disk()
      let work = Work(disk, seed: 9) { disk.operationCount }
      try work.create()
      for _ in 0..<2 { try work.save(changes: 4) }
      disk.plan(
        .failing(
          [ErrorNumber.inputOutput, .noSpace][skip % 2], after: skip,
          lasting: forGood ? .forGood : .once))
      var error: (any Error)?
      do { for _ in 0..<3 { try work.save(changes: 3) } } catch let caught { error = caught }
      let reached = disk.operations.contains { $0.failure != nil }
      disk.planNoFailures()
      if !reached { break }
      failed += error == nil ? 0 : 1
      if let error { #expect(error is StoreError, "operation \(skip): \(error)") }
      let kept = work.objects
      // The same store remains usable.
      let now = try StoreConformance.objects(work.store!.snapshot())
      #expect(now == kept, "operation \(skip)")
      try work.save(changes: 2)
      let objects = work.objects
      try work.open()
      #expect(work.objects == objects, "operation \(skip)")
      skip += 1
    }
    #expect(failed > 10)
  }
}
