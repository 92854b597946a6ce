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
    expected = try checkFollowing(one, other, expected)
    try checkForgetting(one, other)
    expected = try checkForgottenRows(one, at: path, keys[0], expected)
    try one.close()
    try run.check("An open store after the other one was closed", other, holds: expected)
    try other.commit(run.request(14, for: keys[1], above: other.snapshot()))
    try other.close()
  }

  /// Makes random saves with one store, and reads some of them with the other one. Returns the objects at the end.
  private func checkFollowing(
    _ one: any Store, _ other: any Store, _ before: StoreConformance.Objects
  ) throws -> StoreConformance.Objects {
    var generator = SeededGenerator(seed: run.suite.seed)
    var objects = before
    for round in 0..<80 {
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
    let failure = Mutex<String?>(nil)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        if thread == 0 {
          defer { isDone.store(true, ordering: .sequentiallyConsistent) }
          for number in 1...40 as ClosedRange<Int64> { try save(number) }
          return
        }
        var last: Int64 = 0
        repeat {
          let snapshot = try store.snapshot()
          let found = try StoreConformance.objects(snapshot)
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
      } catch {
        isDone.store(true, ordering: .sequentiallyConsistent)
        failure.withLock { $0 = CaseRun.text(error) }
      }
    }
    for finding in torn.withLock({ $0 }).prefix(2) { run.check(false, finding) }
    if let error = failure.withLock({ $0 }) {
      run.check(false, "Reading while another thread saves must succeed, but failed: \(error)")
    }
    try store.close()
  }
}

extension Value {
  /// The integer of the value; `nil` for another kind.
  fileprivate var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
