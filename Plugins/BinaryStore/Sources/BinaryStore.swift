import BlockFileFormat
import Deflate
public import DurableFiles
public import Foundation
public import ObjectModel
public import Rows
public import StoreInterface
import Synchronization

/// A store in one file: blocks of rows behind one another, and after each save a record of what is
/// alive (spec §4).
///
///     let store = try BinaryStore.create(at: path, model: model)
///     let snapshot = try store.snapshot()
///     try store.commit(CommitRequest(changes, basedOn: snapshot))
///
/// Nothing that was written is ever overwritten: a save appends, so what somebody reads stays what it
/// is, in this process and in others. A save that small is durable with a single sync, and costs what
/// changed. Several processes may write; each sees what the others saved.
public final class BinaryStore: Store {
  /// The block file, plain or compressed.
  public let type: StoreType
  /// Commits append what changed, survive, are seen by others, can be opened later, and can wait for
  /// somebody's word.
  public var capabilities: StoreCapabilities { BinaryStore.capabilities }
  /// `true`: blocks name their columns by numbers, so a new model leaves them as they are.
  public var changesModelAlone: Bool { true }

  /// What such stores can do, compressed or not.
  public static let capabilities: StoreCapabilities = [
    .incremental, .durable, .shared, .history, .confirmation,
  ]
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// The file's path.
  public var path: String? { filePath }
  /// How the store behaves.
  public let options: BinaryStoreOptions

  let filePath: String
  let disk: any Disk
  let isReadOnly: Bool
  let uuid: UUID
  /// Whether a document names the commit that counts.
  let isLed: Bool
  /// The damage that the caller accepted when it opened the store; `nil` if there is none.
  private let damage: StoreError?
  /// The number of the newest commit of the file when it was opened, whether or not it counts.
  private let newestWhenOpened: Int64

  /// What readers need: the newest commit that is known.
  struct Current {
    var head: CommittedState
    /// The file as it was when it was last looked at; `nil` when it is to be looked at again.
    var seen: SeenState?
    /// The end of a commit of ours that failed and could not be taken back: it is not shown.
    var refused: Trailer?
    /// The commit that counts, where somebody else says which one does; what comes behind it is not shown.
    var counting: Int64?
  }
  let current: Mutex<Current?>

  /// By what a file is told to be as it was.
  struct SeenState {
    let byteCount: Int
    /// A save that was taken back and another in its place may come to the same size. `nil` where the file ends with
    /// a commit: nothing takes that one's place.
    let modificationNanoseconds: Int64?

    init(_ status: FileStatus) {
      byteCount = status.byteCount
      modificationNanoseconds = status.modificationNanoseconds
    }

    init(endingWith state: CommittedState) {
      byteCount = Int(state.end)
      modificationNanoseconds = nil
    }

    func isStill(_ other: SeenState) -> Bool {
      byteCount == other.byteCount
        && (modificationNanoseconds == nil
          || modificationNanoseconds == other.modificationNanoseconds)
    }
  }

  /// Keys set aside in the file that nobody has asked for yet: whoever asks does not wait for a save.
  struct Lease {
    var left: Range<UInt64> = 0..<0
    /// How many were asked for last.
    var wanted: UInt64 = 0
  }
  let leases = Mutex<[UInt16: Lease]>([:])

