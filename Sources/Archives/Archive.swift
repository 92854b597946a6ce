public import DurableFiles

/// A packed document: the folder of a document in one file, an ordinary zip archive (spec §8.1).
///
///     let archive = try Archive("Trip.quire.zip", on: disk)
///     for entry in archive.entries { … }
///     try archive.unpack(to: "Trip.quire", on: disk)
///
/// It is opened only when every record in it holds together: names that stay in the folder and differ on every
/// system, entries that share no bytes, headers that say the same twice, and sizes within the limits. That
/// reads the directory and each entry's header, in work bounded by the file's size, and none of the entries'
/// bytes; those are checked as they are read.
///
/// The archive's file is held open, and goes on being read should another take its place.
public struct Archive: Sendable {
  /// The archive's file, as it was named.
  public let path: String
  /// The files and folders of the document, in the archive's order.
  ///
  /// Hidden names, those that begin with a dot, are no part of a document, and neither is the entry that says
  /// what the archive is.
  public let entries: [ArchiveEntry]
  /// Whether the archive contains its type, or the manifest of a document (spec §8.2.1).
  public let isPackedDocument: Bool
  /// What the archive may ask.
  public let limits: ArchiveLimits

  let file: DurableFile
  let disk: any Disk

  /// Opens an archive.
  ///
  /// - Throws: ``ArchiveError`` naming the entry and what is wrong with it; `DiskError`.
  public init(_ path: String, on disk: any Disk, limits: ArchiveLimits = ArchiveLimits()) throws {
    self.path = path
    self.disk = disk
    self.limits = limits
    file = try disk.open(path, for: .read)
    let byteCount = try file.byteCount()
    let end = try EndRecord(file, byteCount: byteCount, path)
    guard end.entryCount <= limits.entryCount else {
      throw ArchiveError.archive(
        .tooLarge, path,
        "it has \(end.entryCount) entries, more than the limit of \(limits.entryCount)")
    }
    guard end.directory.count <= limits.directoryByteCount else {
      throw ArchiveError.archive(
        .tooLarge, path,
        "its directory has \(end.directory.count) bytes, more than the limit of "
          + "\(limits.directoryByteCount)")
    }
    let listed = try Self.list(file, end, path)
    try Self.check(listed, within: limits.expandedByteCount(fromArchiveOf: byteCount), path)
    let headers = try Self.headers(of: listed, file, before: end.directory.lowerBound, path)
    let all = zip(listed, headers).map { entry, header in
      ArchiveEntry(
        path: entry.path, isDirectory: entry.isDirectory, byteCount: entry.byteCount,
        packedByteCount: entry.packedByteCount, isStored: entry.method == ZipFormat.stored,
        checksum: entry.checksum, dataOffset: header.data.lowerBound)
    }
    entries = all.filter { !$0.path.isHiddenPath && $0.path != ZipFormat.typeName }
    let type = all.first { $0.path == ZipFormat.typeName }
    isPackedDocument =
      type != nil || all.contains { $0.path == ZipFormat.manifestName && !$0.isDirectory }
    if let type { try checkType(type) }
  }

  /// Whether a file is a packed document (spec §8.2.1).
  ///
  /// The first bytes of most packed documents tell. Of any other archive the directory is read, because programs that pack
  /// a folder again leave the type out or move it.
  public static func isPackedDocument(at path: String, on disk: any Disk) -> Bool {
    guard let file = try? disk.open(path, for: .read),
      let start = try? file.read(byteCount: min(100, file.byteCount()), at: 0)
    else { return false }
    if isPackedDocument(firstBytes: start) { return true }
    guard start.count >= ZipFormat.localByteCount,
      start.int32(at: 0) == ZipFormat.localSignature
    else { return false }
    return (try? Archive(path, on: disk))?.isPackedDocument ?? false
  }

  /// Whether a file that begins with these bytes says that it is a packed document, as those that Quire packs
  /// do (spec §8.2.1). 100 bytes are enough.
  public static func isPackedDocument(firstBytes: [UInt8]) -> Bool {
    let text = Array((ZipFormat.typeName + ZipFormat.type).utf8)
    return firstBytes.count >= ZipFormat.localByteCount + text.count
      && firstBytes.int32(at: 0) == ZipFormat.localSignature
      && firstBytes.int16(at: 18) == ZipFormat.type.utf8.count
      && firstBytes[ZipFormat.localByteCount...].starts(with: text)
  }

  /// The directory's entries, in its order.
  private static func list(
    _ file: DurableFile, _ end: EndRecord, _ path: String
  ) throws -> [ListedEntry] {
    let bytes = try file.read(byteCount: end.directory.count, at: end.directory.lowerBound)
    var entries: [ListedEntry] = []
    var offset = 0
    for _ in 0..<end.entryCount {
      entries.append(try ListedEntry(bytes, at: &offset, archive: path))
    }
    guard offset == bytes.count else {
      throw ArchiveError.archive(
        .damaged, path, "its directory goes on behind its \(end.entryCount) entries")
    }
    return entries
  }

  /// Holds the entries against one another and the limits.
  private static func check(
    _ entries: [ListedEntry], within limit: Int, _ path: String
  ) throws {
    var names = EntryNames()
    var total = 0
    for entry in entries {
      do throws(EntryNames.Fault) {
        try names.add(entry.path, isDirectory: entry.isDirectory)
      } catch { throw ArchiveError.entry(error.code, path, entry.path, error.reason) }
      guard entry.byteCount <= limit - total else {
        throw ArchiveError.entry(
          .tooLarge, path, entry.path,
          "with it there are more than \(limit) bytes, which is the limit for this archive")
      }
      total += entry.byteCount
    }
  }

  /// Each entry's own header. They are read from front to back, and none before it is known that the one
  /// before has ended, so that all of them together are no more than the file.
  private static func headers(
    of entries: [ListedEntry], _ file: DurableFile, before limit: Int, _ path: String
  ) throws -> [LocalHeader] {
    var headers = [LocalHeader?](repeating: nil, count: entries.count)
    var last: (end: Int, path: String)?
    for index in entries.indices.sorted(by: {
      entries[$0].headerOffset < entries[$1].headerOffset
    }) {
      let entry = entries[index]
      if let last, entry.headerOffset < last.end {
        throw ArchiveError.entry(
          .overlap, path, entry.path, "it begins before '\(last.path)' has ended")
      }
      let header = try LocalHeader(entry, in: file, before: limit, archive: path)
      headers[index] = header
      last = (header.end, entry.path)
    }
    return headers.map { $0! }
  }

  /// An archive of another program's document is not taken for one of ours.
  private func checkType(_ entry: ArchiveEntry) throws {
    guard entry.byteCount <= 256, try bytes(of: entry) == Array(ZipFormat.type.utf8) else {
      throw ArchiveError.entry(
        .otherContents, path, entry.path, "it does not name a Quire document")
    }
  }
}
