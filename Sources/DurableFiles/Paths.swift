/// Paths are strings, as the system takes them; these take them apart.
///
/// They work on UTF-8, not on characters: to the system a slash is a byte, and to Swift a slash
/// before a combining accent is another character.
extension String {
  /// The path of the directory that holds the thing this path names.
  var parentPath: String {
    let trimmed = utf8.trimmingTrailingSlashes
    guard let slash = trimmed.lastIndex(of: slash) else { return "." }
    let parent = trimmed[..<slash].trimmingTrailingSlashes
    return parent.isEmpty ? "/" : String(Substring(parent))
  }

  /// The name of the thing this path names, within its directory.
  package var lastPathComponent: String {
    let trimmed = utf8.trimmingTrailingSlashes
    guard let slash = trimmed.lastIndex(of: slash) else { return String(Substring(trimmed)) }
    return String(Substring(trimmed[trimmed.index(after: slash)...]))
  }

  /// The path of the thing with the given name in the directory this path names.
  package func appendingPathComponent(_ name: String) -> String {
    utf8.last == slash ? self + name : self + "/" + name
  }

  /// The path without the slashes at its end, but for the root's.
  package var trimmingSlashes: String { String(Substring(utf8.trimmingTrailingSlashes)) }

  /// The names between the slashes; `.` stands for nothing and is left out.
  var pathComponents: [String] {
    utf8.split(separator: slash).map { String(Substring($0)) }.filter { $0 != "." }
  }

  /// The names this path consists of below `directory`, if it lies below it.
  ///
  /// `nil` for the directory itself, for a path elsewhere and for one that climbs with `..`:
  /// such a path may lead out of the directory.
  func pathComponents(below directory: String) -> [String]? {
    let prefix = directory.appendingPathComponent("")
    guard utf8.starts(with: prefix.utf8) else { return nil }
    let names = String(Substring(utf8.dropFirst(prefix.utf8.count))).pathComponents
    return names.isEmpty || names.contains("..") ? nil : names
  }
}

private let slash = UInt8(ascii: "/")

extension BidirectionalCollection<UInt8> {
  /// The path without slashes at its end, but for the root's.
  fileprivate var trimmingTrailingSlashes: SubSequence {
    var path = self[...]
    while path.last == slash, path.dropFirst().first != nil { path = path.dropLast() }
    return path
  }
}
