// SAFETY: The host's functions stay valid as long as the store that received them, which keeps this table. Texts and
// buffers are lent for the length of each call.

import CStorePlugin
import DurableFiles
import PluginExchange
import StoreInterface

/// The disk that the host offers.
struct HostDisk: Disk {
  let host: HostTable

  var calls: any DiskCalls { HostCalls(host: host) }
}

/// The services that the host gives to a plug-in.
@safe
struct HostTable: @unchecked Sendable {
  // Sendable: the host's functions may be called from any thread, and the table never changes.
  let host: UnsafePointer<QuireHost>
  /// A copy of the disk's functions.
  let disk: QuireDisk

  /// - Throws: An error if the host has another version of the interface, or a structure that is too small.
  @unsafe init(_ host: UnsafePointer<QuireHost>) throws {
    let version = unsafe host.pointee.abi_version
    guard version == UInt32(QUIRE_PLUGIN_ABI) else {
      throw StoreError(
        .notSupported,
        "The host uses version \(version) of the interface, but the plug-in uses version \(QUIRE_PLUGIN_ABI)."
      )
    }
    unsafe try PluginStructures.check(host.pointee.struct_size, of: QuireHost.self)
    unsafe self.host = host
    unsafe disk = try PluginStructures.copy(of: host.pointee.disk)
  }
}

/// The disk calls of the host, passed through unchanged.
private struct HostCalls: DiskCalls {
  let host: HostTable

  private func check(_ result: Int32) throws(ErrorNumber) -> Int32 {
    if result < 0 { throw ErrorNumber(rawValue: 0 &- result) }
    return result
  }

  private func check(_ result: Int64) throws(ErrorNumber) -> Int {
    if result < 0 { throw ErrorNumber(rawValue: Int32(truncatingIfNeeded: 0 &- result)) }
    return Int(result)
  }

  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    var mode: Int32 =
      switch request.mode {
      case .read: Int32(QUIRE_OPEN_READ)
      case .update: Int32(QUIRE_OPEN_UPDATE)
      case .create: Int32(QUIRE_OPEN_CREATE)
      case .updateOrCreate: Int32(QUIRE_OPEN_UPDATE_OR_CREATE)
      }
    if request.isDirectory { mode |= Int32(QUIRE_OPEN_DIRECTORY) }
    if request.links == .refused { mode |= Int32(QUIRE_OPEN_NO_LINK) }
    let disk = unsafe host.disk
    let permissions = UInt32(request.permissions.rawValue)
    if case .refusedBelow(let directory) = request.links {
      return Descriptor(
        rawValue: try check(
          unsafe disk.open(disk.context, path, mode, permissions, directory)))
    }
    return Descriptor(
      rawValue: try check(unsafe disk.open(disk.context, path, mode, permissions, nil)))
  }

  func close(_ descriptor: Descriptor) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.close(disk.context, descriptor.rawValue))
  }

  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    let disk = unsafe host.disk
    let limit = buffer.byteCount
    let count = try check(
      unsafe buffer.withUnsafeMutableBytes {
        unsafe disk.read(
          disk.context, descriptor.rawValue, $0.baseAddress, UInt64($0.count), UInt64(offset))
      })
    guard count <= limit else { throw .inputOutput }
    return count
  }

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    let disk = unsafe host.disk
    return try check(
      unsafe bytes.withUnsafeBytes {
        unsafe disk.write(
          disk.context, descriptor.rawValue, $0.baseAddress, UInt64($0.count), UInt64(offset))
      })
  }

  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.truncate(disk.context, descriptor.rawValue, UInt64(byteCount)))
  }

  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(
      unsafe disk.sync(disk.context, descriptor.rawValue, scope == .everything ? 1 : 0))
  }

  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    let disk = unsafe host.disk
    var status = QuireFileStatus()
    _ = try check(unsafe disk.status(disk.context, descriptor.rawValue, &status))
    return FileStatus(status)
  }

  func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace {
    let disk = unsafe host.disk
    let birth = unsafe disk.birth(disk.context, descriptor.rawValue)
    return FilePlace(inode: inode, birthNanoseconds: birth)
  }

  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(
      unsafe disk.set_permissions(
        disk.context, descriptor.rawValue, UInt32(permissions.rawValue)))
  }

  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(
      unsafe disk.lock(disk.context, descriptor.rawValue, kind == .exclusive ? 1 : 0))
  }

  func unlock(_ descriptor: Descriptor) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.unlock(disk.context, descriptor.rawValue))
  }

  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    let disk = unsafe host.disk
    let found = EntryList()
    _ = try check(
      unsafe disk.list(
        disk.context, descriptor.rawValue,
        { context, name, kind in
          guard let context = unsafe context, let name = unsafe name else { return 0 }
          unsafe Unmanaged<EntryList>.fromOpaque(context).takeUnretainedValue().entries.append(
            DirectoryEntry(name: String(cString: name), kind: FileKind(pluginKind: kind)))
          return 0
        }, Unmanaged.passUnretained(found).toOpaque()))
    return found.entries
  }

  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    let disk = unsafe host.disk
    var status = QuireFileStatus()
    _ = try check(
      unsafe disk.status_of(disk.context, path, followingLinks ? 1 : 0, &status))
    return FileStatus(status)
  }

  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(
      unsafe disk.make_directory(disk.context, path, UInt32(permissions.rawValue)))
  }

  func remove(_ path: String) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.remove(disk.context, path))
  }

  func removeDirectory(_ path: String) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.remove_directory(disk.context, path))
  }

  func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.rename(disk.context, path, newPath))
  }

  func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.link(disk.context, path, newPath))
  }

  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    let disk = unsafe host.disk
    _ = try check(unsafe disk.make_symbolic_link(disk.context, path, destination))
  }

  func realPath(of path: String) throws(ErrorNumber) -> String {
    let disk = unsafe host.disk
    var bytes = unsafe QuireBytes.none
    _ = try check(unsafe disk.real_path(disk.context, path, &bytes))
    guard let found = unsafe bytes.taken() else { throw .inputOutput }
    return String(decoding: found, as: UTF8.self)
  }

  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    let disk = unsafe host.disk
    var bytes = unsafe QuireBytes.none
    _ = try check(unsafe disk.read_symbolic_link(disk.context, path, &bytes))
    return String(decoding: unsafe bytes.taken() ?? [], as: UTF8.self)
  }

  var process: ProcessIdentity {
    let disk = unsafe host.disk
    var process = QuireProcess()
    unsafe disk.process(disk.context, &process)
    return ProcessIdentity(process)
  }

  func isRunning(_ process: ProcessIdentity) -> Bool {
    let disk = unsafe host.disk
    var process = process.pluginProcess
    return unsafe disk.is_running(disk.context, &process) != 0
  }

  func uniqueNumber() -> UInt64 {
    let disk = unsafe host.disk
    return unsafe disk.unique_number(disk.context)
  }

  var uptime: Duration {
    let disk = unsafe host.disk
    return .nanoseconds(Int64(clamping: unsafe disk.uptime(disk.context)))
  }

  func pause(for duration: Duration) {
    let disk = unsafe host.disk
    unsafe disk.pause(disk.context, duration.pluginNanoseconds)
  }
}

/// The entries of a directory, collected while the host lists them.
private final class EntryList {
  var entries: [DirectoryEntry] = []
}
