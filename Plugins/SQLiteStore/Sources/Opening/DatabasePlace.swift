import DurableFiles
import SQLiteFiles
import StoreInterface

/// A database's file, and what lies beside it.
struct DatabasePlace {
  let path: String
  let disk: any Disk

  init(_ path: String, _ disk: any Disk) throws {
    self.path = path
    self.disk = disk
    do {
      let status = try disk.status(of: path)
      guard status.kind == .file else {
        throw StoreError(.notAStore, "There is no file, but something else.", path: path)
      }
    } catch let error as DiskError { throw StoreError(error, path: path) }
  }

  /// Whether the disk is the operating system's own: SQLite writes its files itself.
  var isReal: Bool {
    (try? RealDisk().status(of: path).identity) == (try? disk.status(of: path).identity)
  }

  /// Refuses a disk that SQLite can't write to.
  func checkIsReal() throws {
    guard isReal else {
      throw StoreError(
        .readOnly,
        "An SQLite database is written where the operating system has it, and not inside of something else: it can be opened for reading only.",
        path: path)
    }
  }

  /// Whether somebody has the database open, this process or another.
  var isInUse: Bool { isReal && SQLiteConnection.isInUse(path) }
}
