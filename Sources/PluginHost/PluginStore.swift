// SAFETY: Results are read only after the function has reported success; handles are owned from then on.

import CStorePlugin
import DurableFiles
import Foundation
import ObjectModel
import PluginExchange
import Rows
import StoreInterface
import Synchronization

/// A store that a plug-in has opened.
///
/// The plug-in keeps the rows and reports which commit is the newest. This class does the rest: it caches the contents of
/// tables, detects conflicts and merges small tables.
final class PluginStore: HistoryStore, ConfirmingStore, VacuumingStore, AnnouncingStore {
  let type: StoreType
  /// The capabilities that the plug-in declares. Its table has the functions that they promise.
  private let capabilities: StoreCapabilities
  let tag: StoreTag
  let handle: StoreHandle
  /// The newest commit when the store was opened.
  private let opened: Int64
  /// Whether the plug-in announces commits.
  private let announces: Bool
  /// Whether the store has a log of changes, and so no earlier commits.
  private let keepsLog: Bool
  private let current: Mutex<Current>

  private struct Current {
    /// The newest snapshot; `nil` once the store was closed.
    var head: PluginSnapshot?
    /// The path of the file, which a commit may change.
    var path: String
    /// The commit that brought the current model, or 0 if unknown.
    var modelSetBy: Int64
  }

  init(
    _ handle: StoreHandle, _ type: StoreType, _ capabilities: StoreCapabilities, path: String
  )
    throws
  {
    self.handle = handle
    self.type = type
    self.capabilities = capabilities
    let head = try PluginStore.snapshot(
      try PluginStore.newest(handle), known: [], schema: nil)
    guard let uuid = try head.metadata.uuid else {
      throw StoreError(.damaged, "The store's metadata have no UUID.", path: path)
    }
    tag = StoreTag(uuid)
    opened = head.commit
    announces = (try? PluginStore.observe(handle, false)) != nil
    keepsLog = PluginStore.keepsLog(handle)
    current = Mutex(Current(head: head, path: path, modelSetBy: 0))
  }

  var path: String? { current.withLock { $0.path } }

  var features: StoreFeatures {
    StoreFeatures(
      capabilities, history: keepsLog ? nil : self, changeLog: keepsLog ? self : nil,
      querying: self, confirming: self,
      announcements: announces ? self : nil,
      vacuuming: unsafe handle.table.vacuum == nil ? nil : self)
  }

  // MARK: - Announcements

  func whenCommitted(_ body: (@Sendable (Int64) -> Void)?) {
    handle.observer.set(body)
    // A closed store does not announce commits.
    try? PluginStore.observe(handle, body != nil)
  }

  /// Lets the plug-in announce commits, or ends that.
  private static func observe(_ handle: StoreHandle, _ isOn: Bool) throws {
    try handle.checkOpen()
    let tell: @convention(c) (UnsafeMutableRawPointer?, Int64) -> Void = { context, commit in
      unsafe CommitObserver.tell(context, commit)
    }
    unsafe try handle.writing("observe") { table, error in
      unsafe table.observe?(handle.store, isOn ? tell : nil, handle.observer.context, error)
    }
  }

  // MARK: - Closing

  func close() throws {
    // A retained snapshot would keep the plug-in from releasing its resources.
    current.withLock { $0.head = nil }
    try handle.close()
  }

  // MARK: - Reading

  func snapshot() throws -> any StoreSnapshot { try newest() }

  private static func newest(_ handle: StoreHandle) throws -> SnapshotHandle {
    var snapshot: OpaquePointer?
    unsafe try handle.reading("snapshot") { table, error in
      unsafe table.snapshot?(handle.store, &snapshot, error)
    }
    return unsafe try owned(unsafe snapshot, handle)
  }

