import Foundation
import ObjectModel
import SeededRandom
import StoreInterface

/// The cases of several processes: two that use a store at once, and one that is killed while it commits.
struct ProcessCases {
  let run: CaseRun

  /// Skips the case if no other process can be started.
  private func requireProcesses() throws {
    if run.suite.startHelper != nil { return }
    throw CaseRun.End.skipped(
      "the case needs another process, which only 'quire plugin test' starts")
  }

  /// Starts another process, and waits until it has opened the store.
  private func start(
    _ part: StoreConformance.Part, for ending: Ending = .kill
  ) throws -> any HelperProcess {
    let suite = run.suite
    let helper: (any HelperProcess)? =
      switch ending {
      case .kill: try suite.startHelper?(part)
      case .powerCut: try suite.startPowerCutHelper?(part, nil)
      case .cutAfterSync(let number): try suite.startPowerCutHelper?(part, number)
      }
    guard let helper else {
      throw CaseRun.End.skipped(
        "the store does not use the disk of the program, and there is no C compiler, by which a process could lose power"
      )
    }
    let line = try helper.nextLine()
    guard line == "ready" else {
      // The first syncs may belong to the opening.
      if line == nil, case .cutAfterSync = ending { return helper }
      throw CaseRun.End.finding(
        "Another process must be able to open the store, but \(Self.text(line)).")
    }
    return helper
  }

  /// Returns an answer of another process, as the end of a sentence.
  private static func text(_ line: String?) -> String {
    line.map { "the process answered '\($0)'" } ?? "the process ended by itself"
  }

  // MARK: - Two processes at once

  /// Sends a line, and returns the numbers in the answer, which must begin with a word.
  private func ask(
    _ helper: any HelperProcess, _ line: String, expecting word: String
  ) throws -> [Int64] {
    try helper.send(line)
    return try answer(helper, word, to: line)
  }

  private func answer(
    _ helper: any HelperProcess, _ word: String, to line: String
  ) throws -> [Int64] {
    let answer = try helper.nextLine()
    guard let answer, answer.hasPrefix(word) else {
      throw CaseRun.End.finding(
        "Another process was told '\(line)': expected the answer '\(word)', but \(Self.text(answer))."
      )
    }
    return answer.split { !$0.isNumber }.compactMap { Int64($0) }
  }

  func twoProcesses() throws {
    let ground = try run.ground()
    guard ground.backend.capabilities.contains(.shared) else {
      throw CaseRun.End.skipped("the store does not declare the capability 'shared'")
    }
    try requireProcesses()
    let path = ground.newPath()
    let store = try run.create(at: path)
    let keys = try (1...4).map { try run.key(store, "Thing", $0) }
    let helper = try start(.session(path: path))
    defer { try? helper.kill() }

    // Each process saves in turn, and each sees the save of the other.
    for round in 0..<6 as Range<Int64> {
      if round % 2 == 0 {
        try store.commit(run.request(round, for: keys[0], above: store.snapshot()))
        let shown = try ask(helper, "show", expecting: "shows")
        run.check("Thing 1 in another process after save \(round)", is: [1, round], found: shown)
      } else {
        let commit = try ask(helper, "save 1 \(round)", expecting: "saved")
        try run.check(
          "The store after save \(round), which another process made", store,
          holds: [keys[0]: ["large": .integer(round)]])
        run.check(
          "The commit of the store after save \(round), which another process made", is: commit,
          found: [try store.snapshot().commit])
      }
    }
    try checkConflicts(store, helper, keys[0])
    try checkLeases(store, helper, keys[0].entity)
    try checkSimultaneousSaves(store, helper, keys)
    let counted = try run.key(store, "Thing", 5)
    try checkCounting(store, helper, counted)
    _ = try ask(helper, "close", expecting: "closed")
    try store.commit(run.request(40, for: keys[3], above: store.snapshot()))
    let again = try run.reopen(store)
    try run.check(
      "The reopened store after the saves of two processes", again,
      holds: [
        keys[0]: ["large": .integer(12)], keys[1]: ["large": .integer(24)],
        keys[2]: ["large": .integer(24)], keys[3]: ["large": .integer(40)],
        counted: ["large": .integer(80)],
      ])
    try again.close()
  }

