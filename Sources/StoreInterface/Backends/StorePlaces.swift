public import DurableFiles
public import ObjectModel

/// Backends and the disk that their stores lie on: what opens stores for those who know neither.
///
///     let places = StorePlaces(.builtIn, on: RealDisk())
///     let store = try places.open("Trips.store", type: nil, StoreOpening())
public struct StorePlaces: Sendable {
  /// The kinds of stores.
  public var backends: StoreBackends
  /// Where stores lie.
  public var disk: any Disk

  /// The given kinds of stores on the given disk.
  public init(_ backends: StoreBackends, on disk: any Disk) {
    self.backends = backends
    self.disk = disk
  }

  /// The backend of a type.
  ///
  /// - Throws: ``StoreError`` that names the types there are, or says why there is no plug-in for this one.
  public func backend(of type: StoreType) throws(StoreError) -> any StoreBackend {
    if let backend = backends[type] { return backend }
    if let explanation = backends.explanation(ofMissing: type) { throw explanation }
    let known = backends.types.map(\.rawValue).joined(separator: ", ")
    throw StoreError(
      .notAStore, "There is no backend for stores of type \"\(type.rawValue)\", but for: \(known).")
  }

  /// Whether there is something at a path.
  public func exists(_ path: String) throws(StoreError) -> Bool {
    do { return try disk.exists(path) } catch { throw StoreError(error, path: path) }
  }

  /// Whether two paths lead to the same file or folder, however they are written.
  ///
  /// - Throws: ``StoreError`` when that can't be seen. Paths that lead nowhere don't lead to the same.
  public func isSame(_ path: String, _ other: String) throws(StoreError) -> Bool {
    do {
      return try disk.status(of: path).identity == disk.status(of: other).identity
    } catch let error where error.code == .notFound || error.code == .notADirectory {
      return false
    } catch {
      throw StoreError(error, path: other)
    }
  }

  /// Opens a store, of the given type or of the one its first bytes tell.
  ///
  /// - Throws: ``StoreError``.
  public func open(
    _ path: String, type: StoreType? = nil, _ opening: StoreOpening = StoreOpening()
  ) throws -> any Store {
    guard let type else { return try backends.open(path, on: disk, opening) }
    return try backend(of: type).open(path, on: disk, opening)
  }

  /// Creates a store.
  ///
  /// - Throws: ``StoreError``.
  public func create(
    _ path: String, type: StoreType, model: Model, _ creation: StoreCreation = StoreCreation()
  ) throws -> any Store {
    try backend(of: type).create(at: path, model: model, on: disk, creation)
  }

  /// What a store says of itself, read without a model and without its rows.
  ///
  /// - Throws: ``StoreError``.
  public func metadata(at path: String, type: StoreType? = nil) throws -> StoreMetadata {
    guard let type else { return try backends.metadata(at: path, on: disk) }
    return try backend(of: type).metadata(at: path, on: disk)
  }

  /// The backend of a store that is there, seen from its first bytes.
  ///
  /// - Throws: ``StoreError``.
  public func backend(ofStoreAt path: String) throws -> any StoreBackend {
    try backends.backend(ofStoreAt: path, on: disk)
  }

  /// Removes a store's file, or folder, for good, and a database's log with it. Nothing happens when there is none.
  ///
  /// - Throws: ``StoreError``.
  public func destroy(_ path: String) throws(StoreError) {
    do {
      guard try disk.exists(path) else { return }
      if isDatabase(path) { try removeLogs(besides: path) }
      try disk.removeTree(path)
      try disk.syncDirectory(of: path)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// A name beside a store's, for a file that is made at length to take its place.
  ///
  /// - Throws: ``StoreError``.
  package func pathOfReplacement(for path: String) throws(StoreError) -> String {
    do { return try disk.pathOfReplacement(for: path) } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Removes what replacements of a store's file left behind that came to no end. Whoever calls holds the
  /// store.
  package func removeAbandonedReplacements(of path: String) {
    // It is litter: a store works as well with it.
    _ = try? disk.removeAbandonedReplacements(of: path)
  }

  /// Puts a file that is whole and durable in the place of a store's, at once. Whoever calls holds the store
  /// (``Store/holding(commit:_:)``), or there is none.
  ///
  /// - Parameters:
  ///   - backup: Another name for the file that is there now; nothing may have it yet.
  ///   - overwriting: Whether there may be a file now.
  /// - Throws: ``StoreError``.
  package func put(
    _ replacement: String, inPlaceOf path: String, keeping backup: String? = nil,
    overwriting: Bool = true
  ) throws(StoreError) {
    let isDatabase = isDatabase(replacement) || isDatabase(path)
    if isDatabase, !overwriting, try exists(path) {
      throw StoreError(.exists, "There is a file or a folder at the path already.", path: path)
    }
    if isDatabase, !overwriting { try refuseLogs(besides: path) }
    do throws(DiskError) {
      // All of what is held is in its file.
      if isDatabase { try removeLogs(besides: path) }
      try disk.put(replacement, inPlaceOf: path, keeping: backup, overwriting: overwriting)
    } catch { throw StoreError(error, path: path) }
  }

  /// Copies a store's file or folder to a path where nothing is. The copy is there whole or not at all.
  ///
  /// - Throws: ``StoreError``.
  package func copy(_ path: String, to other: String) throws {
    do {
      guard try disk.status(of: path).kind == .directory else {
        return try disk.copy(path, to: other)
      }
      try disk.make(other, overwriting: false) { try disk.copyTree(path, to: $0) }
    } catch let error as DiskError {
      throw StoreError(error, path: other)
    }
  }

  /// Puts a copy of one store's file, or folder, in the place of another's, at once. The store that is copied stays.
  ///
  /// Readers of the old file go on reading it. A database that another connection has open is not replaced, and takes
  /// no place.
  ///
  /// - Throws: ``StoreError``, with code ``StoreError/Code/badChange`` if both paths lead to the same store, or one lies
  ///   within the other. The old store is in its place then.
  public func replace(_ path: String, with replacement: String) throws {
    do {
      if let overlap = try disk.overlap(ofOutput: path, withInput: replacement) {
        throw StoreError(
          .badChange,
          overlap == .same
            ? "A store can't be replaced by itself: '\(replacement)' is the same store."
            : "A store can't be replaced by a part of itself: '\(replacement)'.", path: path)
      }
      if isDatabase(replacement) { try settleDatabase(replacement) }
      if isDatabase(path) {
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
