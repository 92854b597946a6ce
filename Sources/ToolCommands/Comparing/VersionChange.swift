import Documents
import ObjectModel
import Rows
import StoreInterface

/// The difference between a version of a document or a store and the version before it.
struct VersionChange {
  /// A store with its states at both versions.
  struct Part {
    /// The name of the store in a document with several stores; `nil` if there is only one.
    let name: String?
    let snapshots: BothSides<any StoreSnapshot>
    /// The rows that differ.
    let layer: Layer

    /// The rows that differ, if both states are in one file; `nil` otherwise. A layer between two files has keys of
    /// its own for links, so it does not replace a comparison of the rows.
    fileprivate var commonLayer: Layer? {
      guard let old = snapshots.old.tables.first, let new = snapshots.new.tables.first,
        old.isSame(as: new)
      else { return nil }
      return layer
    }
  }

  /// The stores; `nil` if the versions have different models, so that their objects are not compared.
  let parts: [Part]?
  /// The models of both versions.
  let models: BothSides<Model>

  /// Whether the models differ, in parts that version hashes see or in others.
  var modelDifference: ModelDifference { ModelDifference(from: models.old, to: models.new) }

  /// Calls `body` with each changed object and the name of its store, as `quire diff` finds them.
  ///
  /// The work depends on the number of changed rows if both versions are in one file.
  ///
  /// - Parameter entities: The entities whose objects are compared, with their subentities; `nil` for all.
  func forEachObject(
    in entities: [String]? = nil, _ body: (ObjectChange, _ store: String?) throws -> Void
  ) throws {
    let model = models.new
    let names = entities.map { Set($0.flatMap { model.family(of: $0).map(\.name) }) }
    for part in parts ?? [] where !part.layer.isEmpty {
      let comparison = try StoreComparison(
        from: ComparedStore("", part.snapshots.old), to: ComparedStore("", part.snapshots.new),
        MatchChoices(mode: .identifier)
      ) { part.commonLayer }
      func isIncluded(_ pair: EntityPair) -> Bool { names?.contains(pair.name) ?? true }
      try comparison.forEachChange(where: isIncluded) { try body($0, part.name) }
    }
  }
}

extension VersionChange {
  /// Compares two commits of a store that is not part of a document.
  init(from old: any StoreSnapshot, to new: any StoreSnapshot) throws {
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

/// The states of a document's stores at its versions.
final class VersionHistory {
  private let document: Document
  private let manifest: Manifest
  /// The versions of the model, by name. Empty until the first change is read.
  private var models: [String: Model] = [:]
  /// The commits in the file of each store, the newest first, by the store's name.
  private var commits: [String: [Int64]] = [:]
  /// The state that was read last. Two adjacent changes have it in common.
  private var last: State?

  /// The state of a document at a version. It stays readable when the document is closed.
  struct State {
    let number: Int64
    let model: Model
    /// The snapshot of each store, by the store's name.
    fileprivate let snapshots: [String: any StoreSnapshot]
  }

  init(_ document: Document) {
    self.document = document
    manifest = document.manifest
  }

  /// Returns the difference between two versions.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if the document does not contain them.
  func change(from before: Int64, to number: Int64) throws -> VersionChange {
    let models = BothSides(old: try model(of: before), new: try model(of: number))
    // The files of versions with different models are not opened.
    guard models.old.versionHashes == models.new.versionHashes else {
      return VersionChange(parts: nil, models: models)
    }
    let new = try state(at: number)
    let old = try state(at: before)
    last = old
    return try change(from: old, to: new)
  }

  /// Returns the difference between two states.
  func change(from old: State, to new: State) throws -> VersionChange {
    let models = BothSides(old: old.model, new: new.model)
    guard models.old.versionHashes == models.new.versionHashes else {
      return VersionChange(parts: nil, models: models)
    }
    var parts: [VersionChange.Part] = []
    for store in document.stores {
      guard let one = old.snapshots[store.name], let other = new.snapshots[store.name] else {
        continue
      }
      guard one.schema == other.schema else { return VersionChange(parts: nil, models: models) }
      parts.append(
        VersionChange.Part(
          name: document.stores.count > 1 ? store.name : nil,
          snapshots: BothSides(old: one, new: other),
          layer: try store.changes(from: one, to: other, leasesKeys: false)))
    }
    return VersionChange(parts: parts, models: models)
  }

  /// Returns the state at a version.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if the document does not contain it.
  func state(at number: Int64) throws -> State {
    if let last, last.number == number { return last }
    return State(
      number: number, model: try model(of: number), snapshots: try snapshots(at: number))
  }

  private func model(of number: Int64) throws -> Model {
    if models.isEmpty {
      models = Dictionary(
        try document.modelVersions.map { ($0.name, $0.model) }, uniquingKeysWith: { one, _ in one })
    }
    guard let entry = manifest.versions.first(where: { $0.number == number }),
      let model = models[entry.model]
    else {
      throw DocumentError(
        .noVersion, "Version \(number) does not exist, or is not kept any more.",
        path: document.path)
    }
    return model
  }

  /// Returns the snapshot of each store at a version (spec §7.4.5).
  ///
  /// Commits of the newest file of a store come from the open store, so that the snapshots have their common rows in
  /// common and no file is opened again.
  private func snapshots(at number: Int64) throws -> [String: any StoreSnapshot] {
    var snapshots: [String: any StoreSnapshot] = [:]
    var then: Document?
    defer { try? then?.close() }
    for (store, entry) in zip(document.stores, manifest.stores) {
      if entry.commit <= number {
        snapshots[store.name] = try store.snapshot()
      } else if store.features.history != nil,
        !entry.earlier.contains(where: { number < $0.until }),
        let commit = try commits(of: store).first(where: { $0 <= number })
      {
        snapshots[store.name] = try store.snapshot(ofCommit: commit)
      } else {
        let document = try then ?? self.document.open(version: number)
        then = document
        snapshots[store.name] = try document[store.name]?.snapshot()
      }
    }
    return snapshots
  }

  private func commits(of store: DocumentStore) throws -> [Int64] {
    if let known = commits[store.name] { return known }
    let numbers = try store.commits().map(\.number)
    commits[store.name] = numbers
    return numbers
  }
}
