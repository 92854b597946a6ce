import DurableFiles
import Synchronization

/// A disk that leaves out syncs, for stores that make too little durable.
struct LazyDisk: Disk {
  let base: any Disk
  let fault: Fault
  private let progress = Progress()

  /// The open folders, and the number of syncs so far.
  private final class Progress: Sendable {
    let state = Mutex((folders: Set<Descriptor>(), syncs: 0))
  }

  init(_ base: any Disk, _ fault: Fault) { (self.base, self.fault) = (base, fault) }

  var calls: any DiskCalls { Calls(base: base.calls, fault: fault, progress: progress) }

  private struct Calls: DiskCalls {
    let base: any DiskCalls
    let fault: Fault
    let progress: Progress

    func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
      let isLeftOut = progress.state.withLock { state in
        state.syncs += 1
        switch fault {
        case .neverSyncs: return true
        case .syncsNoFolders: return state.folders.contains(descriptor)
        default: return state.syncs % 2 == 0
        }
      }
      if !isLeftOut { try base.sync(descriptor, scope) }
    }

    func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
      let descriptor = try base.open(path, request)
      if request.isDirectory { progress.state.withLock { _ = $0.folders.insert(descriptor) } }
      return descriptor
    }

    func close(_ descriptor: Descriptor) throws(ErrorNumber) {
      progress.state.withLock { _ = $0.folders.remove(descriptor) }
      try base.close(descriptor)
    }

    // MARK: - Calls that are passed on

    func read(
      _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
    ) throws(ErrorNumber) -> Int { try base.read(descriptor, into: &buffer, at: offset) }
    func write(
      _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
    ) throws(ErrorNumber) -> Int { try base.write(descriptor, bytes, at: offset) }
    func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
      try base.truncate(descriptor, to: byteCount)
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
}
