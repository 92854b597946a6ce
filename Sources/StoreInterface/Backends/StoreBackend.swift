public import DurableFiles
public import Foundation
public import ObjectModel
public import Rows

/// A kind of store: creates, opens, recognises and describes stores of one type.
///
///     let backend = try backends.backend(ofStoreAt: path, on: disk)
///     let store = try backend.open(path, on: disk, StoreOpening(readOnly: true))
///
/// Write a backend for a database or a format that can save a part of its contents. A format that is read and written whole,
/// such as JSON, needs only an ``AtomicFormat``: its backend, its locks and its safe replacement exist already. The guide
/// `docs/writing-a-store.md` has both, and `StoreConformance` judges the result.
///
/// A backend is a value without state. It returns each store as a ``Store``.
public protocol StoreBackend: Sendable {
  /// The type of the backend's stores.
  var type: StoreType { get }

  /// The capabilities of the backend's stores.
  var capabilities: StoreCapabilities { get }

  /// Whether a file that begins with the given bytes is a store of this kind.
  ///
  /// - Parameter firstBytes: Up to ``StoreBackends/firstByteCount`` bytes; fewer if the file is shorter.
  func recognizes(_ firstBytes: [UInt8]) -> Bool

  /// Whether the backend uses the opened file in ``StoreOpening/file``. If not, the caller closes that file before it
  /// calls ``open(_:on:_:)``, because closing it later would release locks of this process on the file.
  var takesOpenedFile: Bool { get }

  /// Whether a folder is a store of this kind. Backends of single-file stores return `false`.
  ///
  /// - Throws: `DiskError` if the folder can't be read.
  func recognizesFolder(at path: String, on disk: any Disk) throws -> Bool

  /// Whether a path is the address of a store of this kind that lies on no disk, such as the URL of a database.
  func recognizesAddress(_ path: String) -> Bool

  /// Removes the store at an address permanently. Does nothing if the store does not exist.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/notSupported`` if the backend can't do this.
  func destroyStore(atAddress path: String) throws

  /// Creates a store without objects.
  ///
  /// - Throws: ``StoreError``; no new store is created then, and an old store stays.
  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store

  /// Opens a store.
  ///
  /// - Throws: ``StoreError``.
  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store

  /// Returns the metadata of a store, read without a model and without its rows.
  ///
  /// - Throws: ``StoreError``.
  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata

  /// Completes a copy of a store's file, which was made without the store: for example, removes bytes that only a writer
  /// of the other file needs.
  ///
  /// - Throws: `DiskError` if the copy can't be written.
  func completeCopy(at path: String, on disk: any Disk) throws

  /// Writes a consistent copy of a store, also while programs save to it, by the means of the store's database.
  ///
  /// A file that is replaced at each save needs no such means: copying the file copies one save.
  ///
  /// - Parameter copy: A path at which nothing is. The copy is durable, except for its name.
  /// - Returns: Whether the backend has such means. If not, it writes nothing.
  /// - Throws: ``StoreError``.
  func backUp(_ path: String, to copy: String, on disk: any Disk) throws -> Bool

  /// Returns the rules that ``check(_:on:model:progress:)`` checks; empty if the backend checks nothing.
  ///
  /// - Throws: ``StoreError`` if a plug-in can't be loaded.
  func rules() throws -> [Rule]

  /// Checks a store against the rules of its format. A check never writes, and continues past errors as far as
  /// possible.
  ///
  /// The validator checks the objects on its own afterwards: it opens the store and reads the rows.
  ///
  /// - Parameters:
  ///   - model: A model that the objects should match, in addition to the store's own model.
  ///   - progress: Called from time to time with the finished share of the work, from 0 to 1.
  /// - Returns: The result; `nil` if the backend checks nothing.
  /// - Throws: `DiskError` or ``StoreError`` if something can't be read; never because of the contents.
  func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck?
}

extension StoreBackend {
  /// `false`: the backend opens files itself.
  public var takesOpenedFile: Bool { false }

  /// Returns `false`: a store is a single file.
  public func recognizesFolder(at path: String, on disk: any Disk) -> Bool { false }

  /// Returns `false`: stores lie on a disk.
  public func recognizesAddress(_ path: String) -> Bool { false }

  /// Throws ``StoreError/Code/notSupported``.
  public func destroyStore(atAddress path: String) throws {
    throw StoreError(
      .notSupported, "This program can't remove the store. Remove it with the tools of its server.",
      path: path)
  }

  /// Does nothing: the copy of a file is complete.
  public func completeCopy(at path: String, on disk: any Disk) throws {}

  /// Returns `false`: the backend can't copy a store that is in use.
  public func backUp(_ path: String, to copy: String, on disk: any Disk) throws -> Bool { false }

  /// Returns no rules: the backend checks nothing.
  public func rules() throws -> [Rule] { [] }

  /// Returns `nil`: the backend checks nothing.
  public func check(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) throws -> StoreCheck? { nil }
}

