/// The names of heads (spec §7.7.2).
///
/// A name is also a part of the names of files on every system. It begins with a letter, so it can't be taken for the
/// number of a version.
public enum HeadName {
  /// The name of the head that every document has.
  public static let main = "main"
  /// The greatest number of characters of a name.
  package static let lengthLimit = 64

  /// Returns the reason why no head besides `main` may have the given name, as the rest of a sentence; `nil` if the name is
  /// allowed.
  package static func objection(to name: String) -> String? {
    guard !name.isEmpty, name.utf8.count <= lengthLimit else {
      return "does not have 1 to \(lengthLimit) characters"
    }
    if let objection = ContainerPath.objection(to: name) { return objection }
    if name.utf8.contains(UInt8(ascii: ".")) { return "contains a dot" }
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
      return "does not begin with a letter"
    }
    return ContainerPath.folded(name) == main ? "is the name of the first head" : nil
  }
}
