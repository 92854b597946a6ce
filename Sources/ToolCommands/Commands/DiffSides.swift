import Documents
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

/// The two documents or stores that `quire diff` compares, open for reading.
struct DiffSides {
  /// The paths as the command line names them.
  let names: BothSides<String>
  let models: BothSides<Model>
  /// The stores to compare with each other: several for documents of several stores.
  let pairs: [Pair]
  /// The documents, which must stay open while their stores are read.
  private let documents: [Document]
  /// Whether only one store of each document is compared.
  private let isOneStore: Bool

  /// Two stores that are compared with each other.
  struct Pair {
    /// The name of the store; `nil` if there is only one pair.
    let name: String?
    let old: ComparedStore
    let new: ComparedStore
    /// Returns the changes from the old to the new store, for two commits of one file; `nil` if all rows must be
    /// compared.
    let layer: () throws -> Layer?
  }

  /// One side: a document, or a store.
  struct Side {
    /// The document; `nil` for a store.
    var document: Document?
    /// The model of the whole document; `nil` for a single store.
    var model: Model?
    var stores: [(name: String, store: any Store)]
  }

  init(_ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation) throws {
    names = BothSides(old: invocation[DiffCommand.old], new: invocation[DiffCommand.new])
    let places = BothSides(
      old: try VersionedPath(names.old, on: reader.disk),
      new: try VersionedPath(names.new, on: reader.disk))
    let areDocuments = try [places.old, places.new].map { try reader.isDocument($0.path) }
    if !areDocuments.contains(true), invocation.has(DiffCommand.store) {
      throw CommandError.wrongUsage(
        "--in names a store of a document, but no side is a document.", hint: "Leave out --in.")
    }
    if !areDocuments.contains(false), invocation.has(DiffCommand.model) {
      throw CommandError.wrongUsage(
        "--model is for a store that does not contain its model, but both sides are documents.",
        hint: "Leave out --model.")
    }
    let old = try Self.side(places.old, reader, models, invocation)
    let new = try Self.side(places.new, reader, models, invocation)
    documents = [old.document, new.document].compactMap(\.self)
    isOneStore = invocation.has(DiffCommand.store)
    pairs = try Self.pairs(old, new, names, reader)
    let sides = BothSides(old: pairs.first?.old, new: pairs.first?.new)
    if let one = old.model, let other = new.model {
      self.models = BothSides(old: one, new: other)
    } else if let one = sides.old, let other = sides.new {
      self.models = BothSides(old: one.model, new: other.model)
    } else {
      throw CommandError(.unreadable, "'\(oneLine(names.old))' has no stores.")
    }
  }

  /// Closes the documents. The reader closes the other stores.
  func close() { for document in documents { try? document.close() } }

  /// The differences of the attachments; `nil` unless two whole documents are compared.
  var attachments: [AttachmentChange]? {
    documents.count == 2 && !isOneStore
      ? AttachmentChange.all(from: documents[0], to: documents[1]) : nil
  }

  /// Returns the differences of the models that concern the given entities; all differences if `entities` is `nil`.
  func modelChanges(in entities: Set<String>?) throws -> ModelDifference {
    let difference = ModelDifference(from: models.old, to: models.new)
    return entities.map { difference.restricted(to: $0) } ?? difference
  }

  // MARK: - Opening

