import DurableFiles

/// Rejects every call that would write. Calls about the machine go to the disk of the archive.
extension PackedCalls {
  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { throw .readOnlyFileSystem }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    throw .readOnlyFileSystem
  }

  /// Does nothing, as a system does for a file that was only read.
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
  /// Returns the error number for a failure of the archive's own file: the system's number, or that of a failed read.
  static func of(_ error: any Error) -> ErrorNumber {
    (error as? DiskError)?.cause ?? .inputOutput
  }
}

extension FilePermissions {
  static let readable = FilePermissions(rawValue: 0o444)
  static let searchable = FilePermissions(rawValue: 0o555)
}
