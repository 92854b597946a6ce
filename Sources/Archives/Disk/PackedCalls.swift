import DurableFiles
import Synchronization

/// The system calls of a packed disk.
final class PackedCalls: Sendable {
  let archive: Archive
  let tree: PackedTree
  private let folderStatus: FileStatus
  private let state = Mutex(State())

  private struct State {
    var openFiles: [Descriptor: OpenFile] = [:]
    var nextDescriptor: Int32 = 3
    /// The bytes of expanded files, by path.
    var expanded: [String: [UInt8]] = [:]
    var expandedByteCount = 0
    /// The reasons why files could not be expanded, by path.
    var reasons: [String: ArchiveError] = [:]
    /// The numbers of the opened lock files, by path.
    var lockFiles: [String: UInt64] = [:]
  }

  struct OpenFile: Sendable {
    var place: String
    var contents: Contents

    enum Contents: Sendable {
      case directory
      /// An entry with its bytes uncompressed in the archive.
      case stored(ArchiveEntry)
      case memory([UInt8])
      /// A file that exists only to be locked.
      case lockFile
    }
  }

  init(_ archive: Archive, at folder: String) {
    self.archive = archive
    tree = PackedTree(archive.entries, at: folder)
    folderStatus = archive.file.openingStatus
  }

  func reason(for path: String) -> ArchiveError? {
    guard let place = try? tree.place(of: path) else { return nil }
    return state.withLock { $0.reasons[place] }
  }
}

// MARK: - Opening

extension PackedCalls: DiskCalls {
  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    let place = try tree.place(of: path)
    let contents = try contents(at: place, request)
    return state.withLock { state in
      let descriptor = Descriptor(rawValue: state.nextDescriptor)
      state.nextDescriptor += 1
      state.openFiles[descriptor] = OpenFile(place: place, contents: contents)
      return descriptor
    }
  }

  private func contents(
    at place: String, _ request: OpenRequest
  ) throws(ErrorNumber) -> OpenFile.Contents {
    let node: PackedTree.Node
    do throws(ErrorNumber) { node = try tree.node(at: place) } catch .noEntry {
      if try isLockFile(place, opening: request.mode) { return .lockFile }
      throw request.mode == .create || request.mode == .updateOrCreate
        ? .readOnlyFileSystem : .noEntry
    }
    switch (request.mode, node.entry) {
    case (.create, _): throw .exists
    case (.read, let entry?) where !entry.isDirectory:
      guard !request.isDirectory else { throw .notDirectory }
      return entry.isStored ? .stored(entry) : .memory(try expand(entry))
    case (.read, _): return .directory
    case (_, let entry?) where !entry.isDirectory: throw .readOnlyFileSystem
    default: throw .isDirectory
    }
  }

  /// Whether a hidden name can be opened as a lock file.
  private func isLockFile(
    _ place: String, opening mode: OpenMode
  ) throws(ErrorNumber) -> Bool {
    let parts = place.utf8.split(separator: UInt8(ascii: "/"))
    guard let name = parts.last, name.first == UInt8(ascii: ".") else { return false }
    let parent = parts.dropLast().map { String(Substring($0)) }.joined(separator: "/")
    guard try tree.node(at: parent).isDirectory else { throw .notDirectory }
    return state.withLock { state in
      if state.lockFiles[place] == nil {
        guard mode == .updateOrCreate else { return false }
        state.lockFiles[place] = UInt64.max - UInt64(state.lockFiles.count)
      }
      return mode != .create
    }
  }

  /// Returns the bytes of a compressed entry, which is expanded once.
  private func expand(_ entry: ArchiveEntry) throws(ErrorNumber) -> [UInt8] {
    try state.withLock { state throws(ErrorNumber) in
      if let bytes = state.expanded[entry.path] { return bytes }
      let limit = archive.limits.memoryByteCount - state.expandedByteCount
      do {
        let bytes = try archive.bytes(of: entry, byteLimit: limit)
        state.expanded[entry.path] = bytes
        state.expandedByteCount += bytes.count
        return bytes
      } catch let error as ArchiveError {
        state.reasons[entry.path] = error
        throw error.code == .tooLarge ? ErrorNumber.fileTooLarge : .badMessage
      } catch {
        throw ErrorNumber.of(error)
      }
    }
  }

  func close(_ descriptor: Descriptor) throws(ErrorNumber) {
    let file = state.withLock { $0.openFiles.removeValue(forKey: descriptor) }
    guard file != nil else { throw .badDescriptor }
  }

  // MARK: Reading

  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    switch try file(descriptor).contents {
    case .directory: throw .isDirectory
    case .lockFile: return 0
    case .memory(let bytes):
      let count = min(buffer.byteCount, max(0, bytes.count - offset))
      guard count > 0 else { return 0 }
      // SAFETY: `count` bytes are there from `offset` on, and the buffer has room for as many.
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { source in
          unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + count]))
        }
      }
      return count
    case .stored(let entry):
      let count = min(buffer.byteCount, max(0, entry.byteCount - offset))
      guard count > 0 else { return 0 }
      var start = buffer._mutatingExtracting(..<count)
      do throws(DiskError) {
        try archive.file.read(into: &start, at: entry.dataOffset + offset)
      } catch { throw ErrorNumber.of(error) }
      return count
    }
  }

  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    let file = try file(descriptor)
    return try status(at: file.place)
  }

  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    try status(at: tree.place(of: path))
  }

  private func status(at place: String) throws(ErrorNumber) -> FileStatus {
    var status = folderStatus
    status.nameCount = 1
    // The identity of the archive's own file distinguishes files of different archives.
    status.identity.device = folderStatus.identity.device << 40 ^ folderStatus.identity.inode
    if let number = state.withLock({ $0.lockFiles[place] }) {
      status.byteCount = 0
      status.permissions = .readable
      status.identity.inode = number
      return status
    }
    let node = try tree.node(at: place)
    status.kind = node.isDirectory ? .directory : .file
    status.byteCount = node.entry?.byteCount ?? 0
    status.permissions = node.isDirectory ? .searchable : .readable
    status.identity.inode = node.number
    return status
  }

  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    let file = try file(descriptor)
    guard case .directory = file.contents else { throw .notDirectory }
    return try tree.node(at: file.place).children
  }

  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    _ = try tree.node(at: tree.place(of: path))
    throw .invalidArgument
  }

  private func file(_ descriptor: Descriptor) throws(ErrorNumber) -> OpenFile {
    guard let file = state.withLock({ $0.openFiles[descriptor] }) else { throw .badDescriptor }
    return file
  }

  // MARK: Locking

  /// Accepts shared locks, which never conflict, so no state is kept. Rejects exclusive locks, because they precede a
  /// write.
  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    _ = try file(descriptor)
    guard kind == .shared else { throw .readOnlyFileSystem }
  }

  func unlock(_ descriptor: Descriptor) throws(ErrorNumber) { _ = try file(descriptor) }
}