  /// Opens a side for reading.
  static func side(
    _ place: VersionedPath, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> Side {
    let invocation = invocation.setting(.version, to: place.version.map { "\($0)" })
    guard try reader.isDocument(place.path) else {
      let store = try open(place.path, reader, models, invocation)
      return Side(stores: [(name: "", store: store)])
    }
    let document = try reader.document(place.path, toRead: invocation)
    guard let name = invocation.value(of: DiffCommand.store) else {
      return Side(
        document: document, model: try document.model,
        stores: document.stores.map { ($0.name, $0) })
    }
    guard let store = document[name] else {
      throw CommandError.unknown(
        "store", oneLine(name), in: "in '\(oneLine(place.path))'",
        known: document.stores.map(\.name),
        otherwise: "It has \(document.stores.map { "'\($0.name)'" }.joined(separator: ", ")).")
    }
    return Side(document: document, stores: [(name, store)])
  }

  /// Opens a store with its own model, or with the model of the command line if it contains none.
  static func open(
    _ path: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation,
    readOnly: Bool = true
  ) throws -> any Store {
    guard let model = invocation.value(of: DiffCommand.model) else {
      return try reader.open(path, invocation, models, readOnly: readOnly)
    }
    do {
      return try reader.open(path, invocation, models, readOnly: readOnly)
    } catch let error as CommandError where error.exitCode == .modelMismatch {
      return try reader.open(
        path, invocation.setting(.storeModel, to: model), models, readOnly: readOnly)
    }
  }

  // MARK: - Pairs

  private static func pairs(
    _ old: Side, _ new: Side, _ names: BothSides<String>, _ reader: StoreReader
  ) throws -> [Pair] {
    if old.stores.count == 1, new.stores.count == 1 {
      return [try pair(nil, old.stores[0].store, new.stores[0].store, names, reader)]
    }
    for (side, other, name) in [(old, new, names.old), (new, old, names.new)]
    where side.stores.count > 1 && other.document == nil {
      throw CommandError.wrongUsage(
        "'\(oneLine(name))' has several stores.",
        hint: "Choose one with --in: \(side.stores.map(\.name).joined(separator: ", ")).")
    }
    let added = new.stores.map(\.name).filter { name in !old.stores.contains { $0.name == name } }
    return try (old.stores.map(\.name) + added).compactMap { name in
      try pair(
        name, old.stores.first { $0.name == name }?.store,
        new.stores.first { $0.name == name }?.store, names, reader)
    }
  }

  private static func pair(
    _ name: String?, _ old: (any Store)?, _ new: (any Store)?, _ names: BothSides<String>,
    _ reader: StoreReader
  ) throws -> Pair {
    if let old, let new { return try pair(name, old, new, names, reader) }
    let only = try ComparedStore(old == nil ? names.new : names.old, (old ?? new)!.snapshot())
    let none = ComparedStore(old == nil ? names.old : names.new, withoutObjectsOf: only)
    return Pair(name: name, old: old == nil ? none : only, new: old == nil ? only : none) { nil }
  }

  private static func pair(
    _ name: String?, _ old: any Store, _ new: any Store, _ names: BothSides<String>,
    _ reader: StoreReader
  ) throws -> Pair {
    let snapshots = try commits(of: old, new, reader)
    return Pair(
      name: name, old: try ComparedStore(names.old, snapshots.old),
      new: try ComparedStore(names.new, snapshots.new)
    ) {
      guard snapshots.old.schema == snapshots.new.schema else { return nil }
      // Without common rows, the changes would contain the rows of both snapshots, all of them in memory.
      let (before, after) = (snapshots.old.tables, snapshots.new.tables)
      guard let first = before.first, let other = after.first, first.isSame(as: other) else {
        return nil
      }
      return try snapshots.new.changes(since: snapshots.old)
    }
  }

  /// Returns the snapshots to compare. If both stores are one file, both snapshots come from one of them, so that they
  /// have their common rows in common.
  private static func commits(
    of old: any Store, _ new: any Store, _ reader: StoreReader
  ) throws -> BothSides<any StoreSnapshot> {
    let snapshots = BothSides(old: try old.snapshot(), new: try new.snapshot())
    guard old.features.history != nil, let path = old.path, let other = new.path,
      try reader.places.isSame(path, other),
      try snapshots.old.metadata.uuid == snapshots.new.metadata.uuid
    else { return snapshots }
    let isForward = snapshots.old.commit <= snapshots.new.commit
    let store = isForward ? new : old
    func snapshot(_ known: any StoreSnapshot) throws -> any StoreSnapshot {
      // A commit that only the other store can open is read from there.
      try readIfSound { try store.snapshot(ofCommit: known.commit) } ?? known
    }
    return BothSides(
      old: try snapshot(snapshots.old), new: try snapshot(snapshots.new))
  }
}

extension ModelDifference {
  /// Returns the changes of the given entities and their properties, constraints and indexes.
  fileprivate func restricted(to entities: Set<String>) -> ModelDifference {
    filter { change in
      switch change.subject {
      case .entity(let name), .property(_, of: let name), .uniquenessConstraint(_, of: let name),
        .fetchIndex(_, of: let name):
        entities.contains(name)
      case .model, .compositeType, .compositeAttribute, .configuration, .template: false
      }
    }
  }
}
