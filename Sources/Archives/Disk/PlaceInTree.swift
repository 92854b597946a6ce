/// A path as a series of names, so that `Trip.zip/stores` and `./Trip.zip//stores/` are one place.
struct PlaceInTree {
  let isAbsolute: Bool
  let names: [Substring]

  /// Reads a path. An archive has no links, so `..` removes the name before.
  init(_ path: String) {
    isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var names: [Substring] = []
    for name in path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    where name != "." {
      if name == "..", isAbsolute || (!names.isEmpty && names.last != "..") {
        _ = names.popLast()
      } else {
        names.append(name)
      }
    }
    self.names = names
  }

  /// Returns the names after those of a folder; `nil` for a place outside of the folder.
  func names(below folder: PlaceInTree) -> ArraySlice<Substring>? {
    guard isAbsolute == folder.isAbsolute, names.starts(with: folder.names) else { return nil }
    return names.dropFirst(folder.names.count)
  }
}
