import Comparison
import Documents
import Migration
import ObjectModel
import Rows
import StoreInterface

/// The rows and attachments of a version, which need not be a version of the document.
struct VersionRows {
  let model: SharedModel
  private(set) var stores: [(store: DocumentStore, snapshot: any StoreSnapshot)]
  private(set) var files: [String: ChangeBook.AttachedFile]
  /// The owners of the files that the snapshots read.
  private var owners: [AnyObject] = []

  /// The rows of a version of the document.
  init(_ content: VersionContent, _ model: SharedModel) {
    self.model = model
    stores = content.stores
    files = Dictionary(
      content.attachments.map {
        ($0.name, ChangeBook.AttachedFile(digest: $0.digest, byteCount: $0.byteCount))
      }, uniquingKeysWith: { one, _ in one })
  }

  private init(_ rows: VersionRows, _ model: SharedModel) {
    (self.model, stores, files, owners) = (model, rows.stores, rows.files, rows.owners)
  }

  /// Returns the rows after the inferred migration to a model.
  ///
  /// - Throws: `MigrationError` with code `notInferable`.
  func migrated(to model: SharedModel, in places: StorePlaces) throws -> VersionRows {
    var rows = VersionRows(self, model)
    for (index, (store, snapshot)) in stores.enumerated() {
      let inferred = try InferredSnapshot(
        snapshot, to: model.model.forStore(of: store.configuration), besides: store.path ?? "",
        in: places)
      rows.stores[index].snapshot = inferred.snapshot
      rows.owners.append(inferred)
    }
    return rows
  }

  /// Returns the rows with changes.
  ///
  /// - Parameter name: The name of the place of the changes in messages.
  /// - Throws: `ComparisonError` if the changes are not for such rows.
  func applying(_ changes: ChangeBook, named name: String) throws -> VersionRows {
    var rows = self
    for (index, (snapshot, changes)) in zip(
      stores.map(\.snapshot), try layers(of: changes, named: name)
    ).enumerated() {
      rows.stores[index].snapshot = ChangedSnapshot(snapshot, changes)
    }
    for (name, file) in changes.files { rows.files[name] = file.new }
    return rows
  }

  /// Returns the changes of each store.
  func layers(of changes: ChangeBook, named name: String) throws -> [MergeLayers] {
    let patch = try changes.patch(named: name)
    let parts = try stores.map { store, snapshot in
      let side = try ComparedStore(store.path ?? store.name, snapshot)
      return MergePart(
        name: stores.count > 1 ? store.name : nil, store: TrialStore(try SnapshotStore(snapshot)),
        base: side, ours: side, theirs: side)
    }
    if !changes.rows.isEmpty { try patch.check(parts) }
    return try parts.map { try patch.layers($0, renumbers: false) }
  }

  /// Returns the changes from these rows to rows of the same model; `nil` if the stores number their entities in different ways.
  func changes(to next: VersionRows) throws -> [VersionContent.Change]? {
    var changes: [VersionContent.Change] = []
    for ((store, old), (_, new)) in zip(stores, next.stores) {
      let keys = TrialStore(try SnapshotStore(old))
      let layer = try ComparedStore(store.name, old).rowChanges(
        to: ComparedStore(store.name, new)
      ) { try keys.leaseKeys(ofEntity: $0, count: $1).lowerBound }
      guard let layer else { return nil }
      changes.append((store, old, new, layer))
    }
    return changes
  }

  /// Returns the identity of a version with these rows.
  func identity(of version: SharedVersion, in document: Document) throws -> String {
    let content = try document.content(ofVersion: document.manifest.number)
    defer { content.close() }
    let sums = Dictionary(
      try stores.map { ($0.store.name, try RowSum(of: $0.snapshot)) },
      uniquingKeysWith: { one, _ in one })
    return try content.identity(
      sums, saved: version.saved, author: version.author, message: version.message,
      attachments: files.map { ($0.key, $0.value.digest, false) }, model: model.model
    ).description
  }
}

/// A snapshot with changes above it.
private struct ChangedSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  private let changes: MergeLayers

  init(_ base: any StoreSnapshot, _ changes: MergeLayers) {
    (self.base, self.changes) = (base, changes)
  }

  var commit: Int64 { base.commit }
  var model: Model { get throws { try base.model } }
  var schema: Schema { base.schema }
  var tables: [any RowTable] { base.tables + [changes.theirs] }
  var metadata: StoreMetadata {
    get throws {
      var metadata = try base.metadata
      // The changes insert objects of lanes that the store need not know yet.
      if let lanes = changes.lanes { metadata.lanes.formUnion(lanes) }
      return metadata
    }
  }
}
