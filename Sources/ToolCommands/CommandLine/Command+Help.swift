extension Command {
  /// The first lines of the help: the syntax of the command.
  var usage: String {
    let words =
      arguments.map { argument in
        let name = argument.name + (argument.isRepeating ? "…" : "")
        return argument.isRequired ? name : "[\(name)]"
      }
      + options.map { "[\($0.spelling)]" }
    return (["quire", name] + words).joined(separator: " ")
  }

  /// Returns the description of the command and its arguments, in lines of at most `width` columns.
  func help(width: Int = 80) -> String {
    var sections = [wrapped("quire \(name) \(summary).", width: width)]
    sections.append(
      "Usage:\n" + wrapped(usage, width: width, indent: 2, hanging: 8 + name.count))
    if !discussion.isEmpty {
      sections += discussion.split(separator: "\n\n").map { wrapped(String($0), width: width) }
    }
    if !arguments.isEmpty {
      sections.append(
        "Arguments:\n" + definitions(arguments.map { ($0.name, $0.help) }, width: width))
    }
    let helpRow = ("-h, --help", "Shows this help.")
    sections.append(
      "Options:\n"
        + definitions(options.map { ($0.spelling, $0.help) } + [helpRow], width: width))
    if !examples.isEmpty {
      let lines = examples.map {
        "  \($0.line)\n" + wrapped($0.explanation, width: width, indent: 6)
      }
      sections.append("Examples:\n" + lines.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }
}

extension Tool {
  /// Returns an overview of all commands.
  func help(width: Int = 80) -> String {
    """
    quire shows and changes documents, stores and models from a terminal.

    Usage:
      quire COMMAND [ARGUMENT…] [OPTION…]
      quire help COMMAND
      quire --version

    Commands:
    \(definitions(commands.map { ($0.name, sentence($0.summary)) }, width: width))

    Options of every command:
    \(definitions([("-h, --help", "Shows the command's help."), ("--no-plugins", "Uses no plug-ins.")], width: width))

    Results go to standard output, messages to standard error.

    Exit codes:
    \(definitions(ExitCode.allCases.map { (String($0.rawValue), sentence($0.meaning)) }, width: width))

    """
  }
}

/// Returns two columns with terms on the left and their meanings on the right.
private func definitions(_ rows: [(term: String, meaning: String)], width: Int) -> String {
  let column = min(24, (rows.map(\.term.count).max() ?? 0) + 4)
  return rows.map { row in
    let meaning = wrapped(row.meaning, width: width, indent: column)
    // A term that is too long for its column gets a line of its own.
    if row.term.count + 4 > column { return "  \(row.term)\n\(meaning)" }
    return "  \(row.term)" + meaning.dropFirst(row.term.count + 2)
  }.joined(separator: "\n")
}

/// Returns the text, broken between words into lines of at most `width` columns.
private func wrapped(_ text: String, width: Int, indent: Int = 0, hanging: Int? = nil) -> String {
  var lines: [String] = []
  var line = String(repeating: " ", count: indent)
  var isEmpty = true
  for word in text.split(whereSeparator: \.isWhitespace) {
    if !isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = String(repeating: " ", count: hanging ?? indent)
      isEmpty = true
    }
    line += isEmpty ? String(word) : " \(word)"
    isEmpty = false
  }
  return (lines + [line]).joined(separator: "\n")
}

private func sentence(_ phrase: String) -> String {
  phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
}
