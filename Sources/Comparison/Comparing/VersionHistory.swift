package import Documents
package import ObjectModel
import Rows
import StoreInterface

/// The states of a document's stores at its versions.
package final class VersionHistory {
  private let document: Document
  private let manifest: Manifest
  /// The versions of the model, by name. Empty until the first change is read.
  private var models: [String: Model] = [:]
  /// The commits in the file of each store, the newest first, by the store's name.
  private var commits: [String: [Int64]] = [:]
  /// The state that was read last. Two adjacent changes have it in common.
  private var last: State?

  /// The state of a document at a version. It stays readable when the document is closed.
  package struct State {
    package let number: Int64
    package let model: Model
    /// The snapshot of each store, by the store's name.
    fileprivate let snapshots: [String: any StoreSnapshot]
  }

  package init(_ document: Document) {
    self.document = document
    manifest = document.manifest
  }

  /// Returns the difference between two versions.
  ///
  /// - Throws: `DocumentError` with code `DocumentError.Code.noVersion` if the document does not contain them.
  package func change(from before: Int64, to number: Int64) throws -> VersionChange {
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
  package func change(from old: State, to new: State) throws -> VersionChange {
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
  /// - Throws: `DocumentError` with code `DocumentError.Code.noVersion` if the document does not contain it.
  package func state(at number: Int64) throws -> State {
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
