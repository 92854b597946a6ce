public import DurableFiles
public import ObjectModel

/// Stores in memory, behind the interface of all backends. There is nothing to open.
public struct MemoryStoreBackend: StoreBackend {
  /// The backend.
  public init() {}

  /// In memory.
  public var type: StoreType { .memory }
  /// It writes what changed, and keeps nothing.
  public var capabilities: StoreCapabilities { .incremental }

  /// No file is one.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool { false }

  /// An empty store in memory, wherever the path leads.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    MemoryStore(model, schema: try creation.schema(of: model, path: nil), uuid: creation.uuid)
  }

  /// There is nothing to open.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store { throw missing(path) }

  /// There is nothing to open.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    throw missing(path)
  }

  private func missing(_ path: String) -> StoreError {
    StoreError(
      .notFound, "A store in memory can't be opened: it ends with its program.", path: path)
  }
}
