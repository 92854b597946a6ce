import DurableFiles
import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// A backend and the places of its stores.
final class TestGround: Sendable {
  let backend: any StoreBackend
  let disk: any Disk
  private let folder: String
  private let ending: String
  private let count = Mutex(0)

  init(_ backend: any StoreBackend, _ disk: any Disk, _ folder: String, _ ending: String) {
    (self.backend, self.disk, self.folder, self.ending) = (backend, disk, folder, ending)
  }

  /// Returns a path where nothing is, in the folder of the stores or in another one.
  func newPath(in other: String? = nil) -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return (other ?? folder).appendingPathComponent("\(number)\(ending)")
  }

  func create(
    at path: String, _ model: Model = StoreConformance.model,
    _ creation: StoreCreation = StoreCreation()
  ) throws -> any Store {
    try backend.create(at: path, model: model, on: disk, creation)
  }

  func open(_ path: String, _ opening: StoreOpening = StoreOpening()) throws -> any Store {
    try backend.open(path, on: disk, opening)
  }

  func metadata(at path: String) throws -> StoreMetadata {
    try backend.metadata(at: path, on: disk)
  }

  /// Returns the bytes of a store; `nil` if the store is not a file of this disk.
  func bytes(of path: String) throws -> [UInt8]? {
    guard (try? disk.status(of: path).kind) == .file else { return nil }
    return try disk.read(path, byteLimit: 1 << 30)
  }

  /// Returns the bytes of the files of a store by their paths: the file itself, the files in its folder, and files beside it
  /// whose names begin as its own does. Empty for a store that is not on this disk.
  func files(at path: String) throws -> [String: [UInt8]] {
    let (folder, name) = (path.deletingLastPathComponent, path.lastPathComponent)
    guard let entries = try? disk.list(folder) else { return [:] }
    var found: [String: [UInt8]] = [:]
    var waiting = entries.filter { $0.name.hasPrefix(name) }.map {
      folder.appendingPathComponent($0.name)
    }
    while let next = waiting.popLast() {
      if let bytes = try bytes(of: next) {
        found[next] = bytes
      } else {
        waiting += try disk.list(next).map { next.appendingPathComponent($0.name) }
      }
    }
    return found
  }

  /// Writes a new file.
  func write(_ bytes: [UInt8], to path: String) throws {
    let file = try disk.open(path, for: .create)
    try file.append(bytes)
    try file.close()
  }
}
