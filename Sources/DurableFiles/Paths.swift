/// Functions that split paths. A path is a string, as the system takes it.
///
/// These functions work on UTF-8, not on characters. To the system a slash is a byte; to Swift a slash before a
/// combining accent is another character.
extension String {
  /// The path of the directory that contains this path.
  package var parentPath: String {
    let trimmed = utf8.trimmingTrailingSlashes
    guard let slash = trimmed.lastIndex(of: slash) else { return "." }
    let parent = trimmed[..<slash].trimmingTrailingSlashes
    return parent.isEmpty ? "/" : String(Substring(parent))
  }

  /// The name at the end of this path.
  package var lastPathComponent: String {
    let trimmed = utf8.trimmingTrailingSlashes
    guard let slash = trimmed.lastIndex(of: slash) else { return String(Substring(trimmed)) }
    return String(Substring(trimmed[trimmed.index(after: slash)...]))
  }

  /// Returns the path of the item with the given name in the directory at this path.
  package func appendingPathComponent(_ name: String) -> String {
    utf8.last == slash ? self + name : self + "/" + name
  }

  /// The path without trailing slashes, except the slash of the root.
  package var trimmingSlashes: String { String(Substring(utf8.trimmingTrailingSlashes)) }

  /// The path as one word of a shell.
  package var shellWord: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+,=@:".contains($0) }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }

  /// The names between the slashes, without `.`, which has no effect.
  package var pathComponents: [String] {
    utf8.split(separator: slash).map { String(Substring($0)) }.filter { $0 != "." }
  }

  /// Returns the names of this path below `directory`.
  ///
  /// The result is `nil` for the directory itself, for a path elsewhere, and for a path that contains `..`. Such a
  /// path may lead out of the directory.
  package func pathComponents(below directory: String) -> [String]? {
    let prefix = directory.appendingPathComponent("")
    guard utf8.starts(with: prefix.utf8) else { return nil }
    let names = String(Substring(utf8.dropFirst(prefix.utf8.count))).pathComponents
    return names.isEmpty || names.contains("..") ? nil : names
  }
}

private let slash = UInt8(ascii: "/")

extension BidirectionalCollection<UInt8> {
  /// The path without trailing slashes, except the slash of the root.
  fileprivate var trimmingTrailingSlashes: SubSequence {
    var path = self[...]
    while path.last == slash, path.dropFirst().first != nil { path = path.dropLast() }
    return path
  }
}
