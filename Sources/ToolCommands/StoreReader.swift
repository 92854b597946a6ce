import Documents
import DurableFiles
import ObjectModel
import Quire
import StoreInterface
import Synchronization

/// Where commands get their stores from: the backends they know, and the disk that files are on.
struct StoreReader: Sendable {
  /// The disk.
  let disk: any Disk
  private let makeBackends: @Sendable () -> StoreBackends
  private let opened: OpenStores

  /// The given kinds of stores on the given disk; they are asked for when somebody needs them, since plug-ins are
  /// looked for then.
  init(
    backends: @escaping @autoclosure @Sendable () -> StoreBackends, disk: any Disk,
    opened: OpenStores = OpenStores()
  ) {
    makeBackends = backends
    self.disk = disk
    self.opened = opened
  }

  /// The kinds of stores.
  var backends: StoreBackends { makeBackends() }

  /// Stores of every built-in kind in files of the given disk.
  static func files(on disk: any Disk) -> StoreReader {
    StoreReader(backends: .builtIn, disk: disk)
  }

  /// Opens store files of every built-in kind and of those that plug-ins bring.
  ///
  /// - Parameter opened: Takes note of what is opened.
  static func files(_ plugins: PluginFinder, _ opened: OpenStores = OpenStores()) -> StoreReader {
    StoreReader(backends: plugins.backends, disk: RealDisk(), opened: opened)
  }

  /// Opens store files.
  static let files = StoreReader.files(on: RealDisk())

  /// The store at a path, opened for reading unless said otherwise, with the model that the command line
  /// names.
  ///
  /// What kind of store it is is seen from its first bytes.
  func open(
    _ path: String, _ invocation: Invocation, _ models: ModelReader, readOnly: Bool = true
  ) throws -> any Store {
    if isDocument(path) {
      return try store(ofDocument: path, invocation, readOnly: readOnly)
    }
    let model = try invocation.value(of: .storeModel).map { try models.model(at: $0).model }
    var opening = StoreOpening(
      readOnly: readOnly, model: model, writesForeign: invocation.has(.writesForeign))
    opening.acceptsDamage = invocation.has(.damaged)
    do {
      let store = try backends.open(path, on: disk, opening)
      opened.note(store)
      try noteDamage(of: store, at: path)
      return try version(of: store, at: path, invocation)
    } catch let error as StoreError where error.code == .notAStore {
      throw CommandError(
        .unreadable, "'\(path)' is no store that this program knows.", hint: hint(path))
    } catch let error as StoreError where error.code == .incompatibleModel && model == nil {
      throw CommandError(
        .modelMismatch, "\(error)", hint: "Give the model with --model.")
    }
  }

  /// Opens the store at a path for changes, or for reading if it can't be written to.
  ///
  /// - Returns: The store, and the reason why it is open for reading only; `nil` if it may be changed.
  func openToEdit(
    _ path: String, _ invocation: Invocation, _ models: ModelReader
  ) throws -> (store: any Store, readOnlyReason: String?) {
    do { return (try open(path, invocation, models, readOnly: false), nil) } catch {
      guard let reason = StoreReader.readOnlyReason(error) else { throw error }
      return (try open(path, invocation, models), reason)
    }
  }

  /// The message of an error that says that something can't be written to; `nil` for another error.
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

  /// Takes note of damage that the command line accepts with `--damaged`, for the exit code.
  func noteDamage(of store: any Store, at path: String) throws {
    if let damage = try store.describe().damage { opened.note(damage: damage, at: path) }
  }

  /// The model that a store holds; `nil` when there is no store at the path.
  func model(ofStoreAt path: String) throws -> Model? {
    guard !isDocument(path), let backend = try? backends.backend(ofStoreAt: path, on: disk) else {
      return nil
    }
    let store = try backend.open(path, on: disk, StoreOpening(readOnly: true))
    opened.note(store)
    return try store.snapshot().model
  }

  /// Whether a file is an SQLite database, whoever knows what is in it.
  func isDatabase(_ path: String) -> Bool {
    let start = try? StoreBackends.firstBytes(of: path, on: disk)
    return start?.starts(with: Array("SQLite format 3".utf8)) ?? false
  }

  private func hint(_ path: String) -> String? {
    isDatabase(path)
      ? "It is an SQLite database: the plug-in SQLiteStore reads those of Core Data, and 'quire "
        + "plugin list' says where plug-ins are looked for."
      : [
        "Run 'quire plugin list' to see which plug-ins bring other kinds of stores.",
        CommandError.recoverHint(path, []).map { "If it is a damaged store: \($0)" },
      ]
      .compactMap { $0 }.joined(separator: " ")
  }
}

/// The stores that one run of the tool has opened. Some leave files beside their own until they are closed.
final class OpenStores: Sendable {
  private let stores = Mutex<[any Store]>([])
  private let damages = Mutex<[CommandError]>([])

  /// Takes note of a store.
  func note(_ store: any Store) { stores.withLock { $0.append(store) } }

  /// Takes note of damage of the store or document at a path that was opened in spite of it.
  func note(damage: String, at path: String) {
    damages.withLock {
      $0.append(
        CommandError(
          .unreadable, "\(path): \(damage)",
          hint: ["The output shows an earlier save.", CommandError.recoverHint(path, [])]
            .compactMap { $0 }.joined(separator: " ")))
    }
  }

  /// Removes and returns the errors for the damage that was noted.
  func takeDamages() -> [CommandError] {
    damages.withLock { damages in
      defer { damages = [] }
      return damages
    }
  }

  /// Closes all.
  ///
  /// - Throws: What the first throws that can't be closed.
  func close() throws {
    let all = stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
    for store in all { try store.close() }
  }
}

extension Argument {
  /// The store that a command is about.
  static let store = Argument("STORE", "A document, or a store's file.", role: .input)
  /// The entity that a command is about.
  static let entity = Argument(
    "ENTITY", "The entity whose objects are meant, subentities included.")
}

extension Option {
  /// Whether a store whose last save is damaged is read at an earlier one.
  static let damaged = Option(
    "damaged",
    "Reads a store whose last save is damaged, at its newest save that is whole; the exit code is 4."
  )
  /// Whether a store that another system made may be written.
  static let writesForeign = Option(
    "write",
    "Writes also into a store that another system made, such as a database of Core Data's.")
  /// The model of a store that does not hold its own.
  static let storeModel = Option(
    "model", value: "MODEL", role: .input,
    "The model that the store was written with, for one that does not hold it.")
}
