public import DurableFiles
import Foundation
public import ObjectModel
import Rows
import Threads

/// A store over a format whose files are read and written whole.
///
/// Opening reads the whole file. Every commit writes a new file, which replaces the old file atomically. So after a
/// crash the file contains the last commit or the one before. Several processes may write: a writer checks under a
/// lock whether the file is still the one that it read. If another process has saved, the file is read again. Each
/// object that differs gets a new version, so pending changes of this object are conflicts.
///
/// All entities share one sequence of numbers, so a number alone identifies an object.
public final class AtomicStore: ConfirmingStore {
  /// The type of the format.
  public var type: StoreType { format.type }
  /// Commits are durable, are visible to all processes, and can wait for a confirmation.
  public var features: StoreFeatures { StoreFeatures(AtomicStore.capabilities, confirming: self) }
  /// The tag that object identifiers of this store contain.
  public let tag: StoreTag
  public var path: String? { filePath }

  /// The path of the current file. In a document each commit has a separate file.
  var filePath: String { current.withLock { $0?.path } ?? firstPath }

  /// The capabilities of atomic stores of any format.
  public static let capabilities: StoreCapabilities = [.durable, .shared, .confirmation]

  let format: any AtomicFormat
  private let firstPath: String
  let disk: any Disk
  let isReadOnly: Bool
  let uuid: UUID
  /// Whether the caller gave the model, so that it is not read from the file.
  let hasGivenModel: Bool
  /// Whether a document determines the commit that counts, so the store does not look for newer files.
  let isPartOfDocument: Bool
  /// The maximum time that a commit waits for another process to release the lock.
  let patience: Duration

  /// The state that readers need.
  struct Current {
    var head: LayeredSnapshot
    var nextKey: UInt64
    /// The number of the next link. The file does not contain numbers of links, so they are valid only for this store
    /// object. The first reading numbers links from the highest number downwards. All later links take ascending
    /// numbers, and no number is used again: unsaved changes of a context may name a link that is gone.
    var nextLink: UInt64 = 1
    var path: String
    /// The file that was last read or written. While it is open, the system can't reuse its identity.
    var file: DurableFile
    var seen: FileStatus
    /// Whether this process is writing, so that the file at the path is its own.
    var isWriting = false
    /// Whether the file is a copy of the file that its writer made (spec §5.5.5).
    var isCopy: Bool
    /// The size of the file that a failed commit left at the path. The store does not show its contents.
    var refusedByteCount: Int?
  }
  let current: Guarded<Current?>

  /// The state that writers need. The lock holder is the only writer of this process.
  struct Writing {
    /// Keys that are reserved in the file and not leased to a caller yet.
    var lease: Range<UInt64> = 0..<0
    var hasTidied = false
  }
  let writing = Guarded(Writing())

  private init(
    _ format: any AtomicFormat, _ path: String, _ disk: any Disk, _ opening: StoreOpening,
    patience: Duration
  ) throws {
    self.format = format
    firstPath = path
    isPartOfDocument = opening.commit != nil
    self.disk = disk
    isReadOnly = opening.readOnly
    hasGivenModel = opening.model != nil
    self.patience = patience
    let (file, seen, contents, isCopy) = try AtomicStore.read(
      path, format, disk, readOnly: opening.readOnly, model: opening.model, evolving: nil)
    guard let uuid = contents.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    self.uuid = uuid
    tag = StoreTag(uuid)
    let head = try AtomicStore.snapshot(contents, as: opening.commit ?? 1)
    current = Guarded(
      Current(
        head: head, nextKey: contents.nextKey, path: path, file: file, seen: seen, isCopy: isCopy))
  }

  /// Creates a store without objects.
  ///
  /// - Throws: ``StoreError``; no new file is created then, and an old file stays.
  public static func create(
    at path: String, model: Model, format: any AtomicFormat, on disk: any Disk,
    _ creation: StoreCreation = StoreCreation(), patience: Duration = .seconds(10)
  ) throws -> AtomicStore {
    let schema = try creation.schema(of: model, path: path)
    let contents = AtomicContents(
      model: model, schema: schema,
      metadata: StoreMetadata(uuid: creation.uuid, type: format.type, model: model), layers: [],
      nextKey: AtomicStore.firstKey)
    do {
      try disk.replace(path, overwriting: creation.overwriting) { writer in
        let placed = try contents.placed(in: writer)
        try format.write(placed, to: &writer)
      }
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
    return try open(
      path, format: format, on: disk, StoreOpening(model: model), patience: patience)
  }

  /// The first number that a store reserves. Core Data's XML stores begin with the same number.
  static let firstKey: UInt64 = 102

  /// Opens a store and reads its whole contents.
  ///
  /// - Throws: ``StoreError``.
  public static func open(
    _ path: String, format: any AtomicFormat, on disk: any Disk,
    _ opening: StoreOpening = StoreOpening(), patience: Duration = .seconds(10)
  ) throws -> AtomicStore {
    try AtomicStore(format, path, disk, opening, patience: patience)
  }

  /// Opens and reads a file, and looks whether it is a copy.
  static func read(
    _ path: String, _ format: any AtomicFormat, _ disk: any Disk, readOnly: Bool, model: Model?,
    evolving schema: Schema?
  ) throws -> (DurableFile, FileStatus, AtomicContents, isCopy: Bool) {
    do {
      let file = try disk.open(path, for: readOnly ? .read : .update)
      // The status is read first, so a change during the read is detected at the next refresh.
      let seen = try file.status()
      var contents = try format.read(file, model: model, evolving: schema)
      let isCopy = try contents.isCopy(in: file)
      try contents.prepareForCounting()
      return (file, seen, contents, isCopy)
    } catch let error as DiskError {
      // If the file is shorter than its status says, another program is changing it in place.
      throw StoreError(error, path: path)
    }
  }

  /// Returns the contents of a file as a snapshot of the given commit number.
  static func snapshot(
    _ contents: AtomicContents, as number: Int64
  ) throws -> LayeredSnapshot {
    var head = LayeredSnapshot(
      commit: number, model: contents.model, schema: contents.schema, schemaNumber: number,
      metadata: contents.metadata)
    head.layers = try contents.layers.map { try $0.stamped(number) }
    return head
  }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: firstPath) }

  /// Returns a snapshot of the newest commit, including commits by another process.
  public func snapshot() throws -> any StoreSnapshot {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      return current!.head
    }
  }

  /// Returns the size of the file and the time of its last change.
  public func describe() throws -> StoreSummary {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      var description = StoreSummary()
      description.formatVersion = format.version
      description.byteCount = current!.seen.byteCount
      description.liveByteCount = current!.seen.byteCount
      description.savedAt = Date(
        timeIntervalSince1970: Double(current!.seen.modificationNanoseconds) / 1e9)
      return description
    }
  }

  /// Closes the file. Snapshots stay readable.
  public func close() throws { current.withLock { $0 = nil } }
}
