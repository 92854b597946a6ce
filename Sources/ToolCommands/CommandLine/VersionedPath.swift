import DurableFiles

/// A path on the command line, with the number of a version after an @.
struct VersionedPath {
  let path: String
  let version: Int64?

  /// Parses a word. An existing file with the whole word as its name is that file.
  ///
  /// - Throws: ``CommandError`` if no number follows the @ after the name of an existing file.
  init(_ word: String, on disk: any Disk) throws {
    guard let at = word.lastIndex(of: "@"), at != word.startIndex,
      try !disk.exists(word)
    else {
      (path, version) = (word, nil)
      return
    }
    let name = String(word[..<at])
    let number = word[word.index(after: at)...]
    if let version = Int64(number), version >= 0 {
      (path, self.version) = (name, version)
    } else if !number.contains("/"), try disk.exists(name) {
      throw CommandError.wrongUsage(
        "'\(oneLine(String(number)))' in '\(oneLine(word))' is not the number of a version.",
        hint:
          "Write '\(oneLine(name))@NUMBER'. 'quire history \(CommandError.quoted(name))' lists the "
          + "numbers.")
    } else {
      (path, version) = (word, nil)
    }
  }
}

extension Invocation {
  /// Returns the invocation with `--version 3` and the path `X` in place of the path `X@3`, for commands that read one version.
  ///
  /// - Throws: ``CommandError`` if the command line names the version twice, or if no number follows the @.
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