  /// Returns the newest snapshot, or the current one if it is still the newest.
  private func newest() throws -> PluginSnapshot {
    try handle.checkOpen()
    let found = try PluginStore.newest(handle)
    guard let head = current.withLock({ $0.head }) else { throw handle.closed }
    if found.commit == head.commit { return head }
    let schema = try PluginDescriptions.schema(found.bytes(of: Int(QUIRE_SCHEMA)), path: path)
    let next = try PluginStore.snapshot(
      found, known: schema == head.schema ? head.parts : [], schema: schema)
    return current.withLock { current in
      // Another thread may have adopted a newer snapshot meanwhile.
      guard let head = current.head, head.commit < next.commit else {
        return current.head ?? next
      }
      if schema != head.schema { current.modelSetBy = next.commit }
      current.head = next
      return next
    }
  }

  /// Takes ownership of a snapshot that the plug-in returned.
  private static func owned(
    _ snapshot: OpaquePointer?, _ handle: StoreHandle
  ) throws -> SnapshotHandle {
    guard let snapshot = unsafe snapshot else {
      throw handle.functions.failure("reports success but returns no snapshot.", at: handle.path)
    }
    return unsafe SnapshotHandle(snapshot, of: handle)
  }

  /// Returns a snapshot that reuses the tables that are known already.
  private static func snapshot(
    _ handle: SnapshotHandle, known: [PluginPart], schema: Schema?,
    adding table: PluginRowTable? = nil
  ) throws -> PluginSnapshot {
    let schema =
      try schema
      ?? PluginDescriptions.schema(
        handle.bytes(of: Int(QUIRE_SCHEMA)), path: handle.store.path)
    var described: [QuireTable] = []
    let sink = unsafe Sink { table, _ in
      described.append(unsafe table.load(as: QuireTable.self))
    }
    unsafe try handle.store.reading("tables", sink) { functions, error in
      unsafe functions.tables?(
        handle.snapshot,
        { context, table in unsafe Sink.take(context, UnsafeRawPointer(table)) }, sink.context,
        error)
    }
    guard Set(described.map(\.id)).count == described.count else {
      throw handle.store.functions.failure(
        "returns two tables with the same number.", at: handle.store.path)
    }
    if let wrong = described.first(where: { $0.version < 0 || $0.version > RowVersion.highest }) {
      throw handle.store.functions.failure(
        "returns a table with the version \(wrong.version), which is not from 0 to \(RowVersion.highest).",
        at: handle.store.path)
    }
    var parts: [PluginPart] = []
    var rest = described[...]
    for part in known {
      guard rest.prefix(part.ids.count).map(\.id) == part.ids else { break }
      rest = rest.dropFirst(part.ids.count)
      parts.append(part)
    }
    for one in rest {
      if let table, table.id == one.id {
        parts.append(PluginPart(table))
      } else {
        parts.append(PluginPart(PluginRowTable(one, handle, schema)))
      }
    }
    try PluginPart.merge(&parts, schema)
    return PluginSnapshot(handle, commit: handle.commit, schema, parts)
  }

  func commits() throws -> [CommitSummary] {
    try handle.checkOpen()
    var found: [CommitSummary] = []
    let sink = unsafe Sink { [handle] summary, _ in
      let one = unsafe try handle.functions.checking(at: handle.path) {
        unsafe try PluginStructures.copy(
          of: summary.assumingMemoryBound(to: QuireCommitSummary.self))
      }
      found.append(
        CommitSummary(
          number: unsafe one.number,
          time: Date(timeIntervalSinceReferenceDate: unsafe one.time),
          author: unsafe one.author.map { unsafe String(cString: $0) },
          contextName: unsafe one.context_name.map { unsafe String(cString: $0) }))
    }
    unsafe try handle.reading("commits", sink) { table, error in
      unsafe table.commits?(
        handle.store,
        { context, commit in unsafe Sink.take(context, UnsafeRawPointer(commit)) }, sink.context,
        error)
    }
    return found
  }

