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

/// Makes every disk operation of a store fail, once and for good.
@Suite("Failing disks")
struct FaultTests {
  /// A use of the store.
  enum Path: String, CaseIterable, Sendable {
    case creating, replacing, opening, describing, reading, scanning, lookingUp, readingHistory
    case saving, savingMuch, leasing, evolving, rewriting
  }

  /// The duration of a disk failure.
  enum Fault: String, CaseIterable, Sendable {
    case once, forGood

    /// Returns the failure of the operation with the given number: an I/O error or a full disk.
    func plan(_ number: Int) -> PlannedFailure {
      .failing(error(number), after: number, lasting: self == .once ? .once : .forGood)
    }

    func error(_ number: Int) -> ErrorNumber { number % 2 == 0 ? .inputOutput : .noSpace }
  }

  @Test(
    "A failed operation throws an error, loses nothing, leaves no file, and the next save works",
    arguments: Path.allCases, Fault.allCases)
  func failures(_ path: Path, _ fault: Fault) throws {
    var failureCount = 0
    for number in 0..<500 {
      let trial = try FaultTrial(path)
      trial.disk.plan(fault.plan(number))
      trial.run()
      let isReached = trial.disk.operations.contains { $0.failure == fault.error(number) }
      trial.disk.planNoFailures()
      if !isReached {
        #expect(trial.failure == nil, "\(path) fails without a failing disk")
        #expect(failureCount > 0)
        return
      }
      failureCount += trial.failure == nil ? 0 : 1
      try trial.check("\(path), operation \(number)", isOnce: fault == .once)
    }
    Issue.record("\(path) does not come to an end.")
  }

  @Test(
    "A save whose sync fails is uncertain if its bytes can't be removed",
    arguments: [(1, false), (1, true), (2, false)])
  func uncertain(_ failingSyncs: Int, _ truncationFails: Bool) throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk)
    disk.plan(.failing(.inputOutput, on: .sync, lasting: .times(failingSyncs)))
    if truncationFails { disk.plan(.failing(.inputOutput, on: .truncate)) }

    let error = #expect(throws: StoreError.self) {
      try SampleStore.commit(store) { $0.put("Note", 99) }
    }

    let isRemoved = failingSyncs == 1 && !truncationFails
    #expect(error?.code == (isRemoved ? .inputOutput : .uncertain))
  }

  @Test("The save after a failed sync writes a new file, and its large values")
  func largeValueAfterFailure() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(
      at: "/s", model: SampleStore.notes, on: disk, options: SampleStore.options)
    disk.plan(.failing(.inputOutput, on: .sync))
    #expect(throws: StoreError.self) { try SampleStore.commit(store) { $0.put("Note", 1) } }
    let picture = Value.binary(Data(repeating: 7, count: 5000))

    try SampleStore.commit(store) { $0.put("Note", 2, ["picture": picture]) }

    let snapshot = try BinaryStore.open("/s", on: disk).snapshot()
    let layout = try #require(snapshot.schema["Note"])
    let column = layout.columns[try #require(layout.index(of: "picture"))]
    let key = ObjectKey(entity: layout.entityNumber, number: 2)
    #expect(try snapshot.view.value(of: key, column: column) == picture)
  }

  @Test("The save after a failed sync writes a new file, and its new model")
  func modelAfterFailure() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk)
    disk.plan(.failing(.inputOutput, on: .sync))
    #expect(throws: StoreError.self) { try SampleStore.commit(store) { $0.put("Note", 1) } }

    try SampleStore.evolve(store)

    let snapshot = try BinaryStore.open("/s", on: disk).snapshot()
    #expect(try snapshot.model == SampleStore.laterNotes)
    #expect(try snapshot.schema == store.snapshot().schema)
  }

  @Test("A document's store goes on in a new file if only the last step of its writing failed")
  func replacementAfterFailure() throws {
    let disk = SimulatedDisk()
    try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk).close()
    let store = try BinaryStore.open("/s", on: disk, commit: 1)
    disk.plan(.failing(.inputOutput, on: .sync))
    #expect(throws: StoreError.self) { try SampleStore.commit(store) { $0.put("Note", 1) } }
    // The new file is synced and renamed. Then the sync of the folder fails.
    disk.settle()
    disk.plan(.failing(.inputOutput, on: .sync, after: 1))
    #expect(throws: StoreError.self) { try SampleStore.commit(store) { $0.put("Note", 2) } }
    #expect(disk.operations.contains { $0.operation == .rename && $0.failure == nil })

    try SampleStore.commit(store) { $0.put("Note", 3) }

    let commit = try store.snapshot().commit
    let snapshot = try BinaryStore.open("/s", on: disk, commit: commit).snapshot()
    let note = try #require(snapshot.schema["Note"]).entityNumber
    #expect(try snapshot.view.keys(ofEntity: note) == [3])
  }

  @Test("The file that a reservation of keys writes after a failed sync names a commit at once")
  func leaseAfterFailure() throws {
    let disk = SimulatedDisk()
    try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk).close()
    let store = try BinaryStore.open("/s", on: disk, commit: 1)
    disk.plan(.failing(.inputOutput, on: .sync))
    #expect(throws: StoreError.self) { try SampleStore.commit(store) { $0.put("Note", 1) } }
    // The new file is one write. No slot can be written in it afterwards.
    disk.plan(.failing(.noSpace, on: .write, after: 1, lasting: .forGood))

    _ = try store.leaseKeys(ofEntity: 1, count: 1)

    #expect(try BinaryStore.open("/s", on: disk, commit: 1).snapshot().commit == 1)
  }

  @Test("A disk that reads and writes a few bytes at a time changes no result")
  func short() throws {
    for path in Path.allCases {
      let trial = try FaultTrial(path)
      trial.disk.plan(PlannedFailure(.short(byteCount: 700), lasting: .forGood))
      trial.run()
      trial.disk.planNoFailures()
      #expect(trial.failure == nil, "\(path)")
      try trial.check("\(path)", isOnce: true)
    }
  }
}

