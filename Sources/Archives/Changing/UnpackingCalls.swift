import DurableFiles
import Synchronization

/// The calls of an ``UnpackingDisk``: those of the disk below, with the folder of an unpacked document in place of the packed
/// document.
final class UnpackingCalls: SystemFileCalls {
  private let base: any DiskCalls
  private let folders = Mutex<[Folder]>([])
  /// The place of each open file of a folder. It is that of the packed document, because the files are made again each time.
  private let places = Mutex<[Descriptor: FilePlace]>([:])

  private struct Folder {
    let place: PlaceInTree
    let path: String
    let placeNumber: UInt64
  }

  init(_ base: any DiskCalls) { self.base = base }

  /// Makes paths into a packed document lead to its folder.
  func lead(_ path: String, to folder: String, placeNumber: UInt64) {
    folders.withLock {
      $0.append(Folder(place: PlaceInTree(path), path: folder, placeNumber: placeNumber))
    }
  }

  /// Makes every path lead to where the disk below leads it.
  func leadNowhere() { folders.withLock { $0 = [] } }

  /// Returns the path on the disk below.
  private func below(_ path: String) -> String { target(of: path).path }

  /// Returns the path on the disk below, and the folder that it is in.
  private func target(of path: String) -> (path: String, folder: Folder?) {
    folders.withLock { folders in
      guard !folders.isEmpty else { return (path, nil) }
      let place = PlaceInTree(path)
      for folder in folders {
        guard let rest = place.names(below: folder.place) else { continue }
        let path =
          rest.isEmpty
          ? folder.path : folder.path.appendingPathComponent(rest.joined(separator: "/"))
        return (path, folder)
      }
      return (path, nil)
    }
  }

  // MARK: - Calls with a path

  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    var request = request
    if case .refusedBelow(let directory) = request.links {
      request.links = .refusedBelow(below(directory))
    }
    let (path, folder) = target(of: path)
    let descriptor = try base.open(path, request)
    if let number = folder?.placeNumber {
      places.withLock { $0[descriptor] = FilePlace(inode: number, birthNanoseconds: 0) }
    }
    return descriptor
  }

  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    try base.status(of: below(path), followingLinks: followingLinks)
  }

  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    try base.makeDirectory(below(path), permissions)
  }

  func remove(_ path: String) throws(ErrorNumber) { try base.remove(below(path)) }

  func removeDirectory(_ path: String) throws(ErrorNumber) {
    try base.removeDirectory(below(path))
  }

  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.rename(below(path), to: below(newPath))
  }

  func exchange(_ path: String, with other: String) throws(ErrorNumber) {
    try base.exchange(below(path), with: below(other))
  }

  func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.link(below(path), to: below(newPath))
  }

  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    try base.makeSymbolicLink(below(path), to: destination)
  }

  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    try base.readSymbolicLink(below(path))
  }

  func realPath(of path: String) throws(ErrorNumber) -> String {
    try base.realPath(of: below(path))
  }

  // MARK: - Calls with a descriptor

  func close(_ descriptor: Descriptor) throws(ErrorNumber) {
    // The number may belong to another file as soon as this one is closed.
    places.withLock { $0[descriptor] = nil }
    try base.close(descriptor)
  }

  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { try base.read(descriptor, into: &buffer, at: offset) }

  func storedBytes(_ descriptor: Descriptor, from offset: Int) -> Int? {
    base.storedBytes(descriptor, from: offset)
  }

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { try base.write(descriptor, bytes, at: offset) }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    try base.truncate(descriptor, to: byteCount)
  }

  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    try base.sync(descriptor, scope)
  }

  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    try base.status(descriptor)
  }

  func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace {
    places.withLock { $0[descriptor] } ?? base.place(descriptor, inode: inode)
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

  // MARK: - Calls about the machine

  var process: ProcessIdentity { base.process }

  func isRunning(_ process: ProcessIdentity) -> Bool { base.isRunning(process) }

  func uniqueNumber() -> UInt64 { base.uniqueNumber() }

  func abandon(temporaryNumber: UInt64) { base.abandon(temporaryNumber: temporaryNumber) }

  func hasAbandoned(temporaryNumber: UInt64) -> Bool {
    base.hasAbandoned(temporaryNumber: temporaryNumber)
  }

  var uptime: Duration { base.uptime }

  func pause(for duration: Duration) { base.pause(for: duration) }
}
