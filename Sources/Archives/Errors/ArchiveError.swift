/// A packed document that can't be read, or a folder that can't be packed: which file, which entry, and why.
///
/// What a disk says stays a `DiskError`.
public struct ArchiveError: Error, Sendable, Hashable {
  /// The kind of failure, to branch on.
  public let code: Code
  /// The archive, or the folder that was to be packed.
  public let path: String
  /// The entry's name, if it is about one.
  public let entry: String?
  /// What was tried, found and where, in a sentence.
  public let message: String

  /// A kind of failure. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String

    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file does not end as an archive does: it is none, was cut, or has a comment.
    public static let notAnArchive = Code(rawValue: "notAnArchive")
    /// The archive says that it holds something else than a document.
    public static let otherContents = Code(rawValue: "otherContents")
    /// A record of the archive is not what it must be.
    public static let damaged = Code(rawValue: "damaged")
    /// What the directory and an entry's own header say differs.
    public static let headersDiffer = Code(rawValue: "headersDiffer")
    /// Entries, or an entry and the directory, share bytes.
    public static let overlap = Code(rawValue: "overlap")
    /// A name leads out of the folder, or is none on some system.
    public static let unsafeName = Code(rawValue: "unsafeName")
    /// Two names are one, on some system.
    public static let sameName = Code(rawValue: "sameName")
    /// An entry is encrypted.
    public static let encrypted = Code(rawValue: "encrypted")
    /// An entry is packed in a way that packed documents don't use.
    public static let unsupported = Code(rawValue: "unsupported")
    /// Something is neither a file nor a folder: a link, a pipe, a device.
    public static let notAFile = Code(rawValue: "notAFile")
    /// An entry's bytes can't be as many as it says.
    public static let wrongSize = Code(rawValue: "wrongSize")
    /// There is more than the limits allow.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// An entry's bytes are not those that were packed.
    public static let checksum = Code(rawValue: "checksum")
    /// What is there already is in the way.
    public static let exists = Code(rawValue: "exists")
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension ArchiveError.Code: CustomStringConvertible {
  /// The kind's name.
  public var description: String { rawValue }
}

extension ArchiveError {
  /// The archive as a whole can't be read.
  static func archive(_ code: Code, _ path: String, _ reason: String) -> ArchiveError {
    ArchiveError(
      code: code, path: path, entry: nil, message: "Can't read the archive '\(path)': \(reason).")
  }

  /// An entry can't be read.
  static func entry(_ code: Code, _ path: String, _ entry: String, _ reason: String) -> ArchiveError
  {
    ArchiveError(
      code: code, path: path, entry: entry,
      message: "Can't read '\(entry)' in the archive '\(path)': \(reason).")
  }

  /// A folder can't be packed for what is in it.
  static func packing(_ code: Code, _ path: String, _ entry: String, _ reason: String)
    -> ArchiveError
  {
    ArchiveError(
      code: code, path: path, entry: entry,
      message: "Can't pack '\(entry)' in the folder '\(path)': \(reason).")
  }

  /// A folder can't be made.
  static func unpacking(_ code: Code, _ path: String, _ reason: String) -> ArchiveError {
    ArchiveError(
      code: code, path: path, entry: nil, message: "Can't unpack into '\(path)': \(reason).")
  }
}
