import Deflate
import DurableFiles
import Synchronization

/// A packed document that is being changed: its folder with a temporary name, and the lock of its file.
///
/// The lock belongs to the file and not to its name. A process that replaces the file therefore locks the new file before it
/// gives it the name, and a process that waits for a lock checks afterwards that its file still has the name.
final class PackedEdit: Sendable {
  /// The path of the folder.
  let folder: String
  /// The number that stands for the packed document in the places of its unpacked files (spec §8.3.8).
  let placeNumber: UInt64
  private let path: String
  private let disk: any Disk
  private let files: OpenFiles
  private let workspace: String
  private let state: Mutex<State>

  private struct State {
    /// The packed document as it was read or written last.
    var seen: SeenArchive
    /// Whether there was a commit. Programs may close files after it, which changes their first bytes and not their contents.
    var isCommitted = false
    /// Whether the last commit has failed.
    var isFailed = false
  }

  /// Locks and unpacks a packed document.
  init(
    _ path: String, on disk: any Disk, _ files: OpenFiles, waiting patience: Duration
  ) throws {
    self.path = path
    self.disk = disk
    self.files = files
    let seen = try SeenArchive(locking: path, on: disk, waiting: patience)
    // Leftovers do no harm, and a folder that can't be listed can't be written either.
    _ = try? disk.removeAbandonedReplacements(of: path)
    // The folder lies beside the file that is replaced, which a symbolic link may lead to: the new file must be on the same
    // file system. If no file can be made there, the old one can't be replaced.
    workspace = try disk.pathOfReplacement(for: path)
    let new = workspace.appendingPathComponent("new")
    folder = new.appendingPathComponent(path.trimmingSlashes.lastPathComponent)
    placeNumber = try seen.placeNumber ?? disk.calls.uniqueNumber()
    state = Mutex(State(seen: seen))
    try disk.makeDirectory(workspace, permissions: FilePermissions(rawValue: 0o700))
    do {
      try disk.makeDirectory(new)
      try disk.makeDirectory(folder)
      // The folder is worth nothing after a crash.
      try seen.archive.fill(folder, on: disk, isDurable: false)
    } catch {
      try? disk.removeTree(workspace)
      throw error
    }
  }

  /// Replaces the packed document if its contents have changed.
  func commit() throws {
    try state.withLock { state in
      state.isFailed = true
      var packing = FolderPacking(folder, on: disk)
      packing.completion = files.completion
      let ignored = state.isCommitted ? files.changedByClosing : { _ in 0 }
      guard try !state.seen.archive.hasContents(of: packing, except: ignored) else {
        state.isFailed = false
        return
      }
      let (_, file, failure) = try disk.replaceKeepingLock(path) { writer in
        let place = ArchivePlace(number: placeNumber, file: try writer.place)
        _ = try packing.write(to: &writer, place: place)
        // The check comes last, so that hardly any time is left for another program.
        try state.seen.checkIsUnchanged(path, on: disk)
      }
      let former = state.seen
      state.seen = try SeenArchive(path, file, on: disk)
      state.isCommitted = true
      former.release()
      if let failure { throw failure }
      state.isFailed = false
    }
  }

  /// Commits unless the last commit has failed.
  func finish() throws {
    if !state.withLock(\.isFailed) { try commit() }
  }

  /// Removes the folder, and releases the lock.
  func abandon() {
    try? disk.removeTree(workspace)
    state.withLock { $0.seen.release() }
  }
}

/// The file of a packed document at one moment, locked.
private struct SeenArchive: Sendable {
  let archive: Archive
  private let file: DurableFile
  private let status: FileStatus
  private let checksum: UInt32

  /// Locks a packed document. Waits while another process holds the lock.
  init(locking path: String, on disk: any Disk, waiting patience: Duration) throws {
    let deadline = disk.calls.uptime + patience
    while true {
      // Without the permission to write to the file, replacing it would be a trick.
      let file = try disk.open(path, for: .update)
      try file.lock(.exclusive, waiting: .upTo(max(deadline - disk.calls.uptime, .zero)))
      if try file.isStillAtItsPath() {
        try self.init(path, file, on: disk)
        return
      }
      try file.close()
    }
  }

