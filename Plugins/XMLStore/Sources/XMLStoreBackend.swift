public import DurableFiles
public import ObjectModel
public import StoreInterface

/// The backend of stores in XML, in the grammar of Core Data's own XML store (spec §5).
///
///     let backend = XMLStoreBackend()
///     let store = try backend.create(at: "Trips.xml", model: model, on: RealDisk(), StoreCreation())
///
/// A document that Core Data wrote is opened with its model; a document that Quire wrote contains the model. A store is
/// read completely when it is opened, and written completely at every commit.
public struct XMLStoreBackend: StoreBackend {
  /// The options for reading and writing its stores.
  public let options: XMLStoreOptions

  /// Creates the backend of stores with the given options.
  public init(options: XMLStoreOptions = XMLStoreOptions()) { self.options = options }

  /// The type of its stores: the XML file.
  public var type: StoreType { .xml }
  /// The capabilities of its stores: commits are durable and visible to other processes.
  public var capabilities: StoreCapabilities { AtomicStore.capabilities }

  private var format: XMLStoreFormat { XMLStoreFormat(options: options) }

  /// Returns whether the bytes begin an XML document with the root `database` (spec §5.2.1).
  public func recognizes(_ firstBytes: [UInt8]) -> Bool { XMLStoreFormat.recognizes(firstBytes) }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try AtomicStore.create(
      at: path, model: model, format: format, on: disk, creation, patience: options.patience)
  }

  /// Opens a store and reads all of it.
  ///
  /// - Throws: `StoreError`. Its code is `StoreError.Code.incompatibleModel` also if the document does not contain
  ///   its model and the caller gives none.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try AtomicStore.open(path, format: format, on: disk, opening, patience: options.patience)
  }

  /// Returns the metadata of a store. The part behind the metadata is not read.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    do {
      return try format.metadata(disk.open(path, for: .read)).withoutPlace
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}

/// The options for reading and writing stores in XML.
public struct XMLStoreOptions: Sendable, Hashable {
  /// A form of written documents. Readers accept both forms.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// The form for people and for tools that compare lines: objects by entity and number, numbers as short as
    /// possible.
    case readable
    /// The form that Core Data writes: objects by number, dates with twenty decimals.
    case coreData
  }

  /// The form of written documents.
  public var form = Form.readable
  /// Whether the model is written into the metadata, so that the document can be opened without one.
  public var embedsModel = true
  /// Whether a model must have the version hashes in the metadata. Without this check, a document whose model is lost
  /// can be read with a model reconstructed from the document.
  public var checksVersionHashes = true
  /// The longest time that a save waits for the save of another process.
  public var patience: Duration = .seconds(10)

  public init() {}
}
