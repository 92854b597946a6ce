public import DurableFiles
public import ObjectModel

/// The backend of stores in memory. It creates stores and has nothing to open.
public struct MemoryStoreBackend: StoreBackend {
  public init() {}

  public var type: StoreType { .memory }
  /// Incremental commits, and no history.
  public var capabilities: StoreCapabilities { .incremental }

  /// Returns `false`: no file is a store in memory.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool { false }

  /// Returns an empty store in memory. The path is not used.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    MemoryStore(model, schema: try creation.schema(of: model, path: nil), uuid: creation.uuid)
  }

  /// Throws ``StoreError/Code/notFound``: a store in memory can't be opened.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store { throw missing(path) }

  /// Throws ``StoreError/Code/notFound``: a store in memory can't be opened.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    throw missing(path)
  }

  private func missing(_ path: String) -> StoreError {
    StoreError(
      .notFound, "A store in memory can't be opened: it exists only while its program runs.",
      path: path)
  }
}
