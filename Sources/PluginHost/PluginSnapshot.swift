import CStorePlugin
import ObjectModel
import PluginExchange
import Rows
import StoreInterface
import Synchronization

/// The contents of a plug-in's store at one commit.
final class PluginSnapshot: StoreSnapshot {
  let handle: SnapshotHandle
  let commit: Int64
  let schema: Schema
  let tables: [any RowTable]
  /// The plug-in's tables behind ``tables``, in the same order.
  let parts: [PluginPart]
  private let lazy: Mutex<Description>

  private struct Description {
    var model: Model?
    var metadata: StoreMetadata?
  }

  init(
    _ handle: SnapshotHandle, commit: Int64, _ schema: Schema, _ parts: [PluginPart],
    model: Model? = nil
  ) {
    self.handle = handle
    self.commit = commit
    self.schema = schema
    self.parts = parts
    tables = parts.map(\.table)
    lazy = Mutex(Description(model: model))
  }

  var model: Model {
    get throws {
      if let known = lazy.withLock({ $0.model }) { return known }
      let model = try PluginDescriptions.model(
        try handle.bytes(of: Int(QUIRE_MODEL)), path: handle.store.path)
      // Every property of the model must be in the schema, because other code looks it up there.
      if let gap = schema.gap(against: model) {
        throw StoreError(
          .badPlugin, "The schema of the plug-in does not fit its model: \(gap)",
          path: handle.store.path)
      }
      lazy.withLock { $0.model = model }
      return model
    }
  }

  var metadata: StoreMetadata {
    get throws {
      if let known = lazy.withLock({ $0.metadata }) { return known }
      let metadata = try PluginDescriptions.metadata(
        try handle.bytes(of: Int(QUIRE_METADATA)), path: handle.store.path)
      lazy.withLock { $0.metadata = metadata }
      return metadata
    }
  }
}

extension PluginSnapshot {
  /// The number of found objects above which their rows are not read ahead. Most callers of so large a request read
  /// only a part of its objects, or nearly all rows.
  private static let readAheadLimit = 1024

  /// Reads the rows of some objects in few calls, if the plug-in can find rows by their keys.
  func readAhead(_ keys: [ObjectKey]) throws {
    guard keys.count > 1, keys.count <= PluginSnapshot.readAheadLimit else { return }
    let keys = keys.sorted()
    for table in tables { try (table as? PluginRowTable)?.readAhead(keys) }
  }
}

/// One or several tables of a plug-in that this program reads as one. Small tables are merged, so that a lookup passes
/// through few of them.
struct PluginPart: Sendable {
  /// The numbers that the plug-in gave to the tables, the lowest first.
  var ids: [UInt64]
  var table: any RowTable
  var count: Int

  init(_ table: PluginRowTable) {
    (ids, self.table, count) = ([table.id], table, table.count)
  }

  fileprivate init(merging parts: ArraySlice<PluginPart>, _ layer: Layer) {
    (ids, table, count) = (parts.flatMap(\.ids), layer, layer.count)
  }

  /// Returns all changes of the part as a layer.
  fileprivate func layer() throws -> Layer {
    if let layer = table as? Layer { return layer }
    return try (table as? PluginRowTable)?.layer() ?? Layer()
  }

  /// Merges the newest parts as long as there are many of a similar size.
  ///
  /// Large tables are not merged: they are read in place.
  static func merge(_ parts: inout [PluginPart], _ schema: Schema) throws {
    let most = 1 << 12
    while let count = SegmentTiers.mergeCount(sizes: parts.map(\.count)),
      parts.suffix(count).allSatisfy({ $0.count <= most })
    {
      let upper = parts.suffix(count)
      let merged = try Layer.merged(
        upper.map { try $0.layer() }, schema: schema, keepingVersions: true,
        atBottom: count == parts.count, statesBases: false)
      parts.replaceSubrange((parts.count - count)..., with: [PluginPart(merging: upper, merged)])
    }
  }
}
