// SAFETY: The texts of sort keys are allocated for the length of the call, and freed after it.

package import CStorePlugin
package import ObjectQuery

/// Sort keys in the forms of the interface: as text, `lastName[cd] ASC, age DESC` (spec §9.8.7), and as structures.
package enum PluginSortKeys {
  /// Returns the text of some keys; `nil` if there are no keys.
  package static func text(of keys: [SortKey]) -> String? {
    guard !keys.isEmpty else { return nil }
    return keys.map { "\($0.path)\($0.options.letters) \($0.isAscending ? "ASC" : "DESC")" }
      .joined(separator: ", ")
  }

  /// Calls `body` with some keys as structures, which are valid until `body` returns.
  @unsafe package static func withKeys<R>(
    _ keys: [SortKey], _ body: (UnsafeBufferPointer<QuireSortKey>) throws -> R
  ) rethrows -> R {
    let paths = unsafe keys.map { unsafe allocatedText($0.path) }
    defer {
      for index in keys.indices { unsafe paths[index].deallocate() }
    }
    var structures = unsafe [QuireSortKey]()
    for (index, key) in keys.enumerated() {
      unsafe structures.append(
        QuireSortKey(
          path: UnsafePointer(paths[index]), options: UInt32(key.options.rawValue),
          is_ascending: key.isAscending ? 1 : 0))
    }
    return try unsafe structures.withUnsafeBufferPointer(body)
  }

  /// Parses a text into keys; `nil` if the text is invalid.
  package static func keys(of text: String) -> [SortKey]? {
    var keys: [SortKey] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ")
      guard words.count == 2, let order = [Substring("ASC"): true, "DESC": false][words[1]] else {
        return nil
      }
      var path = words[0]
      var options: TextOptions = []
      if path.hasSuffix("]"), let start = path.lastIndex(of: "[") {
        for letter in path[path.index(after: start)...].dropLast() {
          guard let option = TextOptions(letter: letter) else { return nil }
          options.insert(option)
        }
        path = path[..<start]
      }
      guard !path.isEmpty else { return nil }
      keys.append(SortKey(String(path), ascending: order, options: options))
    }
    return keys
  }
}

extension TextOptions {
  fileprivate init?(letter: Character) {
    switch letter {
    case "c": self = .caseInsensitive
    case "d": self = .diacriticInsensitive
    case "n": self = .normalized
    case "l": self = .localeSensitive
    default: return nil
    }
  }
}
