import DurableFiles
import Foundation
import ModelNotations
public import ObjectModel
import Rows
public import StoreInterface

/// The description of a store for a new document.
public struct DocumentStoreDescription: Sendable {
  /// The store's name, which is unique within the document.
  public var name: String
  public var type: StoreType
  /// The configuration whose entities the store holds, or `nil` if it holds all entities.
  public var configuration: String?
  /// The options of the backend, by name.
  public var options: [String: String]
  /// The address of the store on a server, such as `postgresql://app@db/trips`; `nil` for a file in the document.
  public var address: String?

  /// Makes the description of a store with the given name and type.
  public init(
    _ name: String = "main", type: StoreType = .binary, configuration: String? = nil,
    options: [String: String] = [:], address: String? = nil
  ) {
    self.name = name
    self.type = type
    self.configuration = configuration
    self.options = options
    self.address = address
  }
}

extension Document {
  /// Makes a new document, and opens it.
  ///
  /// The document appears at its path complete or not at all, also if the program or the machine ends
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - stores: The stores; by default one of type `StoreType.binary`.
  ///   - modelName: The name of the model's version.
  ///   - overwriting: Whether an existing document at `path` is replaced. Otherwise it is an error.
  ///   - fill: Inserts the first objects into each store, before the document appears at its path.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` if `path` exists; `StoreError` if a
  ///   store can't be made.
  public static func create(
    _ path: String, model: Model, modelName: String = "1",
    stores: [DocumentStoreDescription] = [.init()], title: String? = nil,
    metadata: [String: String] = [:], in places: StorePlaces, access: Access = .exclusive,
    overwriting: Bool = false, fill: (any Store) throws -> Void = { _ in }
  ) throws -> Document {
    let container = Container(path: path, disk: places.disk, backends: places.backends)
    var made: Document?
    let onServers = NewServerStores()
    do {
      try container.build(overwriting: overwriting) { building in
        var manifest = Manifest(
          title: title, metadata: metadata, model: modelName, now: ManifestDate.rounded(Date()))
        try building.add(model, named: modelName, to: &manifest)
        for description in stores {
          let schemaModel = try model.forStore(of: description.configuration)
          try building.add(
            description, schemaModel, places, to: &manifest, noting: onServers, fill: fill)
        }
        return manifest
      } check: {
        made = try open(path, in: places, access: access)
      }
    } catch {
      onServers.destroy()
      throw error
    }
    return made!
  }
}

extension Model {
  /// Returns the model for a store of the given configuration.
  package func forStore(of configuration: String?) throws -> Model {
    guard let configuration else { return self }
    let all = description.configurations
    guard all.contains(where: { $0.name == configuration }) else {
      throw DocumentError(
        .incompatibleModel,
        "The model has no configuration \"\(configuration)\". It has: "
          + all.map { "\"\($0.name)\"" }.joined(separator: ", ") + ".")
    }
    // A subset is not a valid model if its entities have relationships to entities outside. The store is then made
    // with the whole model.
    return (try? subset(configuration: configuration)) ?? self
  }
}

extension Manifest {
  /// Makes the manifest of a new document, without models and stores.
  init(
    uuid: UUID = UUID(), title: String?, metadata: [String: String], model: String, now: Date
  ) {
    self.init(
      uuid: uuid, title: title, created: now, metadata: metadata, model: model, models: [],
      stores: [], versions: [VersionEntry(number: 1, saved: now, model: model)])
  }
}

extension Container {
  /// Makes a document's folder in a private place and renames it to its path once everything is durable.
  ///
  /// - Parameter check: Checks the document at its path. If it throws, the previous document is restored.
  func build(
    overwriting: Bool, _ body: (Container) throws -> Manifest, check: () throws -> Void = {}
  ) throws {
    try reading {
      // A document may replace a document or an empty folder, and nothing else.
      if try disk.exists(path) {
        guard overwriting else {
          disk.removeLeftovers(of: path)
          throw DocumentError.exists(at: path)
        }
        let isEmpty = (try? disk.list(path).isEmpty) ?? false
        if !isEmpty { _ = try on(nil).writtenManifest() }
      }
      try disk.make(path, overwriting: overwriting) { temporary in
        let building = at(temporary).on(nil)
        let folders = Container.firstFolders.map(building.inner)
        try disk.makeDirectory(building.path)
        for folder in folders { try disk.makeDirectory(folder) }
        let manifest = try body(building)
        try building.replace(manifest, at: building.manifestPath)
        for folder in folders { try disk.syncDirectory(folder) }
        try disk.syncDirectory(building.path)
      } check: { _ in
        try check()
      }
    }
  }