/// Options for creating a store.
public struct StoreCreation: Sendable {
  public var uuid: UUID
  /// Whether an existing file is replaced. If not, an existing file is an error with code ``StoreError/Code/exists``.
  public var overwriting: Bool
  /// The numbers that the model's entities and properties have already, for a store of objects that must keep their
  /// identifiers; `nil` to assign new numbers.
  public var schema: Schema?
  /// Whether a ``StoreCopy`` is to fill the store. A store at an address can't be opened again until the copy is complete,
  /// so that a process which ends before leaves no store with a part of the objects. Make a file at a temporary path.
  public var isForCopy = false

  /// Creates options. By default, an existing file is not replaced.
  public init(uuid: UUID = UUID(), overwriting: Bool = false, schema: Schema? = nil) {
    self.uuid = uuid
    self.overwriting = overwriting
    self.schema = schema
  }

  /// Returns the metadata of a new store.
  package func metadata(of type: StoreType, _ model: Model) -> StoreMetadata {
    var metadata = StoreMetadata(uuid: uuid, type: type, model: model)
    metadata.isUnfinishedCopy = isForCopy
    return metadata
  }

  /// Returns the schema of a new store of the given model.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel``.
  public func schema(of model: Model, path: String?) throws(StoreError) -> Schema {
    do { return try Schema(model, evolving: schema, of: model) } catch {
      throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
    }
  }
}

/// Options for opening a store.
public struct StoreOpening: Sendable {
  /// Whether the store is opened for reading only.
  public var readOnly: Bool
  /// The model that the store was written with, for a store that does not contain its model. A store that was written
  /// with another model is rejected with code ``StoreError/Code/incompatibleModel``.
  public var model: Model?
  /// The commit that counts, for a store that is part of a document. The document determines this commit, and the
  /// store shows it until the document confirms a later one (``StoreCapabilities/confirmation``). If `nil`, the
  /// newest commit counts, whichever process made it.
  public var commit: Int64?
  /// Whether a store in the format of a foreign system may be written. An example is a Core Data database that
  /// another application expects to find unchanged.
  public var writesForeign: Bool
  /// Whether a store with a damaged last save opens at the newest readable commit, for reading only.
  ///
  /// ``StoreSummary/damage`` describes the damage. If `false`, such a store does not open. It would show the
  /// objects of an earlier save, and the next save would overwrite the damaged one.
  public var acceptsDamage = false
  /// A number of the folder of the document that the store is a part of, which a copy of the folder does not have; `nil` if
  /// it is unknown. A store on a server keeps the commits of a copy that it can't decide about.
  public var folderNumber: UInt64?
  /// The store's file, if it was already opened to find the type, and the backend accepts an opened file
  /// (``StoreBackend/takesOpenedFile``).
  public var file: OpenedFile?

  /// Creates options. By default, the store is opened for reading and writing, with the model that it contains.
  public init(
    readOnly: Bool = false, model: Model? = nil, commit: Int64? = nil, writesForeign: Bool = false
  ) {
    self.readOnly = readOnly
    self.model = model
    self.commit = commit
    self.writesForeign = writesForeign
  }
}

extension StoreBackend {
  /// Opens a store, unless it is a copy that was not completed.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` for such a copy; the errors of ``open(_:on:_:)``.
  package func openComplete(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    let store = try open(path, on: disk, opening)
    guard try store.knownSnapshot().metadata.isUnfinishedCopy else { return store }
    try? store.close()
    throw StoreError(
      .damaged,
      "The store is a copy that is not complete: the program that made it has ended before, or is still copying. "
        + "Copy again, and let the copy replace this store ('quire convert SRC DST --force').",
      path: path)
  }
}

extension StoreOpening {
  /// Throws if the store was not written with the model of these options.
  ///
  /// - Throws: ``StoreError`` that names the entities with different hashes.
  public func check(_ metadata: StoreMetadata, path: String) throws {
    guard let model else { return }
    try metadata.checkModel(model, path: path)
  }
}

extension StoreMetadata {
  /// Throws if the version hashes of a model differ from the hashes that the store was written with.
  ///
  /// A store may contain only the entities of one configuration. Metadata without hashes accept every model.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel``.
  public func checkModel(_ model: Model, path: String?) throws {
    guard values[Key.versionHashes] != nil else { return }
    guard let stored = versionHashes else {
      throw StoreError(
        .damaged, "The version hashes in the metadata are not hashes of 32 bytes.", path: path)
    }
    let own = model.versionHashes
    let subsets = [Set(own.keys)] + model.description.configurations.map { Set($0.entities) }
    if subsets.contains(Set(stored.keys)), stored.allSatisfy({ own[$0] == $1 }) { return }
    let names = Set(stored.keys).union(own.keys).filter { stored[$0] != own[$0] }.sorted()
    let shown = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    throw StoreError(
      .incompatibleModel,
      "The store was written with another model: the version hashes of \(shown)"
        + (names.count > 8 ? " and \(names.count - 8) more" : "") + " differ.", path: path)
  }
}
