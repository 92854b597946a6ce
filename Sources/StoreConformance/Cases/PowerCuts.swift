import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The cases of a disk that loses power or fails, for stores that use the disk of the program.
///
/// The disk is simulated: it knows at each moment which bytes and names are durable, and gives the contents that a power
/// cut may leave.
struct PowerCutCases {
  let run: CaseRun

  /// The number of commits before and between the power cuts.
  private static let commitCount: Int64 = 5
  /// The largest number of states of the disk after a power cut that are opened.
  private static let stateCount = 240
  /// The largest number of operations of a commit that fail, one in each attempt.
  private static let failureCount = 120

  /// A store on a simulated disk after some commits.
  private struct World {
    var disk = SimulatedDisk()
    var path: String
    /// The number of operations of the disk when the store was made, and then after each commit.
    var operations: [Int] = []
  }

  /// Makes a store on a simulated disk and commits to it. Returns `nil` if the store does not use the disk.
  private func world(
    commits: Int64 = PowerCutCases.commitCount
  ) throws -> (World, any Store)? {
    let ground = try run.ground()
    guard ground.backend.capabilities.contains(.durable) else {
      throw CaseRun.End.skipped("the store does not declare the capability 'durable'")
    }
    guard !ground.backend.recognizesAddress(ground.newPath()) else {
      throw CaseRun.End.skipped("the stores are not files")
    }
    var world = World(path: ground.newPath(in: "/"))
    let store: any Store
    do {
      store = try ground.backend.create(
        at: world.path, model: StoreConformance.model, on: world.disk, StoreCreation())
    } catch let error as StoreError where [.notSupported, .readOnly].contains(error.code) {
      return nil
    }
    guard try world.disk.exists(world.path) else {
      try store.close()
      return nil
    }
    world.operations = [world.disk.operationCount]
    for number in 0..<commits {
      try store.commit(NumberedCommit(number + 1).request(above: store.snapshot()))
      world.operations.append(world.disk.operationCount)
    }
    return (world, store)
  }

  // MARK: - Power cuts

  func cuts() throws {
    // A store that opens files of the system on its own loses power in another process.
    guard let (world, store) = try world() else { return try ProcessCases(run: run).powerCuts() }
    let states = world.disk.crashStates(limit: Self.stateCount, seed: run.suite.seed)
    try store.close()
    for state in states {
      // The store must be there from the moment on at which `create` returned.
      guard let made = world.operations.lastIndex(where: { $0 <= state.operationCount }) else {
        continue
      }
      try check(state, after: Int64(made), at: world.path)
    }
    try cutCreations()
  }

  /// Cuts the power while a store is created.
  private func cutCreations() throws {
    guard let (world, store) = try world(commits: 0) else { return }
    let states = world.disk.crashStates(limit: Self.stateCount, seed: run.suite.seed)
    try store.close()
    for state in states where state.operationCount < world.operations[0] {
      try checkCreation(state, at: world.path)
    }
  }

  /// Opens the place at which a power cut ended `create`. The place must contain an empty store, or no store.
  private func checkCreation(_ state: CrashState, at path: String) throws {
    let ground = try run.ground()
    let moment = "After a power cut while the store was created (\(state))"
    do {
      let store = try ground.backend.open(path, on: state.disk, StoreOpening())
      defer { try? store.close() }
      let snapshot = try store.snapshot()
      run.check(
        moment, snapshot.schema, holds: [:], found: try StoreConformance.objects(snapshot))
    } catch let error as StoreError {
      run.check(
        [.notFound, .notAStore].contains(error.code),
        "\(moment), there must be an empty store or none, but \(CaseRun.text(error))")
    }
  }

  /// Opens the store that a power cut left. It must contain the confirmed commit, or the next one, as a whole.
  private func check(_ state: CrashState, after confirmed: Int64, at path: String) throws {
    let ground = try run.ground()
    let moment = "After a power cut (\(state))"
    let disk = state.disk
    do {
      let store = try ground.backend.open(path, on: disk, StoreOpening())
      defer { try? store.close() }
      let number = try checkNumber(
        of: store.snapshot(), moment, confirmed...confirmed + 1,
        "commit \(confirmed) or the next one, which had begun")
      let next = NumberedCommit(number + 1)
      let saved = try store.commit(next.request(above: store.snapshot()))
      run.check(
        "\(moment), the store after one more commit", saved.schema,
        holds: try next.objects(in: saved), found: try StoreConformance.objects(saved))
    } catch let error as StoreError {
      run.check(
        false,
        "\(moment), commit \(confirmed) was confirmed and must be there, but \(CaseRun.text(error))"
      )
    }
  }

