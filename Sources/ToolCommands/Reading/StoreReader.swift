import Archives
import CommandInterface
import Comparison
import Documents
import DurableFiles
import ObjectModel
import Quire
import QuireTools
import StoreInterface
import Synchronization

/// A reader that opens stores for commands, with the backends of the tool and the disk of the files.
struct StoreReader: Sendable {
  let disk: any Disk
  private let makeBackends: @Sendable () -> StoreBackends
  private let opened: OpenStores

  /// Creates a reader with backends and a disk. The backends are made at each use and not before, because they need a search
  /// for plug-ins.
  init(
    backends: @escaping @autoclosure @Sendable () -> StoreBackends, disk: any Disk,
    opened: OpenStores = OpenStores()
  ) {
    makeBackends = backends
    self.disk = disk
    self.opened = opened
  }

  var backends: StoreBackends { makeBackends() }

  /// Returns the same reader, which notes the stores that it opens in another place.
  func noting(in opened: OpenStores) -> StoreReader {
    StoreReader(backends: backends, disk: disk, opened: opened)
  }

  /// Returns a reader of stores of every built-in kind on the given disk.
  static func files(on disk: any Disk) -> StoreReader {
    StoreReader(backends: .builtIn, disk: disk)
  }

  /// Returns a reader of stores of every built-in kind and of the kinds that plug-ins add.
  ///
  /// - Parameter opened: Records the opened stores, and unpacks the packed documents that a command changes.
  static func files(_ plugins: PluginFinder, _ opened: OpenStores = OpenStores()) -> StoreReader {
    StoreReader(backends: plugins.backends, disk: opened.disk, opened: opened)
  }

  /// A reader of store files of every built-in kind.
  static let files = StoreReader.files(on: RealDisk())

  /// Opens the store at a path, with the model that the command line names. The store is opened for reading by default.
  ///
  /// The backend is found by the first bytes of the file.
  ///
  /// - Parameter sharing: Whether other processes may write to a document between the saves of this one.
  func open(
    _ path: String, _ invocation: Invocation, _ models: ModelReader, readOnly: Bool = true,
    writesForeign: Bool = false, sharing: Bool = false
  ) throws -> any Store {
    if try isDocument(path) {
      let access: Document.Access = readOnly ? .readOnly : sharing ? .shared : .exclusive
      return try store(ofDocument: path, invocation, access)
    }
    try checkHasNoVersion(path)
    let model = try invocation.value(of: .storeModel).map { try models.model(at: $0).model }
    var opening = StoreOpening(
      readOnly: readOnly, model: model,
      writesForeign: !readOnly && (writesForeign || invocation.has(.writesForeign)))
    opening.acceptsDamage = invocation.has(.damaged)
    do {
      let store = try places.open(path, opening)
      opened.record(store)
      try recordDamage(of: store, at: path)
      return try version(of: store, at: path, invocation)
    } catch let error as StoreError where error.code == .notAStore {
      throw CommandError(
        .unreadable, "'\(path)' is not a store of a known type.", hint: try hint(path))
    } catch let error as StoreError where error.code == .incompatibleModel && model == nil {
      throw CommandError(
        .modelMismatch, "\(error)", hint: "Give the model with --model.")
    }
  }

  /// Opens the store at a path for the changes of a session, or for reading if it can't be written. Other processes may
  /// write to a document between the saves of the session, which may last for hours.
  ///
  /// - Returns: The store, and the reason why it is open for reading only; `nil` if it may be changed.
  func openToEdit(
    _ path: String, _ invocation: Invocation, _ models: ModelReader
  ) throws -> (store: any Store, readOnlyReason: String?) {
    do {
      return (try open(path, invocation, models, readOnly: false, sharing: true), nil)
    } catch {
      guard let reason = StoreReader.readOnlyReason(error) else { throw error }
      return (try open(path, invocation, models), reason)
    }
  }

  /// Returns the message of an error about missing write access; `nil` for any other error.
  private static func readOnlyReason(_ error: any Error) -> String? {
    func isRefusal(_ cause: (any Error)?) -> Bool {
      guard let code = (cause as? DiskError)?.code else { return false }
      return code == .permissionDenied || code == .readOnly
    }
    switch error {
    case let error as DocumentError where error.code == .readOnly || isRefusal(error.cause):
      return error.message
    case let error as StoreError where error.code == .readOnly || isRefusal(error.cause):
      return error.message
    case let error as DiskError where isRefusal(error): return error.message
    default: return nil
    }
  }

