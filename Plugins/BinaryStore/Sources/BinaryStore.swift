import BlockFileFormat
import Deflate
public import DurableFiles
public import Foundation
public import ObjectModel
public import Rows
public import StoreInterface
import Threads

/// A store in one file: a sequence of blocks of rows, and for each save a record of the data that are alive (spec §4).
///
///     let store = try BinaryStore.create(at: path, model: model)
///     let snapshot = try store.snapshot()
///     try store.commit(CommitRequest(changes, basedOn: snapshot))
///
/// Written rows are never overwritten: a save appends, so the data of each reader stay unchanged, in every process. A
/// small save is durable with a single sync, and its cost depends on the size of the changes. Several processes may
/// write; each of them reads the saves of all.
public final class BinaryStore: ConfirmingStore {
  /// The store type: the block file, plain or compressed.
  public let type: StoreType
  /// The features of the store. Blocks identify their columns by numbers, so a new model leaves them unchanged.
  public var features: StoreFeatures {
    StoreFeatures(
      BinaryStore.capabilities, changesModelAlone: true, history: self, confirming: self,
      groupCommits: self, vacuuming: self)
  }

  /// The capabilities of all such stores, compressed or not: commits append changes, are durable, are visible to other
  /// processes, can be opened later, and can wait for a confirmation.
  public static let capabilities: StoreCapabilities = [
    .incremental, .durable, .shared, .history, .confirmation,
  ]
  /// The tag of the store in object identifiers.
  public let tag: StoreTag
  public var path: String? { filePath }
  /// The options of the store.
  public let options: BinaryStoreOptions

  let filePath: String
  let disk: any Disk
  let isReadOnly: Bool
  let uuid: UUID
  /// Whether a document determines which commit of the file the store shows.
  let isPartOfDocument: Bool
  /// The damage that the caller accepted when it opened the store; `nil` if the file is sound.
  private let damage: StoreError?
  /// The number of the newest commit in the file when it was opened, even if the document names an earlier commit.
  private let newestWhenOpened: Int64

  /// The state that readers need: the newest known commit.
  struct Current {
    var head: CommittedState
    /// The state of the file at the last check; `nil` if it must be checked again.
    var seen: SeenState?
    /// The trailer of a commit of this process that failed and could not be removed. Readers do not see that commit.
    var refused: Trailer?
    /// The number of the commit that counts, if a document names it. Later commits are not shown.
    var counting: Int64?
    /// The newest commit that waits for a sync of this process; `nil` if none does. Readers do not look at the file
    /// meanwhile.
    var waiting: CommittedState?
  }
  let current: Guarded<Current?>

  let leases = KeyLeases()

  /// The state that writers need. The thread that holds it is this process's only writer.
  struct Writing {
    /// The bytes of the file that the next commit may use, if no other process has written since; `nil` if unknown.
    var free: FreeBytes?
    /// Whether this process has made a commit, so that closing the store completes the file.
    var hasCommitted = false
    /// Whether a sync of the file failed, so that nothing may be appended to it.
    var mustRewrite = false
    /// The length that the file must reach before it is checked again for dead bytes.
    var nextVacuumEnd: UInt64 = 0
    /// The size of the file, if this process wrote last and holds the lock; `nil` if it must be looked at.
    var byteCount: Int?
    /// The commits that wait for a sync; `nil` if none does.
    var group: CommitGroup?
    /// The number of callers that need the file without a group.
    var soloCount = 0
    /// Whether the lock of the file should stay free for a moment, because this process has just held it for long.
    var mustPause = false
    /// The highest number of a commit that was not made durable. Contexts may have seen it, so it is not used again.
    var numberToExceed: Int64 = 0
    /// The file that is known to be the one that its writer made, and not a copy; `nil` if it was not looked at yet.
    weak var placedFile: StoreFile?
  }
  let writing = Guarded(Writing())
  let groupSync = GroupSync()

  private init(
    _ file: StoreFile, path: String, disk: any Disk, isReadOnly: Bool, commit: Int64?,
    acceptsDamage: Bool, options: BinaryStoreOptions
  ) throws {
    filePath = path
    self.disk = disk
    self.isReadOnly = isReadOnly || acceptsDamage
    self.options = options
    uuid = file.header.uuid
    type = file.header.isCompressed ? .compressed : .binary
    tag = StoreTag(uuid)
    isPartOfDocument = commit != nil
    let end = file.openingByteCount
    var damage: StoreError?
    var newest: (Trailer, CommitRecord)
    var counted: (Trailer, CommitRecord)
    if let commit {
      do { (counted, newest) = try file.commit(counting: commit, before: end) } catch let error
        as StoreError where acceptsDamage && error.code == .damaged
      {
        counted = try file.newestCommit(before: end) { $0 <= commit }
        (newest, damage) = (counted, error)
      }
    } else if acceptsDamage {
      (newest, damage) = try file.judgedCommit(before: end, file.header.slots)
      counted = newest
    } else {
      newest = try file.acknowledgedCommit(before: end, slots: file.header.slots)
      counted = newest
    }
    let (trailer, record) = counted
    self.damage = damage
    newestWhenOpened = max(record.number, newest.1.number)
    let head = try CommittedState(trailer, record, in: file, after: nil)
    current = Guarded(
      Current(
        head: head,
        // With bytes behind the commit, the file needs another look.
        seen: Int(head.end) >= end
          ? SeenState(file.file.openingStatus, used: end, last: head) : nil,
        counting: commit))
  }

