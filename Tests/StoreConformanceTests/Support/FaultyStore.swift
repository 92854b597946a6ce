import Foundation
import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// A store in memory with one fault.
final class FaultyStore: Store {
  enum Fault: CaseIterable {
    case losesCommit, letsConflictsPass, givesKeysTwice, showsLaterChanges, forgetsOnOpening
    case refusesWithAnotherCode, staysOpen, roundsDoubles, refusesMetadata
  }

  private let fault: Fault
  private let memory: MemoryStore
  private let commitCount = Mutex(0)

  init(_ model: Model, _ fault: Fault) throws {
    self.fault = fault
    memory = try MemoryStore(model)
  }

  var type: StoreType { memory.type }
  var capabilities: StoreCapabilities { memory.capabilities }
  var tag: StoreTag { memory.tag }
  var path: String? { nil }

  func snapshot() throws -> any StoreSnapshot { shown(try memory.snapshot()) }

  func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    let count = commitCount.withLock { count in
      if !request.isEmpty { count += 1 }
      return count
    }
    if fault == .losesCommit, count == 3 { return try snapshot() }
    if fault == .refusesMetadata, request.metadata != nil {
      throw StoreError(.inputOutput, "The drawer is stuck.", path: "/drawer")
    }
    do {
      return shown(try memory.commit(request))
    } catch let error as StoreError where error.code == .conflict {
      switch fault {
      case .letsConflictsPass: return try snapshot()
      case .refusesWithAnotherCode: throw StoreError(.failed, "Somebody was faster.")
      default: throw error
      }
    }
  }

  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    fault == .givesKeysTwice
      ? 1..<UInt64(count) + 1 : try memory.leaseKeys(ofEntity: number, count: count)
  }

  func describe() throws -> StoreDescription { StoreDescription() }

  func close() throws { if fault != .staysOpen { try memory.close() } }

  /// Returns the store as it is after it has been opened again.
  static func reopened(_ store: any Store) throws -> any Store {
    guard let faulty = store as? FaultyStore, faulty.fault == .forgetsOnOpening else {
      return store
    }
    return try FaultyStore(store.snapshot().model, .forgetsOnOpening)
  }

  private func shown(_ snapshot: any StoreSnapshot) -> any StoreSnapshot {
    switch fault {
    case .showsLaterChanges: LateSnapshot(snapshot, memory)
    case .roundsDoubles: RoundedSnapshot(snapshot)
    default: snapshot
    }
  }
}

/// A snapshot that also shows commits made after the snapshot was taken.
private struct LateSnapshot: StoreSnapshot {
  let base: any StoreSnapshot
  let store: MemoryStore

  init(_ base: any StoreSnapshot, _ store: MemoryStore) { (self.base, self.store) = (base, store) }

  var commit: Int64 { base.commit }
  var model: Model { get throws { try base.model } }
  var schema: Schema { base.schema }
  var metadata: StoreMetadata { get throws { try base.metadata } }
  var tables: [any RowTable] { (try? store.snapshot().tables) ?? base.tables }
}

/// A snapshot that loses the sign of a zero.
private struct RoundedSnapshot: StoreSnapshot {
  let base: any StoreSnapshot

  init(_ base: any StoreSnapshot) { self.base = base }

  var commit: Int64 { base.commit }
  var model: Model { get throws { try base.model } }
  var schema: Schema { base.schema }
  var metadata: StoreMetadata { get throws { try base.metadata } }
  var tables: [any RowTable] {
    guard let layout = schema["Thing"], let column = layout.index(of: "real"),
      let keys = try? base.view.keys(ofEntity: layout.entityNumber)
    else { return base.tables }
    let builder = LayerBuilder(schema)
    for number in keys {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      guard let row = try? base.view.row(of: key), let version = try? row.version,
        case .double(let value)? = try? row.value(layout.columns[column]), value == 0
      else { continue }
      builder.set(.double(0), column: column, of: key, basis: version)
    }
    return base.tables + [builder.freeze(version: commit)]
  }
}
