public import DurableFiles
import Foundation
public import ObjectModel
import Rows
import Synchronization

/// A store over a format whose files are read and written whole.
///
/// Opening reads everything; every commit writes everything to a new file, which takes the old one's
/// place at once, so the file holds the last commit or the one before, whatever happens. Several
/// processes may write: who comes to write looks under a lock whether the file is still the one that
/// was read. What another process saved is read anew, and the objects that differ then get a new
/// version, so that changes of them that were made meanwhile are conflicts.
///
/// Keys come from one count over all entities, so that a number alone names an object.
public final class AtomicStore: Store {
  /// The format's.
  public var type: StoreType { format.type }
  /// Commits survive, are seen by others, and can wait for somebody's word.
  public var capabilities: StoreCapabilities { AtomicStore.capabilities }
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// The file's path.
  public var path: String? { filePath }

  /// The file's path. In a document each commit has a file of its own.
  var filePath: String { current.withLock { $0?.path } ?? firstPath }

  /// What such stores can do, whatever their format.
  public static let capabilities: StoreCapabilities = [.durable, .shared, .confirmation]

  let format: any AtomicFormat
  private let firstPath: String
  let disk: any Disk
  let isReadOnly: Bool
  let uuid: UUID
  /// Whether the model was given, and not read.
  let hasGivenModel: Bool
  /// Whether somebody else says which commit counts, so that what is in the file is not looked for.
  let isLed: Bool
  /// How long a commit waits for another process's.
  let patience: Duration

  /// What readers need.
  struct Current {
    var head: LayeredSnapshot
    var nextKey: UInt64
    var path: String
    /// The file as it was read or written. Holding it open keeps its identity from being given away.
    var file: DurableFile
    var seen: FileStatus
    /// Whether this process is writing: what is at the path meanwhile is its own.
    var isWriting = false
    /// The size of a file that a commit which failed left at the path: it is not shown.
    var refusedByteCount: Int?
  }
  let current: Mutex<Current?>

  /// What writers need. Whoever holds it is this process's only writer.
  struct Writing {
    /// Keys set aside in the file that nobody has asked for yet.
    var lease: Range<UInt64> = 0..<0
    /// The next number of a link. Links have none that outlives the process.
    var nextLink: UInt64 = 1
    var hasTidied = false
  }
  let writing = Mutex(Writing())

  private init(
    _ format: any AtomicFormat, _ path: String, _ disk: any Disk, _ opening: StoreOpening,
    patience: Duration
  ) throws {
    self.format = format
    firstPath = path
    isLed = opening.commit != nil
    self.disk = disk
    isReadOnly = opening.readOnly
    hasGivenModel = opening.model != nil
    self.patience = patience
    let (file, seen, contents) = try AtomicStore.read(
      path, format, disk, readOnly: opening.readOnly, model: opening.model, evolving: nil)
    guard let uuid = contents.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    self.uuid = uuid
    tag = StoreTag(uuid)
    let head = try AtomicStore.snapshot(contents, as: opening.commit ?? 1)
    current = Mutex(
      Current(head: head, nextKey: contents.nextKey, path: path, file: file, seen: seen))
  }

  /// Creates a store without objects.
  ///
  /// - Throws: ``StoreError``; there is no new file then, or the old one.
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
        try format.write(contents, to: &writer)
      }
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
    return try open(
      path, format: format, on: disk, StoreOpening(model: model), patience: patience)
  }

  /// The first number that a store sets aside, which is what Core Data's XML stores begin with.
  static let firstKey: UInt64 = 102

  /// Opens a store and reads all it holds.
  ///
  /// - Throws: ``StoreError``.
  public static func open(
    _ path: String, format: any AtomicFormat, on disk: any Disk,
    _ opening: StoreOpening = StoreOpening(), patience: Duration = .seconds(10)
  ) throws -> AtomicStore {
    try AtomicStore(format, path, disk, opening, patience: patience)
  }

  /// Opens and reads a file.
  static func read(
    _ path: String, _ format: any AtomicFormat, _ disk: any Disk, readOnly: Bool, model: Model?,
    evolving schema: Schema?
  ) throws -> (DurableFile, FileStatus, AtomicContents) {
    do {
      let file = try disk.open(path, for: readOnly ? .read : .update)
      // Looked at first: what changes while it is read shows as a change the next time.
      let seen = try file.status()
      var contents = try format.read(file, model: model, evolving: schema)
      // The next commit writes the whole file, and Core Data reads files in XML too.
      contents.metadata.updateVersionHashes(of: contents.model)
      return (file, seen, contents)
    } catch let error as DiskError {
      // A file that ends earlier than it did is being changed by somebody who does not replace it.
      throw StoreError(error, path: path)
    }
  }

  /// What a file holds, as a commit of the given number.
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

  /// The objects as the newest commit left them, another process's included.
  public func snapshot() throws -> any StoreSnapshot {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      return current!.head
    }
  }

  /// The file's size, and when it was saved.
  public func describe() throws -> StoreDescription {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      var description = StoreDescription()
      description.formatVersion = format.version
      description.byteCount = current!.seen.byteCount
      description.liveByteCount = current!.seen.byteCount
      description.savedAt = Date(
        timeIntervalSince1970: Double(current!.seen.modificationNanoseconds) / 1e9)
      return description
    }
  }

  /// Gives the file back. Snapshots stay readable.
  public func close() throws { current.withLock { $0 = nil } }
}
