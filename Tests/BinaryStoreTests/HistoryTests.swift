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

@Suite("Earlier commits that a rewritten file keeps")
struct HistoryTests {
  private static let path = "/h.store"

  private static func store(
    _ policy: HistoryPolicy, isCompressed: Bool = false, on disk: SimulatedDisk = SimulatedDisk(),
    leastDeadByteCount: Int = .max, deadShare: Double = 0.5
  ) throws -> BinaryStore {
    var options = BinaryStoreOptions()
    options.deadShare = deadShare
    options.history = policy
    options.leastDeadByteCount = leastDeadByteCount
    return try BinaryStore.create(
      at: path, model: StoreConformance.model, isCompressed: isCompressed, on: disk,
      options: options)
  }

  /// Saves one change after the other, and returns the objects of the store after each save.
  private static func fill(
    _ store: BinaryStore, _ rounds: Range<Int>, picture: Int = 0
  ) throws -> [Int64: StoreConformance.Objects] {
    var states: [Int64: StoreConformance.Objects] = [:]
    for round in rounds {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let thing = base.schema["Thing"]!.entityNumber
      for number in [UInt64(round % 7 + 1), UInt64(round + 100)] {
        let key = ObjectKey(entity: thing, number: number)
        let version = try base.view.row(of: key)?.version
        if version == nil {
          builder.insert(key)
          if picture > 0 {
            let bytes = Data(repeating: UInt8(round), count: picture)
            builder.set(.binary(bytes), "bytes", of: key, base.schema)
          }
        }
        builder.set(
          .string("round \(round)"), "name", of: key, base.schema, basis: version ?? 0)
      }
      let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      states[after.commit] = try StoreConformance.objects(after)
    }
    return states
  }

  @Test("The difference of a file and a changed backup of it has every row with another version")
  func changedBackup() throws {
    let disk = SimulatedDisk()
    let store = try Self.store(.none, on: disk)
    _ = try Self.fill(store, 0..<3)
    let backup = try disk.read(Self.path, byteLimit: 1 << 24)
    _ = try Self.fill(store, 3..<9)
    let old = try store.snapshot()
    try disk.replace(Self.path, overwriting: true) { try $0.write(backup) }
    _ = try Self.fill(BinaryStore.open(Self.path, on: disk), 10..<20)

    let new = try store.snapshot()
    let (before, after) = (try Self.versions(old), try Self.versions(new))
    let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    let thing = new.schema["Thing"]!.entityNumber
    let entries = try new.changes(since: old).entries(ofEntity: thing)

    #expect(new.commit > old.commit)
    #expect(Set(entries.map(\.key)) == differing)
    // Some of these rows have a version that the old file had reached too.
    #expect(differing.contains { after[$0].map { $0 <= old.commit } ?? false })
  }

  @Test(
    "A vacuum makes one segment of the rows, unless an earlier commit needs the old rows",
    arguments: [(HistoryPolicy.none, 0), (.none, 70_000), (.all, 0)])
  func oneSegment(_ policy: HistoryPolicy, _ picture: Int) throws {
    for isCompressed in [false, true] {
      let disk = SimulatedDisk()
      let store = try Self.store(policy, isCompressed: isCompressed, on: disk)
      let states = try Self.fill(store, 0..<7, picture: picture)
      let changed = try Self.fill(store, 0..<2, picture: picture)
      let before = try store.snapshot()
      let versions = try Self.versions(before)
      #expect(before.tables.count > 1)

      try store.vacuum()

      let after = try store.snapshot()
      #expect((after.tables.count == 1) == (policy == .none))
      #expect(try StoreConformance.objects(after) == changed[after.commit])
      #expect(try Self.versions(after) == versions)
      #expect(Set(versions.values).count > 3 && states.count == 7)
      // A second vacuum frees nothing, so it leaves the file.
      let bytes = try disk.read(Self.path, byteLimit: 1 << 24)
      try store.vacuum()
      try store.keepCommits { _ in true }
      #expect(try disk.read(Self.path, byteLimit: 1 << 24) == bytes)
      // The next save succeeds above the rewritten file.
      let next = try Self.fill(store, 3..<5, picture: picture)
      #expect(try StoreConformance.objects(store.snapshot()) == next[next.keys.max()!])
    }
  }

