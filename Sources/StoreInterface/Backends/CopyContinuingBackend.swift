package import DurableFiles

/// A backend whose files only grow, so that a copy of a file can be brought up to date by its new bytes.
///
/// A backup uses this while programs save to the store. The files of all other backends are compared with their copies, and
/// copied whole if they differ.
package protocol CopyContinuingBackend: StoreBackend {
  /// Writes a copy of a store's file with nothing behind a commit, and replaces a file at the path of the copy in one step.
  ///
  /// - Parameter commit: The commit of the document's version; `nil` for the newest commit of a store without a document.
  /// - Returns: The number of bytes written.
  /// - Throws: `StoreError`, with code `damaged` if the file does not contain the commit; `DiskError`.
  func copyStore(
    at path: String, upTo commit: Int64?, to copy: String, on disk: any Disk
  ) throws -> Int

  /// Appends the commits that a copy lacks. A reader of the copy sees a whole store at every moment, also after a power cut.
  ///
  /// - Parameters:
  ///   - former: The commit that counts in the copy, in a document.
  ///   - commit: As in ``copyStore(at:upTo:to:on:)``.
  /// - Returns: The number of bytes written; `nil` if the copy is not the beginning of the file. Nothing is written then.
  /// - Throws: As ``copyStore(at:upTo:to:on:)``.
  func continueCopy(
    at copy: String, counting former: Int64?, of path: String, upTo commit: Int64?,
    on disk: any Disk
  ) throws -> Int?

  /// Records in the header of a copy that its last commit counts, unless that is recorded already.
  ///
  /// - Returns: The number of bytes written.
  func acknowledgeCopy(at copy: String, counting commit: Int64?, on disk: any Disk) throws -> Int

  /// Returns a text that differs for two files with different newest commits. It shows whether a program has saved to a copy
  /// of a store that is not a part of a document.
  func mark(ofNewestCommitIn path: String, on disk: any Disk) throws -> String
}
