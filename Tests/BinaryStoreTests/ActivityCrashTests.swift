import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreInterface
import TestEffort
import Testing

/// Cuts the power at every moment of each activity of a store, and drops every part that was not durable by then.
@Suite("Power cuts during each activity")
struct ActivityCrashTests {
  /// The number of crash states of all activities together.
  private static let stateCount = Effort.count(1500)

  /// An activity of the store during which the power is cut.
  enum Activity: String, CaseIterable, Sendable {
    case creating, replacing, saving, savingMuch, merging, indexing, compressing, leasing
    case describing, evolving, rewriting, rewritingCompressed, rewritingAfterFailure
  }

  @Test(
    "After a cut the store shows its state before or after the activity, and can be used further",
    arguments: Activity.allCases)
  func cuts(_ activity: Activity) throws {
    let trial = try ActivityTrial(activity)
    let states = trial.disk.crashStates(
      limit: max(Self.stateCount / Activity.allCases.count, 60), seed: 1)
    #expect(states.count > 5, "\(activity) leaves no more than \(states.count) states")
    var found: Set<Int?> = []

    for (number, state) in states.enumerated() {
      let outcome = try trial.outcome(of: state, isThorough: number % 16 == 0)
      #expect(outcome.isExpected, "\(activity), \(state): \(outcome.words)")
      found.insert(outcome.moment)
    }

    // Some cuts are early enough to show the state before, and some late enough to show the state after.
    #expect(found.count > 1, "\(activity): always \(found)")
  }
}

/// One activity on a disk that was settled before it, and the state of the store at each moment.
private struct ActivityTrial {
  typealias Activity = ActivityCrashTests.Activity

  let disk = SimulatedDisk()
  private let activity: Activity
  private var options = BinaryStoreOptions()
  /// The number of disk operations at which each state became certain. The first state is the state before the
  /// activity.
  private var moments: [(operationCount: Int, state: State)] = []
  /// A state that is also possible, after a cut within a range of operations.
  private var underWay: (operationCounts: Range<Int>, state: State)?
  private static let path = "/folder/s"

  /// A state of the store; `keys` is `nil` if there is no store.
  private struct State: Equatable {
    var keys: [UInt16: [UInt64]]?
    /// The values of some objects.
    var values: [ObjectKey: [Value]] = [:]
    var note: Int64?
    var title: Bool?
    var leased: UInt64 = 0
  }

