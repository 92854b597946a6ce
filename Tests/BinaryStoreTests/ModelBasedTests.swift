import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Synchronization
import TestEffort
import Testing

/// Compares random work on a block file, by two processes at once, with the store in memory.
@Suite("A block file compared with the store in memory")
struct ModelBasedTests {
  private static let seeds = Effort.seeds(6)

  @Test(
    "The block file behaves like the store in memory, whatever happens in between", arguments: seeds
  )
  func work(_ seed: UInt64) throws {
    let readers = Readers(count: 2)
    do {
      let trial = try Trial(seed: seed, readers: readers)
      for step in 0..<70 { try trial.step(step) }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }

    let wrong = readers.finish()

    #expect(wrong.isEmpty, "seed \(seed): \(wrong.joined(separator: "\n"))")
  }
}

/// Threads that read snapshots over and over, and check that the snapshots stay the same.
private final class Readers: Sendable {
  private struct State {
    var held: [(snapshot: any StoreSnapshot, objects: StoreConformance.Objects)] = []
    var wrong: [String] = []
    var isDone = false
    var readCount = 0
  }
  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(count: Int) {
    for number in 0..<count {
      DispatchQueue.global().async(group: group) { [self] in
        var turn = number
        while let (snapshot, objects) = next(turn) {
          turn += count
          do {
            let found = try StoreConformance.objects(snapshot)
            if found != objects { note("commit \(snapshot.commit) shows something else") }
          } catch { note("commit \(snapshot.commit): \(error)") }
          usleep(2000)
        }
      }
    }
  }

  func hold(_ snapshot: any StoreSnapshot, _ objects: StoreConformance.Objects) {
    state.withLock { state in
      state.held.append((snapshot, objects))
      if state.held.count > 12 { state.held.remove(at: 1) }
    }
  }

  private func next(
    _ turn: Int
  ) -> (any StoreSnapshot, StoreConformance.Objects)? {
    while true {
      let (isDone, next) = state.withLock { state in
        state.readCount += 1
        return (state.isDone, state.held.isEmpty ? nil : state.held[turn % state.held.count])
      }
      if isDone { return nil }
      if let next { return next }
      usleep(1000)
    }
  }

  private func note(_ words: String) { state.withLock { $0.wrong.append(words) } }

  func finish() -> [String] {
    state.withLock { $0.isDone = true }
    group.wait()
    return state.withLock { $0.wrong }
  }
}

/// A block file, open twice, and a store in memory that must have the same contents.
private final class Trial {
  typealias Objects = StoreConformance.Objects

  private let seed: UInt64
  private var generator: SeededGenerator
  private let readers: Readers
  private var disk: SimulatedDisk
  private var stores: [BinaryStore] = []
  private var reference: MemoryStore
  private var done = Done()
  /// Pairs of snapshots of the same commit, above which later steps may still save changes.
  private var kept: [Pair] = []
  /// The objects of the file at each commit.
  private var history: [Int64: Objects] = [:]
  private var leased: [UInt16: [Range<UInt64>]] = [:]

  private struct Pair {
    var ours: any StoreSnapshot
    var theirs: any StoreSnapshot
  }

  /// The work that is certain to survive a power cut.
  private struct Done {
    var objects: Objects = [:]
    var note: Int64 = 0
    /// The models that were set, by their positions in `models`.
    var models = [0]
    var commit: Int64 = 1
  }

  private static let path = "/folder/s"

  init(seed: UInt64, readers: Readers) throws {
    self.seed = seed
    self.readers = readers
    generator = SeededGenerator(seed: seed)
    disk = SimulatedDisk()
    try disk.makeDirectory("/folder")
    try disk.syncDirectory("/")
    let model = Trial.models[0]
    reference = try MemoryStore(model)
    let store = try BinaryStore.create(
      at: Trial.path, model: model, isCompressed: seed % 3 == 0, on: disk)
    try store.close()
    history[1] = [:]
    try open()
  }

