import DurableFiles

/// The files and folders of a folder that is to be packed, in the order of packing.
struct FolderContents {
  struct Item {
    /// The path within the folder, with slashes between names.
    var path: String
    /// The number of bytes of a file; `nil` for a folder.
    var byteCount: Int?

    /// The name in the archive. The name of a folder ends in a slash.
    var name: String { byteCount == nil ? path + "/" : path }
  }

  private(set) var items: [Item] = []
  private var names = EntryNames()
  private let folder: String
  private let disk: any Disk

  /// Lists a folder, or throws an error for a file that can't be packed (spec §8.4).
  init(_ folder: String, on disk: any Disk) throws {
    self.folder = folder
    self.disk = disk
    try list("")
    // The order of bytes does not depend on a language or on the disk.
    items.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  var byteCount: Int { items.reduce(0) { $0 + ($1.byteCount ?? 0) } }

  private mutating func list(_ directory: String) throws {
    let entries =
      try directory.isEmpty
      ? disk.list(folder)
      : disk.list(folder.appendingPathComponent(directory), links: .refusedBelow(folder))
    // Hidden names belong to locks and to unfinished replacements.
    for entry in entries where entry.name.utf8.first != UInt8(ascii: ".") {
      let path = directory.isEmpty ? entry.name : directory + "/" + entry.name
      func refused(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        .packing(code, folder, path, reason)
      }
      guard entry.kind == .file || entry.kind == .directory else {
        throw refused(.notAFile, "it is a \(entry.kind)")
      }
      guard path != ZipFormat.typeName else {
        throw refused(.sameName, "the name is reserved for the entry that gives the archive's type")
      }
      do throws(EntryNames.Fault) {
        try names.add(path, isDirectory: entry.kind == .directory)
      } catch { throw refused(error.code, error.reason) }
      if entry.kind == .directory {
        items.append(Item(path: path, byteCount: nil))
        try list(path)
      } else {
        let status = try disk.status(
          of: folder.appendingPathComponent(path), followingLinks: false)
        items.append(Item(path: path, byteCount: status.byteCount))
      }
    }
  }
}
