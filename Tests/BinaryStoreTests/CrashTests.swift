import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import TestEffort
import Testing

/// A store, and random saves that change it. It keeps a list of the objects that the store must contain after each
/// successful save.
private final class Work {
  typealias Objects = StoreConformance.Objects

  let disk: any Disk
  let path = "/folder/work.store"
  let options: BinaryStoreOptions
  private(set) var store: BinaryStore?
  private(set) var objects: Objects = [:]
  /// After each successful save: the objects of the store, and the number of disk operations up to then.
  private(set) var certain: [(operationCount: Int, objects: Objects)] = []
  private var generator: SeededGenerator
  private let count: () -> Int

  init(_ disk: any Disk, seed: UInt64, count: @escaping () -> Int) {
    self.disk = disk
    self.count = count
    generator = SeededGenerator(seed: seed)
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = 4096
    options.patience = .zero
    self.options = options
  }

  func create() throws {
    store = try BinaryStore.create(
      at: path, model: StoreConformance.model, on: disk, options: options)
    certain.append((count(), [:]))
  }

  func open() throws {
    try store?.close()
    store = nil
    store = try BinaryStore.open(path, on: disk, options: options)
    objects = try StoreConformance.objects(store!.snapshot())
  }

  /// Saves random changes. The result of the save is certain once this function returns.
  func save(changes: Int, valueByteCount: Int = 0) throws {
    let (next, request) = try StoreConformance.randomSave(
      of: changes, to: objects, above: store!.snapshot(), valueByteCount: valueByteCount,
      &generator)
    attempted = next
    try store!.commit(request)
    objects = next
    certain.append((count(), next))
  }

  /// The objects that the last save would have led to.
  private(set) var attempted: Objects = [:]
}

@Suite("Power cuts and failing disks")
struct CrashTests {
  /// The number of crash states to try.
  private static let stateCount = Effort.count(1000)

  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/folder")
    try disk.syncDirectory("/")
    disk.settle()
    return disk
  }

  @Test(
    "After a cut at any moment the store holds the last save, or the save in progress",
    arguments: [1, 2, 3] as [UInt64])
  func cuts(_ seed: UInt64) throws {
    let disk = try Self.disk()
    let work = Work(disk, seed: seed) { disk.operationCount }
    try work.create()
    for round in 0..<12 {
      try work.save(changes: 1 + round % 4 * 3)
      if round == 5 { try work.save(changes: 3, valueByteCount: 300_000) }
      if round == 8 { try work.open() }
    }
    for _ in 0..<8 { try work.save(changes: 2, valueByteCount: 3000) }
    // Outside values, in commits of a single sync.
    for round in 0..<6 { try work.save(changes: 2, valueByteCount: 33_000 + round) }
    let states = disk.crashStates(limit: Self.stateCount, seed: seed)
    #expect(states.count >= min(Self.stateCount, 900))

    for state in states {
      // The last save that had returned by then, and the save that followed.
      let last = work.certain.lastIndex { $0.operationCount <= state.operationCount } ?? -1
      let next = last + 1 < work.certain.count ? work.certain[last + 1].objects : nil
      do {
        let store = try BinaryStore.open(work.path, on: state.disk, options: work.options)
        let found = try StoreConformance.objects(store.snapshot())
        #expect(
          (last >= 0 && found == work.certain[last].objects) || found == next,
          "seed \(seed), \(state)")
      } catch let error as StoreError where error.code == .notFound {
        #expect(last < 0, "seed \(seed), \(state)")
      }
    }
  }

  @Test("After a power cut the store can be used further", arguments: [4, 5] as [UInt64])
  func goingOn(_ seed: UInt64) throws {
    let disk = try Self.disk()
    let work = Work(disk, seed: seed) { disk.operationCount }
    try work.create()
    for _ in 0..<5 { try work.save(changes: 3) }
    for state in disk.crashStates(limit: 60, seed: seed) {
      let after = Work(state.disk, seed: seed + 1) { 0 }
      do { try after.open() } catch let error as StoreError where error.code == .notFound {
        continue
      }
      for _ in 0..<3 { try after.save(changes: 3) }
      let objects = after.objects
      try after.open()
      #expect(after.objects == objects, "seed \(seed), \(state)")
    }
  }

  @Test(
    "If any one operation fails, the save throws, nothing is lost, and the next save works",
    arguments: [false, true])
  func failures(_ forGood: Bool) throws {
    var skip = 0
    var failed = 0
    while true {
      let disk = try Self.disk()
      let work = Work(disk, seed: 9) { disk.operationCount }
      try work.create()
      for _ in 0..<3 { try work.save(changes: 4) }
      let before = work.objects
      let planned = [ErrorNumber.inputOutput, .noSpace][skip % 2]
      disk.plan(.failing(planned, after: skip, lasting: forGood ? .forGood : .once))
      var error: (any Error)?
      do {
        for round in 0..<6 {
          try work.save(changes: 3, valueByteCount: [2000, 40_000, 300_000][round % 3])
        }
      } catch let caught { error = caught }
      // Some operations fail without a plan, such as the search for a missing file.
      let reached = disk.operations.contains { $0.failure == planned }
      disk.planNoFailures()
      if !reached { break }
      failed += error == nil ? 0 : 1
      if let error { #expect(error is StoreError, "operation \(skip): \(error)") }
      let kept = work.objects
      #expect(!kept.isEmpty || before.isEmpty)
      // The same store remains usable.
      let now = try StoreConformance.objects(work.store!.snapshot())
      #expect(now == kept, "operation \(skip)")
      try work.save(changes: 2)
      let objects = work.objects
      try work.open()
      #expect(work.objects == objects, "operation \(skip)")
      skip += 1
      if skip > 400 { break }
    }
    #expect(failed > 10)
  }
}
