// SAFETY: Where a call takes a path, Swift lends it as a C string for the length of the call, and the system keeps no
// pointer to it. The other calls have their own SAFETY comment.

import Threads

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

extension SystemCalls {
  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    var result = stat()
    // SAFETY: The system fills the structure it is given, and keeps no pointer to it.
    let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
    try check(unsafe fstatat(AT_FDCWD, path, &result, flags))
    return FileStatus(result)
  }

  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    try named(unsafe mkdir(path, mode_t(permissions.rawValue)))
  }

  /// Makes a call that creates or changes a name, but waits while the process is ending.
  private func named(_ call: @autoclosure () -> Int32) throws(ErrorNumber) {
    try TemporaryFiles.naming.withLock { () throws(ErrorNumber) in _ = try check(call()) }
  }

  func remove(_ path: String) throws(ErrorNumber) {
    try check(unsafe unlinkat(AT_FDCWD, path, 0))
  }

  func removeDirectory(_ path: String) throws(ErrorNumber) {
    try check(unsafe unlinkat(AT_FDCWD, path, AT_REMOVEDIR))
  }

  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    try named(unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath))
  }

  func exchange(_ path: String, with other: String) throws(ErrorNumber) {
    #if canImport(Darwin)
      try named(unsafe renamex_np(path, other, UInt32(RENAME_SWAP)))
    #else
      guard let exchange = unsafe SystemCalls.renameWithFlags else { throw .noSuchCall }
      try named(unsafe exchange(AT_FDCWD, path, AT_FDCWD, other, 2))
    #endif
  }

  #if !canImport(Darwin)
    private typealias RenameWithFlags =
      @convention(c) @Sendable (
        CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
      ) -> CInt

    /// `renameat2`, which Swift does not import and some C libraries lack. Its flag `RENAME_EXCHANGE` is 2.
    ///
    /// SAFETY: The type is that of the function in `renameat2(2)`.
    private static let renameWithFlags: RenameWithFlags? = unsafe unsafeBitCast(
      dlsym(nil, "renameat2"), to: RenameWithFlags?.self)
  #endif

  func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    try named(unsafe linkat(AT_FDCWD, path, AT_FDCWD, newPath, 0))
  }

  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    try named(unsafe symlinkat(destination, AT_FDCWD, path))
  }

  func realPath(of path: String) throws(ErrorNumber) -> String { path }

  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    // SAFETY: The system writes at most `count` bytes to memory the array lends.
    let count = try check(
      unsafe bytes.withUnsafeMutableBytes {
        unsafe readlinkat(
          AT_FDCWD, path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
      })
    // A result that fills the buffer may be truncated.
    guard count < bytes.count else { throw .nameTooLong }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    // The stream takes ownership of a descriptor, so it gets one of its own. SAFETY: The name is a literal.
    let copy = try check(unsafe openat(descriptor.rawValue, ".", O_RDONLY | O_CLOEXEC, 0))
    guard let stream = unsafe fdopendir(copy) else {
      let error = ErrorNumber(rawValue: errno)
      try? close(Descriptor(rawValue: copy))
      throw error
    }
    // SAFETY: The stream is ours alone until it is closed here, which closes its descriptor. The
    // entry that `readdir` returns is valid until the next call on the same stream.
    defer { unsafe closedir(stream) }
    var entries: [DirectoryEntry] = []
    while true {
      // Only `errno` distinguishes the end from a failure.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw ErrorNumber(rawValue: errno) }
        return entries
      }
      let name = unsafe Self.name(of: entry)
      if name == "." || name == ".." { continue }
      if let kind = unsafe FileKind(directoryType: entry.pointee.d_type) {
        entries.append(DirectoryEntry(name: name, kind: kind))
      } else if let kind = try kind(of: name, in: descriptor) {
        entries.append(DirectoryEntry(name: name, kind: kind))
      }
    }
  }

  /// Returns the kind of an entry whose file system does not list kinds, or `nil` if the entry no longer exists.
  private func kind(
    of name: String, in directory: Descriptor
  ) throws(ErrorNumber) -> FileKind? {
    var result = stat()
    do throws(ErrorNumber) {
      // SAFETY: The system fills the structure it is given, and keeps no pointer to it.
      try check(unsafe fstatat(directory.rawValue, name, &result, AT_SYMLINK_NOFOLLOW))
    } catch .noEntry {
      return nil
    }
    return FileStatus(result).kind
  }

  @unsafe
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // SAFETY: The name is a C string inside the entry. A copy of the field would cut a name that is longer than the
    // declared field, and read beyond an entry that is shorter. Access by the field's offset does neither.
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return "" }
    let start = unsafe UnsafeRawPointer(entry) + offset
    return unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}

extension FileStatus {
  init(_ system: stat) {
    #if canImport(Darwin)
      let modified = system.st_mtimespec
    #else
      let modified = system.st_mtim
    #endif
    let kind: FileKind =
      switch system.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .special
      }
    self.init(
      kind: kind,
      byteCount: Int(system.st_size),
      modificationNanoseconds: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
      permissions: FilePermissions(rawValue: UInt16(truncatingIfNeeded: system.st_mode)),
      identity: FileIdentity(
        device: UInt64(truncatingIfNeeded: system.st_dev),
        inode: UInt64(truncatingIfNeeded: system.st_ino)),
      nameCount: Int(system.st_nlink), owner: system.st_uid)
  }
}

extension FileKind {
  /// Returns the kind in a directory entry, or `nil` if the file system lists no kinds.
  fileprivate init?(directoryType: UInt8) {
    switch Int(directoryType) {
    case Int(DT_UNKNOWN): return nil
    case Int(DT_REG): self = .file
    case Int(DT_DIR): self = .directory
    case Int(DT_LNK): self = .symbolicLink
    default: self = .special
    }
  }
}
