// SAFETY: The host's arguments are valid for the length of the call, and a store's host until the store is released.
// Results are written only to the places that the host gave.

import CStorePlugin
import DurableFiles
import Foundation
import ObjectModel
import PluginExchange
import StoreInterface

extension QuirePlugin {
  /// The functions that every plug-in of this module has.
  @unsafe static var exported: QuirePlugin {
    var table = unsafe QuirePlugin()
    unsafe table.abi_version = UInt32(QUIRE_PLUGIN_ABI)
    unsafe table.struct_size = UInt32(MemoryLayout<QuirePlugin>.size)
    unsafe table.addOpening()
    unsafe table.addReading()
    unsafe table.addBlocks()
    unsafe table.addPartialReading()
    unsafe table.addWriting()
    unsafe table.addHistory()
    unsafe table.addChangeLog()
    unsafe table.addQuerying()
    unsafe table.addChecking()
    return unsafe table
  }

  @unsafe private mutating func addOpening() {
    unsafe create = { host, type, path, creation, store, error in
      unsafe answering(error, text(path)) {
        let (host, path) = unsafe (try usable(host), try required(path, "path"))
        let backend = unsafe try ExportedBackend.of(type)
        let creation = unsafe try PluginStructures.copy(of: creation)
        let model = unsafe try PluginDescriptions.model(
          try creation.model.required("model"), path: path)
        let schema = unsafe try creation.schema.copied.map {
          try PluginDescriptions.schema($0, path: path)
        }
        var wanted = StoreCreation(
          uuid: unsafe UUID(uuid: creation.uuidBytes),
          overwriting: unsafe creation.overwriting != 0, schema: schema)
        let metadata = unsafe try creation.metadata.copied.map {
          try PluginDescriptions.metadata($0, path: path)
        }
        wanted.isForCopy = metadata?.isUnfinishedCopy ?? false
        let made = try backend.create(
          at: path, model: model, on: HostDisk(host: host), wanted)
        unsafe store?.pointee = ExportedStore(made, host).retained
      }
    }
    unsafe open = { host, type, path, opening, store, error in
      unsafe answering(error, text(path)) {
        let (host, path) = unsafe (try usable(host), try required(path, "path"))
        let backend = unsafe try ExportedBackend.of(type)
        let opening = unsafe try PluginStructures.copy(of: opening)
        let commit = unsafe opening.commit
        var wanted = StoreOpening(
          readOnly: unsafe opening.read_only != 0,
          model: unsafe try opening.model.copied.map {
            try PluginDescriptions.model($0, path: path)
          }, commit: commit < 0 ? nil : commit, writesForeign: unsafe opening.writes_foreign != 0)
        let folder = unsafe opening.folder_number
        wanted.folderNumber = folder == 0 ? nil : folder
        let opened = try backend.open(path, on: HostDisk(host: host), wanted)
        unsafe store?.pointee = ExportedStore(opened, host).retained
      }
    }
    unsafe metadata = { host, type, path, bytes, error in
      unsafe answering(error, text(path)) {
        let (host, path) = unsafe (try usable(host), try required(path, "path"))
        let found = unsafe try ExportedBackend.of(type)
          .metadata(at: path, on: HostDisk(host: host))
        unsafe bytes?.pointee = QuireBytes(try PluginDescriptions.bytes(of: found))
      }
    }
    unsafe back_up = { host, type, path, copy, error in
      unsafe answering(error, text(path)) {
        let (host, path) = unsafe (try usable(host), try required(path, "path"))
        let copy = unsafe try required(copy, "copy")
        let backend = unsafe try ExportedBackend.of(type)
        guard try backend.backUp(path, to: copy, on: HostDisk(host: host)) else {
          throw StoreError(
            .notSupported, "Stores of this type have no means for a copy while they are in use.",
            path: path)
        }
      }
    }
    unsafe close = { store, error in
      unsafe answering(error) { unsafe try ExportedStore.of(store).close() }
    }
    unsafe release_store = { store in
      guard let store = unsafe store else { return }
      unsafe Unmanaged<ExportedStore>.fromOpaque(UnsafeRawPointer(store)).release()
    }
  }
}

/// Returns the text at an address; `nil` if the address is NULL.
@unsafe func text(_ place: UnsafePointer<CChar>?) -> String? {
  unsafe place.map { unsafe String(cString: $0) }
}

@unsafe private func required(_ place: UnsafePointer<CChar>?, _ name: String) throws -> String {
  guard let text = unsafe text(place) else { throw missing(name) }
  return text
}

private func missing(_ name: String) -> StoreError {
  StoreError(.failed, "The host gave no \(name).")
}

/// Returns the host's table.
///
/// - Throws: An error if the table is missing or unsuitable.
@unsafe func usable(_ host: UnsafePointer<QuireHost>?) throws -> HostTable {
  guard let host = unsafe host else { throw missing("services") }
  return unsafe try HostTable(host)
}

extension QuireBytes {
  @unsafe fileprivate func required(_ name: String) throws -> [UInt8] {
    guard let bytes = unsafe copied else { throw missing(name) }
    return bytes
  }
}

extension QuireCreation {
  @unsafe fileprivate var uuidBytes: uuid_t {
    let bytes = unsafe uuid
    return (
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9,
      bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15
    )
  }
}
