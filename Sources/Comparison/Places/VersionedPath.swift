package import Documents
package import DurableFiles

/// A path with a version after an @: `DOC@3`, `DOC@draft`, `DOC@draft~2`, `DOC@2026-11-28`.
package struct VersionedPath: Sendable {
  package let path: String
  package let version: VersionReference?

  /// The head that the path names as a whole, for reading and for changes.
  package var head: String? { version?.head }

  package init(_ path: String, _ version: VersionReference?) {
    (self.path, self.version) = (path, version)
  }

  /// Parses a word that may name a whole head. A word that names a version stays a path.
  package init(orHead word: String, on disk: any Disk) throws {
    let place = try VersionedPath(word, on: disk)
    self = place.head == nil ? VersionedPath(word, nil) : place
  }

  /// Parses a word. An existing file with the whole word as its name is that file.
  ///
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/badPlace`` if no version follows the @ after the name of
  ///   an existing file.
  package init(_ word: String, on disk: any Disk) throws {
    guard let at = word.lastIndex(of: "@"), at != word.startIndex,
      try !disk.exists(word)
    else {
      (path, version) = (word, nil)
      return
    }
    let name = String(word[..<at])
    let words = word[word.index(after: at)...]
    let version = VersionReference(words)
    if case .number? = version?.start {
      (path, self.version) = (name, version)
      return
    }
    guard !words.contains("/"), try disk.exists(name) else {
      (path, self.version) = (word, nil)
      return
    }
    guard let version else {
      throw ComparisonError(
        .badPlace,
        "'\(words)' in '\(word)' is not the number or date of a version, nor the name of a head.",
        path: name, hint: "Write '\(name)@NUMBER'.", .version(of: name))
    }
    (path, self.version) = (name, version)
  }
}
