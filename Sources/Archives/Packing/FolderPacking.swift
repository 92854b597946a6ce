public import DurableFiles

/// A document's folder, to be written into one file.
///
///     let report = try FolderPacking("Trip.quire", on: disk).run(into: "Trip.quire.zip") { progress in
///       line.show(progress.share)
///     }
///
/// The same folder gives the same bytes: entries are sorted, and times and permissions are always the same.
/// What is text is compressed; stores and whatever else is not text lie as they are, at offsets from which
/// they can be read in place (spec §8.3). Nobody may change the folder meanwhile: hold the document's lock.
public struct FolderPacking: Sendable {
  /// The folder.
  public let folder: String
  /// The disk that the folder is on.
  public let disk: any Disk
  /// From where on sizes take eight bytes.
  var limits = FieldLimits()

  /// The packing of a folder.
  public init(_ folder: String, on disk: any Disk) {
    self.folder = folder
    self.disk = disk
  }

  /// Writes the file, which is there whole or not at all, in memory that does not grow with it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: The disk it is to be on, unless that is the folder's.
  ///   - overwriting: Whether a file that is there is replaced.
  ///   - progress: Told how far it is. What it throws stops the work.
  /// - Throws: ``ArchiveError`` for what can't be packed, such as a link; `DiskError`.
  @discardableResult
  public func run(
    into path: String, on target: (any Disk)? = nil, overwriting: Bool = false,
    progress: (ArchiveProgress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    let contents = try FolderContents(folder, on: disk)
    var state = ArchiveProgress(doneByteCount: 0, totalByteCount: contents.byteCount)
    var fileCount = 0
    let byteCount = try (target ?? disk).makeFile(path, overwriting: overwriting) { writer in
      var directory = ArchiveDirectory(limits)
      try directory.addType(to: &writer)
      for item in contents.items {
        guard item.byteCount != nil else {
          try directory.addFolder(item.name, to: &writer)
          continue
        }
        let file = try disk.open(
          folder.appendingPathComponent(item.path), for: .read, links: .refusedBelow(folder))
        try directory.addFile(
          item.name, file, isText: try Self.isText(item.path, file), to: &writer
        ) { count in
          state.doneByteCount += count
          try progress(state)
        }
        fileCount += 1
      }
      try directory.finish(&writer)
      return writer.offset
    }
    return ArchiveReport(
      fileCount: fileCount, byteCount: state.doneByteCount, archiveByteCount: byteCount)
  }

  /// Whether a file is text, which is compressed (spec §8.3.3).
  private static func isText(_ path: String, _ file: DurableFile) throws -> Bool {
    let start = try [UInt8](count: 4096) { try file.readAvailable(into: &$0, at: 0) }
    // A store is read in place, unless it is one that is read whole.
    if path.utf8.starts(with: "stores/".utf8) { return start.first == UInt8(ascii: "<") }
    return !start.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) }
  }
}
