import DurableFiles
import Foundation
public import ObjectModel
import Rows
public import StoreInterface

/// A store that a new document is to have.
public struct DocumentStoreDescription: Sendable {
  /// The store's name, which no other store of the document has.
  public var name: String
  /// The store's type.
  public var type: StoreType
  /// The configuration whose entities it is for; all when it is `nil`.
  public var configuration: String?
  /// What the backend is told: texts by name.
  public var options: [String: String]

  /// A store of the given name and type.
  public init(
    _ name: String = "main", type: StoreType = .binary, configuration: String? = nil,
    options: [String: String] = [:]
  ) {
    self.name = name
    self.type = type
    self.configuration = configuration
    self.options = options
  }
}

extension Document {
  /// Makes a new document without objects, and opens it.
  ///
  /// It is there whole or not at all, whatever happens meanwhile.
  ///
  /// - Parameters:
  ///   - stores: The stores; one of type ``StoreInterface/StoreType/binary`` unless said otherwise.
  ///   - modelName: What the version of the model is called.
  ///   - overwriting: Whether a document that is there is replaced; otherwise it is an error.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` when there is something at the place;
  ///   `StoreError` when a store can't be made.
  public static func create(
    _ path: String, model: Model, modelName: String = "1",
    stores: [DocumentStoreDescription] = [.init()], title: String? = nil,
    metadata: [String: String] = [:], in places: StorePlaces, access: Access = .exclusive,
    overwriting: Bool = false
  ) throws -> Document {
    let container = Container(path: path, disk: places.disk)
    var made: Document?
    try container.build(overwriting: overwriting) { building in
      var manifest = Manifest(
        title: title, metadata: metadata, model: modelName, now: ManifestDate.rounded(Date()))
      try building.add(model, named: modelName, to: &manifest)
      for description in stores {
        let schemaModel = try model.forStore(of: description.configuration)
        try building.add(description, schemaModel, places, to: &manifest) { _ in }
      }
      return manifest
    } check: {
      made = try open(path, in: places, access: access)
    }
    return made!
  }
}

extension Model {
  /// The model that a store of a configuration is made with.
  func forStore(of configuration: String?) throws -> Model {
    guard let configuration else { return self }
    let all = description.configurations
    guard all.contains(where: { $0.name == configuration }) else {
      throw DocumentError(
        .incompatibleModel,
        "The model has no configuration \"\(configuration)\". It has: "
          + all.map { "\"\($0.name)\"" }.joined(separator: ", ") + ".")
    }
    // Entities that lead out of the configuration can't be had by themselves.
    return (try? subset(configuration: configuration)) ?? self
  }
}

extension Manifest {
  /// The manifest of a new document, of which nothing is known yet.
  init(
    uuid: UUID = UUID(), title: String?, metadata: [String: String], model: String, now: Date
  ) {
    self.init(
      uuid: uuid, title: title, created: now, metadata: metadata, model: model, models: [],
      stores: [], versions: [VersionEntry(number: 1, saved: now, model: model)])
  }
}

extension Container {
  /// Makes a document's folder in a private place and gives it its path once everything is durable.
  ///
  /// - Parameter check: Looks at the document in its place. If it throws, the document that was there before returns.
  func build(
    overwriting: Bool, _ body: (Container) throws -> Manifest, check: () throws -> Void = {}
  ) throws {
    try reading {
      // A document takes the place of a document or of an empty folder, and of nothing else.
      if try disk.exists(path) {
        guard overwriting else {
          throw DocumentError(.exists, "There is something at the place already.", path: path)
        }
        let isEmpty = (try? disk.list(path).isEmpty) ?? false
        if !isEmpty { _ = try manifest() }
      }
      try disk.make(path, overwriting: overwriting) { temporary in
        let building = Container(path: temporary, disk: disk)
        let folders = [
          Container.modelsFolder, Container.storesFolder, Container.attachmentsFolder,
        ].map(building.inner)
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
        .exists, "There is a version \"\(name)\" of the model already.", path: path)
    }
    let taken = Set(manifest.models.map { ContainerPath.folded($0.file) })
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
  func add(
    _ description: DocumentStoreDescription, _ model: Model, _ places: StorePlaces,
    _ creation: StoreCreation = StoreCreation(), to manifest: inout Manifest,
    fill: (any Store) throws -> Void
  ) throws {
    let backend = try places.backend(of: description.type)
    guard backend.capabilities.contains([.confirmation, .durable]) else {
      throw DocumentError.notForDocuments(description.type, path: path)
    }
    guard !manifest.stores.contains(where: { $0.name == description.name }) else {
      throw DocumentError(
        .exists, "There is a store \"\(description.name)\" already.", path: path)
    }
    let taken = Set(manifest.stores.map { ContainerPath.folded($0.file) })
    let hasFileForEachCommit = !backend.capabilities.contains(.history)
    let stem = Container.stem(of: description.name)
    let ending = description.type == .xml ? "xml" : "store"
    let file = (1...).lazy.map { number -> String in
      let suffix = (number == 1 ? "" : "-\(number)") + (hasFileForEachCommit ? "-1" : "")
      return "\(Container.storesFolder)/\(stem)\(suffix).\(ending)"
    }.first { !taken.contains(ContainerPath.folded($0)) }!
    let store = try backend.create(
      at: inner(file), model: model, on: places.disk, creation)
    defer { try? store.close() }
    try fill(store)
    var made = try store.snapshot()
    if made.commit < 1 {
      // What a document names are commits from 1 on (spec §7.4.2).
      made = try store.commit(CommitRequest(Layer(), basedOn: made, metadata: made.metadata))
    }
    let commit = made.commit
    manifest.stores.append(
      Manifest.StoreEntry(
        name: description.name, type: description.type, file: file, uuid: creation.uuid,
        configuration: description.configuration, options: description.options, commit: commit))
    if commit > manifest.number { manifest.versions[0].number = commit }
  }

  /// Takes an attachment of another document over, as one that is there from the first version on.
  func add(
    _ entry: Manifest.AttachmentEntry, from source: Container, to manifest: inout Manifest
  ) throws {
    let path = attachment(entry.digest)
    if try !disk.exists(path) { try disk.copy(source.attachment(entry.digest), to: path) }
    var entry = entry
    entry.since = manifest.number
    manifest.attachments.append(entry)
  }
}