  /// Creates a store without objects.
  ///
  /// - Parameters:
  ///   - isCompressed: Whether blocks are compressed: half the size, and slower to save and to load.
  ///   - overwriting: Whether an existing file is replaced; otherwise an existing file is an error with code
  ///     `StoreError.Code.exists`.
  ///   - schema: The existing numbers of entities and properties; `nil` to number them again.
  ///
  /// - Throws: `StoreError`. In this case no file is created or replaced.
  public static func create(
    at path: String, model: Model, uuid: UUID = UUID(), isCompressed: Bool = false,
    on disk: any Disk = RealDisk(), overwriting: Bool = false, schema: Schema? = nil,
    options: BinaryStoreOptions = .init()
  ) throws -> BinaryStore {
    let metadata = StoreMetadata(
      uuid: uuid, type: isCompressed ? .compressed : .binary, model: model)
    let schema = try StoreCreation(schema: schema).schema(of: model, path: path)
    var image = CommitImage(
      number: 1, previousTrailer: 0, start: UInt64(BlockFile.headerByteCount))
    try image.setDescription(metadata: metadata, model: model, schema: schema)
    let header = FileHeader(
      uuid: uuid, salt: .random(in: 1 ... .max), isCompressed: isCompressed)
    let (commit, trailer) = try image.finished(salt: header.salt)
    do {
      try disk.replace(path, overwriting: overwriting) { writer in
        var header = header
        header.place = header.mark(of: try writer.place)
        try writer.write(
          header.bytes(acknowledging: trailer, fileByteCount: trailer.end) + commit)
      }
    } catch let error as DiskError {
      throw BinaryStore.failure(error, path)
    }
    return try open(path, on: disk, options: options)
  }

