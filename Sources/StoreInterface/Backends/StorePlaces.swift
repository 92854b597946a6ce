public import DurableFiles
import Foundation
public import ObjectModel

/// The known backends and the disk that stores lie on. Opens and creates stores of any type.
///
///     let places = StorePlaces(.builtIn, on: RealDisk())
///     let store = try places.open("Trips.store", type: nil, StoreOpening())
public struct StorePlaces: Sendable {
  /// The backends, one for each type of store.
  public var backends: StoreBackends
  /// The disk that the stores lie on.
  public var disk: any Disk

  /// Creates a value from backends and a disk.
  public init(_ backends: StoreBackends, on disk: any Disk) {
    self.backends = backends
    self.disk = disk
  }

  /// Returns the backend of a type.
  ///
  /// - Throws: ``StoreError`` that lists the known types, or explains why no plug-in provides this one.
  public func backend(of type: StoreType) throws(StoreError) -> any StoreBackend {
    if let backend = backends[type] { return backend }
    if let explanation = backends.explanation(ofMissing: type) { throw explanation }
    let known = backends.types.map(\.rawValue).joined(separator: ", ")
    throw StoreError(
      .notAStore,
      "No backend supports stores of type \"\(type.rawValue)\". The supported types are: \(known)."
        + StorePlaces.library(of: type))
  }

  /// Returns a sentence about the library that has the backend of a type; empty if the backend is not one of
  /// Quire's libraries.
  private static func library(of type: StoreType) -> String {
    guard let name = ["SQLite": "sqlite", "PostgreSQL": "postgreSQL"][type.rawValue] else {
      return ""
    }
    let library = type.rawValue + "Store"
    return
      " Link the library \(library), write 'import \(library)', and give 'backends: [.\(name)]' to the container."
  }

  /// Whether a path is the address of a store that lies on no disk, such as the URL of a database.
  public func isAddress(_ path: String) -> Bool { backends.backend(ofAddress: path) != nil }

  /// Whether there is a file or folder at a path, or a store at an address.
  public func exists(_ path: String) throws(StoreError) -> Bool {
    if let backend = backends.backend(ofAddress: path) {
      do {
        _ = try backend.metadata(at: path, on: disk)
        return true
      } catch let error as StoreError {
        if error.code == .notFound { return false }
        throw error
      } catch { throw StoreError(.failed, "\(error)", path: path, cause: error) }
    }
    do { return try disk.exists(path) } catch { throw StoreError(error, path: path) }
  }

  /// Throws an error if there is a file or folder at a path. Removes what an ended process that made it left beside it.
  package func refuseExisting(_ path: String) throws(StoreError) {
    guard try exists(path) else { return }
    if !isAddress(path) { disk.removeLeftovers(of: path) }
    throw .exists(at: path)
  }

  /// Throws an error for the address of a store, because no file can be copied from there or take its place.
  private func refuseAddress(_ path: String) throws(StoreError) {
    guard isAddress(path) else { return }
    throw StoreError(
      .notSupported,
      "The store lies at an address, so it can't be copied or replaced like a file. Copy its objects into another store.",
      path: path)
  }

  /// Whether two paths name the same file or folder, even if they are spelled differently.
  ///
  /// - Throws: ``StoreError`` if the disk can't compare them. If nothing is at one of the paths, the result is `false`.
  public func isSame(_ path: String, _ other: String) throws(StoreError) -> Bool {
    if isAddress(path) || isAddress(other) { return path == other }
    do {
      return try disk.status(of: path).identity == disk.status(of: other).identity
    } catch let error where error.code == .notFound || error.code == .notADirectory {
      return false
    } catch {
      throw StoreError(error, path: other)
    }
  }

