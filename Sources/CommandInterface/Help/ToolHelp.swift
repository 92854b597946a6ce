/// The help of the tool as a whole: its effect, its commands, and the options of every command.
///
/// ``Command/help(width:)`` explains one command.
package struct ToolHelp {
  private let groups: [CommandGroup]

  package init(of groups: [CommandGroup]) { self.groups = groups }

  /// The effect of the tool, as the rest of a sentence that begins with its name.
  package static let summary = "shows and changes documents, stores and models from a terminal"
  /// The command lines of the tool without its commands.
  package static let usages = [
    "quire COMMAND [ARGUMENT…] [OPTION…]", "quire help COMMAND", "quire --version",
  ]
  /// The places of the tool's output.
  package static let streams = """
    Results go to standard output, messages to standard error. A lone dash in place of an input is standard input; in \
    place of a new file it is standard output.
    """
  /// The options that every command accepts.
  package static let commonOptions = [
    Option("help", "Shows the command's help."),
    Option("quiet", "Prints no notes and no progress, only results and errors."),
    Option("verbose", "Prints the messages of plug-ins."),
    Option("no-plugins", "Uses no plug-ins."),
  ]
  /// The spellings of the option for help.
  package static let helpSpelling = "-h, --help"

  /// Returns an overview of all commands, in lines of at most `width` columns.
  package func text(width: Int = 80) -> String {
    let options = ToolHelp.commonOptions.map { option in
      (option.name == "help" ? ToolHelp.helpSpelling : option.spelling, option.help)
    }
    let names = groups.flatMap(\.commands).map(\.name)
    let sections = [
      HelpText.wrapped("quire \(ToolHelp.summary).", width: width),
      "Usage:\n"
        + ToolHelp.usages.map { HelpText.wrapped($0, width: width, indent: 2, hanging: 8) }
        .joined(separator: "\n"),
    ]
    let commands = groups.map { group in
      "\(group.title):\n"
        + HelpText.definitions(
          group.commands.map { ($0.name, HelpText.sentence($0.summary)) }, alignedWith: names,
          width: width)
    }
    let rest = [
      "Options of every command:\n" + HelpText.definitions(options, width: width),
      HelpText.wrapped(ToolHelp.streams, width: width),
      "Exit codes:\n"
        + HelpText.definitions(
          ExitCode.allCases.map { (String($0.rawValue), HelpText.sentence($0.meaning)) },
          width: width),
    ]
    return (sections + commands + rest).joined(separator: "\n\n") + "\n"
  }
}
