import Synchronization
import Threads

/// The temporary files and folders of this process on the real disk, for a program that a signal ends.
package enum TemporaryFiles {
  private struct Places: Sendable {
    var directories: Set<String> = []
    var lockFiles: Set<String> = []
    var beforeFirst: (@Sendable () -> Void)?
  }
  private static let places = Mutex(Places())

  /// A lock that is held while a finished file or folder takes its place. The process must not end during that time.
  /// The lock is recursive, because several files that take their places together nest these calls.
  static let switching = Lock(isRecursive: true)

  /// A lock that is held while a system call names a file or a folder. A process that ends acquires the lock and
  /// keeps it, so no thread makes a temporary file after the others have been removed.
  static let naming = Lock()

  /// Records that this process makes temporary files in a directory.
  static func record(directory: String, _ calls: any DiskCalls) {
    guard calls is any SystemFileCalls, let directory = try? calls.realPath(of: directory) else {
      return
    }
    record { _ = $0.directories.insert(directory) }
  }

  /// Records a lock file that exists only while this process writes.
  static func record(lockFile: String, _ calls: any DiskCalls) {
    guard calls is any SystemFileCalls, let path = try? calls.realPath(of: lockFile) else {
      return
    }
    record { _ = $0.lockFiles.insert(path) }
  }

  private static func record(_ insert: (inout Places) -> Void) {
    let before = places.withLock { places in
      insert(&places)
      return places.beforeFirst.take()
    }
    before?()
  }

  /// Calls `body` before this process makes its first temporary file; at once if it may have made some.
  package static func beforeFirst(_ body: @escaping @Sendable () -> Void) {
    let isLate = places.withLock { places in
      let isLate = !places.directories.isEmpty || !places.lockFiles.isEmpty
      places.beforeFirst = isLate ? nil : body
      return isLate
    }
    if isLate { body() }
  }

  /// Forgets a lock file that this process has removed.
  static func forget(lockFile: String, _ calls: any DiskCalls) {
    guard let path = try? calls.realPath(of: lockFile) else { return }
    places.withLock { _ = $0.lockFiles.remove(path) }
  }

  /// Removes all temporary files of this process, and calls `end`. No other thread makes a file meanwhile.
  ///
  /// A replacement that has begun to take its place is finished first.
  package static func removeAll(thenEnd end: () -> Never) -> Never {
    switching.withLock {
      naming.withLock {
        let places = places.withLock { $0 }
        for directory in places.directories { removeOwn(in: directory) }
        for path in places.lockFiles { try? RealDisk().remove(path) }
        end()
      }
    }
  }

  private static func removeOwn(in directory: String) {
    let disk = RealDisk()
    for entry in (try? disk.list(directory)) ?? [] {
      guard let name = TemporaryName(parsing: entry.name), name.isOwn(disk.calls) else { continue }
      let path = directory.appendingPathComponent(entry.name)
      // SQLite makes files without asking Quire, so a folder may not be empty at the first try.
      for _ in 0..<100 where (try? disk.exists(path)) == true { try? disk.removeTree(path) }
    }
  }
}
