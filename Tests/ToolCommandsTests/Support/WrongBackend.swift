import BinaryStore
import DurableFiles
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The backend of stores that are wrong in one way, over block files.
struct WrongBackend: StoreBackend {
  enum Fault: CaseIterable {
    case losesObjects, changesValues, ignoresSmallSaves, findsTooFew, answersNothing
  }

  let fault: Fault
  private let inner = BinaryStoreBackend()

  init(_ fault: Fault) { self.fault = fault }

  var type: StoreType { StoreType(rawValue: "Wrong") }
  var capabilities: StoreCapabilities { inner.capabilities.union(.querying) }

  func recognizes(_ firstBytes: [UInt8]) -> Bool { false }

  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    WrongStore(try inner.create(at: path, model: model, on: disk, creation), fault)
  }

  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
    WrongStore(try inner.open(path, on: disk, opening), fault)
  }

  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try inner.metadata(at: path, on: disk)
  }
}

private final class WrongStore: QueryingStore {
  private let inner: any Store
  private let fault: WrongBackend.Fault

  init(_ inner: any Store, _ fault: WrongBackend.Fault) {
    (self.inner, self.fault) = (inner, fault)
  }

  var type: StoreType { StoreType(rawValue: "Wrong") }
  var features: StoreFeatures {
    StoreFeatures(inner.features.capabilities.union(.querying), querying: self)
  }
  var tag: StoreTag { inner.tag }
  var path: String? { inner.path }

  func snapshot() throws -> any StoreSnapshot {
    let snapshot = try inner.snapshot()
    guard fault == .losesObjects || fault == .changesValues else { return snapshot }
    let entity = snapshot.schema["Person"]!
    guard let first = try snapshot.view.keys(ofEntity: entity.entityNumber).first else {
      return snapshot
    }
    let key = ObjectKey(entity: entity.entityNumber, number: first)
    let basis = try snapshot.view.row(of: key)!.version
    let builder = LayerBuilder(snapshot.schema)
    if fault == .losesObjects {
      builder.remove(key, basis: basis)
    } else {
      builder.set(.string("Nobody"), column: entity.index(of: "name")!, of: key, basis: basis)
    }
    return WrongSnapshot(inner: snapshot, layer: builder.freeze(version: basis))
  }

  func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    let rows = request.changes.entities.map { $0.put.rowCount }.reduce(0, +)
    guard fault == .ignoresSmallSaves, rows == 0 else { return try inner.commit(request) }
    return try snapshot()
  }

  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try inner.leaseKeys(ofEntity: number, count: count)
  }

  func describe() throws -> StoreSummary { try inner.describe() }
  func close() throws { try inner.close() }

  func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? {
    if fault == .answersNothing { return nil }
    let found = try inner.keys(request, in: snapshot)
    return fault == .findsTooFew ? Array(found.dropLast()) : found
  }
}

private struct WrongSnapshot: StoreSnapshot {
  let inner: any StoreSnapshot
  let layer: Layer

  var commit: Int64 { inner.commit }
  var model: Model { get throws { try inner.model } }
  var schema: Schema { inner.schema }
  var metadata: StoreMetadata { get throws { try inner.metadata } }
  var tables: [any RowTable] { inner.tables + [layer] }
}
