import Comparison
import Documents
import Foundation
import Migration
import ObjectModel

extension ExchangeTurn {
  /// The model of a version, compared with the model of the open head.
  enum ModelOrder {
    case same
    /// Migrations lead from the model of the open head to the model of the version.
    case newer
    /// Migrations lead from the model of the version to the model of the open head.
    case older
  }

  /// The next migration of the open head.
  struct NextMigration {
    let model: SharedModel
    /// The version that the migration makes; `nil` if the document has changes that no device has taken in.
    let version: SharedVersion?
    let saved: Date
    /// Whether the version has changes besides those of the migration.
    let hasChanges: Bool
  }

  private var newest: String? { own.last?.version.identity ?? known?.identity }

  func order(of version: SharedVersion) throws -> ModelOrder {
    guard let newest, let known else { return .same }
    let connected = graph.connected(to: version.identity)
    if connected.contains(newest) { return .same }
    if !graph.edges.isEmpty {
      let model = try contents.ownModel
      if let found = try contents.model(of: version.identity) {
        if found == model { return .same }
        if try contents.models(from: newest, to: found) != nil { return .newer }
      }
      if try contents.models(from: version.identity, to: model) != nil { return .older }
    }
    // A version is sent whole, and not as changes, after a migration that can't be inferred.
    let isWhole = connected.contains { graph.whole.contains($0) }
    return isWhole && graph.ancestors([version.identity]).contains(known.identity)
      ? .newer : .same
  }

  /// Takes in the versions of the own model from which a version of a newer model derives, and reports that it waits.
  func wait(forNewerModel version: SharedVersion) throws {
    let derivesFromOwn = newest.map { graph.ancestors([version.identity]).contains($0) } ?? false
    for older in try before(version) {
      // If the version has merged the own changes, a merge before it would repeat its conflicts.
      if derivesFromOwn, !graph.ancestors([older.identity]).contains(newest!) { continue }
      try pull(older)
    }
    report.newerModel.append(version)
  }

  /// Returns the newest versions of the own model that a version derives from and that are not taken in yet.
  private func before(_ version: SharedVersion) throws -> [SharedVersion] {
    let (taken, model) = (taken, try contents.ownModel)
    let missing = try graph.ancestors([version.identity]).subtracting(taken)
      .compactMap { graph.versions[$0] }
      .filter { try contents.model(of: $0.identity) == model }
    let passed = graph.ancestors(missing.flatMap(\.parents))
    return missing.filter { !passed.contains($0.identity) }.sorted(by: SharedVersion.precedes)
  }

  /// Returns the migration that brings the open head nearer to a version that waits, or `nil`.
  func nextMigration() throws -> NextMigration? {
    for version in news where try order(of: version) == .newer {
      if let next = try following(version) ?? migration(towards: version) { return next }
    }
    return nil
  }

  /// Returns the migration that a document without changes of its own takes over as it is.
  private func following(_ version: SharedVersion) throws -> NextMigration? {
    guard own.isEmpty, let known else { return nil }
    let derived = graph.ancestors([version.identity])
    let edges = graph.edges.filter { $0.from == known.identity && derived.contains($0.target) }
    let targets = edges.compactMap { edge in graph.versions[edge.target].map { (edge, $0) } }
      .sorted { SharedVersion.precedes($0.1, $1.1) }
    for (edge, target) in targets where try isWhole(target) {
      guard let changes = try graph.changes(from: edge.node, to: target.identity) else { continue }
      return NextMigration(
        model: edge.model, version: target, saved: target.saved,
        hasChanges: !changes.rows.isEmpty || !changes.files.isEmpty)
    }
    return nil
  }

  /// Returns the migration of a document with changes of its own.
  private func migration(towards version: SharedVersion) throws -> NextMigration? {
    guard let newest, let model = try contents.model(of: version.identity),
      let next = try contents.models(from: newest, to: model)?.first, try isWhole(version)
    else { return nil }
    // All devices give one date to the migration of one version. Version hashes that stay the same would give it the identity of the
    // version before it as well.
    let saved = document.manifest.saved
    let differs = ModelDifference(from: try document.model, to: next.model).isSeenByHashes
    return NextMigration(
      model: next, version: nil, saved: differs ? saved : saved + 0.001, hasChanges: false)
  }

  /// Whether all packs up to a version are here, and make the version that they say.
  private func isWhole(_ version: SharedVersion) throws -> Bool {
    guard let rows = try contents.rows(of: version.identity) else { return false }
    return try rows.identity(of: version, in: document) == version.identity
  }

  /// Saves the changes of a version after its migration.
  func finish(_ version: SharedVersion) throws {
    guard let newest,
      let changes = try contents.difference(from: newest, to: version.identity)
    else { return }
    do { try take(changes, following: version, into: document) } catch is Contradiction {
      // The next exchange reports it.
    } catch is SharedGraph.MissingAttachment {}
  }

  /// Returns the changes from the versions that a version has merged, where no way leads from them to it. A device with such a version
  /// could not follow otherwise. From a version of an older model, the changes are a migration.
  func bridges(to version: SharedVersion) throws -> [PackWriter.Part] {
    if graph.edges.isEmpty { return [] }
    let connected = graph.connected(to: version.identity)
    guard let model = try contents.model(of: version.identity) else { return [] }
    return try version.parents.dropFirst().compactMap { parent in
      guard graph.versions[parent] != nil, !connected.contains(parent),
        let before = try contents.model(of: parent)
      else { return nil }
      let isMigration = before != model
      if isMigration {
        let edge = MigrationEdge(from: parent, target: version.identity, model: model)
        if connected.contains(edge.node) { return nil }
      }
      let changes =
        isMigration
        ? try contents.migration(from: parent, to: version.identity, in: model)
        : try contents.difference(from: parent, to: version.identity, in: model)
      return changes.map {
        PackWriter.Part(
          version: version, from: parent, changes: $0, model: isMigration ? model : nil)
      }
    }
  }
}
