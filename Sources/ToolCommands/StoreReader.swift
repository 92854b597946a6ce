import DurableFiles
import ObjectModel
import Quire
import StoreInterface

/// Where commands get their stores from: the backends they know, and the disk that files are on.
struct StoreReader: Sendable {
  /// The disk.
  let disk: any Disk
  private let makeBackends: @Sendable () -> StoreBackends

  /// The given kinds of stores on the given disk; they are asked for when somebody needs them, since plug-ins are
  /// looked for then.
  init(backends: @escaping @autoclosure @Sendable () -> StoreBackends, disk: any Disk) {
    makeBackends = backends
    self.disk = disk
  }

  /// The kinds of stores.
  var backends: StoreBackends { makeBackends() }

  /// Stores of every built-in kind in files of the given disk.
  static func files(on disk: any Disk) -> StoreReader {
    StoreReader(backends: .builtIn, disk: disk)
  }

  /// Opens store files of every built-in kind and of those that plug-ins bring.
  static func files(_ plugins: PluginFinder) -> StoreReader {
    StoreReader(backends: plugins.backends, disk: RealDisk())
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
    do {
      return try backends.open(
        path, on: disk,
        StoreOpening(readOnly: readOnly, model: model, writesForeign: invocation.has(.writesForeign)))
    } catch let error as StoreError where error.code == .notAStore {
      throw CommandError(
        .unreadable, "'\(path)' is no store that this program knows.", hint: hint(path))
    } catch let error as StoreError where error.code == .incompatibleModel && model == nil {
      throw CommandError(
        .modelMismatch, "\(error)", hint: "Give the model with --model.")
    }
  }

  private func hint(_ path: String) -> String? {
    let start = try? StoreBackends.firstBytes(of: path, on: disk)
    return start?.starts(with: Array("SQLite format 3".utf8)) ?? false
      ? "It is an SQLite database: the plug-in SQLiteStore reads those of Core Data, and 'quire plugin list' says where plug-ins are looked for."
      : "Run 'quire plugin list' to see which plug-ins bring other kinds of stores."
  }
}

extension Argument {
  /// The store that a command is about.
  static let store = Argument("STORE", "A document, or a store's file.")
  /// The entity that a command is about.
  static let entity = Argument(
    "ENTITY", "The entity whose objects are meant, subentities included.")
}

extension Option {
  /// Whether a store that another system made may be written.
  static let writesForeign = Option(
    "write",
    "Writes also into a store that another system made, such as a database of Core Data's.")
  /// The model of a store that does not hold its own.
  static let storeModel = Option(
    "model", value: "MODEL",
    "The model that the store was written with, for one that does not hold it.")
}