  /// Returns whether a file that begins with the given bytes, eight or more, is a block file.
  public static func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: BlockFile.magic)
  }

  /// Opens a store.
  ///
  /// Takes constant time, however many objects the store has. A save that a crash cut off is skipped; a damaged save is
  /// an error.
  ///
  /// - Parameters:
  ///   - commit: The commit that a document names (`StoreOpening.commit`).
  ///   - acceptsDamage: Whether a file whose last save is damaged opens at the newest commit that can be read, for
  ///     reading only (`StoreOpening.acceptsDamage`).
  ///
  /// - Throws: `StoreError` with codes such as `StoreError.Code.notFound`, `StoreError.Code.notAStore`,
  ///   `StoreError.Code.newerFormat`, `StoreError.Code.damaged`.
  public static func open(
    _ path: String, on disk: any Disk = RealDisk(), readOnly: Bool = false, commit: Int64? = nil,
    acceptsDamage: Bool = false, options: BinaryStoreOptions = .init()
  ) throws -> BinaryStore {
    var opening = StoreOpening(readOnly: readOnly, commit: commit)
    opening.acceptsDamage = acceptsDamage
    return try open(path, on: disk, opening, options: options)
  }

  /// Opens a store from the opened file in `opening`, if there is one.
  static func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening, options: BinaryStoreOptions
  ) throws -> BinaryStore {
    let readOnly = opening.readOnly || opening.acceptsDamage
    return try BinaryStore(
      opening.file.map { try StoreFile($0, isReadOnly: readOnly) }
        ?? file(path, disk, readOnly), path: path, disk: disk, isReadOnly: readOnly,
      commit: opening.commit, acceptsDamage: opening.acceptsDamage,
      options: options)
  }

  /// Returns the metadata of a store, without reading its model or its rows.
  ///
  /// - Throws: `StoreError`.
  public static func metadata(
    at path: String, on disk: any Disk = RealDisk()
  ) throws -> StoreMetadata {
    let file = try file(path, disk, true)
    let (_, record) = try file.acknowledgedCommit(
      before: file.openingByteCount, slots: file.header.slots)
    return try CommittedState.metadata(record, file)
  }

  static func file(_ path: String, _ disk: any Disk, _ readOnly: Bool) throws -> StoreFile {
    do {
      return try StoreFile(
        OpenedFile(path, on: disk, readOnly: readOnly), isReadOnly: readOnly)
    } catch let error as DiskError {
      throw failure(error, path)
    }
  }

  static func failure(_ error: DiskError, _ path: String) -> StoreError {
    StoreError(error, path: path)
  }

  /// Returns the snapshot of the newest commit, including commits of other processes.
  public func snapshot() throws -> any StoreSnapshot { try head() }

  /// Returns the snapshot of the newest known commit, without reading the file.
  public func knownSnapshot() throws -> any StoreSnapshot { try knownHead() }

  /// Returns the newest commit that this process knows.
  func knownHead() throws -> CommittedState {
    try current.withLock { current in
      guard let current else { throw closed }
      return current.head
    }
  }

  /// Returns the newest commit, including commits of other processes.
  func head() throws -> CommittedState { try look().head }

  /// Returns the newest commit, including commits of other processes, and the size of its file if the file is at its path
  /// and this process wrote last.
  ///
  /// The document tells its store which commit counts, so its readers need not look at the file. A writer must: another
  /// process may have reserved keys since, in a commit of the same number.
  ///
  /// - Parameter isWriting: Whether this process holds the lock of the file.
  func look(isWriting: Bool = false) throws -> (head: CommittedState, byteCount: Int?) {
    try current.withLock { current in
      guard current != nil else { throw closed }
      if isPartOfDocument && !isWriting || current!.waiting != nil { return (current!.head, nil) }
      let isUnchanged = try refresh(&current!)
      return (current!.head, isUnchanged ? current!.seen?.byteCountOfOwn : nil)
    }
  }

  /// Advances to a commit that another process has made.
  public func advance(to position: StorePosition) throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      guard position.commit != current!.head.commit else { return }
      current!.counting = position.commit
      // Another process may have reserved keys since, behind the commit that counts.
      current!.seen = nil
      try refresh(&current!)
    }
  }

  /// The compression level of new blocks; `nil` if the store is not compressed.
  var compression: Deflate.Level? { type == .compressed ? options.compressionLevel : nil }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: filePath) }

  /// Checks the file for commits of other processes.
  ///
  /// - Returns: Whether the file is at its path and was not written since the last look or commit of this process.
  @discardableResult
  func refresh(_ current: inout Current) throws -> Bool {
    var file = current.head.file
    return try file.reading {
      let status: FileStatus
      var known: Trailer?
      if let now = try file.file.statusAtItsPath() {
        status = now
        if try current.seen?.isStill(status, of: file) ?? false { return true }
        known = current.head.trailer
      } else {
        // The file was replaced by a vacuum, or by another store. In the latter case, this store keeps showing its
        // known commit.
        guard
          let other = try readIfSound({ try BinaryStore.file(filePath, disk, isReadOnly) }),
          other.header.uuid == uuid
        else { return false }
        file = other
        current.seen = nil
        status = other.file.openingStatus
      }
      // Another process may remove the tail at this moment.
      let used =
        (try? file.file.endOfNonzeroBytes(before: status.byteCount)) ?? status.byteCount
      let (trailer, record): (Trailer, CommitRecord)
      if let counting = current.counting {
        (trailer, record) = try file.commit(counting: counting, before: status.byteCount).found
      } else if damage == nil {
        (trailer, record) = try file.acknowledgedCommit(before: status.byteCount, after: known)
      } else {
        (trailer, record) = try file.standingCommit(before: status.byteCount, file.readSlots())
      }
      let isNew = file !== current.head.file || trailer != current.head.trailer
      if isNew, trailer != current.refused {
        current.head = try CommittedState(trailer, record, in: file, after: current.head)
      }
      current.seen = SeenState(status, used: used, last: current.head)
      return false
    }
  }

  /// Returns the format and size of the file, and the time of its last save.
  ///
  /// Bytes behind the last whole commit, up to a tail of zeros, are the remains of a save that a crash cut off, unless the
  /// caller accepted damage. They stay until the file is written again.
  public func describe() throws -> StoreSummary {
    let head = try head()
    return try head.file.reading {
      var description = StoreSummary()
      let header = head.file.header
      description.formatVersion = "\(header.majorVersion).\(header.minorVersion)"
      description.features = header.features
      description.byteCount = try head.file.file.byteCount()
      description.liveByteCount = Int(clamping: head.record.liveByteCount)
      let end = try head.file.file.endOfNonzeroBytes(before: description.byteCount)
      description.strayByteCount = max(0, end - Int(head.end))
      description.savedAt = head.record.date
      description.damage = damage?.message
      description.highestCommit = max(head.commit, newestWhenOpened)
      return description
    }
  }

  /// Closes the store. Its snapshots stay readable.
  ///
  /// After a commit, this completes the file: the header names the last commit, and zeros behind it are removed. Closing
  /// succeeds also if the disk refuses that.
  public func close() throws {
    try? completeFile()
    current.withLock { $0 = nil }
  }
}