  /// - Parameter count: The number of saves, for activities that save several times.
  init(_ activity: Activity, until count: UInt64 = 4) throws {
    self.activity = activity
    options.patience = .zero
    options.leastDeadByteCount = 1 << 30
    try disk.makeDirectory("/folder")
    try disk.syncDirectory("/")
    disk.settle()
    if activity == .creating {
      moments = [(0, State())]
      let store = try create()
      try note(store)
      return
    }
    let store = try create()
    try SampleStore.commit(store) { changes in
      for number in 1...20 as ClosedRange<UInt64> {
        changes.put("Note", number, ["stars": .integer(Int64(number)), "text": .string("first")])
      }
    }
    if activity == .merging {
      for number in 30...31 as ClosedRange<UInt64> {
        try SampleStore.commit(store) { $0.put("Note", number) }
      }
    }
    disk.settle()
    try note(store)
    switch activity {
    case .creating: break
    case .replacing:
      try store.close()
      let other = try BinaryStore.create(
        at: ActivityTrial.path, model: SampleStore.notes, on: disk, overwriting: true)
      try note(other)
    case .saving, .merging:
      for number in 50..<50 + count {
        try SampleStore.commit(store) { changes in
          changes.put("Note", number, ["text": .string("later")])
          changes.change("Note", 3, ["stars": .integer(Int64(number))])
          changes.link(number, note: number, tag: 1)
        }
        try note(store)
      }
    case .savingMuch:
      for number in 50...51 as ClosedRange<UInt64> {
        try SampleStore.commit(store) { changes in
          changes.put(
            "Note", number, ["text": .string(String(repeating: "much \(number) ", count: 40_000))])
        }
        try note(store)
      }
    case .indexing, .compressing:
      for start in [1000, 3000] as [UInt64] {
        try SampleStore.commit(store) { changes in
          for number in start..<start + 1100 {
            changes.put(
              "Note", number,
              ["stars": .integer(Int64(number % 9)), "next": .object(changes.key("Note", 3))])
          }
        }
        try note(store)
      }
    case .leasing:
      var leased: UInt64 = 0
      for _ in 0..<3 {
        leased = try store.leaseKeys(ofEntity: 1, count: 5000).upperBound
        try note(store, leased: leased)
      }
    case .describing:
      for number in 1...3 as ClosedRange<Int64> {
        let base = try store.snapshot()
        var metadata = try base.metadata
        metadata.values["note"] = .integer(number)
        try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
        try note(store)
      }
    case .evolving:
      try SampleStore.evolve(store)
      try note(store)
      try SampleStore.commit(store) { $0.put("Note", 99, ["title": .string("new")]) }
      try note(store)
    case .rewriting, .rewritingCompressed:
      options.leastDeadByteCount = 0
      options.deadShare = 0
      let again = try BinaryStore.open(ActivityTrial.path, on: disk, options: options)
      for number in 50...52 as ClosedRange<UInt64> {
        try SampleStore.commit(again) { $0.change("Note", 4, ["stars": .integer(Int64(number))]) }
        try note(again)
      }
    case .rewritingAfterFailure:
      let start = disk.operationCount
      disk.plan(.failing(.inputOutput, on: .sync))
      #expect(throws: StoreError.self) {
        try SampleStore.commit(store) { $0.put("Note", 60) }
      }
      disk.planNoFailures()
      // Until the save has failed, its state may still appear. After the failure it must not appear.
      underWay = (start..<disk.operationCount, try ActivityTrial.stateAfterFailure())
      try SampleStore.commit(store) { $0.put("Note", 61) }
      try note(store)
    }
  }

  /// Returns the state that the store would have if the failing save had succeeded.
  private static func stateAfterFailure() throws -> State {
    let twin = try ActivityTrial(.saving, until: 0)
    let store = try BinaryStore.open(path, on: twin.disk)
    try SampleStore.commit(store) { $0.put("Note", 60) }
    return try twin.state(store)
  }

  private func create() throws -> BinaryStore {
    try BinaryStore.create(
      at: ActivityTrial.path, model: SampleStore.notes,
      isCompressed: [.compressing, .rewritingCompressed].contains(activity), on: disk,
      options: options)
  }

  /// Records the present state of the store as certain.
  private mutating func note(_ store: BinaryStore, leased: UInt64 = 0) throws {
    moments.append((disk.operationCount, try state(store, leased: leased)))
  }

  private func state(_ store: BinaryStore, leased: UInt64 = 0) throws -> State {
    let snapshot = try store.snapshot()
    let view = snapshot.view
    var keys: [UInt16: [UInt64]] = [:]
    var values: [ObjectKey: [Value]] = [:]
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      let all = try view.keys(ofEntity: layout.entityNumber)
      keys[layout.entityNumber] = all
      // Only some rows are read, because each of the many states would take long otherwise.
      for number in all.prefix(8) + all.suffix(2) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let row = try view.row(of: key)
        values[key] = try layout.columns.map { try row?.value($0) ?? .null }
      }
    }
    return State(
      keys: keys, values: values,
      note: try snapshot.metadata.values["note"]?.integer,
      title: try snapshot.model == SampleStore.laterNotes, leased: leased)
  }

  // MARK: - Outcome of a crash

  /// The result of a crash, with the index of the moment whose state the store shows.
  struct Outcome {
    var moment: Int?
    var isExpected: Bool
    var words: String
  }

  /// - Parameter isThorough: Whether the whole state is checked and the store is used further.
  func outcome(of crash: CrashState, isThorough: Bool) throws -> Outcome {
    let last = moments.lastIndex { $0.operationCount <= crash.operationCount } ?? 0
    let disk = crash.disk
    let store: BinaryStore
    do { store = try BinaryStore.open(ActivityTrial.path, on: disk, options: options) } catch let
      error
      as StoreError where error.code == .notFound
    {
      return Outcome(
        moment: nil, isExpected: moments[last].state.keys == nil, words: "there is no store")
    }
    var found = try state(store)
    let possible = last...min(last + 1, moments.count - 1)
    let moment = possible.first { moment in
      found.leased = moments[moment].state.leased
      return found == moments[moment].state
    }
    guard let moment else {
      found.leased = 0
      if let underWay, underWay.operationCounts.contains(crash.operationCount),
        found == underWay.state
      {
        return Outcome(moment: nil, isExpected: true, words: "")
      }
      return Outcome(moment: nil, isExpected: false, words: "it holds something else")
    }
    if isThorough || activity == .leasing {
      let lease = try store.leaseKeys(ofEntity: 1, count: 10)
      if lease.lowerBound < moments[last].state.leased {
        return Outcome(moment: moment, isExpected: false, words: "\(lease) were given before")
      }
    }
    if isThorough { try goOn(store, disk) }
    return Outcome(moment: moment, isExpected: true, words: "")
  }

  /// Saves, and reads everything through another store object.
  private func goOn(_ store: BinaryStore, _ disk: SimulatedDisk) throws {
    try SampleStore.commit(store) { $0.put("Note", 777) }
    let before = try StoreContents(store)
    try store.close()
    let again = try BinaryStore.open(ActivityTrial.path, on: disk, options: options)
    #expect(try StoreContents(again) == before)
    #expect(before.newest.objects[ObjectKey(entity: 1, number: 777)] != nil)
    #expect(before.strayByteCount == 0)
  }
}
