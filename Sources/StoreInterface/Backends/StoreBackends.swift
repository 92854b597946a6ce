public import DurableFiles
import ObjectModel

/// The kinds of stores that a program knows, by their types.
///
///     let backends = StoreBackends([BinaryStoreBackend(), XMLStoreBackend()])
///     let store = try backends.open("Trips.store", on: RealDisk())
///
/// A value: whoever wants another backend makes one with it added. Nothing is registered anywhere.
public struct StoreBackends: Sendable {
  /// The backends, in the order in which they are asked whether they know a file.
  public let backends: [any StoreBackend]
  /// Who knows why there is none for a type.
  private let explanation: (@Sendable (StoreType) -> StoreError?)?

  /// How many bytes of a file are looked at to tell what it is.
  public static let firstByteCount = 1024

  /// The given backends.
  ///
  /// - Precondition: No two have the same type.
  public init(_ backends: [any StoreBackend]) {
    self.init(backends, explanation: nil)
  }

  private init(
    _ backends: [any StoreBackend], explanation: (@Sendable (StoreType) -> StoreError?)?
  ) {
    precondition(
      Set(backends.map(\.type)).count == backends.count, "There is one backend for each type.")
    self.backends = backends
    self.explanation = explanation
  }

  /// The backend of the given type.
  public subscript(type: StoreType) -> (any StoreBackend)? { backends.first { $0.type == type } }

  /// The types, in the backends' order.
  public var types: [StoreType] { backends.map(\.type) }

  /// These backends and one more, which takes the place of the one with its type.
  public func adding(_ backend: any StoreBackend) -> StoreBackends {
    StoreBackends(
      backends.filter { $0.type != backend.type } + [backend], explanation: explanation)
  }

  /// These backends, and somebody who knows why there is none for a type: which plug-in was looked for, say, and
  /// where. What is said is part of the error that a store of such a type meets.
  public func explaining(
    _ explanation: @escaping @Sendable (StoreType) -> StoreError?
  ) -> StoreBackends {
    StoreBackends(backends, explanation: explanation)
  }

  /// Why there is no backend for a type, if anybody knows.
  public func explanation(ofMissing type: StoreType) -> StoreError? { explanation?(type) }

  /// The backend whose stores begin with the given bytes, of which no more than ``firstByteCount`` are looked at.
  public func backend(recognizing firstBytes: [UInt8]) -> (any StoreBackend)? {
    let seen = Array(firstBytes.prefix(StoreBackends.firstByteCount))
    return backends.first { $0.recognizes(seen) }
  }

  /// The backend of a store that is there, seen from a file's first bytes or from what lies in a folder.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/notAStore`` when none knows it, or what the
  ///   disk says.
  public func backend(ofStoreAt path: String, on disk: any Disk) throws -> any StoreBackend {
    let bytes: [UInt8]
    do { bytes = try StoreBackends.firstBytes(of: path, on: disk) } catch {
      // Most stores are files, and a look at the path first would be one more question to the system.
      guard let backend = backend(ofFolderAt: path, on: disk) else { throw error }
      return backend
    }
    return try backend(ofFileAt: path, beginningWith: bytes)
  }

  private func backend(
    ofFileAt path: String, beginningWith bytes: [UInt8]
  ) throws(StoreError) -> any StoreBackend {
    guard let backend = backend(recognizing: bytes) else {
      throw StoreError(
        .notAStore, "The file is no store that this program knows.", path: path)
    }
    return backend
  }

  /// The backend whose store a folder is; `nil` when there is no such folder, or none knows it.
  public func backend(ofFolderAt path: String, on disk: any Disk) -> (any StoreBackend)? {
    guard (try? disk.status(of: path).kind) == .directory else { return nil }
    return backends.first { $0.recognizesFolder(at: path, on: disk) }
  }

  /// Opens a store, whatever its type.
  ///
  /// - Throws: ``StoreError``.
  public func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening = StoreOpening()
  ) throws -> any Store {
    guard let file = try? OpenedFile(path, on: disk, readOnly: opening.readOnly) else {
      // A folder; or what stands in the way is said by the backend, in the words of its kind.
      return try backend(ofStoreAt: path, on: disk).open(path, on: disk, opening)
    }
    let backend = try backend(ofFileAt: path, beginningWith: file.firstBytes)
    var opening = opening
    if backend.takesOpenedFile { opening.file = file } else { try? file.file.close() }
    return try backend.open(path, on: disk, opening)
  }

  /// What a store says of itself, whatever its type.
  ///
  /// - Throws: ``StoreError``.
  public func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
    try backend(ofStoreAt: path, on: disk).metadata(at: path, on: disk)
  }

  /// The first bytes of a file, by which it is known.
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
  /// What the disk refused, as a store says it.
  public init(_ error: DiskError, path: String) {
    let code: StoreError.Code =
      switch error.code {
      case .notFound: .notFound
      case .exists: .exists
      case .locked: .locked
      case .readOnly, .permissionDenied: .readOnly
      default: .inputOutput
      }
    self.init(code, error.message, path: path, cause: error)
  }
}
