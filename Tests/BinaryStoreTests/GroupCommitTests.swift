import BinaryStore
import BlockFileFormat
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Synchronization
import Testing

/// Commits that follow a commit which is not durable yet, so that one sync makes all of them durable (spec §4.3.8).
@Suite("Commits that share a sync")
struct GroupCommitTests {
  private typealias Objects = StoreConformance.Objects

  /// A store on a simulated disk, and the objects after each of its commits.
  private final class Work {
    let disk: SimulatedDisk
    let store: BinaryStore
    /// The objects after each commit, the first of which is the empty store.
    var objects: [Objects] = [[:]]
    /// The number of disk operations when the call of each commit returned, by the index in `objects`.
    var returned: [Int: Int] = [:]
    private var generator = SeededGenerator(seed: 7)

    init() throws {
      disk = SimulatedDisk()
      store = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
      returned[0] = disk.operationCount
    }

    var syncCount: Int { disk.operations.count { $0.operation == .sync } }

    /// Makes commits, each before the previous one is durable, and calls `last` after all of them are ordered.
    func commitTogether(
      _ count: Int, valueByteCount: Int = 0, last: () throws -> Void = {}
    ) throws {
      let (next, request) = try StoreConformance.randomSave(
        of: 3, to: objects.last!, above: store.waitingSnapshot ?? store.snapshot(),
        valueByteCount: valueByteCount, &generator)
      var failure: (any Error)?
      let number = objects.count
      let snapshot = try store.commit(request) { ordered in
        objects.append(next)
        do {
          #expect(try StoreConformance.objects(ordered) == next)
          if count > 1 {
            try commitTogether(count - 1, valueByteCount: valueByteCount, last: last)
          } else {
            try last()
          }
        } catch { failure = error }
      }
      returned[number] = disk.operationCount
      #expect(try StoreConformance.objects(snapshot) == next)
      if let failure { throw failure }
    }
  }

  @Test("One sync makes all commits durable that were ordered before it")
  func oneSync() throws {
    let work = try Work()
    let before = work.syncCount
    try work.commitTogether(5)
    #expect(work.syncCount == before + 1)
    #expect(try StoreConformance.objects(work.store.snapshot()) == work.objects[5])
    let again = try BinaryStore.open("/s", on: work.disk)
    #expect(try StoreConformance.objects(again.snapshot()) == work.objects[5])
    // Each of the commits is in the history.
    #expect(try again.commits().map(\.number) == [6, 5, 4, 3, 2, 1])
  }

  @Test("Readers of this store see a commit only when it is durable")
  func readers() throws {
    let work = try Work()
    try work.commitTogether(2) {
      #expect(try StoreConformance.objects(work.store.snapshot()).isEmpty)
      let waiting = try #require(try work.store.waitingSnapshot)
      #expect(try StoreConformance.objects(waiting) == work.objects[2])
    }
    #expect(try work.store.waitingSnapshot == nil)
  }

