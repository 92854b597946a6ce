import Documents
import DurableFiles

/// A path on the command line, with a version after an @: `DOC@3`, `DOC@draft`, `DOC@draft~2`.
struct VersionedPath {
  let path: String
  let version: VersionReference?

  /// Parses a word. An existing file with the whole word as its name is that file.
  ///
  /// - Throws: ``CommandError`` if no version follows the @ after the name of an existing file.
  init(_ word: String, on disk: any Disk) throws {
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
      throw CommandError.wrongUsage(
        "'\(oneLine(String(words)))' in '\(oneLine(word))' is not the number of a version, nor the name of a head.",
        hint:
          "Write '\(oneLine(name))@NUMBER'. 'quire history \(CommandError.quoted(name))' lists the "
          + "numbers.")
    }
    (path, self.version) = (name, version)
  }
}

extension Invocation {
  /// Returns the invocation with `--version 3` and the path `X` in place of the path `X@3`, for commands that read one version.
  ///
  /// - Throws: ``CommandError`` if the command line names the version twice, or if no version follows the @.
  func readingVersionInPath(on disk: any Disk = RealDisk()) throws -> Invocation {
    guard command.options.contains(.version), let argument = command.arguments.first,
      argument.role == .input, let word = value(of: argument)
    else { return self }
    let place = try VersionedPath(word, on: disk)
    guard let version = place.version else { return self }
    guard !has(.version) else {
      throw CommandError.wrongUsage(
        "'\(oneLine(word))' and --version both name a version.", hint: "Leave out one of them.")
    }
    return replacing(word, by: place.path, in: [argument], []).setting(.version, to: "\(version)")
  }
}
