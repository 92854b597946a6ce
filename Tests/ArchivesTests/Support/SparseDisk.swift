import DiskSimulation
import DurableFiles
import Foundation

/// A simulated disk on which zeros written at the end of a file take no memory, so that files may be larger than
/// memory.
struct SparseDisk: Disk {
  let base = SimulatedDisk()

  var calls: any DiskCalls { SparseCalls(base: base.calls) }
}

private struct SparseCalls: DiskCalls {
  let base: any DiskCalls

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    // The bytes are all zero if the first is zero and each byte equals the next.
    let isZero = bytes.withUnsafeBytes { bytes in
      bytes.count > 4096 && bytes[0] == 0
        && memcmp(bytes.baseAddress!, bytes.baseAddress! + 1, bytes.count - 1) == 0
    }
    guard isZero, try base.status(descriptor).byteCount == offset else {
      return try base.write(descriptor, bytes, at: offset)
    }
    try base.truncate(descriptor, to: offset + bytes.byteCount)
    return bytes.byteCount
  }

  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    try base.open(path, request)
  }
  func close(_ descriptor: Descriptor) throws(ErrorNumber) { try base.close(descriptor) }
  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { try base.read(descriptor, into: &buffer, at: offset) }
  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    try base.truncate(descriptor, to: byteCount)
  }
  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    try base.sync(descriptor, scope)
  }
  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    try base.status(descriptor)
  }
  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) { try base.setPermissions(descriptor, to: permissions) }
  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    try base.lock(descriptor, kind)
  }
  func unlock(_ descriptor: Descriptor) throws(ErrorNumber) { try base.unlock(descriptor) }
  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    try base.list(descriptor)
  }
  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    try base.status(of: path, followingLinks: followingLinks)
  }
  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    try base.makeDirectory(path, permissions)
  }
  func remove(_ path: String) throws(ErrorNumber) { try base.remove(path) }
  func removeDirectory(_ path: String) throws(ErrorNumber) { try base.removeDirectory(path) }
  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.rename(path, to: newPath)
  }
  func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.link(path, to: newPath)
  }
  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    try base.makeSymbolicLink(path, to: destination)
  }
  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    try base.readSymbolicLink(path)
  }
  var process: ProcessIdentity { base.process }
  func isRunning(_ process: ProcessIdentity) -> Bool { base.isRunning(process) }
  func uniqueNumber() -> UInt64 { base.uniqueNumber() }
  var uptime: Duration { base.uptime }
  func pause(for duration: Duration) { base.pause(for: duration) }
}
