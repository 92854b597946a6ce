import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

// A stand-in: the file of this name that makes a backend of a table replaces it.

/// Stores of a type that a plug-in brings.
struct PluginBackend: StoreBackend {
  private let plugin: FoundPlugin
  private let described: PluginManifest.StoreType

  init(_ plugin: FoundPlugin, _ type: PluginManifest.StoreType) {
    self.plugin = plugin
    described = type
  }

  var type: StoreType { described.type }

  var capabilities: StoreCapabilities { described.capabilities }

  func recognizes(_ firstBytes: [UInt8]) -> Bool { described.recognizes(firstBytes) }

  func recognizesFolder(at path: String, on disk: any Disk) -> Bool {
    guard let marker = described.marker else { return false }
    let file = path.appendingPathComponent(marker)
    return (try? disk.status(of: file, followingLinks: false).kind) == .file
  }

  func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws -> any Store { throw try notYet(path) }

  func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
    throw try notYet(path)
  }

  func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    throw try notYet(path)
  }

  private func notYet(_ path: String) throws -> StoreError {
    let loaded = try plugin.load()
    return StoreError(
      .notSupported, "Stores of the plug-in '\(loaded.manifest.name)' can't be used yet.",
      path: path)
  }
}
