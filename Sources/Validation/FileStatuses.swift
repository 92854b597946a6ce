import DurableFiles

/// The status of a file, or of each file in a folder. Every save of a document or a store changes one of them.
struct FileStatuses: Equatable {
  private var statuses: [String: FileStatus] = [:]

  /// Reads the statuses. Files that are removed meanwhile are left out. Symbolic links below the path are not followed.
  ///
  /// - Throws: `DiskError` if a status can't be read.
  init(below path: String, on disk: any Disk) throws {
    guard let status = try disk.statusIfThere(path) else { return }
    try add(path, status, on: disk)
  }

  private mutating func add(
    _ path: String, _ status: FileStatus, on disk: any Disk
  ) throws(DiskError) {
    statuses[path] = status
    guard status.kind == .directory else { return }
    let entries: [DirectoryEntry]
    do { entries = try disk.list(path) } catch  where error.code == .notFound { return }
    for entry in entries {
      let inner = path.appendingPathComponent(entry.name)
      if let status = try disk.statusIfThere(inner, followingLinks: false) {
        try add(inner, status, on: disk)
      }
    }
  }
}
