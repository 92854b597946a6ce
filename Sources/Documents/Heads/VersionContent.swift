package import Foundation
package import ObjectModel
package import Rows
package import StoreInterface

/// The stores and attachments of one version of a document, for a comparison with its neighbours.
///
/// Versions in one file of a store are opened through one store, so that comparing two of them takes time in proportion
/// to the change.
package struct VersionContent {
  /// The changes of a store from one version to another.
  package typealias Change = (
    store: DocumentStore, old: any StoreSnapshot, new: any StoreSnapshot, layer: Layer
  )

  /// The description of the version in the manifest.
  package let version: Manifest.VersionEntry
  /// The model of the version.
  package let model: Model
  /// The stores with their snapshots at the version, in the order of the manifest.
  package let stores: [(store: DocumentStore, snapshot: any StoreSnapshot)]
  /// The attachments of the version, with the application's own content.
  package let attachments: [Manifest.AttachmentEntry]
  /// The document that shows the version, if a store has no history of its own.
  private let shown: Document?

  fileprivate init(_ number: Int64, of document: Document) throws {
    let manifest = document.manifest
    guard let version = manifest.versions.first(where: { $0.number == number }) else {
      throw DocumentError.noVersion(number, document.path)
    }
    self.version = version
    model = try document.container.model(version.model, of: manifest)
    attachments = manifest.attachments.filter { $0.isPart(of: number) }
    var opened: Document?
    stores = try document.stores.compactMap { store in
      if let snapshot = try store.ownSnapshot(atVersion: number, manifest) {
        return (store, snapshot)
      }
      let then = try opened ?? document.open(version: number)
      opened = then
      return try then[store.name].map { (store, try $0.snapshot()) }
    }
    shown = opened
  }

  package func close() { try? shown?.close() }

  /// Returns the sum of the rows of each store, by the store's name. Reads all rows.
  package func sums() throws -> [String: RowSum] {
    Dictionary(
      try stores.map { ($0.store.name, try RowSum(of: $0.snapshot)) },
      uniquingKeysWith: { one, _ in one })
  }

  /// Returns the changes from a version to this one: one layer for each store.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/incompatibleModel`` if the versions have different models.
  package func changes(since before: VersionContent) throws -> [Change] {
    try stores.map { store, new in
      guard let old = before.stores.first(where: { $0.store === store })?.snapshot else {
        throw DocumentError(
          .incompatibleModel,
          "The store \"\(store.name)\" is not in version \(before.version.number).",
          path: store.path)
      }
      return (store, old, new, try store.changes(from: old, to: new, leasesKeys: false))
    }
  }

  /// Returns the sum of the rows of each store, by the sums of a version before or after it. Reads only the rows that differ.
  ///
  /// - Parameters:
  ///   - changes: The result of ``changes(since:)``.
  ///   - sums: The sums of the version that the changes begin at.
  package func sums(
    after changes: [Change], _ sums: [String: RowSum]
  ) throws -> [String: RowSum] {
    var moved = sums
    for (store, old, new, layer) in changes {
      moved[store.name] = try (sums[store.name] ?? RowSum(of: old)).moved(
        from: old, to: new.view, by: layer)
    }
    return moved
  }

  /// Returns the identity of the version (spec §7.7.9).
  ///
  /// - Parameter sums: The sum of the rows of each store.
  package func identity(_ sums: [String: RowSum]) throws -> VersionIdentity {
    try identity(
      sums, saved: version.saved, author: version.author, message: version.message,
      attachments: attachments.map { ($0.name, $0.digest, $0.isContent) })
  }

  /// Returns the identity of a version with the stores of this one.
  ///
  /// - Parameter model: The model of the version; `nil` for the model of this one.
  package func identity(
    _ sums: [String: RowSum], saved: Date, author: String?, message: String?,
    attachments: [(name: String, digest: String, isContent: Bool)], model: Model? = nil
  ) throws -> VersionIdentity {
    let model = model ?? self.model
    var text = "quire-version 1\nsaved \(ManifestDate.text(saved))\n"
    if let author { text += "author \(author.hexadecimal)\n" }
    if let message { text += "message \(message.hexadecimal)\n" }
    for (name, hash) in model.versionHashes.sorted(by: { $0.key.utf8 < $1.key.utf8 }) {
      text += "entity \(name) \(hash)\n"
    }
    let lines = try stores.map { store, snapshot in
      (try snapshot.metadata.uuid?.uuidString ?? "", sums[store.name] ?? RowSum())
    }
    for (uuid, sum) in lines.sorted(by: { $0.0 < $1.0 }) { text += "store \(uuid) \(sum)\n" }
    for isContent in [false, true] {
      for one in attachments.filter({ $0.isContent == isContent })
        .sorted(by: { $0.name.utf8 < $1.name.utf8 })
      {
        text += "\(isContent ? "content" : "attachment") \(one.name.hexadecimal) \(one.digest)\n"
      }
    }
    return VersionIdentity(text)
  }
}

extension Document {
  /// Opens the stores at a version of the open head.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of reading the version.
  package func content(ofVersion number: Int64) throws -> VersionContent {
    try VersionContent(number, of: self)
  }
}

extension DocumentStore {
  /// Returns the snapshot at a version that the open file of the store contains; `nil` if only a second file contains it.
  fileprivate func ownSnapshot(
    atVersion number: Int64, _ manifest: Manifest
  ) throws -> (any StoreSnapshot)? {
    let newest = try inner.snapshot()
    guard let entry = manifest.stores.first(where: { $0.name == name }) else { return nil }
    if number >= manifest.number { return newest }
    guard !hasFileForEachCommit, !entry.earlier.contains(where: { number < $0.until }) else {
      return nil
    }
    if newest.commit <= number { return newest }
    // A list of all commits reads all commits, so the commit with the number of the version is tried first.
    if let exact = try? inner.snapshot(ofCommit: number) { return exact }
    return try inner.commits().map(\.number).filter { $0 <= number }.max().map {
      try inner.snapshot(ofCommit: $0)
    }
  }
}