  /// Opens a store of the given type, or of the type that its first bytes identify.
  ///
  /// - Throws: ``StoreError``; with code ``StoreError/Code/readOnly`` for a store of a document that is opened for writing.
  public func open(
    _ path: String, type: StoreType? = nil, _ opening: StoreOpening = StoreOpening()
  ) throws -> any Store {
    if !opening.readOnly { try refuseStoreOfDocument(path) }
    guard let type else { return try backends.open(path, on: disk, opening) }
    return try backend(of: type).openComplete(path, on: disk, opening)
  }

  /// Throws if the file at a path is a store of a document: the document decides which commits count, so a save to the file
  /// alone would be lost (spec §7.5.1).
  private func refuseStoreOfDocument(_ path: String) throws(StoreError) {
    if isAddress(path) { return }
    // The system follows the links and the steps in the path.
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "./"
    do throws(DiskError) {
      guard try disk.exists(folder + "../manifest.json"),
        let stores = try disk.statusIfThere(folder + "../stores"),
        try disk.statusIfThere(folder + ".")?.identity == stores.identity
      else { return }
    } catch { return }
    throw StoreError(
      .readOnly,
      "The store is a part of a document, which decides what counts in it. Change the document instead, "
        + "or read the store.", path: path)
  }

  /// Creates a store.
  ///
  /// - Throws: ``StoreError``.
  public func create(
    _ path: String, type: StoreType, model: Model, _ creation: StoreCreation = StoreCreation()
  ) throws -> any Store {
    try backend(of: type).create(at: path, model: model, on: disk, creation)
  }

