public import Archives
import Documents
public import DurableFiles

extension Archive {
  /// Packs a document's folder into one file, an ordinary zip.
  ///
  ///     try Archive.pack("Trips.quire", into: "Trips.quire.zip")
  ///
  /// No process can save the document meanwhile. Equal folders give equal bytes. A packed document can be read in place, by
  /// its path, and not changed.
  ///
  /// - Parameter path: A free path. The file appears there only when it is complete.
  /// - Throws: `ArchiveError` for a file that can't be packed, such as a link; `DocumentError` if the folder is not a
  ///   document, or has a store on a server; `DiskError`.
  @discardableResult
  public static func pack(
    _ folder: String, into path: String, on disk: any Disk = RealDisk()
  ) throws -> ArchiveReport {
    guard try disk.exists(folder.trimmingSlashes + "/manifest.json") else {
      throw DocumentError(
        .notADocument, "The folder has no file 'manifest.json', so it is not a document.",
        path: folder)
    }
    return try DocumentPacking(folder, on: disk).holdingStill { try $0.run(into: path) }
  }

  /// Unpacks a packed document into a new folder, and checks every byte.
  ///
  ///     try Archive.unpack("Trips.quire.zip", to: "Copy.quire")
  ///
  /// - Parameter folder: A free path, or an empty folder. After an error, no part of the document is there.
  /// - Throws: `ArchiveError`; `DocumentError` for an archive that is not a packed document; `DiskError`.
  @discardableResult
  public static func unpack(
    _ path: String, to folder: String, on disk: any Disk = RealDisk()
  ) throws -> ArchiveReport {
    let archive = try Archive(path, on: disk)
    guard archive.isPackedDocument else {
      throw DocumentError(
        .notADocument,
        "The archive has neither 'manifest.json' nor 'mimetype' at its top, so it is not a packed document.",
        path: path)
    }
    return try archive.unpack(to: folder, on: disk)
  }
}
