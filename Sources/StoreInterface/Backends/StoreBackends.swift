public import DurableFiles
import ObjectModel

/// The backends of a program, by the types of their stores.
///
///     let backends = StoreBackends([BinaryStoreBackend(), XMLStoreBackend()])
///     let store = try backends.open("Trips.store", on: RealDisk())
///
/// The collection is a value; ``adding(_:)`` returns a new one with a further backend. There is no global registry.
public struct StoreBackends: Sendable {
  /// The backends, in the order in which they are asked to recognise a file.
  public let backends: [any StoreBackend]
  /// Explains why the backend for a type is missing.
  private let explanation: (@Sendable (StoreType) -> StoreError?)?

  /// The number of bytes at the beginning of a file that backends may use to recognise it.
  public static let firstByteCount = 1024

  /// Creates a collection of the given backends.
  ///
  /// - Precondition: No two have the same type.
  public init(_ backends: [any StoreBackend]) {
    self.init(backends, explanation: nil)
  }

  private init(
    _ backends: [any StoreBackend], explanation: (@Sendable (StoreType) -> StoreError?)?
  ) {
    precondition(
      Set(backends.map(\.type)).count == backends.count, "Each type can have only one backend.")
    self.backends = backends
    self.explanation = explanation
  }

  /// Returns the backend of the given type.
  public subscript(type: StoreType) -> (any StoreBackend)? { backends.first { $0.type == type } }

  /// The types of the backends, in order.
  public var types: [StoreType] { backends.map(\.type) }

  /// Returns a collection with one more backend, which replaces a backend of the same type.
  public func adding(_ backend: any StoreBackend) -> StoreBackends {
    StoreBackends(
      backends.filter { $0.type != backend.type } + [backend], explanation: explanation)
  }

  /// Returns these backends with a function that explains why the backend for a type is missing: for example,
  /// which plug-in was searched for, and where. Opening a store of such a type throws this explanation.
  public func explaining(
    _ explanation: @escaping @Sendable (StoreType) -> StoreError?
  ) -> StoreBackends {
    StoreBackends(backends, explanation: explanation)
  }

  /// Returns the reason why the backend for a type is missing, if it is known.
  public func explanation(ofMissing type: StoreType) -> StoreError? { explanation?(type) }

  /// Returns the backend of stores that begin with the given bytes. Only the first ``firstByteCount`` bytes are used.
  public func backend(recognizing firstBytes: [UInt8]) -> (any StoreBackend)? {
    let seen = Array(firstBytes.prefix(StoreBackends.firstByteCount))
    return backends.first { $0.recognizes(seen) }
  }

  /// Returns the backend of an existing store, recognised by the first bytes of a file or the contents of a folder.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/notAStore`` if no backend recognises the store; the errors
  ///   of the disk.
  public func backend(ofStoreAt path: String, on disk: any Disk) throws -> any StoreBackend {
    if let backend = backend(ofAddress: path) { return backend }
    let bytes: [UInt8]
    do { bytes = try StoreBackends.firstBytes(of: path, on: disk) } catch {
      // Most stores are files. Checking the kind of the path first would cost one more system call.
      if let backend = try backend(ofFolderAt: path, on: disk) { return backend }
      if let scheme = StoreBackends.scheme(of: path) {
        throw StoreError(
          .notFound,
          "There is no file of this name, and no type of store that this program knows has addresses with '\(scheme)://'. "
            + "A plug-in may be missing.", path: path)
      }
      throw error
    }
    return try backend(ofFileAt: path, beginningWith: bytes)
  }

  /// Returns the backend of an address such as a URL; `nil` if it is the path of a file or folder.
  public func backend(ofAddress path: String) -> (any StoreBackend)? {
    backends.first { $0.recognizesAddress(path) }
  }

  /// Returns the scheme of an address such as `postgresql://db/trips`; `nil` for other paths.
  private static func scheme(of path: String) -> Substring? {
    path.firstMatch(of: /^([a-z][a-z0-9+.-]*):\/\//)?.output.1
  }

  private func backend(
    ofFileAt path: String, beginningWith bytes: [UInt8]
  ) throws(StoreError) -> any StoreBackend {
    guard let backend = backend(recognizing: bytes) else {
      throw StoreError(
        .notAStore, "The file is not a store of a known type.", path: path)
    }
    return backend
  }

  /// Returns the backend of a store that is a folder; `nil` for the folder of a document, which has a manifest, and for
  /// any other folder.
  ///
  /// - Throws: `DiskError` if the folder can't be read.
  package func backend(
    ofStoreFolderAt path: String, on disk: any Disk
  ) throws -> (any StoreBackend)? {
    if try disk.exists(path.appendingPathComponent("manifest.json")) { return nil }
    return try backend(ofFolderAt: path, on: disk)
  }

  /// Returns the backend that recognises a folder; `nil` if the folder does not exist, or no backend recognises it.
  ///
  /// - Throws: `DiskError` if the folder can't be read.
  public func backend(ofFolderAt path: String, on disk: any Disk) throws -> (any StoreBackend)? {
    guard try disk.statusIfThere(path)?.kind == .directory else { return nil }
    return try backends.first { try $0.recognizesFolder(at: path, on: disk) }
  }

  /// Opens a store of any type.
  ///
  /// - Throws: ``StoreError``.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening = StoreOpening()
  ) throws -> any Store {
    if let backend = backend(ofAddress: path) {
      return try backend.openComplete(path, on: disk, opening)
    }
    guard let file = try? OpenedFile(path, on: disk, readOnly: opening.readOnly) else {
      // The path is a folder, or can't be opened; then the backend throws an error in its own words.
      return try backend(ofStoreAt: path, on: disk).openComplete(path, on: disk, opening)
    }
    let backend = try backend(ofFileAt: path, beginningWith: file.firstBytes)
    var opening = opening
    if backend.takesOpenedFile { opening.file = file } else { try? file.file.close() }
    return try backend.openComplete(path, on: disk, opening)
  }

  /// Returns the metadata of a store of any type.
  ///
  /// - Throws: ``StoreError``.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try backend(ofStoreAt: path, on: disk).metadata(at: path, on: disk)
  }

  /// Returns the first bytes of a file, by which backends recognise it.
  ///
  /// - Throws: ``StoreError``.
  public static func firstBytes(of path: String, on disk: any Disk) throws -> [UInt8] {
    do {
      return Array(
        try OpenedFile(path, on: disk, readOnly: true).firstBytes.prefix(firstByteCount))
    } catch {
      throw StoreError(error, path: path)
    }
  }
}

extension StoreError {
  /// Creates the error of a store from an error of the disk.
  public init(_ error: DiskError, path: String) {
    let code: StoreError.Code =
      switch error.code {
      case .notFound: .notFound
      case .exists: .exists
      case .damaged: .damaged
      case .locked: .locked
      case .readOnly, .permissionDenied: .readOnly
      default: .inputOutput
      }
    self.init(code, error.message, path: path, cause: error)
  }
}
