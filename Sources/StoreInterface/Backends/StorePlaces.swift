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
  /// - Throws: ``StoreError`` that names the types there are.
  public func backend(of type: StoreType) throws(StoreError) -> any StoreBackend {
    if let backend = backends[type] { return backend }
    let known = backends.types.map(\.rawValue).joined(separator: ", ")
    throw StoreError(
      .notAStore, "There is no backend for stores of type \"\(type.rawValue)\", but for: \(known).")
  }

  /// Whether there is something at a path.
  public func exists(_ path: String) throws(StoreError) -> Bool {
    do { return try disk.exists(path) } catch { throw StoreError(error, path: path) }
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

  /// Removes a store's file for good. Nothing happens when there is none.
  ///
  /// - Throws: ``StoreError``.
  public func destroy(_ path: String) throws(StoreError) {
    do {
      guard try disk.exists(path) else { return }
      try disk.remove(path)
      try disk.syncDirectory(of: path)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Puts one store's file in the place of another's, at once. What was open goes on reading what it
  /// had.
  ///
  /// - Throws: ``StoreError``.
  public func replace(_ path: String, with replacement: String) throws(StoreError) {
    do {
      try disk.rename(replacement, to: path)
      try disk.syncDirectory(of: path)
    } catch {
      throw StoreError(error, path: path)
    }
  }
}