  /// Checks that a snapshot is one of some numbered commits as a whole, and returns the number of the commit.
  private func checkNumber(
    of snapshot: any StoreSnapshot, _ moment: String, _ allowed: ClosedRange<Int64>, _ words: String
  ) throws -> Int64 {
    let found = try StoreConformance.objects(snapshot)
    var number: Int64 = 0
    if case .integer(let large)? = found[try StoreConformance.thing(1, in: snapshot)]?["large"] {
      number = large
    }
    guard allowed.contains(number) else {
      run.check(false, "\(moment): expected \(words), found commit \(number).")
      return allowed.lowerBound
    }
    run.check(
      "\(moment), the store with commit \(number)", snapshot.schema,
      holds: number == 0 ? [:] : try NumberedCommit(number).objects(in: snapshot), found: found)
    if number > 0 { try NumberedCommit.checkVersions(of: snapshot, moment, run) }
    return number
  }

  // MARK: - Failing operations

  func failures() throws {
    guard let (first, store) = try world() else {
      throw CaseRun.End.skipped("the store does not use the disk of the program")
    }
    try store.close()
    let most = zip(first.operations, first.operations.dropFirst()).map { $1 - $0 }.max() ?? 0
    for index in 0..<min(most, Self.failureCount) {
      // The two kinds of failures take turns, so that each operation fails once.
      try checkFailure(of: index, index % 2 == 0 ? .inputOutput : .noSpace)
    }
  }

  /// Lets one operation of a commit fail. The store must stay at the commit before, or the commit must succeed.
  private func checkFailure(of index: Int, _ failure: ErrorNumber) throws {
    guard let (world, store) = try world() else { return }
    let last = Self.commitCount
    let next = NumberedCommit(last + 1)
    let request = try next.request(above: store.snapshot())
    let start = world.disk.operationCount
    world.disk.plan(.failing(failure, after: index))
    var error: (any Error)?
    do { try store.commit(request) } catch let one { error = one }
    world.disk.planNoFailures()
    let failed = world.disk.operations.dropFirst(start).first { $0.failure == failure }
    // The commit has fewer operations than the commits before it.
    guard let failed else { return try store.close() }
    let moment = "After operation \(index + 1) of a commit failed (\(failed))"
    guard let error else {
      _ = try checkNumber(
        of: store.snapshot(), moment + " and the commit succeeded", next.number...next.number,
        "commit \(next.number)")
      try? store.close()
      // The commit returned, so it must be durable even if an operation failed on the way.
      let states = world.disk.crashStates(limit: 400, seed: run.suite.seed)
      for state in states.suffix(4) where state.operationCount == states.last?.operationCount {
        try check(state, after: next.number, at: world.path)
      }
      return try checkReopened(
        world, moment + " and the commit succeeded", next.number...next.number)
    }
    run.check(
      error is StoreError,
      "\(moment), the commit must fail with an error of the interface, but failed with \(error).")
    // The store may refuse further work until it is opened again.
    if let snapshot = try? store.snapshot() {
      _ = try checkNumber(of: snapshot, moment, last...last, "commit \(last), which came before it")
    }
    try? store.close()
    try checkReopened(world, moment + " and the store was reopened", last...last + 1)
  }

  private func checkReopened(
    _ world: World, _ moment: String, _ allowed: ClosedRange<Int64>
  ) throws {
    do {
      let store = try run.ground().backend.open(world.path, on: world.disk, StoreOpening())
      defer { try? store.close() }
      let number = try checkNumber(
        of: store.snapshot(), moment, allowed,
        "commit \(allowed.lowerBound)\(allowed.count > 1 ? " or the one that failed" : "")")
      let next = NumberedCommit(number + 1)
      try store.commit(next.request(above: store.snapshot()))
    } catch let error as StoreError {
      run.check(false, "\(moment), the store must work, but \(CaseRun.text(error))")
    }
  }
}
