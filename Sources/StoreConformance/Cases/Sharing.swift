import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import Synchronization

/// The cases of several open stores at one place, and of several threads.
struct SharingCases {
  let run: CaseRun

  func twoOpenStores() throws {
    let ground = try run.ground()
    guard ground.backend.capabilities.contains(.shared) else {
      throw CaseRun.End.skipped("the store does not declare the capability 'shared'")
    }
    let path = ground.newPath()
    let one = try run.create(at: path)
    let other = try run.open(path)
    let keys = try (1...3).map { try run.key(one, "Thing", $0) }
    var expected: StoreConformance.Objects = [:]
    // Each store saves in turn, and each sees the save of the other.
    for round in 0..<6 as Range<Int64> {
      let (writer, reader) = round % 2 == 0 ? (one, other) : (other, one)
      try writer.commit(run.request(round, for: keys[0], above: writer.snapshot()))
      expected = [keys[0]: ["large": .integer(round)]]
      try run.check("The other open store after save \(round)", reader, holds: expected)
      run.check(
        "The commit of the other open store after save \(round)", is: try writer.snapshot().commit,
        found: try reader.snapshot().commit)
    }
    let base = try other.snapshot()
    try one.commit(run.request(10, for: keys[0], above: one.snapshot()))
    let late = try run.request(11, for: keys[0], above: base)
    if let error = run.refused(
      .conflict, "Changing an object that another open store has changed since",
      {
        try other.commit(late)
      })
    {
      run.check(
        "The keys in the refusal for an object that another open store has changed", is: [keys[0]],
        found: error.conflicts.map(\.key))
    }
    var required = try run.request(12, for: keys[1], above: base)
    required.requiredCommit = base.commit
    run.refused(
      .overtaken, "Changes that must follow a commit that another open store has followed,"
    ) {
      try other.commit(required)
    }
    // An object that the other store has not touched can be changed above an old commit.
    try other.commit(run.request(13, for: keys[2], above: base))
    expected = [keys[0]: ["large": .integer(10)], keys[2]: ["large": .integer(13)]]
    try run.check("One open store after all saves", one, holds: expected)
    try run.check("The other open store after all saves", other, holds: expected)

    var leased: Set<UInt64> = []
    for round in 0..<8 {
      let lease = try (round % 2 == 0 ? one : other).leaseKeys(
        ofEntity: keys[0].entity, count: 5000)
      run.check(
        leased.isDisjoint(with: lease),
        "Two open stores leased the same keys, among \(lease.lowerBound)..<\(lease.upperBound).")
      leased.formUnion(lease)
    }
    for seed in 0..<4 as Range<UInt64> {
      expected = try checkFollowing(one, other, expected, seed: run.suite.seed &+ seed)
    }
    try checkHolding(one, other, keys[0])
    expected[keys[0], default: [:]]["large"] = .integer(30)
    try checkForgetting(one, other)
    expected = try checkForgottenRows(one, at: path, keys[0], expected)
    try one.close()
    try run.check("An open store after the other one was closed", other, holds: expected)
    try other.commit(run.request(14, for: keys[1], above: other.snapshot()))
    try other.close()
  }

  /// Makes random saves with one store, and reads some of them with the other one. Returns the objects at the end.
  private func checkFollowing(
    _ one: any Store, _ other: any Store, _ before: StoreConformance.Objects, seed: UInt64
  ) throws -> StoreConformance.Objects {
    var generator = SeededGenerator(seed: seed)
    var objects = before
    for round in 0..<40 {
      let save = try StoreConformance.randomSave(
        of: Int.random(in: 1...6, using: &generator), to: objects, above: one.snapshot(), &generator
      )
      let saved = try one.commit(save.request)
      objects = save.objects
      guard Int.random(in: 0..<3, using: &generator) > 0 else { continue }
      let read = try other.snapshot()
      run.check(
        "The other open store after random save \(round)", read.schema, holds: objects,
        found: try StoreConformance.objects(read))
      // A store whose file contains only objects counts the commits of another open store in its own way.
      for key in objects.keys.sorted().prefix(run.suite.keepsRows ? 5 : 0) {
        run.check(
          "The version of \(StoreConformance.name(key, read.schema)) in the other open store after random save \(round)",
          is: try run.version(of: key, in: saved), found: try run.version(of: key, in: read))
      }
    }
    return objects
  }

