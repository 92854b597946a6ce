/// An error for a packed document that can't be read, or a folder that can't be packed. It names the file, the entry,
/// and the reason.
///
/// Errors of a disk stay `DiskError`.
public struct ArchiveError: Error, Sendable, Hashable {
  /// The kind of failure, to branch on.
  public let code: Code
  /// The path of the archive, or of the folder to be packed.
  public let path: String
  /// The entry's name, if the error concerns one entry.
  public let entry: String?
  /// The attempted operation, the finding and its place, in a sentence.
  public let message: String

  /// A kind of failure. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file does not end like an archive: it has another format, was cut, or has a comment.
    public static let notAnArchive = Code(rawValue: "notAnArchive")
    /// The archive contains something other than a document, according to its type.
    public static let otherContents = Code(rawValue: "otherContents")
    /// A record of the archive is invalid.
    public static let damaged = Code(rawValue: "damaged")
    /// The directory and an entry's own header differ.
    public static let headersDiffer = Code(rawValue: "headersDiffer")
    /// Entries, or an entry and the directory, share bytes.
    public static let overlap = Code(rawValue: "overlap")
    /// A name leads out of the folder, or is invalid on some system.
    public static let unsafeName = Code(rawValue: "unsafeName")
    /// Two names are the same on some system.
    public static let sameName = Code(rawValue: "sameName")
    public static let encrypted = Code(rawValue: "encrypted")
    /// An entry uses a method or feature that packed documents don't use.
    public static let unsupported = Code(rawValue: "unsupported")
    /// An entry is neither a file nor a folder: a link, a pipe, a device.
    public static let notAFile = Code(rawValue: "notAFile")
    /// The recorded size of an entry is impossible for its data.
    public static let wrongSize = Code(rawValue: "wrongSize")
    /// The archive exceeds a limit.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// An entry's bytes do not match the checksum.
    public static let checksum = Code(rawValue: "checksum")
    /// An existing file or folder is in the way.
    public static let exists = Code(rawValue: "exists")
    /// Another program has changed the archive since it was unpacked to be changed.
    public static let changed = Code(rawValue: "changed")
  }
}

extension ArchiveError: CustomStringConvertible {
  public var description: String { message }
}

extension ArchiveError.Code: CustomStringConvertible {
  public var description: String { rawValue }
}

extension ArchiveError {
  /// Returns an error for an archive that can't be read as a whole.
  static func archive(_ code: Code, _ path: String, _ reason: String) -> ArchiveError {
    ArchiveError(
      code: code, path: path, entry: nil, message: "Can't read the archive '\(path)': \(reason).")
  }

  /// Returns an error for an entry that can't be read.
  static func entry(_ code: Code, _ path: String, _ entry: String, _ reason: String) -> ArchiveError
  {
    ArchiveError(
      code: code, path: path, entry: entry,
      message: "Can't read '\(entry)' in the archive '\(path)': \(reason).")
  }

  /// Returns an error for an entry of a folder that can't be packed.
  static func packing(_ code: Code, _ path: String, _ entry: String, _ reason: String)
    -> ArchiveError
  {
    ArchiveError(
      code: code, path: path, entry: entry,
      message: "Can't pack '\(entry)' in the folder '\(path)': \(reason).")
  }

  /// Returns an error for a packed document that another program has changed since it was unpacked.
  static func changed(_ path: String) -> ArchiveError {
    ArchiveError(
      code: .changed, path: path, entry: nil,
      message: "Can't save '\(path)': another program has changed the file meanwhile.")
  }

  /// Returns an error for a folder that can't be created.
  static func unpacking(_ code: Code, _ path: String, _ reason: String) -> ArchiveError {
    ArchiveError(
      code: code, path: path, entry: nil, message: "Can't unpack into '\(path)': \(reason).")
  }
}