  /// What writers need. Whoever holds it is this process's only writer.
  struct Writing {
    /// Whether a sync of the file failed, so that nothing may be added to it any more.
    var mustRewrite = false
    /// How long the file must be before it is looked at again for what is dead.
    var nextVacuumEnd: UInt64 = 0
  }
  let writing = Mutex(Writing())

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
    isLed = commit != nil
    let end = file.openingByteCount
    // A document names the commit that counts, so it need not be the last acknowledged one.
    let newest =
      commit == nil && !acceptsDamage
      ? try file.acknowledgedCommit(before: end, slots: file.header.slots)
      : try file.newestCommit(before: end)
    var damage: StoreError?
    var counted = newest
    do {
      counted = try file.commit(counting: commit, from: newest, before: end)
      if acceptsDamage, commit == nil {
        damage = try file.damage(behind: newest, before: end, file.header.slots)
      }
    } catch let error as StoreError where acceptsDamage && error.code == .damaged {
      counted = try file.reading { try file.searchedCommit(before: end) { $0.number <= commit! } }
      damage = error
    }
    let (trailer, record) = counted
    self.damage = damage
    newestWhenOpened = max(record.number, newest.1.number)
    let head = try CommittedState(trailer, record, in: file, after: nil)
    current = Mutex(
      Current(head: head, seen: SeenState(file.file.openingStatus), counting: commit))
  }

  /// Creates a store without objects.
  ///
  /// - Parameters:
  ///   - isCompressed: Whether blocks are compressed: half the size, and slower to save and to load.
  ///   - overwriting: Whether a file that is there is replaced; otherwise it is an error with code
  ///     ``StoreError/Code/exists``.
  ///   - schema: The numbers that entities and properties have already; `nil` when they are numbered anew.
  /// - Throws: ``StoreError``; there is no new file then, or the old one.
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
        try writer.write(header.bytes(acknowledging: trailer) + commit)
      }
    } catch let error as DiskError {
      throw BinaryStore.failure(error, path)
    }
    return try open(path, on: disk, options: options)
  }

  /// Whether a file that begins with the given bytes, eight or more, is a block file.
  public static func recognizes(_ firstBytes: [UInt8]) -> Bool {
    firstBytes.starts(with: BlockFile.magic)
  }

  /// Opens a store.
  ///
  /// Takes constant time, however many objects the store has. A save that a crash cut off is passed
  /// over; a damaged save is an error.
  ///
  /// - Parameters:
  ///   - commit: The commit that a document names (``StoreInterface/StoreOpening/commit``).
  ///   - acceptsDamage: Whether a file whose last save is damaged opens at the newest commit that can
  ///     be read, for reading only (``StoreInterface/StoreOpening/acceptsDamage``).
  /// - Throws: ``StoreError`` with codes such as ``StoreError/Code/notFound``,
  ///   ``StoreError/Code/notAStore``, ``StoreError/Code/newerFormat``, ``StoreError/Code/damaged``.
  public static func open(
    _ path: String, on disk: any Disk = RealDisk(), readOnly: Bool = false, commit: Int64? = nil,
    acceptsDamage: Bool = false, options: BinaryStoreOptions = .init()
  ) throws -> BinaryStore {
    var opening = StoreOpening(readOnly: readOnly, commit: commit)
    opening.acceptsDamage = acceptsDamage
    return try open(path, on: disk, opening, options: options)
  }

  /// Opens a store whose file may be open already.
  static func open(
    _ path: String, on disk: any Disk, _ opening: StoreOpening, options: BinaryStoreOptions
  ) throws -> BinaryStore {
    let readOnly = opening.readOnly || opening.acceptsDamage
    return try BinaryStore(
      opening.file.map { try StoreFile($0) } ?? file(path, disk, readOnly), path: path, disk: disk,
      isReadOnly: readOnly, commit: opening.commit, acceptsDamage: opening.acceptsDamage,
      options: options)
  }

  /// What a store says of itself, without opening its model or its rows.
  ///
  /// - Throws: ``StoreError``.
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
      return try StoreFile(OpenedFile(path, on: disk, readOnly: readOnly))
    } catch let error as DiskError {
      throw failure(error, path)
    }
  }

  /// What the disk refused, as a store says it.
  static func failure(_ error: DiskError, _ path: String) -> StoreError {
    StoreError(error, path: path)
  }

  /// The objects as the newest commit left them, another process's included.
  public func snapshot() throws -> any StoreSnapshot { try head() }

  /// The newest commit that was seen.
  public func knownSnapshot() throws -> any StoreSnapshot {
    try current.withLock { current in
      guard let current else { throw closed }
      return current.head
    }
  }

  /// The newest commit, another process's included.
  func head() throws -> CommittedState {
    try current.withLock { current in
      guard current != nil else { throw closed }
      if !isLed { try refresh(&current!) }
      return current!.head
    }
  }

  /// Goes on to a commit that another process has made.
  public func advance(to position: StorePosition) throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      guard position.commit != current!.head.commit else { return }
      current!.counting = position.commit
      // Keys may have been set aside since, behind what counts.
      current!.seen = nil
      try refresh(&current!)
    }
  }

  /// How blocks that are written are compressed; `nil` when they are not.
  var compression: Deflate.Level? { type == .compressed ? options.compressionLevel : nil }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: filePath) }

  /// Looks for commits that somebody else made.
  func refresh(_ current: inout Current) throws {
    var file = current.head.file
    try file.reading {
      let seen: SeenState
      if let status = try file.file.statusAtItsPath() {
        seen = SeenState(status)
        if let known = current.seen, known.isStill(seen) { return }
      } else {
        // Replaced by a vacuum, or by another store: then what was read stays all there is to see.
        guard let other = try? BinaryStore.file(filePath, disk, isReadOnly),
          other.header.uuid == uuid
        else { return }
        file = other
        current.seen = nil
        seen = SeenState(other.file.openingStatus)
      }
      let (trailer, record) =
        current.counting == nil && damage == nil
        ? try file.acknowledgedCommit(before: seen.byteCount)
        : try file.newestCommit(before: seen.byteCount, counting: current.counting)
      if trailer == current.refused {
        current.seen = seen
        return
      }
      if file !== current.head.file || trailer != current.head.trailer {
        current.head = try CommittedState(trailer, record, in: file, after: current.head)
      }
      current.seen = seen
    }
  }

  /// Returns the format and size of the file, and the time of its last save.
  ///
  /// Bytes behind the last whole commit are the remains of a save that a crash cut off, unless the
  /// caller accepted damage. They stay until the file is written anew.
  public func describe() throws -> StoreDescription {
    let head = try head()
    return try head.file.reading {
      var description = StoreDescription()
      let header = head.file.header
      description.formatVersion = "\(header.majorVersion).\(header.minorVersion)"
      description.byteCount = try head.file.file.byteCount()
      description.liveByteCount = Int(clamping: head.record.liveByteCount)
      description.strayByteCount = max(0, description.byteCount - Int(head.end))
      description.savedAt = head.record.date
      description.damage = damage?.message
      description.highestCommit = max(head.commit, newestWhenOpened)
      return description
    }
  }

  /// Gives the file back. Snapshots stay readable.
  public func close() throws { current.withLock { $0 = nil } }
}