/// A store on a disk that is about to fail.
private final class FaultTrial {
  let disk = SimulatedDisk()
  /// The error of the use of the store.
  private(set) var failure: (any Error)?
  private let path: FaultTests.Path
  private var store: BinaryStore?
  private var options = BinaryStoreOptions()
  private let before: SnapshotContents?
  /// The contents that were read, which must equal the contents before, if they could be read.
  private var result: SnapshotContents?
  private static let file = "/folder/s"
  private static let plain = try! sample(.plain)
  private static let indexed = try! sample(.indexed)

  private static func sample(_ sample: SampleStore) throws -> ([UInt8], SnapshotContents) {
    let disk = SimulatedDisk()
    let bytes = try sample.bytes()
    try disk.open("/s", for: .create).append(bytes)
    return (bytes, try SnapshotContents(BinaryStore.open("/s", on: disk).snapshot()))
  }

  init(_ path: FaultTests.Path) throws {
    self.path = path
    options.patience = .zero
    options.leastDeadByteCount = path == .rewriting ? 0 : 1 << 30
    options.deadShare = 0
    try disk.makeDirectory("/folder")
    try disk.syncDirectory("/")
    if path == .creating {
      before = nil
      disk.settle()
      return
    }
    let (bytes, contents) = path == .lookingUp ? FaultTrial.indexed : FaultTrial.plain
    before = contents
    let file = try disk.open(FaultTrial.file, for: .create)
    try file.append(bytes)
    try file.close()
    if path != .opening, path != .replacing, path != .describing {
      self.store = try BinaryStore.open(FaultTrial.file, on: disk, options: options)
    }
    disk.settle()
  }

  /// Runs the path, and records its error.
  func run() {
    do { try go() } catch { failure = error }
  }

