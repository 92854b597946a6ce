import ObjectModel
import Rows

/// A snapshot with all of its layers in memory. Stores in memory and atomic stores use it.
struct LayeredSnapshot: StoreSnapshot {
  var commit: Int64 = 0
  var model: Model
  var schema: Schema
  /// The commit that set the model.
  var schemaNumber: Int64 = 0
  var metadata: StoreMetadata
  /// The changes of the commits, the oldest first, merged in tiers.
  var layers: [Layer] = []

  var tables: [any RowTable] { layers }

  /// Returns the snapshot after a request, as the next commit or as the commit `number`; `nil` if the request is
  /// empty.
  ///
  /// - Parameter lanes: The lanes of the store after the request; `nil` to add the ones of the request.
  /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict``,
  ///   ``StoreError/Code/overtaken`` or ``StoreError/Code/incompatibleModel``.
  func committing(
    _ request: CommitRequest, as number: Int64? = nil, lanes: StoreLanes? = nil, path: String?
  ) throws -> LayeredSnapshot? {
    let number = number ?? commit + 1
    try request.checkModel(setBy: schemaNumber, path: path)
    try request.check(against: self, path: path)
    if request.isEmpty { return nil }
    var next = self
    if let metadata = request.metadata { next.metadata = metadata }
    if let lanes {
      next.metadata.lanes = lanes
    } else if request.metadata != nil || request.lanes != nil {
      next.metadata.lanes =
        request.lanes(after: metadata, isCopy: false, nextKeys: [UInt64]()).lanes
    }
    if let model = request.model {
      next.schema = try request.schema(evolving: schema, of: self.model, path: path)
      next.schemaNumber = number
      next.model = model
      next.metadata.setModel(model)
    }
    try next.append(request.changes, as: number)
    return next
  }

  /// Appends changes as a commit of the given number.
  mutating func append(_ changes: Layer, as number: Int64) throws {
    commit = number
    guard !changes.isEmpty else { return }
    layers.append(try changes.stamped(commit))
    // Merge the layers, so that a lookup passes through few of them.
    try SegmentTiers.merge(&layers, schema, areStored: true)
  }
}
