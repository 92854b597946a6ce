import DurableFiles
import SQLiteFiles
import StoreInterface

/// The file of a database on its disk.
struct DatabasePlace {
  let path: String
  let disk: any Disk

  init(_ path: String, _ disk: any Disk) throws {
    self.path = path
    self.disk = disk
    do {
      let status = try disk.status(of: path)
      guard status.kind == .file else {
        throw StoreError(.notAStore, "The path does not name a regular file.", path: path)
      }
    } catch let error as DiskError { throw StoreError(error, path: path) }
  }

  /// Whether the disk is the operating system's disk, the only one on which SQLite can write files.
  var isReal: Bool {
    (try? disk.calls.realPath(of: path)) != nil
  }

  /// Throws if the disk is one that SQLite can't write to.
  func checkIsReal() throws {
    guard isReal else {
      throw StoreError(
        .readOnly,
        "SQLite can write a database only to the file system, not inside another file. Open the database for reading only.",
        path: path)
    }
  }

  /// Returns a connection that reads without locks, while no other connection has the database open.
  func undisturbed() throws -> SQLiteConnection {
    do { return try SQLiteConnection(undisturbed: path, on: disk) } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }

  /// Whether a connection of this process or of another process has the database open.
  var isInUse: Bool { isReal && SQLiteConnection.isInUse(path) }
}
