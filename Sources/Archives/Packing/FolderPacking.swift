package import DurableFiles

/// The packing of a document's folder into one file.
///
///     let report = try FolderPacking("Trip.quire", on: disk).run(into: "Trip.quire.zip") { progress in
///       line.show(progress.share)
///     }
///
/// The same folder always gives the same bytes: entries are sorted, and times and permissions are constant. Text is
/// compressed, and so are small files that get smaller. Large stores and other binary files are stored without compression, at
/// offsets that allow reading them in place (spec §8.3). The folder must not change meanwhile, so the caller holds the document's lock.
package struct FolderPacking: Sendable {
  package let folder: String
  /// The disk that the folder is on.
  package let disk: any Disk
  /// Whether the folder is that of a document, so that the archive begins with the type of packed documents.
  package var isDocument = true
  var limits = PackingLimits()

  /// The first bytes and the size of a file that differ in the archive.
  package struct Completion {
    package var start: [UInt8]
    /// The number of bytes, at most that of the file.
    package var byteCount: Int

    package init(start: [UInt8], byteCount: Int) {
      self.start = start
      self.byteCount = byteCount
    }
  }

  /// Returns what the archive must contain instead of the bytes of a file that a program has not closed; `nil` for a
  /// file that is packed as it is.
  package var completion: @Sendable (DurableFile) -> Completion? = { _ in nil }

  package init(_ folder: String, on disk: any Disk) {
    self.folder = folder
    self.disk = disk
  }

  /// Writes the file. After an error or a crash the file is either complete or absent. The used memory does not grow
  /// with the folder.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - target: The disk of the file; `nil` for the folder's disk.
  ///   - overwriting: Whether an existing file is replaced.
  ///   - progress: Receives the progress. A thrown error stops the packing.
  /// - Throws: ``ArchiveError`` for a file that can't be packed, such as a link, or `DiskError`.
  @discardableResult
  package func run(
    into path: String, on target: (any Disk)? = nil, overwriting: Bool = false,
    progress: (ArchiveProgress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    try (target ?? disk).makeFile(path, overwriting: overwriting) { writer in
      try write(to: &writer, progress: progress)
    }
  }

  /// Writes the archive to a file that the caller makes.
  ///
  /// - Parameter place: The record of a packed document that is being changed; `nil` for a folder that is packed.
  func write(
    to writer: inout FileWriter, place: ArchivePlace? = nil,
    progress: (ArchiveProgress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    let contents = try FolderContents(folder, on: disk)
    var state = ArchiveProgress(doneByteCount: 0, totalByteCount: contents.byteCount)
    var fileCount = 0
    var directory = ArchiveDirectory(limits)
    if isDocument { try directory.addType(place, to: &writer) }
    for item in contents.items {
      guard item.byteCount != nil else {
        try directory.addFolder(item.name, to: &writer)
        continue
      }
      let file = try open(item)
      let completion = completion(file)
      try directory.addFile(
        item.name, file, completion, isText: try Self.isText(item.path, file), to: &writer
      ) { count in
        state.doneByteCount += count
        try progress(state)
      }
      fileCount += 1
    }
    try directory.finish(&writer)
    return ArchiveReport(
      fileCount: fileCount, byteCount: state.doneByteCount, archiveByteCount: writer.offset)
  }

  /// Opens a file of the folder.
  func open(_ item: FolderContents.Item) throws -> DurableFile {
    try disk.open(
      folder.appendingPathComponent(item.path), for: .read, links: .refusedBelow(folder))
  }

  /// Whether a file is text, which is compressed whatever its size (spec §8.3.3).
  private static func isText(_ path: String, _ file: DurableFile) throws -> Bool {
    let start = try [UInt8](count: 4096) { try file.readAvailable(into: &$0, at: 0) }
    // A store is read in place, except an XML store, which is read whole.
    if path.utf8.starts(with: "stores/".utf8) { return start.first == UInt8(ascii: "<") }
    return !start.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) }
  }
}
