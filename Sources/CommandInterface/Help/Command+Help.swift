extension Command {
  /// The first lines of the help: the syntax of the command.
  package var usage: String {
    let words =
      arguments.map { argument in
        let name = argument.name + (argument.isRepeating ? "…" : "")
        return argument.isRequired ? name : "[\(name)]"
      }
      + options.map { "[\($0.usage)]" }
    return (["quire", name] + words).joined(separator: " ")
  }

  /// The paragraphs of the discussion.
  package var paragraphs: [String] { discussion.split(separator: "\n\n").map(String.init) }

  /// Returns the description of the command and its arguments, in lines of at most `width` columns.
  package func help(width: Int = 80) -> String {
    var sections = [HelpText.wrapped("quire \(name) \(summary).", width: width)]
    sections.append(
      "Usage:\n" + HelpText.wrapped(usage, width: width, indent: 2, hanging: 8 + name.count))
    if !discussion.isEmpty {
      sections += paragraphs.map { HelpText.wrapped($0, width: width) }
    }
    if !arguments.isEmpty {
      sections.append(
        "Arguments:\n" + HelpText.definitions(arguments.map { ($0.name, $0.help) }, width: width))
    }
    let helpRow = (ToolHelp.helpSpelling, "Shows this help.")
    sections.append(
      "Options:\n"
        + HelpText.definitions(options.map { ($0.spelling, $0.help) } + [helpRow], width: width))
    if !examples.isEmpty {
      let lines = examples.map { example in
        HelpText.commandLine(example.line, width: width) + "\n"
          + HelpText.wrapped(example.explanation, width: width, indent: 6)
      }
      sections.append("Examples:\n" + lines.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }
}

extension Command {
  /// The options of the command, and the options of every command. An option of the command takes precedence over a
  /// common option of the same name.
  package var allOptions: [Option] {
    options
      + ToolHelp.commonOptions.filter { common in !options.contains { $0.name == common.name } }
  }
}
