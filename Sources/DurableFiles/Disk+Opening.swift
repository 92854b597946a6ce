extension Disk {
  /// Opens or creates a file.
  ///
  /// The descriptor is closed in child processes. A pipe, a socket or a device is refused without waiting. The name
  /// of a new file is durable only after ``syncDirectory(_:)``.
  ///
  /// - Throws: ``DiskError`` with codes such as `notFound`, `exists`, `isDirectory`, `permissionDenied`,
  ///   `symbolicLink`, `tooManyOpenFiles`.
  public func open(
    _ path: String, for mode: OpenMode, links: LinkRule = .followed,
    permissions: FilePermissions = .newFile
  ) throws(DiskError) -> DurableFile {
    let request = OpenRequest(mode, links: links, permissions: permissions)
    let descriptor = try openDescriptor(path, request)
    let file = try DurableFile(descriptor, path: path, allowsWriting: mode.allowsWriting, calls)
    switch file.openingStatus.kind {
    case .file: return file
    case .directory:
      throw .refused(.open, "\(mode.attempt)", path: path, cause: .isDirectory)
    case let kind:
      throw .notARegularFile(path: path, kind: kind)
    }
  }

  /// Reads a whole file that has at most `byteLimit` bytes.
  ///
  /// - Throws: ``DiskError`` with code `tooLarge`, before anything is read, if the file has more bytes.
  public func read(
    _ path: String, byteLimit: Int, links: LinkRule = .followed
  ) throws(DiskError) -> [UInt8] {
    let file = try open(path, for: .read, links: links)
    let byteCount = try file.byteCount()
    guard byteCount <= byteLimit else {
      throw .tooLarge(path: path, byteCount: byteCount, limit: byteLimit)
    }
    return try file.read(byteCount: byteCount, at: 0)
  }

  /// Opens the file or directory of a request, and repeats the call while signals interrupt it.
  func openDescriptor(
    _ path: String, _ request: OpenRequest
  ) throws(DiskError) -> Descriptor {
    try checkPath(path, .open)
    if case .refusedBelow(let directory) = request.links,
      path.pathComponents(below: directory) == nil
    {
      throw .invalidPath(.open, path: path, because: "the path may leave '\(directory)'")
    }
    do {
      return try repeating { () throws(ErrorNumber) in try calls.open(path, request) }
    } catch {
      throw .refused(.open, request.mode.attempt, path: path, cause: error)
    }
  }

  /// Throws if a path is empty or contains a null. A C string ends at its first null, so such a path would name
  /// another file.
  func checkPath(_ path: String, _ operation: DiskOperation) throws(DiskError) {
    guard !path.isEmpty else {
      throw .invalidPath(operation, path: path, because: "the path is empty")
    }
    // A save asks for several paths, so each is searched quickly.
    let bytes = path.utf8.span
    guard !bytes.indices.contains(where: { bytes[$0] == 0 }) else {
      throw .invalidPath(operation, path: path, because: "the path contains a null character")
    }
  }
}
