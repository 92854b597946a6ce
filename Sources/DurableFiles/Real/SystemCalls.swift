import Threads

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The operating system's calls, without changes.
struct SystemCalls: SystemFileCalls {
  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    switch request.mode {
    case .read, .update: return try openNow(path, request)
    case .create, .updateOrCreate:
      return try TemporaryFiles.naming.withLock { () throws(ErrorNumber) in
        try openNow(path, request)
      }
    }
  }

  private func openNow(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    let flags = request.flags
    let mode = mode_t(request.permissions.rawValue)
    if case .refusedBelow(let directory) = request.links {
      return try open(path, below: directory, flags, mode)
    }
    if let kept = LockedFile.take(path, request) { return kept }
    // SAFETY: Swift lends the path as a C string for the length of the call.
    let descriptor = unsafe openFile(path, flags, mode)
    guard descriptor >= 0 else { throw refusal(of: path, in: AT_FDCWD, flags) }
    return Descriptor(rawValue: descriptor)
  }

  func close(_ descriptor: Descriptor) throws(ErrorNumber) {
    if !LockedFile.keep(descriptor) { try closeNow(descriptor) }
  }

  /// Closes a descriptor, even if the system then releases locks of other code on the file.
  func closeNow(_ descriptor: Descriptor) throws(ErrorNumber) {
    try check(closeFile(descriptor.rawValue))
  }

  /// Returns whether a descriptor was opened for writing.
  func allowsWriting(_ descriptor: Descriptor) -> Bool {
    fcntl(descriptor.rawValue, F_GETFL) & O_ACCMODE == O_RDWR
  }

  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    // SAFETY: The system writes at most `count` bytes to memory the span lends.
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe pread(descriptor.rawValue, $0.baseAddress, $0.count, off_t(offset))
    }
    return try check(count)
  }

  func storedBytes(_ descriptor: Descriptor, from offset: Int) -> Int? {
    #if canImport(Darwin)
      let stored: Int32 = 4  // SEEK_DATA
    #else
      let stored: Int32 = 3  // SEEK_DATA
    #endif
    // All reads and writes give their own offset, so the offset of the descriptor itself does not matter.
    let found = lseek(descriptor.rawValue, off_t(offset), stored)
    if found >= 0 { return Int(found) }
    return errno == ENXIO ? nil : offset
  }

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    // SAFETY: The system reads at most `count` bytes of memory the span lends.
    let count = unsafe bytes.withUnsafeBytes {
      unsafe pwrite(descriptor.rawValue, $0.baseAddress, $0.count, off_t(offset))
    }
    return try check(count)
  }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    try check(ftruncate(descriptor.rawValue, off_t(byteCount)))
  }

  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    #if canImport(Darwin)
      // On Darwin `fsync` leaves the bytes in the drive's own cache. A file system without `F_FULLFSYNC` returns one
      // of these errors, and `fsync` is then the best available. After any other error, `fsync` would be a second
      // try, which may succeed without having written anything.
      do throws(ErrorNumber) {
        try check(fcntl(descriptor.rawValue, F_FULLFSYNC))
      } catch .notSupported, .invalidArgument, ErrorNumber(rawValue: ENOTTY) {
        try check(fsync(descriptor.rawValue))
      }
    #else
      switch scope {
      case .contents: try check(fdatasync(descriptor.rawValue))
      case .everything: try check(fsync(descriptor.rawValue))
      }
    #endif
  }

  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    var result = stat()
    // SAFETY: The system fills the structure it is given, and keeps no pointer to it.
    try check(unsafe fstat(descriptor.rawValue, &result))
    return FileStatus(result)
  }

  func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace {
    FilePlace(inode: inode, birthNanoseconds: birthNanoseconds(descriptor))
  }

  private func birthNanoseconds(_ descriptor: Descriptor) -> Int64 {
    #if canImport(Darwin)
      var result = stat()
      // SAFETY: The system fills the structure it is given, and keeps no pointer to it.
      guard unsafe fstat(descriptor.rawValue, &result) == 0 else { return 0 }
      let (seconds, rest) = (result.st_birthtimespec.tv_sec, result.st_birthtimespec.tv_nsec)
      return Int64(seconds) &* 1_000_000_000 &+ Int64(rest)
    #else
      guard let extendedStatus = unsafe SystemCalls.extendedStatus else { return 0 }
      // The words of a `struct statx`: the first 4 bytes tell which fields are known, and bytes 80 to 91 are the time.
      var words = [UInt64](repeating: 0, count: 32)
      // SAFETY: The system writes at most the 256 bytes of the structure, and keeps no pointer to it.
      let result = unsafe extendedStatus(descriptor.rawValue, "", 0x1000, 0x800, &words)
      guard result == 0, words[0].littleEndian & 0x800 != 0 else { return 0 }
      let rest = UInt32(truncatingIfNeeded: words[11].littleEndian)
      return Int64(bitPattern: words[10]) &* 1_000_000_000 &+ Int64(rest)
    #endif
  }

  #if !canImport(Darwin)
    private typealias ExtendedStatus =
      @convention(c) @Sendable (
        CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutablePointer<UInt64>
      ) -> CInt

    /// `statx`, which Swift does not import. Its flag `AT_EMPTY_PATH` is 0x1000, and its mask `STATX_BTIME` is 0x800.
    ///
    /// SAFETY: The type is that of the function in `statx(2)`, with a `struct statx` of 256 bytes as 32 words.
    private static let extendedStatus: ExtendedStatus? = unsafe unsafeBitCast(
      dlsym(nil, "statx"), to: ExtendedStatus?.self)
  #endif

  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) {
    try check(fchmod(descriptor.rawValue, mode_t(permissions.rawValue)))
  }

  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    try setLock(descriptor, kind == .shared ? Int32(F_RDLCK) : Int32(F_WRLCK))
  }

  func unlock(_ descriptor: Descriptor) throws(ErrorNumber) {
    try setLock(descriptor, Int32(F_UNLCK))
  }

  private func setLock(_ descriptor: Descriptor, _ kind: Int32) throws(ErrorNumber) {
    // All fields but the kind are zero: the whole file from its beginning, and no process, as a lock of an open file
    // description requires.
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    // SAFETY: The system reads the structure it is given, and keeps no pointer to it.
    let result = unsafe withUnsafeMutablePointer(to: &request) {
      unsafe fcntl(descriptor.rawValue, setLockCommand, $0)
    }
    try check(result)
  }

  /// Opens a file below a directory one name at a time. So no name on the way can be a link, even if another process
  /// puts a link there meanwhile.
  private func open(
    _ path: String, below directory: String, _ flags: Int32, _ mode: mode_t
  ) throws(ErrorNumber) -> Descriptor {
    guard let names = path.pathComponents(below: directory), let last = names.last else {
      throw .invalidArgument
    }
    let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    // SAFETY: Swift lends each name as a C string for the length of its call.
    var parent = try check(unsafe openFile(directory, directoryFlags, 0))
    defer { _ = closeFile(parent) }
    for name in names.dropLast() {
      let child = unsafe openat(parent, name, directoryFlags | O_NOFOLLOW, 0)
      guard child >= 0 else { throw refusal(of: name, in: parent, directoryFlags | O_NOFOLLOW) }
      _ = closeFile(parent)
      parent = child
    }
    let descriptor = unsafe openat(parent, last, flags | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw refusal(of: last, in: parent, flags | O_NOFOLLOW) }
    return Descriptor(rawValue: descriptor)
  }

  /// Returns the reason that an open failed. Where a directory is required, Linux reports "not a directory" for a
  /// link that must not be followed; this function reports a link.
  private func refusal(of name: String, in parent: Int32, _ flags: Int32) -> ErrorNumber {
    let error = ErrorNumber(rawValue: errno)
    var result = stat()
    // SAFETY: Swift lends the name for the call, and the system fills the structure.
    guard error == .notDirectory, flags & O_NOFOLLOW != 0,
      unsafe fstatat(parent, name, &result, AT_SYMLINK_NOFOLLOW) == 0,
      FileStatus(result).kind == .symbolicLink
    else { return error }
    return .tooManyLinks
  }
}

