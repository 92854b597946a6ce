import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreConformance
import StoreInterface
import Synchronization
import Testing

/// A store with at most one fault. A scan of its rows answers requests.
final class FaultyStore: HistoryStore, ConfirmingStore, QueryingStore, VacuumingStore {
  private let inner: any Store
  private let fault: Fault?
  private let isReadOnly: Bool
  private let isReopened: Bool
  private let state = Mutex(State())

  private struct State {
    var commitCount = 0
    var leases = 0
    var seen: (any StoreSnapshot)?
    var listed: [CommitSummary]?
    var isClosed = false
    var unwritten: CommitRequest?
    var uncounted: Int64 = 0
    var firstKept: Int64 = 0
  }

  /// The memory that the stores of a process share, and the place of this store in it.
  private let shared: (memory: ProcessMemory, place: ProcessMemory.Place)?

  /// Returns the newest snapshot of the file, from a new open store.
  private let newest: @Sendable () throws -> any StoreSnapshot

  init(
    _ inner: any Store, _ fault: Fault?, isReadOnly: Bool = false, isReopened: Bool = false,
    shared: (memory: ProcessMemory, place: ProcessMemory.Place)? = nil,
    newest: (@Sendable () throws -> any StoreSnapshot)? = nil
  ) {
    (self.inner, self.fault) = (inner, fault)
    self.shared = shared
    self.newest = newest ?? { try inner.snapshot() }
    (self.isReadOnly, self.isReopened) = (isReadOnly, isReopened)
  }

  var type: StoreType { inner.type }
  var features: StoreFeatures {
    let features = inner.features
    return StoreFeatures(
      features.capabilities.union(.querying), changesModelAlone: features.changesModelAlone,
      history: fault == .hidesItsHistory ? nil : self, querying: self, confirming: self,
      vacuuming: self)
  }
  var tag: StoreTag { fault == .hasAnotherTag ? StoreTag(UUID()) : inner.tag }
  var path: String? { inner.path }

  // MARK: - Snapshots

  func snapshot() throws -> any StoreSnapshot {
    switch fault {
    case .seesOnlyItsProcess:
      guard let shared else { return try inner.snapshot() }
      return try shared.memory.newest(at: shared.place) { try inner.snapshot() }
    case .confirmsBeforeItWrites:
      try writeLate()
      return try inner.snapshot()
    case .seesOnlyItself: return try shown(inner.knownSnapshot())
    case .staysOpen where state.withLock({ $0.isClosed }): return try shown(inner.knownSnapshot())
    case .advancesByItself:
      return try newest()
    case .tearsCommits:
      // A reader sees the newest rows under the number of an older commit.
      let old = try state.withLock { state in
        defer { state.seen = try? inner.snapshot() }
        return try state.seen ?? inner.snapshot()
      }
      return TornSnapshot(old, try inner.snapshot())
    default: return try shown(inner.snapshot())
    }
  }

  func knownSnapshot() throws -> any StoreSnapshot { try shown(inner.knownSnapshot()) }

  private func shown(_ snapshot: any StoreSnapshot) -> any StoreSnapshot {
    guard let fault, FaultyStore.faultsOfSnapshots.contains(fault) else { return snapshot }
    return FaultySnapshot(base: snapshot, fault: fault) { [inner, self] in
      if fault == .losesHeldSnapshots, snapshot.commit >= state.withLock({ $0.firstKept }) {
        return snapshot
      }
      return try inner.snapshot()
    }
  }

  private static let faultsOfSnapshots: Set<Fault> = [
    .roundsDoubles, .roundsDates, .losesDigitsOfDecimals, .losesEmptyTexts, .cutsTexts, .cutsBytes,
    .losesReferences, .losesBooleans, .wrapsSmallIntegers, .losesOrder, .showsLaterChanges,
    .keepsTheNumberOfCommits, .losesMetadata, .namesAnotherType, .countsVersionsByItself,
    .losesRowsByKey, .findsRowsOfOthersByKey, .findsRemovedRowsByKey, .cutsMegabytes,
    .losesHeldSnapshots,
  ]

  // MARK: - Commits