  func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try newest()
    if head.commit == number { return head }
    var snapshot: OpaquePointer?
    unsafe try handle.reading("snapshot_of") { table, error in
      unsafe table.snapshot_of?(handle.store, number, &snapshot, error)
    }
    return unsafe try PluginStore.snapshot(
      PluginStore.owned(unsafe snapshot, handle), known: [], schema: nil)
  }

  func keepCommits(where isKept: (Int64) -> Bool) throws {
    try handle.checkOpen()
    try withoutActuallyEscaping(isKept) { isKept in
      let asked = KeptCommits(isKept)
      defer { withExtendedLifetime(asked) {} }
      unsafe try handle.writing("keep_commits") { table, error in
        unsafe table.keep_commits?(
          handle.store,
          { context, number in unsafe KeptCommits.isKept(context, number) }, asked.context, error)
      }
    }
  }

  func vacuum() throws {
    try handle.checkOpen()
    do {
      unsafe try handle.writing("vacuum") { table, error in
        unsafe table.vacuum?(handle.store, error)
      }
    } catch let error as StoreError where error.code == .notSupported {}
  }

  func describe() throws -> StoreSummary {
    try handle.checkOpen()
    var found = QuireDescription()
    found.struct_size = UInt32(MemoryLayout<QuireDescription>.size)
    found.saved_at = .nan
    unsafe try handle.reading("status") { table, error in
      unsafe table.status?(handle.store, &found, error)
    }
    return StoreSummary(found)
  }

  // MARK: - Writing

  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try handle.checkOpen()
    var (first, leased): (UInt64, UInt64) = (0, 0)
    unsafe try handle.writing("lease_keys") { table, error in
      unsafe table.lease_keys?(
        handle.store, number, UInt64(max(count, 1)), &first, &leased, error)
    }
    guard first >= 1, leased >= UInt64(max(count, 1)), leased <= ObjectKey.highestNumber,
      first <= ObjectKey.highestNumber - leased + 1
    else {
      throw handle.functions.failure(
        "was asked for \(count) keys, but returns \(leased) keys from \(first) on.", at: path)
    }
    return first..<first + leased
  }

  func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try commit(request, at: nil) { _ in }
  }

  func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    try commit(request, at: .some(position), confirm)
  }

  private func commit(
    _ request: CommitRequest, at position: StorePosition?,
    _ confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    while true {
      let head = try newest()
      try request.checkModel(setBy: modelSetBy(for: request, head), path: path)
      try request.check(against: head, path: path)
      if request.isEmpty {
        if position != nil { try confirm(head) }
        return head
      }
      do {
        return try withoutActuallyEscaping(confirm) { confirm in
          try commit(request, after: head, at: position, confirm)
        }
      } catch let error as StoreError where error.code == .overtaken {
        // A caller that requires a certain commit gets the error, and must refresh. Otherwise the commit is tried again
        // after the newest one.
        if request.requiredCommit != nil || position != nil { throw error }
        guard try newest().commit != head.commit else { throw error }
      }
    }
  }

  /// Returns the commit that brought the model of the changes, as far as it matters to the request.
  private func modelSetBy(for request: CommitRequest, _ head: PluginSnapshot) throws -> Int64 {
    let known = current.withLock { $0.modelSetBy }
    // The base is older than the opening of the store, so its schema is compared with the current one.
    guard request.base < opened, capabilities.contains(.history) else { return known }
    let before = try? snapshot(ofCommit: request.base)
    return before?.schema == head.schema ? known : max(known, opened)
  }

  private func commit(
    _ request: CommitRequest, after head: PluginSnapshot, at position: StorePosition?,
    _ confirm: @escaping (any StoreSnapshot) throws -> Void
  ) throws -> PluginSnapshot {
    let schema = try request.schema(evolving: head.schema, of: head.model, path: path)
    var metadata = request.metadata
    if let model = request.model {
      var values = try metadata ?? head.metadata
      values.setModel(model)
      metadata = values
    }
    var changes =
      try handle.functions.takesChanges
      ? request.changes : request.changes.whole(above: head, schema)
    if request.model != nil, !handle.functions.takesBlocks {
      changes = try changes.rewriting(rowsOf: head, for: schema)
    }
    let outgoing = try OutgoingCommit(
      changes, request, after: head.commit, schema, metadata,
      takesBlocks: handle.functions.takesBlocks)
    var saved: PluginSnapshot?
    let asked = unsafe Sink { [self] snapshot, _ in
      let next = unsafe try PluginStore.snapshot(
        PluginStore.owned(OpaquePointer(snapshot), handle),
        known: schema == head.schema ? head.parts : [], schema: schema)
      try confirm(next)
      saved = next
    }
    var committed = unsafe QuireCommitted()
    do {
      unsafe try handle.writing("commit", asked) { table, error in
        unsafe try outgoing.withCommit { commit in
          if let position {
            unsafe commit.number = position.commit
            unsafe commit.confirm_context = asked.context
            unsafe commit.confirm = { context, snapshot in
              unsafe Sink.take(context, snapshot.map { unsafe UnsafeRawPointer($0) })
            }
            return unsafe position.path.withCString { path in
              unsafe commit.path = unsafe position.path == self.path ? nil : path
              return unsafe table.commit?(handle.store, &commit, &committed, error)
            }
          }
          return unsafe table.commit?(handle.store, &commit, &committed, error)
        }
      }
    } catch {
      if let left = unsafe committed.snapshot {
        unsafe handle.inTurn { table in unsafe table.release_snapshot?(left) }
      }
      throw error
    }
    let snapshot = unsafe try PluginStore.owned(unsafe committed.snapshot, handle)
    let number = unsafe committed.table
    let isSameSchema = schema == head.schema
    let next: PluginSnapshot
    if let saved, saved.commit == snapshot.commit {
      next = saved
    } else {
      let table =
        number == 0
        ? nil
        : PluginRowTable(
          id: number, holding: try changes.stamped(snapshot.commit), version: snapshot.commit,
          snapshot, schema)
      next = try PluginStore.snapshot(
        snapshot, known: isSameSchema ? head.parts : [], schema: schema, adding: table)
    }
    current.withLock { current in
      current.head = next
      if let position { current.path = position.path }
      if request.model != nil { current.modelSetBy = next.commit }
    }
    return next
  }

  func advance(to position: StorePosition) throws {
    try handle.checkOpen()
    if current.withLock({ $0.head?.commit }) == position.commit { return }
    unsafe try handle.writing("advance") { table, error in
      unsafe position.path.withCString { path in
        unsafe table.advance?(handle.store, path, position.commit, error)
      }
    }
    current.withLock { $0.path = position.path }
    _ = try newest()
  }

  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try handle.checkOpen()
    guard unsafe handle.table.hold != nil else {
      try checkNewest(number, is: newest().commit)
      return try body()
    }
    var result: R?
    try withoutActuallyEscaping(body) { body in
      let sink = unsafe Sink { _, _ in result = try body() }
      unsafe try handle.writing("hold", sink) { table, error in
        unsafe table.hold?(
          handle.store, number,
          { context in unsafe Sink.take(context, UnsafeRawPointer(context)) }, sink.context, error)
      }
    }
    guard let result else {
      throw handle.functions.failure(
        "held the store, but did not call the function of the caller.", at: path)
    }
    return result
  }
}

/// Answers a plug-in's question whether a commit is kept.
private final class KeptCommits {
  private let isKept: (Int64) -> Bool

  init(_ isKept: @escaping (Int64) -> Bool) { self.isKept = isKept }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  @unsafe static func isKept(_ context: UnsafeMutableRawPointer?, _ number: Int64) -> Int32 {
    guard let context = unsafe context else { return 1 }
    return unsafe Unmanaged<KeptCommits>.fromOpaque(context).takeUnretainedValue().isKept(number)
      ? 1 : 0
  }
}

extension StoreSummary {
  /// Creates a description from the one that a plug-in gave.
  fileprivate init(_ found: QuireDescription) {
    self.init()
    var found = found
    let version = unsafe withUnsafeBytes(of: &found.format_version) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    formatVersion = version.isEmpty ? nil : version
    byteCount = Int(clamping: found.byte_count)
    liveByteCount = Int(clamping: found.live_byte_count)
    strayByteCount = Int(clamping: found.stray_byte_count)
    savedAt =
      found.saved_at.isFinite ? Date(timeIntervalSinceReferenceDate: found.saved_at) : nil
    highestCommit = found.highest_commit
  }
}
