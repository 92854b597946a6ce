extension TemporaryFiles {
  /// Returns the message with each path of a temporary file replaced by the path whose place the file was to take.
  ///
  /// A person who reads the message knows only that path, and the temporary file no longer exists.
  package static func namingTargets(in message: String) -> String {
    guard message.contains(TemporaryName.ending) else { return message }
    // A temporary path may be in quotes and after other text.
    let parts = message.split(
      separator: "/", maxSplits: .max, omittingEmptySubsequences: false)
    var result: [Substring] = []
    var next = parts.startIndex
    while next < parts.endIndex {
      let part = parts[next]
      next += 1
      guard let (before, target, after) = temporaryName(in: part) else {
        result.append(part)
        continue
      }
      // The new file lies in a folder of the temporary one, under its own name.
      if after.isEmpty, next + 1 < parts.endIndex,
        parts[next] == Workspace.newFolder || parts[next] == Workspace.oldFolder
      {
        result.append(before + parts[next + 1])
        next += 2
      } else {
        result.append(before + target + after)
      }
    }
    return result.joined(separator: "/")
  }

  /// Returns the temporary name in a component of a path, and the text around it.
  private static func temporaryName(
    in part: Substring
  ) -> (before: Substring, target: Substring, after: Substring)? {
    guard let ending = part.range(of: TemporaryName.ending) else { return nil }
    // The first component of a relative path follows the text of the message.
    var start = part.startIndex
    if part.first != "." {
      guard
        let mark = part[..<ending.lowerBound].lastIndex(where: { $0 == "'" || $0 == "\"" })
          ?? part[..<ending.lowerBound].lastIndex(of: " ")
      else { return nil }
      start = part.index(after: mark)
    }
    guard let name = TemporaryName(parsing: String(part[start..<ending.upperBound])) else {
      return nil
    }
    return (part[..<start], Substring(name.stem), part[ending.upperBound...])
  }
}

extension Substring {
  /// Returns the first range of a text in this text.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