  func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    var request = request
    let count = state.withLock { state in
      if !request.isEmpty { state.commitCount += 1 }
      return state.commitCount
    }
    switch fault {
    case .losesCommit where count == 3: return try snapshot()
    case .confirmsBeforeItWrites:
      try writeLate()
      let before = try inner.snapshot()
      state.withLock { $0.unwritten = request }
      return before
    case .commitsInHalves: return try commitInHalves(request)
    case .seesOnlyItsProcess:
      let made = try inner.commit(request)
      if let shared { shared.memory.note(made, at: shared.place) }
      return made
    case .refusesMetadata where request.metadata != nil:
      throw StoreError(.inputOutput, "The drawer is stuck.", path: "/drawer")
    case .dropsReadOnlyChanges where isReadOnly: return try snapshot()
    case .letsOvertakenCommitsPass: request.requiredCommit = nil
    case .ignoresNewModels where request.model != nil: return try snapshot()
    case .ignoresModelsBetween: request.modelsBetween = []
    case .losesAuthors: request.author = nil
    case .losesContextNames: request.contextName = nil
    case .losesRemovals:
      request.changes = request.changes.withoutRemovals()
    case .losesRemovalsOfOtherEntities:
      let first = request.changes.entities.first { !$0.removed.isEmpty }?.entityNumber
      request.changes = request.changes.withoutRemovals { $0 == first }
    case .losesTheLastOfManyRows:
      request.changes = try request.changes.withoutLast(above: inner.snapshot())
    case .checksBeforeItsTurn:
      let base = try inner.snapshot()
      if try request.conflicts(with: base).isEmpty {
        usleep(2000)
        request.changes = try request.changes.rewritten(above: base, onto: inner.snapshot())
      }
    default: break
    }
    do {
      let before = try? inner.snapshot()
      let made = try inner.commit(request)
      return shown(fault == .returnsTheOldSnapshot ? before ?? made : made)
    } catch let error as StoreError {
      switch (fault, error.code) {
      case (.hidesFailures, .inputOutput): return try snapshot()
      case (.keepsFailedCommits, .inputOutput):
        _ = try? inner.commit(request)
        throw error
      case (.letsConflictsPass, .conflict): return try snapshot()
      case (.letsSharedConflictsPass, .conflict) where isReopened: return try snapshot()
      case (.refusesWithAnotherCode, .conflict): throw StoreError(.failed, "Somebody was faster.")
      case (.hidesConflicts, .conflict): throw StoreError(.conflict, "Somebody was faster.")
      case (.refusesOvertakenWithAnotherCode, .overtaken):
        throw StoreError(.conflict, "Somebody was faster.")
      case (.refusesReadOnlyWithAnotherCode, .readOnly): throw StoreError(.failed, "No.")
      default: throw error
      }
    }
  }

  /// Writes the commit that was confirmed before. A pause gives a process the time to be killed.
  private func writeLate() throws {
    guard let request = state.withLock({ $0.unwritten }) else { return }
    usleep(20_000)
    try inner.commit(request)
    state.withLock { $0.unwritten = nil }
  }

  /// Commits the first object, and then the remaining objects. A pause gives a process the time to be killed.
  private func commitInHalves(_ request: CommitRequest) throws -> any StoreSnapshot {
    let base = try inner.snapshot()
    let halves = [LayerBuilder(base.schema), LayerBuilder(base.schema)]
    for changes in request.changes.entities {
      guard let layout = base.schema[changes.entityNumber] else { continue }
      for (index, one) in try changes.entries().enumerated() {
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        guard let row = try base.view.pushing(request.changes).row(of: key) else { continue }
        let basis = try base.view.row(of: key)?.version
        let builder = halves[index == 0 ? 0 : 1]
        if basis == nil { builder.insert(key) }
        for (position, column) in layout.columns.enumerated() {
          builder.set(try row.value(column), column: position, of: key, basis: basis ?? 0)
        }
      }
    }
    try inner.commit(CommitRequest(halves[0].freeze(), basedOn: base))
    usleep(20_000)
    return try inner.commit(CommitRequest(halves[1].freeze(), basedOn: inner.snapshot()))
  }

  func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    var position = position
    let before = try inner.snapshot()
    switch fault {
    case .usesAnotherNumber: position.commit += 1
    case .replacesRefusals:
      do {
        return try inner.confirming.commit(request, at: position, confirm: confirm)
      } catch {
        throw StoreError(.failed, "It was not confirmed.")
      }
    default: break
    }
    return try inner.confirming.commit(request, at: position) { snapshot in
      state.withLock { $0.uncounted = snapshot.commit }
      switch fault {
      case .asksNobody: break
      case .asksTwice:
        try confirm(snapshot)
        try confirm(snapshot)
      case .confirmsTheOldSnapshot: try confirm(before)
      case .ignoresRefusals: try? confirm(snapshot)
      default: try confirm(snapshot)
      }
    }
  }

  func vacuum() throws {
    try inner.features.vacuuming?.vacuum()
    switch fault {
    case .freesObjects, .freesValues, .commitsToFree:
      let base = try inner.snapshot()
      let builder = LayerBuilder(base.schema)
      let entity = base.schema["Thing"]!.entityNumber
      let key = ObjectKey(
        entity: entity, number: try #require(try base.view.keys(ofEntity: entity).first))
      switch fault {
      case .freesObjects: builder.remove(key, basis: base.commit)
      case .commitsToFree:
        let large = try #require(try base.view.row(of: key)).value(
          base.schema["Thing"]!.columns[base.schema["Thing"]!.index(of: "large")!])
        builder.set(large, "large", of: key, base.schema, basis: base.commit)
      default:
        builder.set(.null, "name", of: key, base.schema, basis: base.commit)
        builder.set(.null, "large", of: key, base.schema, basis: base.commit)
      }
      try inner.commit(CommitRequest(builder.freeze(), basedOn: base))
    default: break
    }
  }

  func advance(to position: StorePosition) throws {
    switch fault {
    case .neverAdvances: break
    case .advancesAnywhere:
      do { try inner.confirming.advance(to: position) } catch {}
    case .advancesToTheNewest:
      try inner.confirming.advance(to: position)
      let newest = try newest().commit
      try inner.confirming.advance(to: StorePosition(path: position.path, commit: newest))
    default: try inner.confirming.advance(to: position)
    }
  }

  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    switch fault {
    case .holdsOldCommits: return try body()
    case .holdsWithoutLock:
      try checkNewest(number, is: snapshot().commit)
      return try body()
    case .swallowsErrorsOfHolds:
      return try inner.holding(commit: number) {
        do { return try body() } catch { throw StoreError(.failed, "Something went wrong.") }
      }
    default: return try inner.holding(commit: number, body)
    }
  }

  // MARK: - Keys

  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    switch fault {
    case .givesKeysTwice: return 1..<UInt64(count) + 1
    case .leasesByProcess:
      guard let shared else { return try inner.leaseKeys(ofEntity: number, count: count) }
      return shared.memory.leaseKeys(at: shared.place, count: count)
    case .givesTooFewKeys:
      let lease = try inner.leaseKeys(ofEntity: number, count: count)
      return lease.lowerBound..<lease.lowerBound + UInt64(max(1, count / 2))
    case .givesKeyZero:
      let lease = try inner.leaseKeys(ofEntity: number, count: count)
      return lease.lowerBound - 1..<lease.upperBound - 1
    // The first open store, or each later one, begins again.
    case .leasesByItself where !isReopened, .givesKeysAgainAfterReopening where isReopened:
      return state.withLock { state in
        defer { state.leases += count }
        return UInt64(state.leases + 1)..<UInt64(state.leases + count + 1)
      }
    default: return try inner.leaseKeys(ofEntity: number, count: count)
    }
  }

  // MARK: - Descriptions and history

  func describe() throws -> StoreSummary {
    var found = try inner.describe()
    switch fault {
    case .tellsNoSize: found.byteCount = 1
    case .usesMoreBytesThanItHas: found.liveByteCount = found.byteCount + 1
    case .tellsRemains: found.strayByteCount = 12
    case .tellsDamage: found.damage = "a scratch"
    case .tellsAnOldSave: found.savedAt = Date(timeIntervalSinceReferenceDate: 0)
    case .tellsAnotherHighestCommit: found.highestCommit = 1_000_000
    case .tellsNoHighestCommit: found.highestCommit = 0
    case .forgetsUncountedNumbers: found.highestCommit = try inner.snapshot().commit
    default: break
    }
    return found
  }

  func commits() throws -> [CommitSummary] {
    var commits = try inner.commits()
    switch fault {
    case .listsTheOldestFirst: commits.reverse()
    case .listsCommitsThatNobodyMade:
      commits.insert(CommitSummary(number: (commits.first?.number ?? 0) + 1, time: Date()), at: 0)
    case .listsUncountedCommits:
      let number = state.withLock { $0.uncounted } - 1
      commits.insert(CommitSummary(number: number, time: Date()), at: min(1, commits.count))
    case .tellsTheNewestTime:
      for index in commits.indices { commits[index].time = commits[0].time }
    case .remembersForgottenCommits:
      return state.withLock { state in
        let listed = state.listed ?? commits
        state.listed = listed
        return listed
      }
    default: break
    }
    return commits
  }

  func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    switch fault {
    case .opensTheNewestCommitOnly: return try inner.snapshot()
    case .losesCommitsOfFormerModels:
      let (found, newest) = (try inner.snapshot(ofCommit: number), try inner.snapshot())
      guard try found.model == newest.model else { return newest }
      return found
    case .opensUnknownCommits:
      do { return try inner.snapshot(ofCommit: number) } catch { return try inner.snapshot() }
    default: return try shown(inner.snapshot(ofCommit: number))
    }
  }

  func keepCommits(where isKept: (Int64) -> Bool) throws {
    let removed = fault == .bringsRemovedObjectsBack ? try removedThing() : nil
    switch fault {
    case .forgetsNothing: break
    case .forgetsTooMuch: try inner.features.history?.keepCommits { _ in false }
    default: try inner.features.history?.keepCommits(where: isKept)
    }
    state.withLock { $0.firstKept = (try? inner.commits().last?.number) ?? 0 }
    if let removed {
      let base = try inner.snapshot()
      let builder = LayerBuilder(base.schema)
      builder.insert(removed)
      try inner.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
  }

  /// Returns a thing of an earlier commit that was removed since, or `nil`.
  private func removedThing() throws -> ObjectKey? {
    let entity = try inner.snapshot().schema["Thing"]!.entityNumber
    let kept = Set(try inner.snapshot().view.keys(ofEntity: entity))
    for commit in try inner.commits() {
      let numbers = try inner.snapshot(ofCommit: commit.number).view.keys(ofEntity: entity)
      if let number = numbers.first(where: { !kept.contains($0) }) {
        return ObjectKey(entity: entity, number: number)
      }
    }
    return nil
  }

  func close() throws {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if fault == .staysOpen { return }
    if fault == .confirmsBeforeItWrites { try writeLate() }
    if fault == .failsToCloseAgain, !isFirst { throw StoreError(.closed, "The store is closed.") }
    try inner.close()
  }

  // MARK: - Requests

  func keys(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> [ObjectKey]?
  {
    var request = request
    switch fault {
    case .answersNothing: return nil
    case .ignoresSortKeys: request.sortKeys = []
    case .ignoresLimits: request.fetchLimit = 0
    case .ignoresOffsets: request.fetchOffset = 0
    case .ignoresOffsetsWithoutLimits where request.fetchLimit == 0: request.fetchOffset = 0
    case .ignoresConditions: request.predicate = nil
    case .ignoresSubentities: request.includesSubentities = false
    default: break
    }
    let plan = try QueryPlan(request, model: snapshot.model, schema: snapshot.schema, store: tag)
    var keys = try plan.keys(in: source(snapshot))
    if fault == .findsGhosts, !keys.isEmpty {
      keys.append(ObjectKey(entity: keys[0].entity, number: 1 << 40))
    }
    if fault == .losesHits { keys = Array(keys.dropLast()) }
    let words = request.predicate.map { "\($0)" } ?? ""
    if fault == .foldsOnlyASCII, words.contains("[c") {
      keys = try keys.filter { key in
        guard case .string(let name)? = try value("name", of: key, in: snapshot) else {
          return true
        }
        return name.utf8.allSatisfy { $0 < 128 }
      }
    }
    if fault == .takesNaNAsEqual, words.contains("real == real") {
      for number in try snapshot.view.keys(ofEntity: snapshot.schema["Thing"]!.entityNumber) {
        let key = ObjectKey(entity: snapshot.schema["Thing"]!.entityNumber, number: number)
        if case .double(let real)? = try value("real", of: key, in: snapshot), real.isNaN {
          keys.append(key)
        }
      }
    }
    return keys
  }

  func count(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int? {
    if fault == .answersNothing { return nil }
    let plan = try QueryPlan(request, model: snapshot.model, schema: snapshot.schema, store: tag)
    return try plan.count(in: source(snapshot)) + (fault == .countsWrongly ? 1 : 0)
  }

  private func value(
    _ column: String, of key: ObjectKey, in snapshot: any StoreSnapshot
  ) throws -> Value? {
    let layout = snapshot.schema[key.entity]!
    guard let index = layout.index(of: column) else { return nil }
    return try snapshot.view.row(of: key)?.value(layout.columns[index])
  }

  private func source(_ snapshot: any StoreSnapshot) throws -> ViewSource {
    ViewSource(snapshot.view, model: try snapshot.model, schema: snapshot.schema, store: tag)
  }
}

/// A snapshot with the first objects of an old commit and the other objects of a new one.
private struct TornSnapshot: StoreSnapshot {
  private let old: any StoreSnapshot
  private let new: any StoreSnapshot

  init(_ old: any StoreSnapshot, _ new: any StoreSnapshot) { (self.old, self.new) = (old, new) }

  var commit: Int64 { new.commit }
  var model: Model { get throws { try new.model } }
  var schema: Schema { new.schema }
  var metadata: StoreMetadata { get throws { try new.metadata } }
  var tables: [any RowTable] {
    guard let layout = schema["Thing"], let column = layout.index(of: "large") else {
      return new.tables
    }
    let key = ObjectKey(entity: layout.entityNumber, number: 1)
    guard let row = try? old.view.row(of: key), let value = try? row.value(layout.columns[column]),
      let version = try? new.view.row(of: key)?.version
    else { return new.tables }
    let builder = LayerBuilder(schema)
    builder.set(value, column: column, of: key, basis: version)
    return new.tables + [builder.freeze(version: version)]
  }
}