  /// Reads a packed document that the caller has locked.
  init(_ path: String, _ file: DurableFile, on disk: any Disk) throws {
    self.file = file
    archive = try Archive(path, on: disk)
    status = try archive.file.status()
    guard status.identity == file.openingStatus.identity else { throw ArchiveError.changed(path) }
    checksum = try Self.checksum(of: archive.file)
  }

  /// The number that stands for the packed document; `nil` for a copy, or for a file that no program has changed in place.
  var placeNumber: UInt64? {
    get throws {
      guard let place = archive.place, try place.file == archive.file.place else { return nil }
      return place.number
    }
  }

  func release() {
    // A child process that another thread is starting may have a copy of the descriptor.
    try? file.unlock()
    try? file.close()
  }

  /// Throws an error if another program has written to the file or replaced it. Such a program does not know the lock.
  func checkIsUnchanged(_ path: String, on disk: any Disk) throws {
    guard let now = try disk.statusIfThere(path), now.identity == status.identity,
      now.byteCount == status.byteCount,
      now.modificationNanoseconds == status.modificationNanoseconds,
      try Self.checksum(of: archive.file) == checksum
    else { throw ArchiveError.changed(path) }
  }

  private static func checksum(of file: DurableFile) throws -> UInt32 {
    var checksum = CRC32()
    try file.forEachPiece { checksum.update($0.rawSpan) }
    return checksum.value
  }
}

extension Archive {
  /// Returns whether the archive contains the files of a folder with the same bytes.
  ///
  /// Folders are not compared, because other programs that pack a folder omit them.
  ///
  /// - Parameter ignored: Returns the number of first bytes of a file that are not compared.
  fileprivate func hasContents(
    of packing: FolderPacking, except ignored: (DurableFile) -> Int
  ) throws -> Bool {
    let items = try FolderContents(packing.folder, on: packing.disk).items
      .filter { $0.byteCount != nil }
    let files = entries.filter { !$0.isDirectory }
    guard items.count == files.count else { return false }
    let byPath = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
    var pairs: [(file: DurableFile, completion: FolderPacking.Completion?, entry: ArchiveEntry)] =
      []
    for item in items {
      guard let entry = byPath[item.path] else { return false }
      let file = try packing.open(item)
      let completion = packing.completion(file)
      let byteCount = try completion?.byteCount ?? file.byteCount()
      guard byteCount == entry.byteCount else { return false }
      pairs.append((file, completion, entry))
    }
    // A change is found in the manifest or in the log, rarely in the large files.
    for (file, completion, entry) in pairs.sorted(by: { $0.entry.byteCount < $1.entry.byteCount }) {
      guard try read(entry, equals: file, completion, from: ignored(file)) else { return false }
    }
    return true
  }

  private func read(
    _ entry: ArchiveEntry, equals file: DurableFile, _ completion: FolderPacking.Completion?,
    from start: Int
  ) throws -> Bool {
    struct Difference: Error {}
    var offset = 0
    do {
      try read(entry) { piece in
        var bytes = try file.read(byteCount: piece.byteCount, at: offset)
        if let start = completion?.start, offset < start.count {
          let count = min(start.count - offset, bytes.count)
          bytes.replaceSubrange(0..<count, with: start[offset..<offset + count])
        }
        let skipped = min(max(start - offset, 0), bytes.count)
        // SAFETY: The pointers are only read while the span and the array lend them.
        let isEqual = unsafe piece.withUnsafeBytes { left in
          unsafe bytes.withUnsafeBytes { right in
            unsafe left[skipped...].elementsEqual(right[skipped...])
          }
        }
        guard isEqual else { throw Difference() }
        offset += bytes.count
      }
      return true
    } catch is Difference { return false }
  }
}
