import Documents
package import ObjectModel
package import Rows
package import StoreInterface

/// The stores of two places, each with the store of the other place that it is compared with.
package struct PairedStores {
  /// The names of the places as the caller gives them.
  package let names: BothSides<String>
  package let models: BothSides<Model>
  /// The stores to compare with each other: several for documents of several stores.
  package let pairs: [Pair]
  private let places: BothSides<ComparedPlace>

  /// Two stores that are compared with each other.
  package struct Pair {
    /// The name of the store; `nil` if there is only one pair.
    package let name: String?
    package let old: ComparedStore
    package let new: ComparedStore
    /// Returns the changes from the old to the new store, for two commits of one file; `nil` if all rows must be
    /// compared.
    package let layer: () throws -> Layer?
  }

  /// Pairs the stores of two places.
  ///
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/differentStores`` if one of the places
  ///   has no stores, or if one has several stores and the second is a single store.
  package init(
    _ old: ComparedPlace, _ new: ComparedPlace, in storePlaces: StorePlaces
  ) throws {
    names = BothSides(old: old.name, new: new.name)
    places = BothSides(old: old, new: new)
    pairs = try Self.pairs(old, new, names, storePlaces)
    let sides = BothSides(old: pairs.first?.old, new: pairs.first?.new)
    if let one = old.model, let other = new.model {
      models = BothSides(old: one, new: other)
    } else if let one = sides.old, let other = sides.new {
      models = BothSides(old: one.model, new: other.model)
    } else {
      throw ComparisonError(
        .differentStores, "'\(old.name)' has no stores.", path: old.place.path, .noStores)
    }
  }

  package func close() {
    places.old.close()
    places.new.close()
  }

  /// The differences of the attachments; `nil` unless two whole documents are compared.
  package var attachments: [AttachmentChange]? {
    guard let old = places.old.document, let new = places.new.document,
      places.old.model != nil, places.new.model != nil
    else { return nil }
    return AttachmentChange.all(from: old, to: new)
  }

  /// Returns the differences of the models that concern the given entities; all differences if `entities` is `nil`.
  package func modelChanges(in entities: Set<String>? = nil) -> ModelDifference {
    let difference = ModelDifference(from: models.old, to: models.new)
    return entities.map { difference.restricted(to: $0) } ?? difference
  }

  // MARK: - Pairs

  private static func pairs(
    _ old: ComparedPlace, _ new: ComparedPlace, _ names: BothSides<String>, _ places: StorePlaces
  ) throws -> [Pair] {
    if old.stores.count == 1, new.stores.count == 1 {
      return [try pair(nil, old.stores[0].store, new.stores[0].store, names, places)]
    }
    for (side, other) in [(old, new), (new, old)]
    where side.stores.count > 1 && other.document == nil {
      throw ComparisonError(
        .differentStores, "'\(side.name)' has several stores.", path: side.place.path,
        hint: "Compare it with a document.", .severalStores(side.stores.map(\.name)))
    }
    let added = new.stores.map(\.name).filter { name in !old.stores.contains { $0.name == name } }
    return try (old.stores.map(\.name) + added).compactMap { name in
      try pair(
        name, old.stores.first { $0.name == name }?.store,
        new.stores.first { $0.name == name }?.store, names, places)
    }
  }

  private static func pair(
    _ name: String?, _ old: (any Store)?, _ new: (any Store)?, _ names: BothSides<String>,
    _ places: StorePlaces
  ) throws -> Pair {
    if let old, let new { return try pair(name, old, new, names, places) }
    let only = try ComparedStore(old == nil ? names.new : names.old, (old ?? new)!.snapshot())
    let none = ComparedStore(old == nil ? names.old : names.new, withoutObjectsOf: only)
    return Pair(name: name, old: old == nil ? none : only, new: old == nil ? only : none) { nil }
  }

  private static func pair(
    _ name: String?, _ old: any Store, _ new: any Store, _ names: BothSides<String>,
    _ places: StorePlaces
  ) throws -> Pair {
    let snapshots = try commits(of: old, new, places)
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
    of old: any Store, _ new: any Store, _ places: StorePlaces
  ) throws -> BothSides<any StoreSnapshot> {
    let snapshots = BothSides(old: try old.snapshot(), new: try new.snapshot())
    guard old.features.history != nil, let path = old.path, let other = new.path,
      try places.isSame(path, other),
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
