// SAFETY: SQLite calls each function with a file that `open` has filled in, and calls `close` once. Buffers have the
// sizes that SQLite passes.

import CSQLite3
import DurableFiles
import Synchronization

/// A database that SQLite only reads, through a ``DurableFiles/Disk`` of Quire: the virtual file system over that
/// disk.
///
/// The file system takes no locks and has no shared memory. SQLite reads the log beside the file together with the
/// file.
final class MountedDatabase {
  /// The name by which SQLite knows the file.
  let name: String
  private let number: Int
  private let mount: Mount

  /// The name of the file system in SQLite, unique to this copy of the code: a program and a plug-in that it loads
  /// may each contain a copy, and share one SQLite.
  static let fileSystemName = "quire-disk-\(UInt(bitPattern: unsafe methods))"

  /// The disk and path of a mounted database, and the status of its files when it was mounted.
  struct Mount: Sendable {
    let disk: any Disk
    let path: String
    let status: FileStatus
    let logStatus: FileStatus?
  }

  private struct Mounts: Sendable {
    var next = 1
    var all: [Int: Mount] = [:]
  }
  private static let mounts = Mutex(Mounts())

  init(_ path: String, on disk: any Disk) throws {
    _ = registered
    mount = Mount(
      disk: disk, path: path, status: try disk.status(of: path),
      logStatus: try disk.statusIfThere(path + "-wal"))
    let mount = mount
    number = MountedDatabase.mounts.withLock { mounts in
      let number = mounts.next
      mounts.next += 1
      mounts.all[number] = mount
      return number
    }
    name = "quire:\(number)"
  }

  deinit {
    let number = number
    MountedDatabase.mounts.withLock { _ = $0.all.removeValue(forKey: number) }
  }

  /// Whether the file or its log was replaced or has changed since it was mounted.
  var isChanged: Bool {
    (try? mount.disk.status(of: mount.path)) != mount.status
      || (try? mount.disk.status(of: mount.path + "-wal")) != mount.logStatus
  }

  /// The most bytes that a value in the file, or in its log, may have.
  var longestValue: Int {
    min(
      max(mount.status.byteCount + (mount.logStatus?.byteCount ?? 0), 1 << 20),
      SQLiteConnection.maximumValueByteCount)
  }

  /// Returns the disk and the path for a name that SQLite passes; `nil` for the name of no mounted database.
  @unsafe fileprivate static func place(
    of name: UnsafePointer<CChar>?
  ) -> (disk: any Disk, path: String)? {
    guard let name = unsafe name.map({ unsafe String(cString: $0) }), name.hasPrefix("quire:")
    else { return nil }
    let digits = name.dropFirst(6).prefix { $0 != "-" }
    guard let mount = Int(digits).flatMap({ number in mounts.withLock { $0.all[number] } })
    else { return nil }
    return (mount.disk, mount.path + name.dropFirst(6 + digits.count))
  }
}

/// An open file: the structure that SQLite knows, and the file of Quire's disk.
@unsafe private struct HeldFile {
  var base: sqlite3_file
  /// The open file; `nil` if it does not exist, which SQLite sees as an empty file.
  var file: Unmanaged<DurableFile>?
}

/// Extended error codes of SQLite. Swift does not import them, because each is an expression of two numbers.
private enum Failure {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let status = SQLITE_IOERR | 7 << 8
  static let access = SQLITE_IOERR | 13 << 8
}

@unsafe private func held(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DurableFile? {
  unsafe UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: HeldFile.self).pointee.file?
    .takeUnretainedValue()
}

