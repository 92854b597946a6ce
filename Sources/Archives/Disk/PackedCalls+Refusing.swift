import DurableFiles

/// What would write is refused; what asks about the machine is the disk's that the archive is on.
extension PackedCalls {
  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { throw .readOnlyFileSystem }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    throw .readOnlyFileSystem
  }

  /// There is nothing to make durable, which is what a system says of a file that was only read.
  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {}

  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) { throw .readOnlyFileSystem }

  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    throw .readOnlyFileSystem
  }

  func remove(_ path: String) throws(ErrorNumber) { throw .readOnlyFileSystem }

  func removeDirectory(_ path: String) throws(ErrorNumber) { throw .readOnlyFileSystem }

  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    throw .readOnlyFileSystem
  }

  func link(_ path: String, to newPath: String) throws(ErrorNumber) { throw .readOnlyFileSystem }

  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    throw .readOnlyFileSystem
  }

  var process: ProcessIdentity { archive.disk.calls.process }

  func isRunning(_ process: ProcessIdentity) -> Bool { archive.disk.calls.isRunning(process) }

  func uniqueNumber() -> UInt64 { archive.disk.calls.uniqueNumber() }

  var uptime: Duration { archive.disk.calls.uptime }

  func pause(for duration: Duration) { archive.disk.calls.pause(for: duration) }
}

extension ErrorNumber {
  /// The number for a failure of the archive's own file: what the system said, or that reading failed.
  static func of(_ error: any Error) -> ErrorNumber {
    (error as? DiskError)?.cause ?? .inputOutput
  }
}

extension FilePermissions {
  static let readable = FilePermissions(rawValue: 0o444)
  static let searchable = FilePermissions(rawValue: 0o555)
}
