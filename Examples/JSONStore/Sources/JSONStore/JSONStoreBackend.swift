import Foundation
import PluginSupport

extension StoreType {
  /// One readable JSON file.
  public static let json = StoreType(rawValue: "JSON")
}

/// Stores in one readable JSON file each.
public struct JSONStoreBackend: StoreBackend {
  private let format = JSONFormat()

  /// The backend. It has no state.
  public init() {}

  /// The JSON file.
  public var type: StoreType { .json }
  /// What every store that is read and written whole can do.
  public var capabilities: StoreCapabilities { AtomicStore.capabilities }

  /// Whether the bytes begin such a file.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: JSONFormat.beginning.utf8)
  }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try AtomicStore.create(at: path, model: model, format: format, on: disk, creation)
  }

  /// Opens a store and reads all of it.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try AtomicStore.open(path, format: format, on: disk, opening)
  }

  /// What a store says of itself.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    do {
      return try format.preamble(disk.open(path, for: .read)).storeMetadata(path: path)
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}