extension OpenRequest {
  /// The system's flags for this request.
  ///
  /// The flags always include close-on-exec and non-blocking. A pipe in place of a file would block the opener until
  /// another process writes to it; non-blocking has no effect on files.
  fileprivate var flags: Int32 {
    var flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    switch mode {
    case .read: flags |= O_RDONLY
    case .update: flags |= O_RDWR
    case .create: flags |= O_RDWR | O_CREAT | O_EXCL
    case .updateOrCreate: flags |= O_RDWR | O_CREAT
    }
    if isDirectory { flags |= O_DIRECTORY }
    if links != .followed { flags |= O_NOFOLLOW }
    return flags
  }
}

/// Returns the result of a system call, or throws the error in `errno`.
@discardableResult
func check<Value: SignedInteger>(_ value: Value) throws(ErrorNumber) -> Value {
  guard value >= 0 else { throw ErrorNumber(rawValue: errno) }
  return value
}

#if canImport(Darwin)
  /// The value of `F_OFD_SETLK` in <sys/fcntl.h>.
  private let setLockCommand: Int32 = 90
#else
  /// The value of `F_OFD_SETLK` in <fcntl.h>, which declares it only with GNU's extensions.
  private let setLockCommand: Int32 = 37
#endif

// These functions exist because methods with the same names hide the system's functions inside the type above.

@unsafe
private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  // SAFETY: The caller guarantees that the C string is valid.
  unsafe open(path, flags, mode)
}

private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
