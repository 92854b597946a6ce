extension Command {
  /// The first lines of the help: the syntax of the command.
  var usage: String {
    let words =
      arguments.map { argument in
        let name = argument.name + (argument.isRepeating ? "…" : "")
        return argument.isRequired ? name : "[\(name)]"
      }
      + options.map { "[\($0.usage)]" }
    return (["quire", name] + words).joined(separator: " ")
  }

  /// The paragraphs of the discussion.
  var paragraphs: [String] { discussion.split(separator: "\n\n").map(String.init) }

  /// Returns the description of the command and its arguments, in lines of at most `width` columns.
  func help(width: Int = 80) -> String {
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
    let helpRow = (Tool.helpSpelling, "Shows this help.")
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
  var allOptions: [Option] {
    options + Tool.commonOptions.filter { common in !options.contains { $0.name == common.name } }
  }
}

extension Tool {
  /// The effect of the tool, as the rest of a sentence that begins with its name.
  static let summary = "shows and changes documents, stores and models from a terminal"
  /// The command lines of the tool without its commands.
  static let usages = [
    "quire COMMAND [ARGUMENT…] [OPTION…]", "quire help COMMAND", "quire --version",
  ]
  /// The places of the tool's output.
  static let streams = """
    Results go to standard output, messages to standard error. A lone dash in place of an input is standard input; in \
    place of a new file it is standard output.
    """
  /// The options that every command accepts.
  static let commonOptions = [
    Option("help", "Shows the command's help."),
    Option("quiet", "Prints no notes and no progress, only results and errors."),
    Option("verbose", "Prints the messages of plug-ins."),
    Option("no-plugins", "Uses no plug-ins."),
  ]
  /// The spellings of the option for help.
  static let helpSpelling = "-h, --help"

  /// Returns an overview of all commands, in lines of at most `width` columns.
  func help(width: Int = 80) -> String {
    let options = Tool.commonOptions.map { option in
      (option.name == "help" ? Tool.helpSpelling : option.spelling, option.help)
    }
    let sections = [
      HelpText.wrapped("quire \(Tool.summary).", width: width),
      "Usage:\n"
        + Tool.usages.map { HelpText.wrapped($0, width: width, indent: 2, hanging: 8) }
        .joined(separator: "\n"),
      "Commands:\n"
        + HelpText.definitions(
          commands.map { ($0.name, HelpText.sentence($0.summary)) }, width: width),
      "Options of every command:\n" + HelpText.definitions(options, width: width),
      HelpText.wrapped(Tool.streams, width: width),
      "Exit codes:\n"
        + HelpText.definitions(
          ExitCode.allCases.map { (String($0.rawValue), HelpText.sentence($0.meaning)) },
          width: width),
    ]
    return sections.joined(separator: "\n\n") + "\n"
  }
}