  /// Opens the file twice, as two processes do.
  private func open() throws {
    for store in stores { try store.close() }
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = 20_000
    options.patience = .zero
    options.history = [.none, .last(3), .all, .newerThan(seconds: 3600)][Int(seed % 4)]
    let other = ProcessIdentity(
      hostName: "here", bootID: "boot-1", processID: 200, startTime: 1)
    stores = [
      try BinaryStore.open(Trial.path, on: disk, options: options),
      try BinaryStore.open(Trial.path, on: disk.seen(by: other), options: options),
    ]
  }

  private func chance(_ one: Int, in many: Int) -> Bool {
    Int.random(in: 0..<many, using: &generator) < one
  }

  private var store: BinaryStore { stores[Int.random(in: 0...1, using: &generator)] }

  private func pair() throws -> Pair {
    Pair(ours: try store.snapshot(), theirs: try reference.snapshot())
  }

  // MARK: - Steps

  func step(_ number: Int) throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<48: try commit(above: pair(), count: .random(in: 1...12, using: &generator))
    case 48..<60:
      if let old = kept.randomElement(using: &generator) { try commit(above: old, count: 4) }
    case 60..<65: try commit(above: pair(), count: 2, note: .random(in: 1...99, using: &generator))
    case 65..<70:
      try commit(
        above: pair(), count: 3, model: .random(in: 0..<Trial.models.count, using: &generator))
    case 70..<75: try lease()
    case 75..<82: try open()
    case 82..<88:
      if kept.count > 4 { kept.remove(at: 0) }
      kept.append(try pair())
    case 88..<93: try readHistory()
    case 93: try store.vacuum()
    case 94: try commit(above: pair(), count: 1300)
    default: try crash()
    }
    try compare("step \(number)")
  }

  /// Checks that the file and the store in memory show the same, in every way of reading.
  private func compare(_ comment: String) throws {
    let ours = try store.snapshot()
    let theirs = try reference.snapshot()
    let objects = try StoreConformance.objects(ours)
    let wanted = try StoreConformance.objects(theirs)
    try expect(objects == wanted, "\(comment): \(Trial.difference(objects, wanted))")
    try expect(
      objects == done.objects, "\(comment): saved \(Trial.difference(objects, done.objects))")
    try expect(ours.schema == theirs.schema, "\(comment): another schema")
    try expect(ours.commit == done.commit, "\(comment): another commit")
    try expect(note(ours) == done.note && note(theirs) == done.note, "\(comment): other metadata")
    try expect(ours.model == Trial.models[done.models.last!], "\(comment): another model")
    let (mine, other) = (
      IndexedView(ours.view, ours.schema), IndexedView(theirs.view, theirs.schema)
    )
    for index in ours.schema.indexes {
      try expect(
        mine.keys(index, in: IndexRange()) == other.keys(index, in: IndexRange()),
        "\(comment): another order by \(index.columns.map(\.name))")
    }
    if chance(1, in: 3) { readers.hold(ours, objects) }
  }

  private static func difference(_ ours: Objects, _ theirs: Objects) -> String {
    for key in Set(ours.keys).union(theirs.keys).sorted() where ours[key] != theirs[key] {
      func text(_ values: [String: Value]?) -> String {
        values.map { "\($0.sorted { $0.key < $1.key })" } ?? "nothing"
      }
      return "object \(key.entity)/\(key.number) is \(text(ours[key])), not \(text(theirs[key]))"
    }
    return "the same"
  }

  private func note(_ snapshot: any StoreSnapshot) throws -> Int64 {
    try snapshot.metadata.values["note"]?.integer ?? 0
  }

  private func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(description: words()) }
  }

  private struct Unexpected: Error, CustomStringConvertible { var description: String }

  // MARK: - Saving

  /// The change of one object, for a builder above either store.
  private struct Change {
    var key: ObjectKey
    var isNew: Bool
    /// The values by the positions of the columns; `nil` removes the object.
    var values: [Int: Value]?
  }

  private func commit(
    above pair: Pair, count: Int, note: Int64? = nil, model: Int? = nil
  ) throws {
    let schema = try model.map { try Schema(Trial.models[$0], evolving: pair.theirs.schema) }
    let changes = try changes(count, pair.theirs, schema ?? pair.theirs.schema)
    func request(_ base: any StoreSnapshot) throws -> CommitRequest {
      let builder = LayerBuilder(schema ?? base.schema)
      for change in changes {
        let basis = change.isNew ? 0 : try base.view.row(of: change.key)?.version ?? 0
        guard let values = change.values else {
          builder.remove(change.key, basis: basis)
          continue
        }
        if change.isNew { builder.insert(change.key) }
        for (column, value) in values {
          builder.set(value, column: column, of: change.key, basis: basis)
        }
      }
      var metadata: StoreMetadata?
      if let note {
        metadata = try base.metadata
        metadata!.values["note"] = .integer(note)
      }
      return CommitRequest(
        builder.freeze(), basedOn: base, metadata: metadata,
        model: model.map { Trial.models[$0] })
    }
    let (requested, expected) = (try request(pair.ours), try request(pair.theirs))
    let theirs = Result { try reference.commit(expected) }
    let ours = Result { try store.commit(requested) }
    switch (ours, theirs) {
    case (.success(let ours), .success(let theirs)):
      try noteSaved(ours, theirs, note: note, model: model)
    case (.failure(let ours as StoreError), .failure(let theirs as StoreError)):
      try expect(
        ours.code == theirs.code
          && Set(ours.conflicts.map(\.key)) == Set(theirs.conflicts.map(\.key))
          && [.conflict, .incompatibleModel].contains(ours.code),
        "refused with \(ours), and by the other with \(theirs)")
    default: throw Unexpected(description: "\(ours), and by the other \(theirs)")
    }
  }

  private func noteSaved(
    _ ours: any StoreSnapshot, _ theirs: any StoreSnapshot, note: Int64?, model: Int?
  ) throws {
    if ours.commit != done.commit {
      try expect(ours.commit == done.commit + 1, "commit \(ours.commit) after \(done.commit)")
    }
    done.commit = ours.commit
    done.objects = try StoreConformance.objects(theirs)
    if let note { done.note = note }
    if let model {
      done.models.append(model)
      kept = []
    }
    history[ours.commit] = done.objects
  }

  private func changes(
    _ count: Int, _ base: any StoreSnapshot, _ schema: Schema
  ) throws -> [Change] {
    let view = base.view
    let layouts = schema.layouts + schema.linkTables.map(\.layout)
    var changes: [Change] = []
    var touched: Set<ObjectKey> = []
    for _ in 0..<count {
      let layout =
        count > 1000 ? layouts[0] : layouts.randomElement(using: &generator)!
      let key = ObjectKey(
        entity: layout.entityNumber,
        number: .random(in: 1...(count > 1000 ? 4000 : 30), using: &generator))
      guard touched.insert(key).inserted else { continue }
      let isThere = try view.contains(key)
      if isThere, chance(count > 1000 ? 9 : 3, in: 10) {
        changes.append(Change(key: key, isNew: false, values: nil))
        continue
      }
      var values: [Int: Value] = [:]
      for (position, column) in layout.columns.enumerated()
      where !isThere || chance(1, in: 4) {
        values[position] = value(column, schema)
      }
      if isThere && values.isEmpty { continue }
      changes.append(Change(key: key, isNew: !isThere, values: values))
    }
    return changes
  }

  private func value(_ column: LayoutColumn, _ schema: Schema) -> Value {
    if column.isOptional, chance(1, in: 6) { return .null }
    let number = Int64.random(in: -50...50, using: &generator)
    switch column.kind {
    case .boolean: return .boolean(number > 0)
    case .int16, .int32: return .integer(number)
    case .int64: return .integer(number % 5 == 0 ? number << 40 : number)
    case .float: return .float(Float(number) / 8)
    case .double: return .double(number % 7 == 0 ? .pi * Double(number) : Double(number) / 100)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000))
    case .decimal: return .decimal(Decimal(number) / 1000)
    case .string: return .string("text \(number % 9) é")
    case .uri: return .uri("urn:x:\(number)")
    case .binary: return .binary(Data(repeating: UInt8(truncatingIfNeeded: number), count: 50))
    case .uuid:
      return .uuid(
        UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(number & 7))))
    case .reference:
      let layout = schema.layouts.randomElement(using: &generator)!
      return .object(
        ObjectKey(entity: layout.entityNumber, number: UInt64(abs(number) % 9 + 1)))
    }
  }

  // MARK: - Leases, history and crashes

  private func lease() throws {
    let layout = try store.snapshot().schema.layouts.randomElement(using: &generator)!
    let count = [1, 3, 5000].randomElement(using: &generator)!
    let range = try store.leaseKeys(ofEntity: layout.entityNumber, count: count)
    for other in leased[layout.entityNumber, default: []] {
      try expect(!other.overlaps(range), "keys \(range) were given as \(other)")
    }
    leased[layout.entityNumber, default: []].append(range)
  }

  private func readHistory() throws {
    let store = store
    let commits = try store.commits()
    try expect(commits.first?.number == done.commit, "the newest commit is missing")
    for commit in commits.shuffled(using: &generator).prefix(4) {
      let objects = try StoreConformance.objects(store.snapshot(ofCommit: commit.number))
      try expect(objects == history[commit.number], "commit \(commit.number) held something else")
    }
  }

  /// Cuts the power during a save. The file must hold the certain work, with or without that save.
  private func crash() throws {
    disk.settle()
    var states = [(operationCount: 0, done: done)]
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      try commit(above: pair(), count: 4, note: chance(1, in: 4) ? 7 : nil)
      states.append((disk.operationCount, done))
    }
    let found = disk.crashStates(limit: 40, seed: seed).randomElement(using: &generator)!
    let last = states.lastIndex { $0.operationCount <= found.operationCount }!
    let possible = states[last...min(last + 1, states.count - 1)].map(\.done)
    disk = found.disk
    stores = []
    try open()
    let objects = try StoreConformance.objects(store.snapshot())
    let commit = try store.snapshot().commit
    guard let now = possible.first(where: { $0.objects == objects && $0.commit == commit }) else {
      throw Unexpected(description: "after the crash \(found): commit \(commit)")
    }
    for number in history.keys where number > now.commit { history[number] = nil }
    kept = []
    try rebuild(now)
  }

  /// Rebuilds the store in memory with the contents that the file has after the cut.
  private func rebuild(_ now: Done) throws {
    done = now
    reference = try MemoryStore(Trial.models[0])
    for model in now.models.dropFirst() {
      try reference.commit(
        CommitRequest(Layer(), basedOn: reference.snapshot(), model: Trial.models[model]))
    }
    let base = try reference.snapshot()
    let builder = LayerBuilder(base.schema)
    for (key, values) in now.objects {
      builder.insert(key)
      let layout = base.schema[key.entity]!
      // Columns start with their default values, which the objects may lack.
      for (position, column) in layout.columns.enumerated() {
        builder.set(values[column.name] ?? .null, column: position, of: key)
      }
    }
    var metadata = try base.metadata
    metadata.values["note"] = .integer(now.note)
    try reference.commit(CommitRequest(builder.freeze(), basedOn: base, metadata: metadata))
  }

  // MARK: - Models

  private static let models: [Model] = [
    StoreConformance.model,
    try! Model(entities: [
      Entity("Thing", properties: thing + [.attribute(Attribute("small", .int64))]),
      Entity(
        "Tag",
        properties: [
          .attribute(Attribute("word", .string, defaultValue: .string("none"))),
          .relationship(Relationship("things", to: "Thing", inverse: "tags", count: .toMany)),
        ]),
    ]),
    try! Model(entities: [
      Entity("Thing", properties: thing + [.attribute(Attribute("small", .decimal))]),
      Entity(
        "Tag",
        properties: [
          .relationship(Relationship("things", to: "Thing", inverse: "tags", count: .toMany))
        ]),
      Entity("Stamp", properties: [.attribute(Attribute("issued", .date))]),
    ]),
  ]

  /// The properties of things in later models: `name` is called `title`, and there are new columns.
  private static let thing: [Property] = {
    var title = Attribute("title", .string)
    title.renamingIdentifier = "name"
    return [
      .attribute(title), .attribute(Attribute("colour", .string, defaultValue: .string("grey"))),
      .attribute(Attribute("real", .double)),
      .relationship(Relationship("tags", to: "Tag", inverse: "things", count: .toMany)),
    ]
  }()
}
