import DurableFiles
import Foundation
import ModelNotations
public import ObjectModel
public import StoreInterface
import Synchronization
import Threads

/// A document: a folder with a manifest, the versions of its model, stores and attachments. Every save makes
/// all of its changes durable, or none (spec §7).
///
///     let document = try Document.open("Trip.quire", in: .builtIn)
///     for store in document.stores { try coordinator.add(store, configuration: store.configuration) }
///
/// A save writes the changes into each store and makes them durable. Then it replaces the manifest, which names
/// the commits that belong together. If the program or the machine ends before that moment, the document is
/// unchanged; if it ends afterwards, the document is saved. A save that changes only the store that is the log needs no
/// new manifest: it has happened when the store's commit is durable.
///
/// May be used from any thread. Programs with contexts, undo and autosave use a ``ManagedDocument``.
public final class Document: Sendable {
  /// The stores, in the order of the manifest.
  public let stores: [DocumentStore]
  /// The backends that open stores, and the disk.
  public let places: StorePlaces
  /// The access that other processes have to the document while it is open.
  public let access: Access
  /// The version that is shown, or `nil` if it is the newest.
  public let shownVersion: Int64?

  struct State {
    var container: Container
    var folder: FileIdentity
    var manifest: Manifest
    /// The status of the manifest and of the log when they were last read or written.
    var seen: DocumentStatus?
    /// The number of versions that the log contains and the manifest's file does not.
    var loggedCount: Int
    /// The highest number that any version has used, including versions that failed.
    var highestNumber: Int64
    /// The lock for writing, or with shared access the lock that refuses exclusive access.
    var lock: FileLock?
    var isClosed = false
    /// Changes of attachments that the next save makes.
    var staged: [StagedName: StagedAttachment] = [:]
    /// The digests of attachments that are being added and not staged yet.
    var incoming: [String] = []
    /// The manifest of a failed save. It may still be on the disk, in the place of the manifest of the newest version.
    var refused: Manifest?
    /// The version of a failed save whose commit may still be in the log.
    var refusedVersion: Manifest.VersionEntry?
    /// The snapshot of each store at the last check for external changes. Contexts have received these snapshots.
    var shown: [StoreTag: any StoreSnapshot] = [:]
    /// Whether this session has kept or adopted a recovery.
    var hasOwnRecovery = false
  }
  let state: Mutex<State>
  /// Locked while the document is written.
  let writing = Guarded(())
  let moves = StoreMoves()

  /// The access that other processes have to an open document.
  public enum Access: Sendable, Hashable {
    /// No other process may write as long as this document is open. Other processes may read.
    case exclusive
    /// Other processes may write. Each save reads first the versions that they have saved.
    case shared
    /// This process does not write to the document.
    case readOnly
  }

  /// The behaviour when another process has the document open for writing.
  public enum WhenHeld: Sendable, Hashable {
    /// Opening throws an error that names the lock holder.
    case fail
    /// Opening waits for the other process, for at most the given time.
    case wait(Duration)
    /// The document is opened for reading only.
    case readOnly
    /// The lock that a process of another host has left is taken over. Only a person can know that this process
    /// has ended.
    case takeOver
  }

  init(
    _ container: Container, _ folder: FileIdentity, _ read: ReadManifest,
    _ stores: [DocumentStore], access: Access, lock: FileLock?, places: StorePlaces,
    shownVersion: Int64?, highestNumber: Int64
  ) {
    self.stores = stores
    self.places = places
    self.access = access
    self.shownVersion = shownVersion
    state = Mutex(
      State(
        container: container, folder: folder, manifest: read.manifest, seen: read.seen,
        loggedCount: read.loggedCount, highestNumber: highestNumber, lock: lock))
    for store in stores {
      store.attach(to: self)
      // A store that can't be read throws an error when it is used.
      let snapshot = try? store.snapshot()
      state.withLock { $0.shown[store.tag] = snapshot }
    }
  }

  deinit { try? close() }

  /// The path of the document's folder.
  public var path: String { container.path }
  var container: Container { state.withLock { $0.container } }
  /// The manifest of the version that this process has read or saved last.
  public var manifest: Manifest { state.withLock { $0.manifest } }
  /// Whether this process does not write to the document.
  public var isReadOnly: Bool { access == .readOnly }

  /// Returns the store with the given name.
  public subscript(name: String) -> DocumentStore? { stores.first { $0.name == name } }

  /// The document's model.
  ///
  /// - Throws: ``DocumentError`` if the model's file is missing or damaged.
  public var model: Model {
    get throws {
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      let name = shownVersion.flatMap { number in
        manifest.versions.first { $0.number == number }?.model
      }
      return try container.model(name ?? manifest.model, of: manifest)
    }
  }

  /// All versions of the model that the document has had, by name, in their order.
  ///
  /// - Throws: ``DocumentError`` if a file is missing or damaged.
  public var modelVersions: [(name: String, model: Model)] {
    get throws {
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      return try manifest.models.map { ($0.name, try container.model($0.name, of: manifest)) }
    }
  }

  /// Closes the document's stores and releases its lock. Snapshots stay readable. Closing again does nothing.
  public func close() throws {
    // The lock is released after the save in progress ends, so that no other process writes before.
    try writing.withLock { _ in try closeAlone() }
  }

  private func closeAlone() throws {
    let lock: FileLock?? = state.withLock { state in
      if state.isClosed { return nil }
      (state.isClosed, state.shown) = (true, [:])
      defer { state.lock = nil }
      return .some(state.lock)
    }
    guard let lock else { return }
    for store in stores { try store.inner.close() }
    try lock?.release()
  }

  func checkOpen() throws {
    if state.withLock({ $0.isClosed }) {
      throw DocumentError.closed(path)
    }
  }
}

extension Container {
  /// Reads a version of the model and compares it with its hashes in the manifest.
  func model(_ name: String, of manifest: Manifest) throws -> Model {
    guard let version = manifest.models.first(where: { $0.name == name }) else {
      throw DocumentError(
        .damaged, "Version \"\(name)\" of the model does not exist.", path: path)
    }
    let path = inner(version.file)
    let model: Model
    do {
      let bytes = try disk.read(
        path, byteLimit: Manifest.modelByteLimit, links: .refusedBelow(self.path))
      model = try Model(contents: bytes, path: path)
    } catch let error as DiskError where error.isFailureOfDisk {
      throw DocumentError(error, path: path)
    } catch {
      throw DocumentError(
        .damaged, "The model \"\(name)\" can't be read: \(error)", path: path, cause: error)
    }
    guard model.versionHashes == version.hashes else {
      throw DocumentError(
        .damaged, "The hashes of the model \"\(name)\" differ from the hashes in the manifest.",
        path: path)
    }
    return model
  }
}