  private static func versions(_ snapshot: any StoreSnapshot) throws -> [UInt64: Int64] {
    let thing = snapshot.schema["Thing"]!.entityNumber
    var versions: [UInt64: Int64] = [:]
    for number in try snapshot.view.keys(ofEntity: thing) {
      versions[number] =
        try snapshot.view.row(of: ObjectKey(entity: thing, number: number))?.version
    }
    return versions
  }

  @Test(
    "A vacuum keeps the newest commit, and as many earlier commits as the policy says",
    arguments: [
      (.none, 1), (.last(0), 1), (.last(3), 4), (.last(1000), 21), (.all, 21),
      (.newerThan(seconds: 3600), 21), (.newerThan(seconds: -1), 1),
    ] as [(HistoryPolicy, Int)])
  func policies(_ policy: HistoryPolicy, _ count: Int) throws {
    for isCompressed in [false, true] {
      let store = try Self.store(policy, isCompressed: isCompressed)
      let empty = try store.snapshot()
      var states = try Self.fill(store, 0..<20)
      states[empty.commit] = [:]
      let times = try store.commits()

      try store.vacuum()

      let commits = try store.commits()
      #expect(commits.count == count)
      #expect(commits == Array(times.prefix(count)), "Each keeps its number and its time.")
      for commit in commits {
        let snapshot = try store.snapshot(ofCommit: commit.number)
        #expect(try StoreConformance.objects(snapshot) == states[commit.number])
        #expect(try snapshot.model == StoreConformance.model)
      }
      let error = #expect(throws: StoreError.self) {
        try store.snapshot(ofCommit: commits.last!.number - 1)
      }
      #expect(error?.code == .notFound)

      // The store can be saved to further.
      states.merge(try Self.fill(store, 20..<25)) { _, new in new }
      #expect(try store.commits().count == count + 5)
      let newest = try store.snapshot()
      #expect(try StoreConformance.objects(newest) == states[newest.commit])
    }
  }

  @Test("A rewritten file contains the values that several commits share only once")
  func shared() throws {
    let disk = SimulatedDisk()
    let store = try Self.store(.all, on: disk)
    let states = try Self.fill(store, 0..<20, picture: 50_000)
    let before = try store.describe().byteCount

    try store.vacuum()

    // Twenty-seven pictures, each once, and little else.
    let after = try store.describe().byteCount
    #expect(after <= before)
    #expect(after < 27 * 50_000 + 100_000)
    for (number, objects) in states {
      #expect(try StoreConformance.objects(store.snapshot(ofCommit: number)) == objects)
    }
    try store.vacuum()
    #expect(try store.describe().byteCount == after)
  }

  @Test("After a change of the model, earlier commits keep their model")
  func models() throws {
    let store = try Self.store(.all)
    let states = try Self.fill(store, 0..<3)
    let base = try store.snapshot()
    let next = try Model(entities: [
      Entity("Thing", properties: [.attribute(Attribute("name", .string))])
    ])
    let after = try store.commit(CommitRequest(Layer(), basedOn: base, model: next))

    try store.vacuum()

    #expect(try store.snapshot().model == next)
    #expect(try store.snapshot(ofCommit: after.commit).schema == after.schema)
    let earlier = try store.snapshot(ofCommit: base.commit)
    #expect(try earlier.model == StoreConformance.model)
    #expect(earlier.schema == base.schema)
    #expect(try StoreConformance.objects(earlier) == states[base.commit])
  }

  @Test("A file stays small under many saves, and has the commits that it must keep")
  func bounded() throws {
    let store = try Self.store(.last(3), leastDeadByteCount: 20_000)
    var states: [Int64: StoreConformance.Objects] = [:]
    var most = 0
    for round in 0..<150 {
      states.merge(try Self.fill(store, (round % 10)..<(round % 10 + 1))) { _, new in new }
      most = max(most, try store.describe().byteCount)
      if round > 4 { #expect(try store.commits().count >= 4) }
    }
    #expect(most < 240_000)
    for commit in try store.commits().prefix(4) {
      #expect(
        try StoreConformance.objects(store.snapshot(ofCommit: commit.number))
          == states[commit.number])
    }
  }

  @Test("A file stays as it is while commits that are kept refer to nearly all of its bytes")
  func allKept() throws {
    let disk = SimulatedDisk()
    let store = try Self.store(.all, on: disk, leastDeadByteCount: 1000, deadShare: 0.2)
    _ = try Self.fill(store, 0..<40)
    disk.settle()
    var readCounts: [Int] = []
    for round in 40..<60 {
      let before = disk.operationCount
      _ = try Self.fill(store, round..<round + 1)
      let operations = disk.operations.dropFirst(before)
      readCounts.append(operations.filter { $0.operation == .read }.count)
    }

    #expect(!disk.operations.contains { $0.operation == .rename })
    // A save looks for dead bytes only after the file has grown, because it reads all kept commits then.
    #expect(readCounts.max()! > 20)
    #expect(readCounts.filter { $0 > 20 }.count < 5, "\(readCounts)")
  }

  @Test("A vacuum keeps a commit with a name, and drops later commits without a name")
  func named() throws {
    let store = try Self.store(.none)
    let states = try Self.fill(store, 0..<8)
    let number = states.keys.sorted()[2]
    try store.name(commit: number, "Before the change")

    try store.vacuum()

    let newest = try store.snapshot().commit
    #expect(try store.commits().map(\.number) == [newest, number])
    #expect(try StoreConformance.objects(store.snapshot(ofCommit: number)) == states[number])
  }

  @Test("The indexes of a rewritten file contain the values beneath changed rows")
  func indexes() throws {
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.history = .all
    let store = try BinaryStore.create(
      at: Self.path, model: SampleStore.notes, on: disk, options: options)
    try SampleStore.commit(store) { changes in
      for number in 1...8000 as ClosedRange<UInt64> {
        changes.put(
          "Note", number, ["stars": .integer(Int64(number % 7)), "text": .string("old")])
      }
    }
    try SampleStore.commit(store) { changes in
      for number in 1...1100 as ClosedRange<UInt64> {
        changes.change("Note", number, ["text": .string("new")])
      }
    }

    try store.vacuum()

    let snapshot = try BinaryStore.open(Self.path, on: disk).snapshot()
    #expect(snapshot.tables.count == 2)
    let index = try #require(snapshot.schema.indexes.first { $0.columns.count == 2 })
    let range = IndexRange(equalTo: IndexBound([.string("new"), .integer(3)]))
    let found = try IndexedView(snapshot.view, snapshot.schema).keys(index, in: range)
    #expect(found == (1...1100).filter { $0 % 7 == 3 })
  }

  @Test("Each commit has the message of its request")
  func messages() throws {
    let store = try Self.store(.all)
    for message in ["first", "second"] {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let thing = base.schema["Thing"]!.entityNumber
      builder.insert(ObjectKey(entity: thing, number: message == "first" ? 1 : 2))
      var request = CommitRequest(builder.freeze(), basedOn: base)
      request.message = message
      try store.commit(request)
    }

    #expect(try store.commits().map(\.message) == ["second", "first", nil])
  }

  @Test("The model of a commit that is kept is a live part of the file")
  func largeModel() throws {
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.history = .all
    options.leastDeadByteCount = 1000
    options.deadShare = 0.1
    let wide = (0..<2000).map { Property.attribute(Attribute("value\($0)", .int32)) }
    let model = try Model(entities: [
      Entity("Wide", properties: wide),
      Entity("Small", properties: [.attribute(Attribute("n", .int32))]),
    ])
    let store = try BinaryStore.create(at: Self.path, model: model, on: disk, options: options)
    disk.settle()

    for number in 1...100 as ClosedRange<UInt64> {
      try SampleStore.commit(store) { $0.put("Small", number) }
    }

    #expect(!disk.operations.contains { $0.operation == .rename })
  }
}
