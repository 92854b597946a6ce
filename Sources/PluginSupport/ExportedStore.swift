// SAFETY: A handle is retained when it is passed to the host, and released by the matching function of the table.

import CStorePlugin
import Foundation
import ObjectModel
import PluginExchange
import Rows
import StoreInterface
import Synchronization

/// A store that the host uses through a handle.
final class ExportedStore: Sendable {
  let store: any Store
  let host: HostTable
  private let tables = Mutex(KnownTables())
  private let listener = HostListener()

  /// The row tables that the host knows by number. The contents of a table never change, so the same table keeps its
  /// number.
  private struct KnownTables {
    var newest: [ExportedTable] = []
    var highest: UInt64 = 0
  }

  init(_ store: any Store, _ host: HostTable) {
    self.store = store
    self.host = host
  }

  var path: String? { store.path }

  /// Closes the store. The known tables are released first, because they would keep the resources of their snapshot.
  func close() throws {
    unsafe listener.set(nil, nil)
    tables.withLock { $0.newest = [] }
    try store.close()
  }

  /// Reports each commit to the host from now on. Without a function, the calls end.
  @unsafe func observe(
    _ committed: HostListener.Function?, _ context: UnsafeMutableRawPointer?
  ) throws {
    guard let announcing = store.features.announcements else {
      throw StoreError(.notSupported, "The store learns of no commits.", path: path)
    }
    unsafe listener.set(committed, context)
    let isOn = unsafe committed != nil
    let tell: @Sendable (Int64) -> Void = { [listener] number in listener.tell(number) }
    announcing.whenCommitted(isOn ? tell : nil)
  }

  /// The handle of a new store, which the host releases.
  @unsafe var retained: OpaquePointer {
    unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque())
  }

  @unsafe static func of(_ handle: OpaquePointer?) throws -> ExportedStore {
    guard let handle = unsafe handle else {
      throw StoreError(.closed, "The store does not exist.")
    }
    return unsafe Unmanaged.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  /// Returns a snapshot of this store with numbered tables.
  func exported(_ snapshot: any StoreSnapshot) -> ExportedSnapshot {
    let numbered = tables.withLock { known in
      let numbered = snapshot.tables.map { table in
        if let same = known.newest.first(where: { $0.table.isSame(as: table) }) { return same }
        known.highest += 1
        return ExportedTable(table, id: known.highest)
      }
      known.newest = numbered
      return numbered
    }
    return ExportedSnapshot(snapshot, of: self, numbered)
  }
}

/// The host's function for commits. It runs under the lock, so it runs no more once it was replaced.
@safe
final class HostListener: @unchecked Sendable {
  // Sendable: the properties are used under the lock, and the host's function may be called on any thread.
  typealias Function = @convention(c) (UnsafeMutableRawPointer?, Int64) -> Void

  private let turn = NSLock()
  private var committed: Function?
  private var context: UnsafeMutableRawPointer?

  @unsafe func set(_ committed: Function?, _ context: UnsafeMutableRawPointer?) {
    turn.lock()
    defer { turn.unlock() }
    unsafe (self.committed, self.context) = (committed, context)
  }

  func tell(_ commit: Int64) {
    turn.lock()
    defer { turn.unlock() }
    unsafe committed?(context, commit)
  }
}

/// A table of a snapshot, with the blocks that the host knows by number.
final class ExportedTable: Sendable {
  let table: any RowTable
  let id: UInt64
  private let blocks = Mutex<[Place: [Block]]>([:])

  private struct Place: Hashable {
    var number: UInt16
    var kind: PluginRowKind
  }

  init(_ table: any RowTable, id: UInt64) {
    self.table = table
    self.id = id
  }

  /// Returns the table's blocks of one kind, of an entity or an index; `nil` if the table lacks entries of the index.
  func blocks(
    of number: UInt16, _ kind: PluginRowKind, _ schema: Schema
  ) throws -> [Block]? {
    let place = Place(number: number, kind: kind)
    if let known = blocks.withLock({ $0[place] }) { return known }
    let found: [Block]
    if let index = schema.indexes.first(where: { $0.number == number }) {
      guard let run = try table.entries(of: index) else { return nil }
      found = kind == .put ? run.blocks : []
    } else if kind != .put, table is any PartialRowTable {
      // A partial table contains neither changes nor removals. Asking it for them would read all of its rows.
      found = []
    } else {
      found = try table.changes(ofEntity: number).map { kind.run(of: $0).blocks } ?? []
    }
    blocks.withLock { $0[place] = found }
    return found
  }

  /// Returns the number by which the host knows a block.
  static func id(_ number: UInt16, _ kind: PluginRowKind, _ index: Int) -> UInt64 {
    UInt64(number) << 40 | UInt64(kind.rawValue) << 36 | UInt64(index)
  }

  /// Returns the block of a number.
  func block(_ id: UInt64) throws -> Block {
    let place = PluginRowKind(rawValue: Int32(id >> 36 & 0xF)).map {
      Place(number: UInt16(truncatingIfNeeded: id >> 40), kind: $0)
    }
    let index = Int(id & 0xF_FFFF_FFFF)
    guard let place, let known = blocks.withLock({ $0[place] }), index < known.count else {
      throw StoreError(.failed, "Table \(self.id) has no block \(id).")
    }
    return known[index]
  }
}

/// A snapshot of a store that the host uses through a handle.
final class ExportedSnapshot: Sendable {
  let snapshot: any StoreSnapshot
  let store: ExportedStore
  let tables: [ExportedTable]

  init(_ snapshot: any StoreSnapshot, of store: ExportedStore, _ tables: [ExportedTable]) {
    self.snapshot = snapshot
    self.store = store
    self.tables = tables
  }

  @unsafe var retained: OpaquePointer {
    unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque())
  }

  @unsafe static func of(_ handle: OpaquePointer?) throws -> ExportedSnapshot {
    guard let handle = unsafe handle else {
      throw StoreError(.closed, "The snapshot does not exist.")
    }
    return unsafe Unmanaged.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  func table(_ id: UInt64) throws -> ExportedTable {
    guard let table = tables.first(where: { $0.id == id }) else {
      throw StoreError(.failed, "The snapshot has no table \(id).")
    }
    return table
  }

  func layout(_ number: UInt16) throws -> Layout {
    guard let layout = snapshot.schema[number] else {
      throw StoreError(.failed, "The snapshot has no entity \(number).")
    }
    return layout
  }
}