  private func checkConflicts(
    _ store: any Store, _ helper: any HelperProcess, _ key: ObjectKey
  ) throws {
    _ = try ask(helper, "base", expecting: "based")
    try store.commit(run.request(11, for: key, above: store.snapshot()))
    _ = try ask(helper, "late 1 100", expecting: "refused conflict")
    let base = try store.snapshot()
    _ = try ask(helper, "save 1 12", expecting: "saved")
    let late = try run.request(101, for: key, above: base)
    if let error = run.refused(
      .conflict, "Changing an object that another process has changed since",
      { try store.commit(late) })
    {
      run.check(
        "The keys in the refusal for an object that another process has changed", is: [key],
        found: error.conflicts.map(\.key))
    }
  }

  private func checkLeases(
    _ store: any Store, _ helper: any HelperProcess, _ entity: UInt16
  ) throws {
    var leased: Set<UInt64> = []
    for round in 0..<8 {
      let lease: Range<UInt64>
      if round % 2 == 0 {
        lease = try store.leaseKeys(ofEntity: entity, count: 3000)
      } else {
        let bounds = try ask(helper, "lease 3000", expecting: "leased").map { UInt64($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1], bounds[1] - bounds[0] < 1 << 24 else {
          throw CaseRun.End.finding(
            "Another process leased the keys \(bounds), which is not a range.")
        }
        lease = bounds[0]..<bounds[1]
      }
      run.check(
        leased.isDisjoint(with: lease),
        "Two processes leased the same keys, among \(lease.lowerBound)..<\(lease.upperBound).")
      leased.formUnion(lease)
    }
  }

  /// Saves a thing in each process at the same time. Each save must count.
  private func checkSimultaneousSaves(
    _ store: any Store, _ helper: any HelperProcess, _ keys: [ObjectKey]
  ) throws {
    let line = "burst 3 25"
    try helper.send(line)
    var commits: [Int64] = []
    for number in 0..<25 as Range<Int64> {
      commits.append(
        try store.commit(run.request(number, for: keys[1], above: store.snapshot())).commit)
    }
    for _ in 0..<25 { commits += try answer(helper, "saved", to: line) }
    // A store whose file contains only objects numbers its commits in each process on its own.
    if run.suite.keepsRows {
      run.check(
        "The number of different commits that two processes made at once", is: 50,
        found: Set(commits).count)
    }
    let shown = try ask(helper, "show", expecting: "shows")
    run.check(
      "The things and their numbers in another process after saves at once",
      is: [1, 12, 2, 24, 3, 24], found: shown)
  }

  /// Lets two processes count up one number at the same time. No step may be lost.
  private func checkCounting(
    _ store: any Store, _ helper: any HelperProcess, _ key: ObjectKey
  ) throws {
    let line = "count \(key.number) 40"
    try helper.send(line)
    for _ in 0..<40 { try StoreConformance.increment(key.number, in: store) }
    _ = try answer(helper, "counted", to: line)
    let snapshot = try store.snapshot()
    run.check(
      "A number that two processes counted up at once, 40 times each", is: .integer(80),
      found: try StoreConformance.objects(snapshot)[key]?["large"] ?? .null)
  }

  // MARK: - Killed processes

  /// The end of a process in the middle of its commits.
  private enum Ending: CustomStringConvertible {
    /// The process is killed at a random moment. Everything that it has written stays.
    case kill
    /// The process loses power at a random moment. Its writes since the last sync are gone.
    case powerCut
    /// The process loses power just after the sync of this number.
    case cutAfterSync(Int)

    var description: String {
      switch self {
      case .kill: "a kill"
      case .powerCut: "a power cut"
      case .cutAfterSync(let number): "a power cut after sync \(number)"
      }
    }
  }

  /// The number of processes that end in the middle of their commits.
  private static let endingCount = 8

  func kills() throws { try endings(Array(repeating: .kill, count: Self.endingCount)) }

  /// Lets processes with a store on the system's own disk lose power.
  func powerCuts() throws {
    try endings(
      (1...Self.endingCount).map { .cutAfterSync($0) }
        + Array(repeating: .powerCut, count: Self.endingCount))
  }

  private func endings(_ endings: [Ending]) throws {
    let ground = try run.ground()
    guard ground.backend.capabilities.contains(.durable) else {
      throw CaseRun.End.skipped("the store does not declare the capability 'durable'")
    }
    try requireProcesses()
    let path = ground.newPath()
    var store = try run.create(at: path)
    try store.commit(NumberedCommit(1).request(above: store.snapshot()))
    try store.close()
    var random = SeededGenerator(seed: run.suite.seed)
    var last: Int64 = 1
    for (turn, ending) in endings.enumerated() {
      let confirmed = try confirmedCommit(after: last, at: path, until: ending, &random)
      store = try run.open(path)
      let snapshot = try store.snapshot()
      let thing = try StoreConformance.thing(1, in: snapshot)
      var found: Int64?
      if case .integer(let number)? = try StoreConformance.objects(snapshot)[thing]?["large"] {
        found = number
      }
      // The process may have ended between a commit and its confirmation.
      guard let found, found == confirmed || found == confirmed + 1 else {
        throw CaseRun.End.finding(
          "After \(ending), commit \(confirmed) was confirmed: expected this commit or the next one, found "
            + "\(found.map { "commit \($0)" } ?? "none").")
      }
      run.check(
        "The store after \(ending), which contains commit \(found)",
        snapshot.schema,
        holds: try NumberedCommit(found).objects(in: snapshot),
        found: try StoreConformance.objects(snapshot))
      try NumberedCommit.checkVersions(of: snapshot, "After \(ending)", run)
      // The next process, or this one, can go on.
      last = found
      if turn % 2 == 0 {
        last += 1
        try store.commit(NumberedCommit(last).request(above: snapshot))
      }
      try store.close()
    }
    store = try run.open(path)
    try run.check(
      "The store after all processes ended", store,
      holds: NumberedCommit(last).objects(in: store.snapshot()))
    try store.close()
  }

  /// Lets another process commit, and ends the process at a random moment.
  ///
  /// - Returns: The last commit that the process has confirmed.
  private func confirmedCommit(
    after last: Int64, at path: String, until ending: Ending, _ random: inout SeededGenerator
  ) throws -> Int64 {
    var awaited = Int.random(in: 0...12, using: &random)
    let delay = UInt32.random(in: 0...4000, using: &random)
    let helper = try start(.commits(path: path, first: last + 1), for: ending)
    defer { try? helper.kill() }
    var confirmed = last
    func read(_ line: String) throws {
      guard line == "confirmed \(confirmed + 1)" else {
        throw CaseRun.End.finding(
          "Another process must be able to make commit \(confirmed + 1), but \(Self.text(line)).")
      }
      confirmed += 1
    }
    if case .cutAfterSync = ending {
      // A store that syncs so seldom loses power at the end.
      for _ in 0..<20 {
        guard let line = try helper.nextLine() else { return confirmed }
        try read(line)
      }
      awaited = 0
    }
    for _ in 0..<awaited {
      guard let line = try helper.nextLine() else {
        throw CaseRun.End.finding(
          "Another process must be able to make commit \(confirmed + 1), but \(Self.text(nil)).")
      }
      try read(line)
    }
    usleep(delay)
    switch ending {
    case .kill: try helper.kill()
    case .powerCut, .cutAfterSync: try helper.cutPower()
    }
    // Lines that the process wrote before its end.
    while let line = try helper.nextLine() { try read(line) }
    return confirmed
  }
}
