import Foundation
import PluginSupport

extension StoreType {
  /// The type of stores that are one readable JSON file.
  public static let json = StoreType(rawValue: "JSON")
}

/// A backend for stores that are one readable JSON file each.
public struct JSONStoreBackend: StoreBackend {
  private let format = JSONFormat()

  /// Creates the backend, which has no state.
  public init() {}

  /// The type of the JSON file.
  public var type: StoreType { .json }
  /// The capabilities of every store that is read whole and written whole.
  public var capabilities: StoreCapabilities { AtomicStore.capabilities }

  /// Returns whether a file that begins with the bytes is a JSON store.
  public func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: JSONFormat.beginning.utf8)
  }

  /// Creates a store without objects.
  public func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store {
    try AtomicStore.create(at: path, model: model, format: format, on: disk, creation)
  }

  /// Opens a store and reads all of its file.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening
  ) throws -> any Store {
    try AtomicStore.open(path, format: format, on: disk, opening)
  }

  /// Returns the metadata of the store at a path.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    do {
      return try format.preamble(disk.open(path, for: .read)).storeMetadata(path: path)
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}
