public import DurableFiles

/// A packed document: the folder of a document in one file, an ordinary zip archive (spec §8.1).
///
///     let archive = try Archive("Trip.quire.zip", on: disk)
///     for entry in archive.entries { … }
///     try archive.unpack(to: "Trip.quire", on: disk)
///
/// An archive is opened only if all of its records are consistent. Names stay within the folder and differ on every
/// system. Entries share no bytes, headers repeat the directory, and sizes are within the limits. This check reads
/// the directory and the header of each entry, so its cost is bounded by the file's size. The bytes of an entry are
/// checked when they are read.
///
/// The archive keeps its file open. Reads go on in the same file even if another file replaces it.
public struct Archive: Sendable {
  /// The path of the archive's file, as the caller gave it.
  public let path: String
  /// The files and folders of the document, in the archive's order.
  ///
  /// Hidden names, which begin with a dot, do not belong to the document. The entry with the archive's type does not
  /// either.
  public let entries: [ArchiveEntry]
  /// Whether the archive contains the type of packed documents, or the manifest of a document (spec §8.2.1).
  public let isPackedDocument: Bool
  /// The limits on the size of the archive.
  public let limits: ArchiveLimits

  /// The record of a packed document that programs change, as its file contains it.
  let place: ArchivePlace?
  let file: DurableFile
  let disk: any Disk

  /// Opens an archive.
  ///
  /// - Throws: ``ArchiveError`` that names the entry and its fault, or `DiskError`.
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
    place = listed.lazy.compactMap(\.place).first
    entries = all.filter { !$0.path.isHiddenPath && $0.path != ZipFormat.typeName }
    let type = all.first { $0.path == ZipFormat.typeName }
    isPackedDocument =
      type != nil || all.contains { $0.path == ZipFormat.manifestName && !$0.isDirectory }
    if let type { try checkType(type) }
  }

  /// Whether a file is a packed document (spec §8.2.1).
  ///
  /// The first bytes of most packed documents identify them. For any other archive the directory is read, because
  /// programs that pack a folder again may drop or move the type.
  ///
  /// - Throws: `DiskError` if a file is there and can't be read.
  public static func isPackedDocument(at path: String, on disk: any Disk) throws -> Bool {
    guard try disk.statusIfThere(path)?.kind == .file else { return false }
    let file = try disk.open(path, for: .read)
    let start = try file.read(byteCount: min(100, file.byteCount()), at: 0)
    if isPackedDocument(firstBytes: start) { return true }
    guard start.count >= ZipFormat.localByteCount,
      start.int32(at: 0) == ZipFormat.localSignature
    else { return false }
    do { return try Archive(path, on: disk).isPackedDocument } catch is ArchiveError {
      return false
    }
  }

  /// Whether the first bytes of a file identify it as a packed document, as Quire writes it (spec §8.2.1). 100 bytes
  /// are enough.
  public static func isPackedDocument(firstBytes: [UInt8]) -> Bool {
    let text = Array((ZipFormat.typeName + ZipFormat.type).utf8)
    return firstBytes.count >= ZipFormat.localByteCount + text.count
      && firstBytes.int32(at: 0) == ZipFormat.localSignature
      && firstBytes.int16(at: 18) == ZipFormat.type.utf8.count
      && firstBytes[ZipFormat.localByteCount...].starts(with: text)
  }

  /// Returns the entries of the directory, in its order.
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
        .damaged, path, "its directory continues after its \(end.entryCount) entries")
    }
    return entries
  }

  /// Checks the entries against each other and the limits.
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
          "with this entry, the archive exceeds its limit of \(limit) expanded bytes")
      }
      total += entry.byteCount
    }
  }

  /// Returns the header of each entry. The headers are read from front to back, and each entry must begin behind the
  /// entry before. All headers together are therefore at most as large as the file.
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
          .overlap, path, entry.path, "it begins before the end of '\(last.path)'")
      }
      let header = try LocalHeader(entry, in: file, before: limit, archive: path)
      headers[index] = header
      last = (header.end, entry.path)
    }
    return headers.map { $0! }
  }

  /// Throws an error if the archive contains the document of another program.
  private func checkType(_ entry: ArchiveEntry) throws {
    guard entry.byteCount <= 256, try bytes(of: entry) == Array(ZipFormat.type.utf8) else {
      throw ArchiveError.entry(
        .otherContents, path, entry.path, "it does not name a Quire document")
    }
  }
}