// Sendable: filled in once and then only read.
nonisolated(unsafe) private let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
  let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  unsafe methods.initialize(to: sqlite3_io_methods())
  unsafe methods.pointee.iVersion = 1
  unsafe methods.pointee.xClose = { file in
    let held = unsafe UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: HeldFile.self)
    unsafe held?.pointee.file?.release()
    unsafe held?.pointee.file = nil
    return SQLITE_OK
  }
  unsafe methods.pointee.xRead = { file, buffer, count, offset in
    guard let buffer = unsafe buffer else { return Failure.read }
    var read = 0
    if let file = unsafe held(file) {
      var span = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: Int(count))
      do { read = try file.readAvailable(into: &span, at: Int(offset)) } catch {
        return Failure.read
      }
    }
    guard read < Int(count) else { return SQLITE_OK }
    // SQLite expects zeros after the end of the file.
    unsafe (buffer + read).initializeMemory(
      as: UInt8.self, repeating: 0, count: Int(count) - read)
    return Failure.shortRead
  }
  unsafe methods.pointee.xWrite = { _, _, _, _ in SQLITE_READONLY }
  unsafe methods.pointee.xTruncate = { _, _ in SQLITE_READONLY }
  unsafe methods.pointee.xSync = { _, _ in SQLITE_OK }
  unsafe methods.pointee.xFileSize = { file, size in
    do { unsafe size?.pointee = try Int64(held(file)?.byteCount() ?? 0) } catch {
      return Failure.status
    }
    return SQLITE_OK
  }
  unsafe methods.pointee.xLock = { _, _ in SQLITE_OK }
  unsafe methods.pointee.xUnlock = { _, _ in SQLITE_OK }
  unsafe methods.pointee.xCheckReservedLock = { _, answer in
    unsafe answer?.pointee = 0
    return SQLITE_OK
  }
  unsafe methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
  unsafe methods.pointee.xSectorSize = { _ in 4096 }
  unsafe methods.pointee.xDeviceCharacteristics = { _ in 0 }
  return unsafe methods
}()

@unsafe private func copied(_ text: String) -> UnsafePointer<CChar> {
  let characters = Array(text.utf8CString)
  let place = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
  unsafe place.initialize(from: characters, count: characters.count)
  return unsafe UnsafePointer(place)
}

/// The result of registering the file system, which happens once.
private let registered: Int32 = {
  let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  unsafe system.initialize(to: sqlite3_vfs())
  // The operating system's file system provides the time and random numbers.
  guard let usual = unsafe sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
  unsafe system.pointee = unsafe usual.pointee
  unsafe system.pointee.iVersion = 1
  unsafe system.pointee.szOsFile = Int32(MemoryLayout<HeldFile>.size)
  unsafe system.pointee.mxPathname = 512
  unsafe system.pointee.pNext = nil
  unsafe system.pointee.zName = copied(MountedDatabase.fileSystemName)
  unsafe system.pointee.xOpen = { _, name, file, flags, answer in
    let place = unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: HeldFile.self)
    unsafe place.initialize(to: HeldFile(base: sqlite3_file(pMethods: nil), file: nil))
    guard let (disk, path) = unsafe MountedDatabase.place(of: name) else { return SQLITE_CANTOPEN }
    do {
      let isThere = try flags & SQLITE_OPEN_MAIN_DB != 0 || disk.exists(path)
      if isThere {
        unsafe place.pointee.file = Unmanaged.passRetained(try disk.open(path, for: .read))
      }
    } catch { return SQLITE_CANTOPEN }
    unsafe place.pointee.base.pMethods = unsafe UnsafePointer(methods)
    unsafe answer?.pointee =
      flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
    return SQLITE_OK
  }
  unsafe system.pointee.xDelete = { _, _, _ in SQLITE_OK }
  unsafe system.pointee.xAccess = { _, name, kind, answer in
    var isThere = false
    if kind != SQLITE_ACCESS_READWRITE, let (disk, path) = unsafe MountedDatabase.place(of: name) {
      // Without its log, the database would show an older state.
      do { isThere = try disk.statusIfThere(path)?.byteCount ?? 0 > 0 } catch {
        return Failure.access
      }
    }
    unsafe answer?.pointee = isThere ? 1 : 0
    return SQLITE_OK
  }
  unsafe system.pointee.xFullPathname = { _, name, count, buffer in
    guard let name = unsafe name, let buffer = unsafe buffer else { return SQLITE_CANTOPEN }
    let characters = unsafe Array(String(cString: name).utf8CString)
    guard characters.count <= Int(count) else { return SQLITE_CANTOPEN }
    unsafe buffer.update(from: characters, count: characters.count)
    return SQLITE_OK
  }
  return unsafe sqlite3_vfs_register(system, 0)
}()
