/// Functions that make text of a model safe for its place in source code.
enum CodeText {
  /// Returns the text on one line, without control characters.
  static func oneLine(_ text: String) -> String {
    var result = ""
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if isInvisible(scalar) || scalar.properties.isWhitespace {
        pendingSpace = true
      } else {
        if pendingSpace, !result.isEmpty { result += " " }
        pendingSpace = false
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns the text on one line, shortened and in quotes, for comments.
  static func quoted(_ text: String, limit: Int = 80) -> String {
    let line = oneLine(text)
    return "\"\(line.count > limit ? line.prefix(limit) + "…" : line[...])\""
  }

  /// Returns the text as code in a documentation comment.
  static func code(_ text: String, limit: Int = 400) -> String {
    let line = oneLine(text)
    let shown = line.count > limit ? line.prefix(limit) + "…" : line[...]
    // A backtick would end the code.
    return shown.contains("`") ? "\"\(shown)\"" : "`\(shown)`"
  }

  /// Returns the paragraphs of a text, each on one line.
  static func paragraphs(_ text: String) -> [String] {
    var paragraphs: [[String]] = [[]]
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = oneLine(String(line))
      if !line.isEmpty {
        paragraphs[paragraphs.count - 1].append(line)
      } else if !paragraphs[paragraphs.count - 1].isEmpty {
        paragraphs.append([])
      }
    }
    return paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
  }

  /// Returns the text on lines of at most `width` characters. A longer word gets its own line.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var length = 0
    for word in text.split(separator: " ") {
      let count = word.count
      if length > 0, length + 1 + count > width {
        lines.append(line)
        line = ""
        length = 0
      }
      line += (length > 0 ? " " : "") + word
      length += count + (length > 0 ? 1 : 0)
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// Returns the text as a string literal of one line.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      default:
        if isInvisible(scalar) {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Returns the number signs for a raw literal, enough that the text can't end the literal or contain an escape.
  static func fence(for text: String) -> String {
    var longest = 0
    var run: Int?
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): run = 0
      case UInt8(ascii: "#"): run = run.map { $0 + 1 }
      default: run = nil
      }
      longest = max(longest, run ?? 0)
    }
    return String(repeating: "#", count: longest + 1)
  }

  /// Returns a line of a raw literal with invisible characters escaped.
  static func escaped(_ line: String, fence: String) -> String {
    guard line.unicodeScalars.contains(where: { isInvisible($0) && $0 != "\t" }) else {
      return line
    }
    return line.unicodeScalars.reduce(into: "") { result, scalar in
      if isInvisible(scalar), scalar != "\t" {
        result += "\\\(fence)u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether a character is a control, a direction mark or a line separator. Such characters could make code look
  /// different from the code that is compiled.
  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
    default: false
    }
  }
}
