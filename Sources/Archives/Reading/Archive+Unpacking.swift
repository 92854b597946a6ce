public import DurableFiles

extension Archive {
  /// Creates the document's folder. Even after a crash the folder is either complete or absent.
  ///
  /// The folder is made under a hidden name beside its final path. All files in it are synced, and then the folder is
  /// renamed. After an error the hidden folder is removed. A crash may leave it, and the next call for the same
  /// folder removes it. Files and folders get the usual permissions of new ones; permissions in the archive are
  /// ignored.
  ///
  /// - Parameters:
  ///   - folder: The folder to create. Only an empty folder may exist at this path.
  ///   - disk: The disk of the folder.
  ///   - progress: Receives the progress. A thrown error stops the unpacking.
  /// - Throws: ``ArchiveError`` with code `exists` for a folder that is not empty, and for every fault of an entry,
  ///   or `DiskError`.
  @discardableResult
  public func unpack(
    to folder: String, on disk: any Disk,
    progress: (ArchiveProgress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    let folder = folder.trimmingSlashes
    do {
      return try disk.make(folder, overwriting: false, acceptsEmptyFolder: true) { temporary in
        try disk.makeDirectory(temporary)
        return try fill(temporary, on: disk, progress)
      }
    } catch let error as DiskError {
      let codes: [DiskError.Code] = [.notEmpty, .notADirectory, .exists]
      if codes.contains(error.code) { throw Self.isInTheWay(folder) }
      throw error
    }
  }

  private static func isInTheWay(_ folder: String) -> ArchiveError {
    .unpacking(.exists, folder, "the folder exists already")
  }

  /// Creates all files and folders in a folder.
  ///
  /// - Parameter isDurable: Whether the files survive a crash. A folder that is temporary need not.
  @discardableResult
  func fill(
    _ folder: String, on disk: any Disk, isDurable: Bool = true,
    _ progress: (ArchiveProgress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    var state = ArchiveProgress(
      doneByteCount: 0, totalByteCount: entries.reduce(0) { $0 + $1.byteCount })
    var made: Set<String> = []
    var fileCount = 0
    for entry in entries {
      for directory in Self.directories(to: entry) where made.insert(directory).inserted {
        try disk.makeDirectory(folder.appendingPathComponent(directory))
      }
      guard !entry.isDirectory else { continue }
      let path = folder.appendingPathComponent(entry.path)
      let file = try disk.open(path, for: .create, links: .refusedBelow(folder))
      try file.append { writer in
        try read(entry) { piece in
          try writer.write(piece)
          state.doneByteCount += piece.byteCount
          try progress(state)
        }
      }
      if isDurable { try file.sync(.everything) }
      try file.close()
      fileCount += 1
    }
    let report = ArchiveReport(
      fileCount: fileCount, byteCount: state.doneByteCount, archiveByteCount: try file.byteCount())
    guard isDurable else { return report }
    // The deepest folder comes first, because syncing the outer folder makes the name of the inner folder durable.
    for directory in made.sorted(by: { $0.utf8.count > $1.utf8.count }) {
      try disk.syncDirectory(folder.appendingPathComponent(directory))
    }
    try disk.syncDirectory(folder)
    return report
  }

  /// Returns the folders that an entry needs, the outermost first.
  private static func directories(to entry: ArchiveEntry) -> [String] {
    let parts = entry.path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    let count = entry.isDirectory ? parts.count : parts.count - 1
    return (0..<count).map { parts[...$0].joined(separator: "/") }
  }
}