  /// Commits with one store while the other one holds the newest commit.
  private func checkHolding(_ one: any Store, _ other: any Store, _ key: ObjectKey) throws {
    let request = try run.request(30, for: key, above: one.snapshot())
    let number = try other.snapshot().commit
    let failure = Mutex<String?>(nil)
    let isRefused = Atomic(false)
    let writer = DispatchGroup()
    try other.holding(commit: number) {
      let began = DispatchSemaphore(value: 0)
      CaseRun.startThread(in: writer) {
        began.signal()
        do {
          try one.commit(request)
        } catch let error as StoreError where error.code == .locked {
          // The store does not wait for as long as the hold lasts.
          isRefused.store(true, ordering: .sequentiallyConsistent)
        } catch { failure.withLock { $0 = CaseRun.text(error) } }
      }
      began.wait()
      // Time for a commit that does not wait for the end of the hold.
      Thread.sleep(forTimeInterval: 0.05)
      run.check(
        "The newest commit while it is held and another open store commits", is: number,
        found: try other.snapshot().commit)
    }
    writer.wait()
    if let error = failure.withLock({ $0 }) {
      run.check(
        false, "A commit must wait for another open store's hold, but was refused: \(error)")
    }
    if isRefused.load(ordering: .sequentiallyConsistent) { try one.commit(request) }
  }

  private func checkForgetting(_ one: any Store, _ other: any Store) throws {
    guard let history = one.features.history else { return }
    let numbers = try other.commits().map(\.number)
    guard numbers.count > 2 else { return }
    try history.forgetCommits(before: numbers[0])
    _ = try other.snapshot()
    run.check(
      "The commits of an open store after the other one has forgotten all but the newest",
      is: [numbers[0]],
      found: try other.commits().map(\.number))
    run.refused(.notFound, "Opening a commit that another open store has forgotten") {
      try other.snapshot(ofCommit: numbers[2])
    }
  }

  /// Opens a store that reads no rows before another open store has forgotten the commit. Returns the objects at the end.
  private func checkForgottenRows(
    _ one: any Store, at path: String, _ key: ObjectKey, _ before: StoreConformance.Objects
  ) throws -> StoreConformance.Objects {
    guard one.features.history != nil else { return before }
    let late = try run.open(path)
    _ = try late.snapshot()
    let saved = try one.commit(run.request(20, for: key, above: one.snapshot()))
    // A store that has just been opened does not know the rows that the other stores still read.
    let fresh = try run.open(path)
    try fresh.features.history?.forgetCommits(before: saved.commit)
    try fresh.close()
    var objects = before
    objects[key, default: [:]]["large"] = .integer(20)
    try run.check(
      "An open store that read no rows before its commit was forgotten", late, holds: objects)
    try late.close()
    return objects
  }

  func oneWriter() throws {
    let ground = try run.ground()
    guard !ground.backend.capabilities.contains(.shared) else {
      throw CaseRun.End.skipped("the store declares the capability 'shared'")
    }
    let path = ground.newPath()
    let store = try run.create(at: path)
    let thing = try run.key(store, "Thing", 1)
    try store.commit(run.request(1, for: thing, above: store.snapshot()))
    run.refused(
      .locked, "Opening a store that is not shared while another open store may write to it"
    ) {
      try run.open(path)
    }
    try store.commit(run.request(2, for: thing, above: store.snapshot()))
    try store.close()
    let again = try run.open(path)
    try run.check(
      "A store that was opened after the writer was closed", again,
      holds: [thing: ["large": .integer(2)]])
    try again.close()
  }

