import DurableFiles
import Foundation
import ObjectGraph
import StoreInterface

/// A store in a folder of the real file system, where time passes and a save that waits for a lock really waits.
struct RealGraph {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  private let first: PersistentStoreCoordinator
  private let kind: Kind

  init(_ kind: Kind) throws {
    self.kind = kind
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    first = RealGraph.coordinator()
    try first.addStore(at: RealGraph.path(folder), type: kind.type)
  }

  private static func coordinator() -> PersistentStoreCoordinator {
    PersistentStoreCoordinator(
      model: Travels.model, places: StorePlaces(Graph.backends, on: RealDisk()),
      classes: Travels.classes)
  }

  private static func path(_ folder: URL) -> String {
    folder.appendingPathComponent("main.store").path
  }

  /// Returns another coordinator over the same file, or the existing coordinator of a store in memory.
  func opened() throws -> PersistentStoreCoordinator {
    if kind == .memory { return first }
    let other = RealGraph.coordinator()
    try other.addStore(at: RealGraph.path(folder), type: kind.type)
    return other
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
