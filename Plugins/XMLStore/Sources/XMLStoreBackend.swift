public import DurableFiles
public import ObjectModel
public import StoreInterface

/// Stores in XML, in the grammar of Core Data's own XML store (spec §5).
///
///     let backend = XMLStoreBackend()
///     let store = try backend.create(at: "Trips.xml", model: model, on: RealDisk(), StoreCreation())
///
/// A document that Core Data wrote is opened with its model; one that Quire wrote holds it. Everything
/// is read when a store is opened, and written at every commit.
public struct XMLStoreBackend: StoreBackend {
  /// How its stores are read and written.
  public let options: XMLStoreOptions

  /// The backend of stores that are written in the given form.
  public init(options: XMLStoreOptions = XMLStoreOptions()) { self.options = options }

  /// The XML file.
  public var type: StoreType { .xml }
  /// Commits survive, and are seen by others.
  public var capabilities: StoreCapabilities { AtomicStore.capabilities }

  private var format: XMLStoreFormat { XMLStoreFormat(options: options) }

  /// Whether the bytes begin an XML document whose root is `database` (spec §5.2.1).
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
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel`` also when the document
  ///   does not hold its model and none was given.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try AtomicStore.open(path, format: format, on: disk, opening, patience: options.patience)
  }

  /// What a store says of itself; nothing behind it is read.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    do {
      return try format.metadata(disk.open(path, for: .read))
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}

/// How stores in XML are read and written.
public struct XMLStoreOptions: Sendable, Hashable {
  /// In what form documents are written. Both are read alike.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// For people and for tools that compare lines: objects by entity and number, numbers as short as
    /// they can be.
    case readable
    /// As Core Data writes it: objects by number, dates with twenty decimals.
    case coreData
  }

  /// In what form documents are written.
  public var form = Form.readable
  /// Whether the model is written into the metadata, so that the document can be opened without one.
  public var embedsModel = true
  /// Whether a model must have the version hashes that the metadata name. Without it a document whose
  /// model is lost can be read with one that was made from what the document holds.
  public var checksVersionHashes = true
  /// How long a save waits for another process's.
  public var patience: Duration = .seconds(10)

  /// The usual way.
  public init() {}
}