  /// Counts an object up with several threads, which try again after a conflict, or if the store no longer waits for its lock.
  func concurrentWriters() throws {
    var stores = [try run.suite.ground.map { try run.create(at: $0.newPath()) } ?? run.make()]
    if stores[0].features.isShared, run.suite.ground != nil, let path = stores[0].path {
      stores.append(try run.open(path))
    }
    let key = try run.key(stores[0], "Thing", 1)
    try stores[0].commit(run.request(0, for: key, above: stores[0].snapshot()))
    let numbers = Mutex<[Int64]>([])
    let failure = CaseRun.inThreads(4) { [stores] thread in
      for _ in 0..<10 {
        let number = try SharingCases.countUp(key, in: stores[thread % stores.count])
        if let number { numbers.withLock { $0.append(number) } }
      }
    }
    if let failure {
      run.check(false, "Saving with several threads must succeed, but failed: \(failure)")
    }
    let saved = numbers.withLock { $0 }
    // A store whose file contains only objects counts the commits of another open store in its own way.
    if run.suite.keepsRows {
      run.check(
        "The different numbers of the commits of several threads", is: saved.count,
        found: Set(saved).count)
    }
    for store in stores {
      try run.check(
        "After \(saved.count) commits that each count an object up by one", store,
        holds: [key: ["large": .integer(Int64(saved.count))]])
      try store.close()
    }
  }

  /// Adds one to a number of an object, and returns the number of the commit; `nil` if other threads were always faster.
  private static func countUp(_ key: ObjectKey, in store: any Store) throws -> Int64? {
    for _ in 0..<1000 {
      let base = try store.snapshot()
      let before = try base.view.row(of: key).map {
        try StoreConformance.values($0, base.schema[key.entity]!)
      }
      let next = (before?["large"]?.integer ?? 0) + 1
      do {
        return try store.commit(StoreConformance.request(next, for: key, above: base)).commit
      } catch let error as StoreError where [.conflict, .locked].contains(error.code) {}
    }
    return nil
  }

  func concurrentReaders() throws {
    let store = try run.make()
    let keys = try (1...8).map { try run.key(store, "Thing", $0) }
    @Sendable func save(_ number: Int64) throws {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      for key in keys {
        let version = try base.view.row(of: key)?.version
        if version == nil { builder.insert(key) }
        builder.set(.integer(number), "large", of: key, base.schema, basis: version ?? 0)
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    try save(0)
    let isDone = Atomic(false)
    let torn = Mutex<[String]>([])
    let failure = CaseRun.inThreads(4) { thread in
      if thread == 0 {
        defer { isDone.store(true, ordering: .sequentiallyConsistent) }
        for number in 1...40 as ClosedRange<Int64> { try save(number) }
        return
      }
      var last: Int64 = 0
      repeat {
        let found: StoreConformance.Objects
        do { found = try StoreConformance.objects(store.snapshot()) } catch {
          isDone.store(true, ordering: .sequentiallyConsistent)
          throw error
        }
        let numbers = Set(found.values.compactMap { $0["large"]?.integer })
        if found.count != keys.count || numbers.count != 1 || numbers.first! < last {
          torn.withLock {
            $0.append(
              "A reader saw \(found.count) of \(keys.count) objects, with the numbers \(numbers.sorted()) after "
                + "\(last): expected one number for all of them, and never a smaller one.")
          }
          return
        }
        last = numbers.first!
      } while !isDone.load(ordering: .sequentiallyConsistent)
    }
    for finding in torn.withLock({ $0 }).prefix(2) { run.check(false, finding) }
    if let failure {
      run.check(false, "Reading while another thread saves must succeed, but failed: \(failure)")
    }
    try store.close()
  }
}

extension CaseRun {
  /// Runs a function in several threads at once, with the number of each, and returns the text of an error.
  fileprivate static func inThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) -> String? {
    let failure = Mutex<String?>(nil)
    let threads = DispatchGroup()
    for thread in 0..<count {
      startThread(in: threads) {
        do { try body(thread) } catch { failure.withLock { $0 = text(error) } }
      }
    }
    threads.wait()
    return failure.withLock { $0 }
  }

  /// Runs a function in its own thread, which a group waits for.
  fileprivate static func startThread(
    in group: DispatchGroup, _ body: @escaping @Sendable () -> Void
  ) {
    group.enter()
    Thread.detachNewThread {
      body()
      group.leave()
    }
  }
}

extension Value {
  /// The integer of the value; `nil` for another kind.
  fileprivate var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