  /// Creates a store that `fill` fills by a ``StoreCopy``, and opens it.
  ///
  /// The store is there when it is complete. After an error, or if the process ends earlier, nothing is at the path.
  /// On a server, a store that can't be opened may remain.
  ///
  /// - Throws: ``StoreError``; the errors of `fill`.
  package func createCopy(
    _ path: String, type: StoreType, model: Model, fill: (any Store) throws -> Void
  ) throws -> any Store {
    let backend = try backend(of: type)
    var creation = StoreCreation()
    creation.isForCopy = true
    func fillOrClose(_ store: any Store) throws {
      do { try fill(store) } catch {
        try? store.close()
        throw error
      }
    }
    if isAddress(path) || !backend.capabilities.contains(.durable) {
      // An error here leaves a store that was there before.
      let store = try backend.create(at: path, model: model, on: disk, creation)
      do { try fillOrClose(store) } catch {
        try? destroy(path)
        throw error
      }
      return store
    }
    do {
      try disk.make(path, overwriting: false) { temporary in
        let store = try backend.create(at: temporary, model: model, on: disk, creation)
        try fillOrClose(store)
        try store.close()
      }
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
    return try open(path, type: type, StoreOpening(model: model))
  }

  /// Returns the metadata of a store, read without a model and without its rows.
  ///
  /// - Throws: ``StoreError``.
  public func metadata(at path: String, type: StoreType? = nil) throws -> StoreMetadata {
    guard let type else { return try backends.metadata(at: path, on: disk) }
    return try backend(of: type).metadata(at: path, on: disk)
  }

  /// Returns the backend of an existing store, recognised by its first bytes.
  ///
  /// - Throws: ``StoreError``.
  public func backend(ofStoreAt path: String) throws -> any StoreBackend {
    try backends.backend(ofStoreAt: path, on: disk)
  }

  /// Removes a store's file or folder permanently, and the logs of a database. Does nothing if the store does not exist.
  ///
  /// - Throws: ``StoreError``.
  public func destroy(_ path: String) throws(StoreError) {
    if let backend = backends.backend(ofAddress: path) {
      do { return try backend.destroyStore(atAddress: path) } catch let error as StoreError {
        throw error
      } catch { throw StoreError(.failed, "\(error)", path: path, cause: error) }
    }
    do {
      guard try disk.exists(path) else { return }
      if try isDatabase(path) { try removeLogs(besides: path) }
      try disk.removeTree(path)
      try disk.syncDirectory(of: path)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Creates the folder that contains a path, and the folders around it, if they do not exist.
  ///
  /// - Throws: ``StoreError``.
  package func makeFolder(of path: String) throws(StoreError) {
    let folder = (path as NSString).deletingLastPathComponent
    do {
      if try folder.isEmpty || disk.exists(folder) { return }
      try makeFolder(of: folder)
      try disk.makeDirectory(folder)
    } catch let error as DiskError {
      // Another process may have created the folder meanwhile.
      if error.code != .exists { throw StoreError(error, path: folder) }
    } catch { throw StoreError(.failed, "\(error)", path: folder, cause: error) }
  }

  /// Returns a path beside a store for a temporary file that will replace the store.
  ///
  /// - Throws: ``StoreError``.
  package func pathOfReplacement(for path: String) throws(StoreError) -> String {
    try refuseAddress(path)
    do { return try disk.pathOfReplacement(for: path) } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Removes files that interrupted replacements of a store left behind. The caller must have exclusive access to the
  /// store.
  package func removeAbandonedReplacements(of path: String) {
    // An error is ignored: the store works with such files beside it.
    _ = try? disk.removeAbandonedReplacements(of: path)
  }

  /// Replaces the file of a store atomically by a complete and durable file. The caller must have exclusive access to
  /// the store (``Store/holding(commit:_:)``), or the store must not exist yet.
  ///
  /// - Parameters:
  ///   - backup: A path at which the current file is kept; nothing may be there yet.
  ///   - overwriting: Whether a file may be at the path now.
  /// - Throws: ``StoreError``.
  package func put(
    _ replacement: String, inPlaceOf path: String, keeping backup: String? = nil,
    overwriting: Bool = true
  ) throws(StoreError) {
    let isDatabase: Bool
    do throws(DiskError) {
      let others = try [replacement, path].map { one throws(DiskError) in try self.isDatabase(one) }
      isDatabase = others.contains(true)
    } catch { throw StoreError(error, path: path) }
    if isDatabase, !overwriting {
      try refuseExisting(path)
      try refuseLogs(besides: path)
    }
    do throws(DiskError) {
      // The caller has exclusive access, so the whole database is in its file.
      if isDatabase { try removeLogs(besides: path) }
      try disk.put(replacement, inPlaceOf: path, keeping: backup, overwriting: overwriting)
    } catch { throw StoreError(error, path: path) }
  }

  /// Copies a store's file or folder to an unused path. The copy appears complete or not at all.
  ///
  /// - Throws: ``StoreError``.
  package func copy(_ path: String, to other: String) throws {
    for one in [path, other] { try refuseAddress(one) }
    do {
      guard try disk.status(of: path).kind == .directory else {
        try disk.copy(path, to: other)
        return try backend(ofStoreAt: path).completeCopy(at: other, on: disk)
      }
      try disk.make(other, overwriting: false) { try disk.copyTree(path, to: $0) }
    } catch let error as DiskError {
      throw StoreError(error, path: other)
    }
  }

  /// Replaces the file or folder of a store atomically by a copy of another store. The copied store stays.
  ///
  /// Readers of the old file continue to read it. A database that another connection has open is not replaced, and
  /// does not replace another store.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/badChange`` if both paths name the same store, or one
  ///   lies within the other. The old store stays in its place then.
  public func replace(_ path: String, with replacement: String) throws {
    for one in [path, replacement] { try refuseAddress(one) }
    do {
      if let overlap = try disk.overlap(ofOutput: path, withInput: replacement) {
        throw StoreError(
          .badChange,
          overlap == .same
            ? "A store can't be replaced by itself: '\(replacement)' is the same store."
            : "A store can't be replaced by a part of itself: '\(replacement)'.", path: path)
      }
      if try isDatabase(replacement) { try settleDatabase(replacement) }
      if try isDatabase(path) {
        do { try settleDatabase(path) } catch let error as StoreError where error.code != .locked {
          // A database that can't be opened is replaced with its log.
        }
      }
      try disk.make(path, overwriting: true, companionEndings: StorePlaces.companionEndings) {
        try disk.copyTree(replacement, to: $0)
      }
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }
}