  /// Writes a version of the model into the document.
  func add(_ model: Model, named name: String, to manifest: inout Manifest) throws {
    guard !manifest.models.contains(where: { $0.name == name }) else {
      throw DocumentError(
        .exists, "Version \"\(name)\" of the model exists already.", path: path)
    }
    let manifests = try [manifest] + (readIfSound { try otherManifests(manifest) } ?? [])
    let taken = Set(manifests.flatMap(\.models).map { ContainerPath.folded($0.file) })
    let stem = Container.stem(of: name)
    let file = (1...).lazy.map {
      "\(Container.modelsFolder)/\(stem)\($0 == 1 ? "" : "-\($0)").xml"
    }.first { !taken.contains(ContainerPath.folded($0)) }!
    let bytes = try ModelSource.write(model)
    try disk.replace(inner(file), links: .refused) { writer in try writer.write(bytes) }
    manifest.models.append(
      Manifest.ModelVersion(name: name, file: file, hashes: model.versionHashes))
  }

  /// Makes a store in a document that is being built, and fills it.
  ///
  /// - Parameter onServers: Receives the store if it lies on a server, so that the caller can remove it after a failure.
  func add(
    _ description: DocumentStoreDescription, _ model: Model, _ places: StorePlaces,
    _ creation: StoreCreation = StoreCreation(), to manifest: inout Manifest,
    noting onServers: NewServerStores = NewServerStores(), fill: (any Store) throws -> Void
  ) throws {
    let backend = try places.backend(of: description.type)
    guard backend.capabilities.contains([.confirmation, .durable]) else {
      throw DocumentError.notForDocuments(description.type, path: path)
    }
    guard !manifest.stores.contains(where: { $0.name == description.name }) else {
      throw DocumentError(
        .exists, "The store \"\(description.name)\" exists already.", path: path)
    }
    let file = fileName(
      for: description, keepsCommits: backend.capabilities.contains(.history), manifest)
    let place = description.address ?? inner(file)
    if let address = description.address, !backend.recognizesAddress(address) {
      throw DocumentError(
        .notSupported,
        "A store of type \"\(description.type.rawValue)\" can't lie at this address.",
        path: address)
    }
    var creation = creation
    // The folder of the document appears when it is complete. A store on a server is there before.
    creation.isForCopy = description.address != nil
    let store = try backend.create(at: place, model: model, on: places.disk, creation)
    onServers.add(description, backend)
    defer { try? store.close() }
    try fill(store)
    let head = try store.snapshot()
    var (commit, metadata) = (head.commit, try head.metadata)
    if let address = description.address {
      try write(address: address, to: file)
      metadata.document = manifest.uuid
      metadata.isUnfinishedCopy = false
    }
    // The numbers of commits in a manifest begin at 1 (spec §7.4.2). A store on a server names its document.
    if commit < 1 || description.address != nil {
      commit = try store.commit(CommitRequest(Layer(), basedOn: head, metadata: metadata)).commit
    }
    manifest.stores.append(
      Manifest.StoreEntry(
        name: description.name, type: description.type, file: file, uuid: creation.uuid,
        configuration: description.configuration, options: description.options, commit: commit))
    if commit > manifest.number { manifest.versions[0].number = commit }
  }

  /// Returns a free name for the file of a new store.
  private func fileName(
    for description: DocumentStoreDescription, keepsCommits: Bool, _ manifest: Manifest
  ) -> String {
    let taken = Set(manifest.stores.map { ContainerPath.folded($0.file) })
    let stem = Container.stem(of: description.name)
    let ending =
      description.address != nil
      ? Container.addressEnding : description.type == .xml ? ".xml" : ".store"
    return (1...).lazy.map { number -> String in
      let suffix = (number == 1 ? "" : "-\(number)") + (keepsCommits ? "" : "-1")
      return "\(Container.storesFolder)/\(stem)\(suffix)\(ending)"
    }.first { !taken.contains(ContainerPath.folded($0)) }!
  }

  /// Copies an attachment of another document, which the caller has checked. It belongs to the new document from the first version on.
  func add(
    _ entry: Manifest.AttachmentEntry, from source: Container, to manifest: inout Manifest
  ) throws {
    let path = attachment(entry.digest)
    if try !disk.exists(path) {
      try source.disk.copy(source.attachment(entry.digest), to: path, on: disk)
    }
    var entry = entry
    entry.since = manifest.number
    manifest.attachments.append(entry)
  }
}