  @Test(
    "After a power cut the store holds a commit, all commits before it, and each that was acknowledged",
    arguments: [0, 3000])
  func powerCut(_ valueByteCount: Int) throws {
    let work = try Work()
    for count in [1, 4, 2, 3] { try work.commitTogether(count, valueByteCount: valueByteCount) }
    let states = work.disk.crashStates(limit: 1500, seed: 3)
    #expect(states.count >= 400)
    var found: Set<Int> = []
    for state in states {
      let store: BinaryStore
      do { store = try BinaryStore.open("/s", on: state.disk) } catch let error as StoreError
        where error.code == .notFound
      { continue }
      let objects = try StoreConformance.objects(store.snapshot())
      let number = Int(try store.snapshot().commit) - 1
      #expect(objects == work.objects[number], "\(state)")
      let certain = work.returned.filter { $0.value <= state.operationCount }.keys.max() ?? 0
      #expect(number >= certain, "\(state)")
      found.insert(number)
      // The store can be used further.
      let base = try store.snapshot()
      let metadata = try base.metadata
      try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
      #expect(
        try StoreConformance.objects(BinaryStore.open("/s", on: state.disk).snapshot()) == objects)
    }
    // Some cuts end within a group.
    #expect(found == Set(0...10))
  }

  @Test(
    "A commit does not count if a commit before it, which the same sync should have made durable, is damaged"
  )
  func standing() throws {
    let work = try Work()
    try work.commitTogether(1)
    let start = try work.disk.read("/s", byteLimit: 1 << 20).count
    try work.commitTogether(3)
    let acknowledged = try work.disk.read("/s", byteLimit: 1 << 20)
    // As after a power cut: nothing tells of the group, and a byte of its first commit is lost.
    var bytes = BlockFileMap.naming(trailerAt: start - 48, in: acknowledged)
    bytes[start + 20] ^= 1
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    #expect(
      try StoreConformance.objects(BinaryStore.open("/s", on: disk).snapshot()) == work.objects[1])
    // The acknowledgement of the last commit says that all were durable, so now the file is damaged.
    bytes = acknowledged
    bytes[start + 20] ^= 1
    let other = SimulatedDisk()
    try other.open("/s", for: .create).append(bytes)
    #expect(throws: (any Error).self) {
      try StoreConformance.objects(BinaryStore.open("/s", on: other).snapshot())
    }
  }

  @Test(
    "If the sync fails, all its commits throw, nothing of them stays, and their numbers are not used again"
  )
  func failure() throws {
    let work = try Work()
    try work.commitTogether(1)
    let before = work.objects[1]
    work.disk.plan(.failing(.inputOutput, on: .sync))
    var codes: [StoreError.Code] = []
    func attempt(_ count: Int) throws {
      let base = try work.store.waitingSnapshot ?? work.store.snapshot()
      do {
        try work.store.commit(CommitRequest(Layer(), basedOn: base, metadata: base.metadata)) { _ in
          do { if count > 1 { try attempt(count - 1) } } catch { Issue.record(error) }
        }
        Issue.record("The commit succeeded.")
      } catch let error as StoreError { codes.append(error.code) }
    }
    try attempt(3)
    #expect(codes == [.inputOutput, .inputOutput, .inputOutput])
    #expect(try StoreConformance.objects(work.store.snapshot()) == before)
    #expect(try work.store.snapshot().commit == 2)
    work.disk.planNoFailures()

    let base = try work.store.snapshot()
    let next = try work.store.commit(
      CommitRequest(Layer(), basedOn: base, metadata: base.metadata))
    #expect(next.commit == 6)
    let again = try BinaryStore.open("/s", on: work.disk)
    #expect(try again.snapshot().commit == 6)
    #expect(try StoreConformance.objects(again.snapshot()) == before)
  }

  @Test("Work that needs the file alone waits for the commits before it")
  func alone() throws {
    let work = try Work()
    try work.commitTogether(2) {
      _ = try work.store.leaseKeys(ofEntity: 1, count: 3)
      #expect(try work.store.waitingSnapshot == nil)
    }
    try work.commitTogether(2) { try work.store.vacuum() }
    try work.commitTogether(2) {
      try work.commitTogether(1, valueByteCount: 300_000)
      #expect(try work.store.waitingSnapshot == nil)
    }
    let again = try BinaryStore.open("/s", on: work.disk)
    #expect(try StoreConformance.objects(again.snapshot()) == work.objects.last)
  }

  @Test("A group has a bounded number of bytes")
  func bound() throws {
    let work = try Work()
    let before = work.syncCount
    try work.commitTogether(40, valueByteCount: 20_000)
    let syncs = work.syncCount - before
    #expect(syncs > 1 && syncs < 40)
    #expect(
      try StoreConformance.objects(BinaryStore.open("/s", on: work.disk).snapshot())
        == work.objects[40])
  }

  @Test("Commits of many threads keep their order, and each is durable when its call returns")
  func threads() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "group-\(UUID()).store").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try BinaryStore.create(at: path, model: StoreConformance.model)
    DispatchQueue.concurrentPerform(iterations: 8) { writer in
      do {
        for round in 0..<25 {
          while true {
            let base = try store.waitingSnapshot ?? store.snapshot()
            var request = CommitRequest(Layer(), basedOn: base)
            request.metadata = try base.metadata
            request.metadata!.values["writer \(writer)"] = .string("\(round)")
            request.requiredCommit = base.commit
            do {
              let snapshot = try store.commit(request)
              let seen = try BinaryStore.open(path, readOnly: true).snapshot()
              #expect(seen.commit >= snapshot.commit)
              break
            } catch let error as StoreError where error.code == .overtaken { continue }
          }
        }
      } catch { Issue.record(error) }
    }
    let metadata = try BinaryStore.open(path).snapshot().metadata
    #expect(try store.snapshot().commit == 1 + 8 * 25)
    for writer in 0..<8 { #expect(metadata.values["writer \(writer)"] == .string("24")) }
  }

  @Test("A second process that saves is not kept waiting by threads that save without a pause")
  func secondProcess() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "group-\(UUID()).store").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try BinaryStore.create(at: path, model: StoreConformance.model)
    // Another store on the same file has locks of its own, as a second process has.
    let other = try BinaryStore.open(path)
    let isDone = Atomic(false)
    @Sendable func save(_ store: BinaryStore) throws {
      let base = try store.waitingSnapshot ?? store.snapshot()
      try store.commit(CommitRequest(Layer(), basedOn: base, metadata: base.metadata))
    }
    let busy = DispatchGroup()
    for _ in 0..<4 {
      DispatchQueue(label: "busy").async(group: busy) {
        do { while !isDone.load(ordering: .relaxed) { try save(store) } } catch {
          Issue.record(error)
        }
      }
    }
    do { for _ in 0..<10 { try save(other) } } catch { Issue.record(error) }
    isDone.store(true, ordering: .relaxed)
    busy.wait()
    #expect(try other.commits().map(\.number) == store.commits().map(\.number))
  }
}