  private func go() throws {
    switch path {
    case .creating, .replacing:
      store = try BinaryStore.create(
        at: FaultTrial.file, model: SampleStore.notes, on: disk, overwriting: path == .replacing,
        options: options)
    case .opening:
      store = try BinaryStore.open(FaultTrial.file, on: disk, options: options)
    case .describing:
      _ = try BinaryStore.metadata(at: FaultTrial.file, on: disk)
    case .reading: result = try SnapshotContents(store!.snapshot())
    case .scanning:
      let snapshot = try store!.snapshot()
      for layout in snapshot.schema.layouts { _ = try snapshot.view.batches(of: layout) }
    case .lookingUp:
      let snapshot = try store!.snapshot()
      let sorted = IndexedView(snapshot.view, snapshot.schema)
      for index in snapshot.schema.indexes {
        let range = IndexRange(equalTo: IndexBound([.null]))
        _ = try sorted.keys(index, in: range)
      }
    case .readingHistory:
      for commit in try store!.commits() {
        _ = try SnapshotContents(store!.snapshot(ofCommit: commit.number))
      }
    case .saving, .rewriting:
      try SampleStore.commit(store!) { $0.put("Note", 99, ["text": .string("new")]) }
    case .savingMuch:
      try SampleStore.commit(store!) {
        $0.put("Note", 99, ["text": .string(String(repeating: "new ", count: 80_000))])
      }
    case .leasing:
      _ = try store!.leaseKeys(ofEntity: 1, count: 10_000)
    case .evolving: try SampleStore.evolve(store!)
    }
  }

  /// Checks the store once the disk works again.
  func check(_ comment: String, isOnce: Bool) throws {
    if let failure {
      #expect(failure is StoreError, "\(comment): \(failure)")
      #expect(
        [.inputOutput, .locked, isOnce ? .locked : .uncertain].contains(
          (failure as? StoreError)?.code), "\(comment): \(failure)")
    }
    if let result { #expect(result == before, "\(comment)") }
    let isChanged = failure == nil && [.saving, .savingMuch, .evolving, .rewriting].contains(path)
    if path == .creating, failure != nil {
      // There is no store, or the new store: perhaps only the last sync of the folder failed.
      store = nil
      if !(try disk.exists(FaultTrial.file)) {
        try checkFolder([], comment, isOnce)
        return
      }
    }
    // The same store remains usable, and shows its former contents or the whole change.
    let same =
      try store ?? BinaryStore.open(FaultTrial.file, on: disk, options: options)
    if let before, path != .replacing {
      var now = try SnapshotContents(same.snapshot())
      // The file is a copy of the sample, and draws a lane with its first reservation.
      if path == .leasing { now.metadata.lanes = StoreLanes() }
      if isChanged {
        #expect(now.commit > before.commit, "\(comment)")
      } else {
        #expect(now == before, "\(comment)")
      }
    }
    let title = try same.snapshot().schema["Note"]!.index(of: "title") == nil ? "text" : "title"
    try SampleStore.commit(same) { $0.put("Note", 500, [title: .string("next")]) }
    let after = try SnapshotContents(same.snapshot())
    try same.close()
    store = nil
    // Another process sees the same contents, and no lock is left.
    let other = try BinaryStore.open(FaultTrial.file, on: disk, options: options)
    #expect(try SnapshotContents(other.snapshot()) == after, "\(comment)")
    #expect(
      after.objects[ObjectKey(entity: 1, number: 500)]?[title] == .string("next"), "\(comment)")
    try SampleStore.commit(other) { $0.put("Note", 501) }
    try checkFolder(["s"], comment, isOnce)
  }

  /// Checks that no file is left behind. A file that the failing disk did not let the store remove goes with the next
  /// rewriting.
  private func checkFolder(_ expected: Set<String>, _ comment: String, _ isOnce: Bool) throws {
    let names = try Set(disk.list("/folder").map(\.name))
    #expect(names == expected || !isOnce, "\(comment): \(names)")
    if names != expected, !expected.isEmpty {
      options.leastDeadByteCount = 0
      let store = try BinaryStore.open(FaultTrial.file, on: disk, options: options)
      try SampleStore.commit(store) { $0.put("Note", 502) }
      #expect(try Set(disk.list("/folder").map(\.name)) == expected, "\(comment)")
    }
  }

  deinit {
    store = nil
  }
}
