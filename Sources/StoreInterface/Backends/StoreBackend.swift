public import DurableFiles
public import Foundation
public import ObjectModel
public import Rows

/// A kind of store: how one is created, opened, recognised and described.
///
///     let backend = try backends.backend(ofStoreAt: path, on: disk)
///     let store = try backend.open(path, on: disk, StoreOpening(readOnly: true))
///
/// A backend is a value without state. What it creates or opens is a ``Store``.
public protocol StoreBackend: Sendable {
  /// The type of its stores.
  var type: StoreType { get }

  /// What its stores can do by themselves.
  var capabilities: StoreCapabilities { get }

  /// Whether a file that begins with the given bytes is such a store.
  ///
  /// - Parameter firstBytes: Up to ``StoreBackends/firstByteCount`` bytes; fewer when the file is
  ///   shorter.
  func recognizes(_ firstBytes: [UInt8]) -> Bool

  /// Whether it opens a store from the file that it is given open (``StoreOpening/file``). Otherwise that is closed
  /// before: to close a file gives up locks that this process has on it.
  var takesOpenedFile: Bool { get }

  /// Whether a folder is such a store. Backends whose stores are files say no.
  func recognizesFolder(at path: String, on disk: any Disk) -> Bool

  /// Creates a store without objects.
  ///
  /// - Throws: ``StoreError``; there is no new store then, or the old one.
  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store

  /// Opens a store.
  ///
  /// - Throws: ``StoreError``.
  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store

  /// What a store says of itself, read without a model and without its rows.
  ///
  /// - Throws: ``StoreError``.
  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata
}

extension StoreBackend {
  /// No: it opens files by itself.
  public var takesOpenedFile: Bool { false }

  /// No: a store is a file.
  public func recognizesFolder(at path: String, on disk: any Disk) -> Bool { false }
}

/// How a store is created.
public struct StoreCreation: Sendable {
  /// The store's UUID.
  public var uuid: UUID
  /// Whether a file that is there is replaced; otherwise it is an error with code
  /// ``StoreError/Code/exists``.
  public var overwriting: Bool
  /// The numbers that the model's entities and properties have already, for a store whose objects are to
  /// keep their identifiers; `nil` when they are numbered anew.
  public var schema: Schema?

  /// A new store, in the place of none unless said otherwise.
  public init(uuid: UUID = UUID(), overwriting: Bool = false, schema: Schema? = nil) {
    self.uuid = uuid
    self.overwriting = overwriting
    self.schema = schema
  }

  /// The schema of a new store of the given model.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel``.
  public func schema(of model: Model, path: String?) throws(StoreError) -> Schema {
    do { return try Schema(model, evolving: schema, of: model) } catch {
      throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
    }
  }
}

/// How a store is opened.
public struct StoreOpening: Sendable {
  /// Whether nothing is to be written.
  public var readOnly: Bool
  /// The model that the store was written with, for one that does not hold its model. A store that
  /// was written with another is refused with code ``StoreError/Code/incompatibleModel``.
  public var model: Model?
  /// The commit that counts, for a store that is part of a document: the document says which one does, and
  /// the store shows that one until it is told to go on (``StoreCapabilities/confirmation``). When it is
  /// `nil` the newest counts, whoever made it.
  public var commit: Int64?
  /// Whether a store that another system made, and keeps in its own way, may be written: a database of Core
  /// Data's, say, which an application elsewhere expects to find as it left it.
  public var writesForeign: Bool
  /// Whether a store whose last save is damaged opens at the newest commit that can be read, for
  /// reading only.
  ///
  /// ``StoreDescription/damage`` tells the damage. Otherwise such a store does not open: its objects
  /// would be those of an earlier save, and the next save would write over the damaged one.
  public var acceptsDamage = false
  /// The store's file, where somebody had to open it to see what it is and the backend takes such
  /// (``StoreBackend/takesOpenedFile``).
  public var file: OpenedFile?

  /// To read and write, with the model that the store holds.
  public init(
    readOnly: Bool = false, model: Model? = nil, commit: Int64? = nil, writesForeign: Bool = false
  ) {
    self.readOnly = readOnly
    self.model = model
    self.commit = commit
    self.writesForeign = writesForeign
  }
}

extension StoreOpening {
  /// Refuses a store whose model is not the one that was given.
  ///
  /// - Throws: ``StoreError`` that names the entities whose hashes differ.
  public func check(_ metadata: StoreMetadata, path: String) throws {
    guard let model else { return }
    try metadata.checkModel(model, path: path)
  }
}

extension StoreMetadata {
  /// Refuses a model whose version hashes are not those that the store was written with.
  ///
  /// The store's hashes may be by the former rules of Quire (spec §2.5.4). A store may have the entities of one configuration and no others. Metadata without hashes refuse
  /// no model.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel``.
  public func checkModel(_ model: Model, path: String?) throws {
    guard values[Key.versionHashes] != nil else { return }
    guard let recorded = versionHashes else {
      throw StoreError(
        .damaged, "The version hashes in the metadata are no hashes of 32 bytes.", path: path)
    }
    let own = model.versionHashes
    let stored = model.currentHashes(for: recorded)
    let subsets = [Set(own.keys)] + model.description.configurations.map { Set($0.entities) }
    if subsets.contains(Set(stored.keys)), stored.allSatisfy({ own[$0] == $1 }) { return }
    let names = Set(stored.keys).union(own.keys).filter { stored[$0] != own[$0] }.sorted()
    let shown = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    throw StoreError(
      .incompatibleModel,
      "The model is not the one that the store was written with: the version hashes of \(shown)"
        + (names.count > 8 ? " and \(names.count - 8) more" : "") + " differ.", path: path)
  }
}
