import DurableFiles
import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// A document: a folder with a manifest, the versions of its model, stores and attachments, of which every
/// save is all or nothing (spec §7).
///
///     let document = try Document.open("Trip.quire", in: .builtIn)
///     for store in document.stores { try coordinator.add(store, configuration: store.configuration) }
///
/// A save writes into each store what changed and makes it durable; then it replaces the manifest, which
/// names the commits that belong together. Until that moment the document is what it was, and afterwards it is
/// what was saved, whenever the program or the machine ends.
///
/// May be used from any thread. Programs with contexts, undo and autosave take a ``ManagedDocument``.
public final class Document: Sendable {
  /// The stores, in the order of the manifest.
  public let stores: [DocumentStore]
  /// What opens stores.
  public let places: StorePlaces
  /// Who else may have the document open meanwhile.
  public let access: Access
  /// The version that is shown, where it is not the newest.
  public let shownVersion: Int64?

  struct State {
    var container: Container
    var folder: FileIdentity
    var manifest: Manifest
    /// The manifest's file when it was last read or written.
    var seen: FileStatus?
    /// No version has had a higher number, those included that came to nothing.
    var highestNumber: Int64
    var lock: FileLock?
    var isClosed = false
    /// Changes of attachments that the next save makes.
    var staged: [StagedName: StagedAttachment] = [:]
    /// A manifest that came to nothing and may be in the place of the one that counts.
    var refused: Manifest?
    /// What of each store was shown to contexts when others' saves were looked for last.
    var shown: [StoreTag: any StoreSnapshot] = [:]
    /// Whether a recovery of this session is there.
    var hasOwnRecovery = false
  }
  let state: Mutex<State>
  /// Held while something is written.
  let writing = Mutex(())

  /// Who else may have a document open.
  public enum Access: Sendable, Hashable {
    /// Nobody else writes as long as this document is open. Others may read.
    case exclusive
    /// Others may write: each save looks at what they have saved before.
    case shared
    /// Nothing is written here.
    case readOnly
  }

  /// What happens when somebody else has the document open for writing.
  public enum WhenHeld: Sendable, Hashable {
    /// It is an error that says who.
    case fail
    /// It is waited for.
    case wait(Duration)
    /// The document is opened for reading only.
    case readOnly
    /// A lock that a process of another host has left is taken over. Only people can know that it is done.
    case takeOver
  }

  init(
    _ container: Container, _ folder: FileIdentity, _ manifest: Manifest, _ seen: FileStatus,
    _ stores: [DocumentStore], access: Access, lock: FileLock?, places: StorePlaces,
    shownVersion: Int64?, highestNumber: Int64
  ) {
    self.stores = stores
    self.places = places
    self.access = access
    self.shownVersion = shownVersion
    state = Mutex(
      State(
        container: container, folder: folder, manifest: manifest, seen: seen,
        highestNumber: highestNumber, lock: lock))
    for store in stores {
      store.attach(to: self)
      // A store that can't be read says so when it is asked for.
      let snapshot = try? store.snapshot()
      state.withLock { $0.shown[store.tag] = snapshot }
    }
  }

  deinit { try? close() }

  /// Where the document is.
  public var path: String { container.path }
  var container: Container { state.withLock { $0.container } }
  /// What the document says of itself, as of the version that it is at here.
  public var manifest: Manifest { state.withLock { $0.manifest } }
  /// Whether nothing is written here.
  public var isReadOnly: Bool { access == .readOnly }

  /// The store of a name.
  public subscript(name: String) -> DocumentStore? { stores.first { $0.name == name } }

  /// The model that the document is of.
  ///
  /// - Throws: ``DocumentError`` when its file is missing or damaged.
  public var model: Model {
    get throws {
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      let name = shownVersion.flatMap { number in
        manifest.versions.first { $0.number == number }?.model
      }
      return try container.model(name ?? manifest.model, of: manifest)
    }
  }

  /// All versions of the model that the document has been of, by name, in their order.
  ///
  /// - Throws: ``DocumentError`` when a file is missing or damaged.
  public var modelVersions: [(name: String, model: Model)] {
    get throws {
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      return try manifest.models.map { ($0.name, try container.model($0.name, of: manifest)) }
    }
  }

  /// Gives back what the document holds. Snapshots stay readable. Closing again does nothing.
  public func close() throws {
    // Nobody else may write before what is being written here has come to its end.
    try writing.withLock { _ in try closeAlone() }
  }

  private func closeAlone() throws {
    let lock: FileLock?? = state.withLock { state in
      if state.isClosed { return nil }
      state.isClosed = true
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
  /// Reads a version of the model and holds it against its hashes.
  func model(_ name: String, of manifest: Manifest) throws -> Model {
    guard let version = manifest.models.first(where: { $0.name == name }) else {
      throw DocumentError(.damaged, "There is no version \"\(name)\" of the model.", path: path)
    }
    let path = inner(version.file)
    let model: Model
    do {
      let bytes = try disk.read(
        path, byteLimit: Manifest.modelByteLimit, links: .refusedBelow(self.path))
      model = try Model(ModelSource.read(bytes, path: path))
    } catch {
      throw DocumentError(
        .damaged, "The model \"\(name)\" can't be read: \(error)", path: path, cause: error)
    }
    guard model.versionHashes == model.currentHashes(for: version.hashes) else {
      throw DocumentError(
        .damaged, "The model \"\(name)\" is not the one that the manifest has the hashes of.",
        path: path)
    }
    return model
  }
}
