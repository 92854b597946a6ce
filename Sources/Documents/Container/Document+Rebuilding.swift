package import DurableFiles
import Foundation
import ModelNotations
package import ObjectModel
package import StoreInterface

/// A store that was recovered from a damaged document.
package struct RescuedStore {
  package var name: String
  package var type: StoreType
  package var configuration: String?
  package var creation: StoreCreation
  /// The model that the store was read with.
  package var model: Model
  /// Writes the recovered objects into the new store.
  package var fill: (any Store) throws -> Void

  package init(
    name: String, type: StoreType, configuration: String?, creation: StoreCreation, model: Model,
    fill: @escaping (any Store) throws -> Void
  ) {
    self.name = name
    self.type = type
    self.configuration = configuration
    self.creation = creation
    self.model = model
    self.fill = fill
  }
}

/// The remains of a head of a damaged document: its manifest if it can be read, and the files that exist.
package struct DocumentRemains {
  /// The manifest, or `nil` if it can't be read. Its checksum may be wrong or missing.
  package let manifest: Manifest?
  /// The error with which reading the manifest failed, or `nil`.
  package let fault: (any Error)?
  /// The files of stores, by path, each with its entry in the manifest.
  package private(set) var stores: [(path: String, entry: Manifest.StoreEntry?)] = []
  /// The names of the document's heads besides the head that is recovered. ``stores`` has no files of them.
  package let otherHeads: [String]
  private let container: Container

  /// Reads the manifest if possible, and finds the files of stores.
  package init(_ path: String, on disk: any Disk, head: String = HeadName.main) throws {
    // The versions of the log are not needed, so no backend reads them.
    container = Container(path: path, disk: disk, backends: StoreBackends([])).on(head)
    otherHeads = ([HeadName.main] + container.writtenHeads).filter { $0 != head }
    do {
      manifest = try container.writtenManifest().manifest
      fault = nil
    } catch {
      // Most names in a manifest are right if only its checksum is wrong or missing.
      manifest = try? container.writtenManifest(checkingChecksum: false).manifest
      fault = error
    }
    let folder = container.inner(Container.storesFolder)
    guard try disk.exists(folder) else { return }
    let names = try disk.list(folder, links: .refused).filter {
      $0.kind == .file && !$0.name.hasPrefix(".")
    }.map(\.name)
    for entry in manifest?.stores ?? []
    where names.contains(where: { entry.file.hasSuffix("/\($0)") }) {
      stores.append((container.inner(entry.file), entry))
    }
    guard manifest == nil else { return }
    // Among files of one store, the file with the highest number is the newest.
    var newest: [String: (number: Int, name: String)] = [:]
    let heads = Set(container.writtenHeads)
    for file in names {
      // The name of a file of a head besides `main` begins with the name of the head and a dot.
      let parts = file.split(separator: ".", maxSplits: 1).map(String.init)
      let isOfHead = parts.count == 2 && parts[1].contains(".") && heads.contains(parts[0])
      guard (isOfHead ? parts[0] : HeadName.main) == head else { continue }
      let name = isOfHead ? parts[1] : file
      let stem = name.prefix { $0 != "." }
      let digits = stem.reversed().prefix { $0.isNumber }.reversed()
      let number = Int(String(digits)) ?? 0
      let key = String(stem.dropLast(digits.count).drop { $0 == "-" })
      if number >= newest[key]?.number ?? 0 { newest[key] = (number, file) }
    }
    stores = newest.values.map(\.name).sorted().map { ("\(folder)/\($0)", nil) }
  }

  /// The newest version of the model that can be read.
  package var model: Model? {
    guard let manifest else { return modelOfFiles }
    let names = [manifest.model] + manifest.models.reversed().map(\.name)
    return names.lazy.compactMap { try? container.model($0, of: manifest) }.first
  }

  /// The readable model with the most entities, used when there is no manifest to choose one.
  private var modelOfFiles: Model? {
    let folder = container.inner(Container.modelsFolder)
    let files = (try? container.disk.list(folder, links: .refused)) ?? []
    let models = files.filter { $0.kind == .file && $0.name.hasSuffix(".xml") }.compactMap {
      file -> Model? in
      let path = "\(folder)/\(file.name)"
      guard
        let bytes = try? container.disk.read(
          path, byteLimit: Manifest.modelByteLimit, links: .refused),
        let description = try? ModelSource.read(bytes, path: path)
      else { return nil }
      return try? Model(description)
    }
    return models.max { $0.entities.count < $1.entities.count }
  }

  /// Returns the configuration whose entities are those of the store's model, or `nil` if there is none.
  private func configuration(of store: RescuedStore, in model: Model) -> String? {
    let entities = Set(store.model.entities.map(\.name))
    guard entities != Set(model.entities.map(\.name)) else { return nil }
    return model.description.configurations.first { Set($0.entities) == entities }?.name
  }

  /// Makes a document of the recovered stores, and of the attachments and metadata that remain.
  ///
  /// - Returns: The names of attachments whose bytes are missing or changed.
  package func rebuild(
    at path: String, _ rescued: [RescuedStore], overwriting: Bool, in places: StorePlaces
  ) throws -> [String] {
    var lost: [String] = []
    let model = model ?? rescued.first?.model
    guard let model else {
      throw DocumentError(
        .damaged, "The document can't be rebuilt: none of its stores can be read.",
        path: container.path)
    }
    let target = Container(path: path, disk: places.disk, backends: places.backends)
    try target.build(overwriting: overwriting) { building in
      var made = Manifest(
        title: manifest?.title, metadata: manifest?.metadata ?? [:], model: manifest?.model ?? "1",
        now: ManifestDate.rounded(Date()))
      try building.add(model, named: made.model, to: &made)
      for store in rescued {
        try building.add(
          DocumentStoreDescription(
            store.name, type: store.type,
            configuration: store.configuration ?? configuration(of: store, in: model)),
          store.model, places,
          store.creation, to: &made, fill: store.fill)
      }
      for entry in manifest?.attachments ?? [] where entry.until == nil {
        guard isSound(entry) else {
          lost.append(entry.name)
          continue
        }
        try building.add(entry, from: container, to: &made)
      }
      return made
    }
    return lost
  }

  /// Returns whether an attachment's bytes match the digest in the manifest.
  private func isSound(_ entry: Manifest.AttachmentEntry) -> Bool {
    (try? container.checkAttachment(entry.digest, byteCount: entry.byteCount)) != nil
  }
}
