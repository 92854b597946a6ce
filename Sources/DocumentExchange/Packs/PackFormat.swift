import Documents

/// The names and the header of a pack (spec §16.2).
enum PackFormat {
  /// The end of the name of a pack. Before it stands the SHA-256 of the bytes.
  static let suffix = ".quirepack"
  static let headerFile = "pack.json"
  static let documentFolder = "document"
  static let attachmentsFolder = "attachments"
  static let format = "quire-pack"
  static let version = 1
  /// The greatest number of bytes of a header, and of the changes of a version.
  static let byteLimit = 1 << 30
  /// The greatest number of versions of a pack, of parents of a version and of attachments that differ.
  static let countLimit = 1 << 20

  /// Returns the digest in the name of a pack; `nil` for any other name.
  static func digest(inName name: String) -> String? {
    guard name.hasSuffix(suffix) else { return nil }
    let digest = String(name.dropLast(suffix.count))
    return digest.isDigest ? digest : nil
  }
}