  /// Records damage that the command line accepts with `--damaged`, for the exit code.
  func recordDamage(of store: any Store, at path: String) throws {
    if let damage = try store.describe().damage { opened.record(damage: damage, at: path) }
  }

  /// Returns the model that a store contains; `nil` if there is no store at the path.
  func model(ofStoreAt path: String) throws -> Model? {
    guard try !isDocument(path) else { return nil }
    let backend: any StoreBackend
    do { backend = try backends.backend(ofStoreAt: path, on: disk) } catch let error as StoreError
      where error.code == .notAStore || error.code == .notFound
    {
      return nil
    }
    let store = try backend.open(path, on: disk, StoreOpening(readOnly: true))
    opened.record(store)
    return try store.snapshot().model
  }

  /// Returns whether a path leads to a document, a store or a database, and not to a text or a pipe.
  func isStore(_ path: String) throws -> Bool {
    if backends.backend(ofAddress: path) != nil { return true }
    guard path != "-" else { return false }
    let place = try VersionedPath(orHead: path, on: disk).path
    guard let kind = try? disk.status(of: place).kind, kind != .special else { return false }
    if kind == .directory {
      return try disk.exists(place.appendingPathComponent("manifest.json"))
        || backends.backend(ofFolderAt: place, on: disk) != nil
    }
    return try isDocument(place) || isDatabase(place)
      || (try? backends.backend(ofStoreAt: place, on: disk)) != nil
  }

  /// Returns whether a file is an SQLite database, with any contents.
  func isDatabase(_ path: String) throws -> Bool { try places.isDatabase(path) }

  private func hint(_ path: String) throws -> String? {
    try isDatabase(path)
      ? "It is an SQLite database, which the plug-in SQLiteStore reads; 'quire plugin list' shows the "
        + "searched folders."
      : CommandError.otherFileHint(path)
        ?? [
          "Run 'quire plugin list' to see the plug-ins and their types of stores.",
          CommandError.recoverHint(path, []).map { "If it is a damaged store: \($0)" },
        ]
        .compactMap { $0 }.joined(separator: " ")
  }
}

/// The stores that one run of the tool has opened. Some stores keep additional files beside their own file until they
/// are closed.
final class OpenStores: Sendable {
  /// The disk of the files. A command that opens a packed document for writing finds a folder there.
  let disk = UnpackingDisk(RealDisk(), DocumentPacking.openFiles)
  private let stores = Mutex<[any Store]>([])
  private let damages = Mutex<[CommandError]>([])

  func record(_ store: any Store) { stores.withLock { $0.append(store) } }

  /// Records the damage of a store or document that was opened in spite of it.
  func record(damage: String, at path: String) {
    damages.withLock {
      $0.append(
        CommandError(
          .unreadable, "\(path): \(damage)",
          hint: ["The output shows an earlier save.", CommandError.recoverHint(path, [])]
            .compactMap { $0 }.joined(separator: " ")))
    }
  }

  /// Removes and returns the errors for the recorded damage.
  func takeDamages() -> [CommandError] {
    damages.withLock { damages in
      defer { damages = [] }
      return damages
    }
  }

  /// Closes all stores.
  ///
  /// - Throws: The error of the first store that can't be closed.
  func close() throws {
    let all = stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
    for store in all { try store.close() }
  }

  /// Replaces the packed documents that the run has changed.
  @Sendable func commit() throws { try disk.commit() }

  /// Closes all stores, packs the documents that the run has unpacked, and removes their folders.
  ///
  /// - Throws: The first error. Everything is closed in any case.
  func end() throws {
    var first: (any Error)?
    do { try close() } catch { first = error }
    do { try disk.finish() } catch { first = first ?? error }
    if let first { throw first }
  }
}

extension Argument {
  /// The store on which a command works.
  static let store = Argument("STORE", "A document or the file of a store.", role: .input)
  /// The entity on which a command works.
  static let entity = Argument(
    "ENTITY", "The entity of the objects. The objects of its subentities are included.",
    kind: .entity)
}

extension Option {
  /// The option to read a store with a damaged last save at an earlier save.
  static let damaged = Option(
    "damaged",
    "Reads a store with a damaged last save at its newest complete save. The exit code is 4."
  )
  /// The option to write to a store that another system made.
  static let writesForeign = Option(
    "write",
    "Permits changes to a store that another system wrote, such as a database of Core Data.")
  /// The option for the model of a store that does not contain its own.
  static let storeModel = Option(
    "model", value: "MODEL", role: .input,
    "The model of the store, for a store that does not contain its model.")
}
