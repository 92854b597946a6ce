package import ObjectModel
package import Rows
package import StoreInterface

/// The difference between a version of a document or a store and the version before it.
package struct VersionChange {
  /// A store with its states at both versions.
  package struct Part {
    /// The name of the store in a document with several stores; `nil` if there is only one.
    package let name: String?
    package let snapshots: BothSides<any StoreSnapshot>
    package let layer: Layer

    /// The rows that differ, if one file has both states. `nil` for two files: they number the rows of links differently, so
    /// the rows must be compared.
    fileprivate var commonLayer: Layer? {
      guard let old = snapshots.old.tables.first, let new = snapshots.new.tables.first,
        old.isSame(as: new)
      else { return nil }
      return layer
    }
  }

  /// The stores; `nil` if the versions have different models, so that their objects are not compared.
  package let parts: [Part]?
  /// The models of both versions.
  package let models: BothSides<Model>

  /// Whether the models differ, in parts that version hashes see or in others.
  package var modelDifference: ModelDifference { ModelDifference(from: models.old, to: models.new) }

  /// Calls `body` with each changed object and the name of its store, as `quire diff` finds them.
  ///
  /// The work depends on the number of changed rows if both versions are in one file.
  ///
  /// - Parameter entities: The entities whose objects are compared, with their subentities; `nil` for all.
  package func forEachObject(
    in entities: [String]? = nil, _ body: (ObjectChange, _ store: String?) throws -> Void
  ) throws {
    let model = models.new
    let names = entities.map { Set($0.flatMap { model.family(of: $0).map(\.name) }) }
    for part in parts ?? [] where !part.layer.isEmpty {
      let comparison = try StoreComparison(
        from: ComparedStore("", part.snapshots.old), to: ComparedStore("", part.snapshots.new),
        .identifier
      ) { part.commonLayer }
      try comparison.forEachChange(of: names) { try body($0, part.name) }
    }
  }
}

extension VersionChange {
  /// Compares two commits of a store that is not part of a document.
  package init(from old: any StoreSnapshot, to new: any StoreSnapshot) throws {
    models = BothSides(old: try old.model, new: try new.model)
    guard models.old.versionHashes == models.new.versionHashes, old.schema == new.schema else {
      parts = nil
      return
    }
    parts = [
      Part(
        name: nil, snapshots: BothSides(old: old, new: new), layer: try new.changes(since: old))
    ]
  }
}
